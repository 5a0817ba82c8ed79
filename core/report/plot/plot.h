// SPDX-License-Identifier: Apache-2.0
/* plot.h: the pictures. */
#ifndef CORE_REPORT_PLOT_H
#define CORE_REPORT_PLOT_H

#include <stdio.h>

#include "report/table/table.h"

typedef struct plot_input {
    const table *t;
    const table *seconds; /* the same rows and columns with the metric "seconds"; for scatter */
    bool alone;           /* a file of its own rather than a part of a page */
} plot_input;

/* Writes an SVG. CRU_UNSUPPORTED: the table does not have what the plot needs (the message says what); nothing has been
 * written then. */
typedef cru_status plot_function(const plot_input *in, FILE *out, cru_error *err);

plot_function plot_bars;    /* means with error bars, grouped by column */
plot_function plot_curve;   /* mean and spread over a swept number, the last key of the columns */
plot_function plot_box;     /* quartiles of the runs, grouped by column */
plot_function plot_scatter; /* seconds against the metric, one panel per column */
plot_function plot_ranks;   /* average ranks with Nemenyi's critical difference */

typedef struct plot_kind {
    const char *name, *help;
    const char *uses; /* which of the options spread, digits and alpha show in it, with spaces between them */
    plot_function *draw;
} plot_kind;

enum { PLOT_KINDS = 5 };
extern const plot_kind plot_kinds[PLOT_KINDS];

/* NULL when there is none of that name. */
const plot_kind *plot_find(const char *name);

#endif
