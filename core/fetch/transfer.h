// SPDX-License-Identifier: Apache-2.0
/* transfer.h: many downloads at once.
 *
 * A download goes on from what an earlier one left (part.h), follows redirects, and starts again by itself when the
 * connection breaks after some bytes, when the server's file has changed meanwhile, or when the whole has the wrong
 * checksum after it was put together from pieces. http, https and file addresses.
 *
 * A server that sends more than it should, hardly anything, or for ever is left. */
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

/* What a server may ask of our patience. A field that is 0 stands for the default. */
typedef struct transfer_limits {
    int64_t most_bytes;  /* of a file whose size is not known: 4 GiB */
    int64_t least_speed; /* bytes a second: 500 ... */
    double patience;     /* ... over so many seconds: 30 */
    double most_seconds; /* for one file from one address, all tries together: 4 hours */
} transfer_limits;

/* With defaults in the place of zeros. */
transfer_limits transfer_limits_whole(const transfer_limits *limits);

typedef struct transfer_list {
    transfer *items;
    int64_t count;
} transfer_list;

/* Runs all of them. What goes wrong with one is in its status: CRU_IO (network, disk; the message says what to do by
 * hand), CRU_BAD_INPUT (wrong checksum, size or kind of file), CRU_FAILED (another process is at it). The result is an
 * error only when nothing can be downloaded at all. */
cru_status transfer_all(const transfer_list *list, const transfer_limits *limits, const transfer_watch *watch,
                        cru_error *err);

#endif
