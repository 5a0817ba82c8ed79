// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#ifndef CRU_SERVE

cru_status server_run(const server_options *options, cru_error *err)
{
    (void)options;
    return cru_fail(err, CRU_UNSUPPORTED, "this program was built without libmicrohttpd (package libmicrohttpd-dev)");
}

#else

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "host/signals.h"
#include "serve/http-library.h"
#include "serve/live.h"

enum {
    TOKEN = 32, /* hex digits */
    WAIT_MS = 200,
    REQUEST_BYTES = 32768,
    IDLE_SECONDS = 20,
    CONNECTIONS = 32,
};

typedef struct server {
    const server_options *options;
    http_library http;
    char token[TOKEN + 1];
    uint16_t port;
} server;

/* ---- who may ask ----------------------------------------------------------------------------------------- */

/* In a time that does not tell how much of it is right. */
static bool has_token(const server *s, const char *path)
{
    unsigned char different = 0;
    if (strlen(path) < 1 + TOKEN || path[0] != '/') return false;
    for (int i = 0; i < TOKEN; i++) different |= (unsigned char)(path[1 + i] ^ s->token[i]);
    return different == 0 && (path[1 + TOKEN] == '/' || path[1 + TOKEN] == 0);
}

/* A page of another site may make a browser ask here under its own name; the name is then in the header. */
static bool is_this_machine(const server *s, struct MHD_Connection *connection)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    const char *host = s->http.lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    char expected[40];
    for (int i = 0; host && i < 2; i++) {
        snprintf(expected, sizeof expected, "%s:%u", names[i], s->port);
        if (strcmp(host, expected) == 0) return true;
    }
    return false;
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static enum MHD_Result send_answer(const server *s, struct MHD_Connection *connection, const live_answer *a)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; connect-src "
         "'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"},
    };
    if (!a->text) return MHD_NO;
    struct MHD_Response *response = s->http.create_response_from_buffer(a->size, a->text, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(a->text);
        return MHD_NO;
    }
    s->http.add_response_header(response, "Content-Type", a->type);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        s->http.add_response_header(response, headers[i][0], headers[i][1]);
    enum MHD_Result sent = s->http.queue_response(connection, (unsigned int)a->code, response);
    s->http.destroy_response(response);
    return sent;
}

static live_answer refuse(int code, const char *text)
{
    char *copy = strdup(text);
    return (live_answer){code, "text/plain; charset=utf-8", copy, copy ? strlen(copy) : 0};
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    const server *s = user;
    live_answer a;
    (void)version, (void)upload, (void)upload_size, (void)state;
    if (!is_this_machine(s, connection))
        a = refuse(403, "this server answers to 127.0.0.1 and localhost only\n");
    else if (!has_token(s, url))
        a = refuse(404, "not found\n");
    else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        a = refuse(405, "only GET and HEAD\n");
    else if (!url[1 + TOKEN])
        a = refuse(404, "the address ends in a slash\n");
    else
        a = live_get(s->options->db, url + 1 + TOKEN,
                     s->http.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "experiment"));
    return send_answer(s, connection, &a);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static cru_status make_token(server *s, cru_error *err)
{
    unsigned char bytes[TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return cru_fail(err, CRU_FAILED, "the system gives no random numbers: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
    return CRU_OK;
}

static struct MHD_Daemon *start(server *s)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(s->options->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return s->http.start_daemon(MHD_NO_FLAG, s->options->port, NULL, NULL, answer, s, MHD_OPTION_SOCK_ADDR, &address,
                                MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_CONNECTION_LIMIT,
                                (unsigned int)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS,
                                MHD_OPTION_END);
}

cru_status server_run(const server_options *options, cru_error *err)
{
    server s = {.options = options};
    char text[100];
    cru_status status = http_library_load(&s.http, err);
    if (!status) status = make_token(&s, err);
    if (status) return status;
    struct MHD_Daemon *daemon = start(&s);
    if (!daemon) return cru_fail(err, CRU_IO, "cannot listen on port %u of this machine: is it in use?", options->port);
    const union MHD_DaemonInfo *info = s.http.get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    s.port = info ? info->port : options->port;
    int signals = signals_open();
    snprintf(text, sizeof text, "http://127.0.0.1:%u/%s/", s.port, s.token);
    options->ready(options->user, text);
    while (signals >= 0 && !signals_take(signals) && s.http.run_wait(daemon, WAIT_MS) == MHD_YES) continue;
    s.http.stop_daemon(daemon);
    signals_close(signals);
    return signals < 0 ? cru_fail(err, CRU_FAILED, "cannot wait for signals: %s", strerror(errno)) : CRU_OK;
}
#endif
