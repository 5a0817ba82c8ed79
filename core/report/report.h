// SPDX-License-Identifier: Apache-2.0
/* report.h: the tables and pictures of an experiment.
 *
 *     report *r;
 *     if (report_make(s, &(report_request){.rows = "alias", .spread = REPORT_STD}, &r, err)) ...
 *     report_write(r, REPORT_MARKDOWN, stdout, err);
 *     report_destroy(r); */
#ifndef CORE_REPORT_H
#define CORE_REPORT_H

#include <stdio.h>

#include "config/settings.h"
#include "report/plot/plot.h"
#include "report/table/table.h"

typedef enum report_format {
    REPORT_TEXT,
    REPORT_MARKDOWN,
    REPORT_LATEX,
    REPORT_CSV,
    REPORT_JSON,
    REPORT_HTML,
    REPORT_FORMATS
} report_format;

/* "text", "markdown", "latex", "csv", "json", "html". */
extern const char *const report_format_names[REPORT_FORMATS];

/* "std", "std0", "sem", "sem0": the words for a report_spread in configs and on the command line. */
extern const char *const report_spread_names[4];

/* Every text may be NULL: then what the experiment's [report] section says holds, or, when it is silent, the choice
 * described in table.h. */
typedef struct report_request {
    const char *experiment;         /* a name; NULL: the latest */
    const char *const *experiments; /* several, whose trials make one table; instead of `experiment` */
    int64_t experiment_count;
    bool latest; /* only trials of the last list of an experiment, not of earlier files or options of that name */
    const char *rows, *cols, *over;
    const char *where;   /* see frame_filter */
    const char *metrics; /* names with commas; NULL: all of the experiment */
    const char *spread;  /* one of report_spread_names */
    const char *reference;
    double reference_k;             /* 0: 1 */
    double alpha;                   /* 0: 0.05 */
    int32_t digits;                 /* negative: chosen by size */
    bool tried;                     /* all settings that searches tried, not only those they chose */
    bool average;                   /* a column with the mean over the columns */
    const char *groups, *baselines; /* see table_request */
    bool groups_asked;              /* set by report_make: `groups` is the caller's, not the configuration's */
    const char *minus;              /* a column or row to take off the others (table/minus.h) */
    const char *against;            /* another experiment of the store, whose cells these are compared with */
    const char *curves; /* a metric: instead of tables, how far the curves of the others are from its own (frechet.h) */
    const char *curve_scale; /* one of frechet_scale_names; NULL: the first */
    bool compare;            /* behind every table the comparison of its rows (comparison.h) */
    double rope;             /* of it; negative: its default */
    double overlap;          /* see table_request */
    const char *x, *size;    /* metrics or costs of the axis and the bubbles of a scatter; NULL: seconds, peak-mib */
    const char *cliques;     /* of the diagram of ranks: "nemenyi" or "wilcoxon"; NULL: the first */
    bool ordinal;            /* see plot_input */
    const char *vector;      /* what trials reported under that name, for a heat map (plot-vector.h) */
    bool tabled;             /* its numbers are the only table */
    const char *const *data; /* paths of files whose pictures the page shows (plot-data.h) */
    int64_t data_count;
} report_request;

typedef struct report {
    frame *f;
    table **tables; /* one per metric */
    int64_t count;
    int64_t together; /* how many of them a picture of several shows: those that were asked for, else the first */
    table *x, *size;  /* the same pivot of what a run costs */
    frame *other;     /* the experiment that it is compared with, or NULL */
    frame *searched;  /* with every setting that a search tried; NULL: there was none */
    plot_cliques cliques;
    bool ordinal;
    plot_data *vector; /* what was asked for, or NULL */
    plot_maps *maps;   /* that trials reported, or NULL */
    plot_data **data;  /* files whose pictures the page shows */
    int64_t data_count;
} report;

enum { REPORT_SOURCES = 512 };

typedef struct report_stores {
    store *const *items;
    int64_t count; /* at least 1 */
} report_stores;

/* The caller destroys it. CRU_BAD_INPUT: unknown experiment, metric, key or word; CRU_IO: from store or reference. */
cru_status report_make(store *s, const report_request *request, report **out, cru_error *err);
cru_status report_make_joined(const report_stores *stores, const report_request *request, report **out, cru_error *err);
void report_destroy(report *r);

/* The report of trials that the caller has loaded; it lives in the frame's memory and is not destroyed. */
cru_status report_of_frame(frame *f, const report_request *request, report **out, cru_error *err);

/* Text is coloured and broken to the width when `out` is a terminal. CRU_IO: cannot be written. */
cru_status report_write(const report *r, report_format format, FILE *out, cru_error *err);

/* What the pictures of a table of the report are made from. */
plot_input report_input(const report *r, int64_t index);

/* Writes the picture of the first metric. CRU_BAD_INPUT: no such kind; CRU_UNSUPPORTED: see plot.h. */
cru_status report_plot(const report *r, const char *kind, FILE *out, cru_error *err);

/* The tables of an experiment as text with the choices made by themselves: what `crucible run` ends with. */
cru_status report_print_compact(store *s, int64_t experiment, FILE *out, cru_error *err);

/* Whether the [report] of an experiment, whose trials are entered but need not have been run, makes a table of them:
 * CRU_BAD_INPUT or CRU_IO with what is wrong with it. Its metrics are not looked at, since they may be some that only
 * results bring. */
cru_status report_check(store *s, int64_t experiment, cru_error *err);

#endif
