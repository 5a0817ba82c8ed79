// SPDX-License-Identifier: Apache-2.0
/* server.h: a live page of a store for the browser of this machine.
 *
 * It listens on 127.0.0.1 only and answers only what names its token, 128 random bits, in the path and this machine in
 * the header Host (so that no page of another site can reach it under a name of its own). It reads no file but the
 * store, and only GET and HEAD are known. A request has 32 KiB in all and 20 seconds. */
#ifndef CORE_SERVE_SERVER_H
#define CORE_SERVE_SERVER_H

#include <stdint.h>

#include <crucible/status.h>

typedef struct server_options {
    const char *db;
    uint16_t port;                                  /* 0: any that is free */
    void (*ready)(void *user, const char *address); /* called once, with http://127.0.0.1:PORT/TOKEN/ */
    void *user;
} server_options;

/* Serves until SIGINT, SIGTERM or SIGHUP. CRU_UNSUPPORTED: there is no libmicrohttpd; CRU_IO: the port is taken. */
cru_status server_run(const server_options *options, cru_error *err);

#endif
