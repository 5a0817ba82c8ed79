// SPDX-License-Identifier: Apache-2.0
/* transfer.h: many downloads at once.
 *
 * A download goes on from what an earlier one left (part.h), follows redirects, and starts again by itself when the
 * connection breaks after some bytes, when the server's file has changed meanwhile, or when the whole has the wrong
 * checksum after it was put together from pieces. http, https and file addresses. */
#ifndef CORE_FETCH_TRANSFER_H
#define CORE_FETCH_TRANSFER_H

#include "fetch/part.h"

/* The caller fills the first three; the name and what the goal points to must outlive the transfer. */
typedef struct transfer {
    part_goal goal;
    const char *name;  /* how messages call it: "cora/ind.cora.x" */
    int64_t resumed;   /* bytes of an earlier download that were used */
    int64_t have;      /* bytes that are here by now */
    int64_t total;     /* of the whole file; -1: not known */
    cru_status status; /* once it is done, as is the rest */
    cru_error error;
    char sha256[SHA256_HEX]; /* as found; "" when it failed */
} transfer;

typedef struct transfer_totals {
    int64_t files, done;
    int64_t bytes;       /* that came in this run */
    double share;        /* of all files, counting a file under way by its bytes */
    const char *running; /* the name of one under way, or NULL */
} transfer_totals;

/* Who is told how it goes on. Each may be NULL. */
typedef struct transfer_watch {
    void *user;
    void (*tick)(void *user, const transfer_totals *totals); /* several times a second */
    void (*done)(void *user, const transfer *t);             /* well or not */
} transfer_watch;

/* Runs all of them. What goes wrong with one is in its status: CRU_IO (network, disk; the message says what to do by
 * hand), CRU_BAD_INPUT (wrong checksum), CRU_FAILED (another process is at it). The result is an error only when
 * nothing can be downloaded at all. */
cru_status transfer_all(transfer *transfers, int64_t count, const transfer_watch *watch, cru_error *err);

#endif
