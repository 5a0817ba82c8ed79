# SPDX-License-Identifier: Apache-2.0
"""A web server that misbehaves on purpose: fetch-server.py FOLDER LOG; prints its port

The first part of a path says how FOLDER/<rest> is served:
  ok        ranges, ETag and If-Range as they should be
  plain     no ranges, no ETag, no date
  moved     redirects to ok
  slow      ok, but the connection stays open after the last byte
  cut       breaks off in the middle of what was asked for, the first time; then ok
  dead      the first 1000 bytes, then nothing more, until FOLDER/healed exists; then ok
  liar      a range that was not asked for
  endless   zeros without an end, no length
  drip      announces the file, sends its first bytes one at a time and hardly ever
  page      a page to log in, as a success
  short     the first half without a length, then the end of the connection
  missing   404
  broken    500
Every request is one line in LOG: path, Range, If-Range."""
import hashlib
import os
import select
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder, log_name = sys.argv[1:]
seen = set()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every answer waits for an acknowledgement

    def log_message(self, *_):
        pass

    def answer(self, code, headers, body=b""):
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(self.announced if self.announced is not None else len(body)))
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self):
        self.wfile.flush()
        self.close_connection = True

    def serve(self, whole, limit=None):
        """The whole or the range asked for; `limit` bytes of it when given, under the full length."""
        mark = '"%s"' % hashlib.sha256(whole).hexdigest()[:16]
        headers = {"ETag": mark, "Accept-Ranges": "bytes"}
        asked, condition = self.headers.get("Range"), self.headers.get("If-Range")
        code, body = 200, whole
        if asked and condition in (None, mark):
            start = int(asked.split("=")[1].rstrip("-"))
            if start >= len(whole):
                self.answer(416, {"Content-Range": "bytes */%d" % len(whole)})
                return
            code, body = 206, whole[start:]
            headers["Content-Range"] = "bytes %d-%d/%d" % (start, len(whole) - 1, len(whole))
        self.announced = len(body)
        self.answer(code, headers, body if limit is None else body[:limit])
        if limit is not None:
            self.hang_up()

    def mistreat(self, manner, whole):
        self.close_connection = True
        if manner == "page":
            return self.answer(200, {"Content-Type": "text/html"}, b"<!DOCTYPE html>\n<title>Please log in</title>\n")
        self.send_response(200)
        if manner == "drip":
            self.send_header("Content-Length", str(len(whole)))
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            if manner == "short":
                self.wfile.write(whole[: len(whole) // 2])
            while manner == "endless":
                self.wfile.write(bytes(1 << 16))
            for i in range(len(whole) if manner == "drip" else 0):
                self.wfile.write(whole[i : i + 1])
                if select.select([self.connection], [], [], 0.4)[0]:
                    return  # the client has hung up
        except OSError:
            pass  # so it should

    def do_GET(self):
        self.announced = None
        _, manner, name = self.path.split("/", 2)
        with open(log_name, "a") as log:
            print(self.path, self.headers.get("Range", "-"), self.headers.get("If-Range", "-"), file=log)
        first = self.path not in seen
        seen.add(self.path)
        path = os.path.join(folder, name)
        if manner == "missing" or not os.path.exists(path):
            return self.answer(404, {}, b"not here")
        if manner == "broken":
            return self.answer(500, {}, b"no")
        with open(path, "rb") as file:
            whole = file.read()
        if manner in ("endless", "drip", "page", "short"):
            self.mistreat(manner, whole)
        elif manner == "plain":
            self.answer(200, {}, whole)
        elif manner == "moved":
            self.answer(302, {"Location": "/ok/" + name})
        elif manner == "slow":
            self.serve(whole)
            self.wfile.flush()
            self.connection.recv(1)  # until the client hangs up
            self.close_connection = True
        elif manner == "cut" and first:
            self.serve(whole, len(whole) // 2)
        elif manner == "dead" and not os.path.exists(os.path.join(folder, "healed")):
            if first:
                self.serve(whole, 1000)
            else:
                self.hang_up()
        elif manner == "liar" and self.headers.get("Range"):
            self.answer(206, {"Content-Range": "bytes 1-%d/%d" % (len(whole) - 1, len(whole))}, whole[1:])
        else:
            self.serve(whole)


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # a client that hangs up


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
