// SPDX-License-Identifier: Apache-2.0
/* method-report.h: what a method reports of what it learned, on its way from the worker to the store.
 *
 * It lies at the end of the memory file of the scores, as records. The worker writes it with a report_writer, which
 * leaves out what is too much or badly named and says so. The worker runs foreign code, so the host believes none of
 * that and looks at every byte again (report_take), when the worker is gone: what breaks a limit costs the whole
 * report, not the trial. In the store a name has "method." before it. */
#ifndef CORE_PROTOCOL_METHOD_REPORT_H
#define CORE_PROTOCOL_METHOD_REPORT_H

#include <crucible/plugin.h>

#include "protocol/protocol.h"

enum {
    REPORT_NAMES_MOST = 100,
    REPORT_NAME_MOST = 60, /* bytes of a name */
    REPORT_FAULT = 160,    /* bytes of a sentence */
};

/* ---- the worker's side ----------------------------------------------------------------------------------- */

typedef struct report_writer {
    bool weights; /* a metric asks for the label weights; otherwise they are left out without a word */
    size_t room;  /* bytes */
    records list;
    int64_t names;
    char fault[REPORT_FAULT]; /* the first thing that was left out, and why; empty: nothing was */
} report_writer;

/* What the method is handed. `w` has weights and room, the rest zero. */
cru_report report_open(report_writer *w);

/* Moves the records to `bytes`, which have the room, and frees them. Returns how many bytes they are. */
size_t report_close(report_writer *w, unsigned char *bytes);

/* ---- the host's and the judge's side --------------------------------------------------------------------- */

/* Copies the records of hostile bytes to `into`, with "method." before each name, and without the label weights unless
 * they are wanted. False: `fault` has a sentence, and `into` nothing. The bytes must not change meanwhile. */
bool report_take(const unsigned char *bytes, size_t size, bool weights, records *into, char fault[REPORT_FAULT]);

/* The label weights among hostile bytes; false: there are none. */
bool report_find_weights(const unsigned char *bytes, size_t size, record *out);

/* For any sink that makes records: a matrix is a list of its numbers, row by row, and, unless it is square, the number
 * NAME.rows. */
void records_put_matrix(records *list, const char *name, const double *values, int64_t rows, int64_t cols);

#endif
