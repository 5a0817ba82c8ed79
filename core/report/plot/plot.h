// SPDX-License-Identifier: Apache-2.0
/* plot.h: the pictures. */
#ifndef CORE_REPORT_PLOT_H
#define CORE_REPORT_PLOT_H

#include <stdio.h>

#include "report/plot/plot-data.h"
#include "report/plot/plot-maps.h"
#include "report/table/table.h"

/* How methods are joined in the diagram of ranks. */
typedef enum plot_cliques {
    CLIQUES_NEMENYI,  /* ranks within Nemenyi's critical difference */
    CLIQUES_WILCOXON, /* no pair of them differs by Wilcoxon's test with Holm's correction over all pairs */
} plot_cliques;

typedef struct plot_input {
    const table *t;       /* the first metric; NULL for pictures of a file alone */
    table *const *tables; /* all metrics that were asked for */
    int64_t table_count;
    const table *x, *size;       /* what a run costs, in the same rows and columns; for scatter */
    const frame *tried;          /* every setting that searches tried; NULL: there was no search */
    const frame_measure *target; /* of `tried`: what was searched for */
    const plot_data *data;       /* numbers of a file; NULL: none */
    const plot_maps *maps;       /* of the trials; NULL: none */
    plot_cliques cliques;
    bool ordinal; /* the last key of the columns is a scale, whatever it is called */
    bool alone;   /* a file of its own rather than a part of a page */
} plot_input;

/* Writes an SVG. CRU_UNSUPPORTED: the input does not have what the plot needs (the message says what); nothing has been
 * written then. */
typedef cru_status plot_function(const plot_input *in, FILE *out, cru_error *err);

plot_function plot_bars;        /* means with error bars, grouped by column */
plot_function plot_drop;        /* bars over the levels of a damage, with a line for the relative decrease */
plot_function plot_curve;       /* mean and spread over the levels of the last key of the columns */
plot_function plot_box;         /* quartiles of the runs, grouped by column */
plot_function plot_methods;     /* one box a row over the columns, coloured by its mean */
plot_function plot_histogram;   /* how the runs of every row are distributed */
plot_function plot_scatter;     /* cost against the metric, one panel per column */
plot_function plot_ranks;       /* average ranks, methods that do not differ joined */
plot_function plot_heat;        /* rows by columns, or a matrix */
plot_function plot_slope;       /* from the first to the last level */
plot_function plot_profile;     /* the share of runs above every value */
plot_function plot_improvement; /* how probable it is that a row does better than another */
plot_function plot_parallel;    /* every setting that was tried as a line over all axes */
plot_function plot_importance;  /* how much each setting of a search matters */
plot_function plot_map;         /* points on a plane, coloured by class */
plot_function plot_boundary;    /* the same plane as methods divide it */
plot_function plot_counts;      /* classes and degrees of datasets */

/* Where a kind takes its numbers from. */
typedef enum plot_source {
    PLOT_OF_TABLE,
    PLOT_OF_SEARCH,
    PLOT_OF_FILE,
    PLOT_OF_MAPS
} plot_source; /* the last: or a file */

typedef struct plot_kind {
    const char *name, *help;
    const char *uses; /* which options show in it (verb-plot.c), with spaces between them */
    plot_function *draw;
    plot_source source;
} plot_kind;

enum { PLOT_KINDS = 17 };
extern const plot_kind plot_kinds[PLOT_KINDS];

/* NULL when there is none of that name. */
const plot_kind *plot_find(const char *name);

/* "bars, drop, ...": all names, for messages. */
const char *plot_names(char *text, size_t size);

#endif
