# SPDX-License-Identifier: Apache-2.0
# The live page: progress while trials end, the report below, and nothing for whoever has not the address.
. "$(dirname "$0")/lib.sh"

cd "$work" || fail "no folder"
expect 1 "$CRUCIBLE" serve --db none.db
expect 2 "$CRUCIBLE" serve --db none.db --port 70000
contains "$errors" "at most 65535"

cat >a.ini <<'INI'
[experiment]
seeds = 0..2
[dataset csbm]
nodes = 100
[split]
scheme = percent
train  = 0.3
val    = 0.2
[algorithm gcn]
hidden = 4
[algorithm mlp]
hidden = 4
[monitor]
epochs = 3
INI
expect 0 "$CRUCIBLE" run a.ini -q --set experiment.seeds=0
"$CRUCIBLE" serve >address 2>said &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 200); do [ -s address ] || ! kill -0 $server 2>/dev/null || read -rt 0.05 _ <> <(:); done
if grep -q "libmicrohttpd" said; then
    echo "SKIPPED: no libmicrohttpd"
    exit 0
fi
[ -s address ] || fail "no address: $(cat said)"
address=$(cat address)

# Raw requests: what is not asked with the token, of this machine and by GET is refused; nothing ends the server.
python3 - "$address" <<'PY' || fail "a request was answered wrongly"
import http.client, json, socket, sys, urllib.parse
url = urllib.parse.urlsplit(sys.argv[1])
token = url.path.strip("/")
assert url.hostname == "127.0.0.1" and len(token) == 32, url

def ask(path, method="GET", host=None, body=None):
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=20)
    c.putrequest(method, path, skip_host=True)
    c.putheader("Host", host or url.netloc)
    if body is not None:
        c.putheader("Content-Length", str(len(body)))
    c.endheaders()
    if body is not None:
        c.send(body)
    r = c.getresponse()
    return r.status, r.read(), r

def raw(data):
    s = socket.create_connection((url.hostname, url.port), timeout=20)
    try:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := s.recv(65536):
            answer += chunk
    except OSError:
        answer = b""  # it may hang up on what is too long
    s.close()
    return answer

status, body, r = ask(f"/{token}/")
assert status == 200 and b"<iframe" in body, status
assert "frame-ancestors 'self'" in r.getheader("Content-Security-Policy") and r.getheader("Cache-Control") == "no-store"
status, body, r = ask(f"/{token}/progress.json")
p = json.loads(body)
assert p["latest"] == "a" and p["experiments"][0]["ok"] == 2 and p["failures"] == [], p
status, body, r = ask(f"/{token}/report?experiment=a")
assert status == 200 and b"results" in body and r.getheader("Content-Type").startswith("text/html")
assert ask(f"/{token}/report?experiment=none")[0] == 404
wrong = ("0" if token[0] != "0" else "1") + token[1:]
for path in ("/", "/progress.json", f"/{wrong}/", f"/{wrong}/progress.json", f"/{token[:31]}/", f"/{token}x/", f"/{token}",
             f"/{token}/../../../etc/passwd", f"/{token}/%2e%2e/%2e%2e/etc/passwd", f"/{token}//etc/passwd",
             f"/{token}/results.db", f"/{token}/report/../progress.json", "/" + "a" * 5000):
    status, body, r = ask(path)
    assert status == 404 and b"root:" not in body, (path, status)
for host in ("evil.example", f"evil.example:{url.port}", "127.0.0.1", f"127.0.0.1:{url.port}.evil.example"):
    assert ask(f"/{token}/", host=host)[0] == 403, host
assert ask(f"/{token}/", method="POST", body=b"x" * 100)[0] == 405
assert ask(f"/{token}/", method="DELETE")[0] == 405
assert ask(f"/{token}/", method="HEAD")[0] == 200
for hostile in (b"GET /" + b"a" * 10_000_000 + b" HTTP/1.1\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200_000 + b"\r\n",
                b"\0" * 100_000, b"GET", b"GET / HTTP/9.9\r\n\r\n",
                b"POST / HTTP/1.1\r\nHost: " + url.netloc.encode() + b"\r\nContent-Length: 99999999999999\r\n\r\n" + b"x" * 1000):
    answer = raw(hostile)
    assert not answer.startswith(b"HTTP/1.1 200"), (hostile[:40], answer[:80])
assert ask(f"/{token}/progress.json")[0] == 200
try:
    other = socket.gethostbyname(socket.gethostname())
    if not other.startswith("127."):
        socket.create_connection((other, url.port), timeout=5)
        sys.exit("it listens on " + other)
except OSError:
    pass
PY

# Trials that end meanwhile, and those that fail, are in the next answer.
progress() { python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1] + "progress.json").read().decode())' "$address"; }
expect 1 "$CRUCIBLE" run a.ini -q --set experiment.name=bad --set experiment.metrics=auroc --set experiment.seeds=7
contains "$(progress)" '"latest":"bad"'
contains "$(progress)" 'metric auroc needs two classes'
expect 0 "$CRUCIBLE" run a.ini -q
contains "$(progress)" '"latest":"a"'
contains "$(progress)" '"ok":6'

# In a browser: the page fills itself and shows the report.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -n "$browser" ]; then
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" --virtual-time-budget=8000 --dump-dom \
        "$address" >dom 2>console || fail "the browser: $(tail -5 console)"
    contains "$(cat dom)" "a: 6 of 6 trials"
    contains "$(cat dom)" 'src="report?experiment=a'
    grep -q "CONSOLE.*\(Error\|Refused\)" console && fail "on the console: $(grep CONSOLE console)"
fi
kill -TERM $server
wait $server || fail "it did not end well"
