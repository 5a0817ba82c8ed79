// SPDX-License-Identifier: Apache-2.0
/* table.h: one metric of an experiment, pivoted. */
#ifndef CORE_REPORT_TABLE_H
#define CORE_REPORT_TABLE_H

#include "config/settings.h"
#include "report/table/frame.h"

/* Why a cell has no mean, as papers print it: OOM, OOT (out of time), ERR (crashed or failed), n/a (it
 * ended well and the metric has no value for it), — (not run). The first that holds for one of its trials counts. */
typedef enum table_mark { TABLE_VALUE, TABLE_OOM, TABLE_OOT, TABLE_ERR, TABLE_UNDEFINED, TABLE_MISSING } table_mark;

/* Whether a cell is worse than the best, or than all, of the rows that serve as baselines. */
typedef enum table_below_mark { TABLE_NOT_BELOW, TABLE_BELOW_BEST, TABLE_BELOW_ALL } table_below_mark;

/* One run's value. Runs of two rows with the same pair number differ in nothing but the method. */
typedef struct table_run {
    int32_t pair;
    double value;
} table_run;

typedef struct table_cell {
    table_mark mark;
    int32_t place;   /* 1: best of its column, 2: second best, 0: neither */
    int64_t trials;  /* how many belong here, whatever their outcome */
    table_run *runs; /* those with a value, by pair */
    int64_t run_count;
    double mean, spread; /* in the metric's own unit; NAN: not defined */
    double rank;         /* within its column; NAN: no value */
    double p;            /* of being equal to the column's best, after Holm's correction; NAN: not tested. Paired
                            Wilcoxon over the runs in common; Welch where there are none */
    bool has_reference;
    double reference_mean, reference_std; /* as published, i.e. in the unit that is printed; std may be NAN */
    bool inside;                          /* |mean - reference| <= k std */
    bool unjudged;                        /* it is shown, but neither inside nor outside */
    const char *reference_mark;           /* what is printed beside or instead of a number: OOM, damaged; NULL: none */
    double against_mean, against_p; /* of the same cell in another experiment, and of being equal to it; NAN: none */
    table_below_mark below;         /* where the request names rows as baselines */
} table_cell;

/* A number for every row, printed behind the columns. */
typedef enum summary_kind {
    SUMMARY_MEAN,     /* over the columns */
    SUMMARY_GAIN,     /* mean over the columns of what is gained on the other experiment; positive is better */
    SUMMARY_RANK,     /* mean over the columns where there is a value */
    SUMMARY_RELATIVE, /* mean over the columns of (mean - best baseline) / |best baseline|, in per cent */
    SUMMARY_TALLY,    /* columns in which it wins, ties with and loses to the best baseline, by the means as printed */
} summary_kind;

typedef struct table_summary {
    summary_kind kind;
    const char *group, *label; /* "": over all columns; "Ave.", "rank benign" */
    double *values;            /* in the metric's own unit; NAN: none */
    int64_t (*tally)[3];       /* of SUMMARY_TALLY: wins, ties, losses of every row; else NULL */
} table_summary;

/* How published values stand in the cells: with the difference, only the difference, not at all. */
typedef enum table_published { TABLE_SIDE, TABLE_DIFFERENCE, TABLE_OFF } table_published;

/* A row or a column: what its trials have in common. */
typedef struct table_head {
    const char *label;  /* all parts in one text: "cora rate=0.3" */
    const char **parts; /* one per key; "" where the setting does not exist */
    double number;      /* the last part as a number; NAN: it is none */
    const char *group;  /* a row's heading, printed above the first row that has it; NULL: none */
} table_head;

typedef struct table {
    const char *experiment, *metric;
    const char *caption; /* what the numbers are, where they are not means of runs; else NULL */
    bool lower_is_better;
    double scale;   /* 100 for metrics in percent, else 1 */
    int32_t digits; /* after the point */
    report_spread spread;
    double alpha;      /* level of the tests */
    double overlap;    /* see table_request */
    int64_t pairs[2];  /* most pairs of runs of a paired test, and most comparisons of a column; 0: none was made */
    int64_t tried[2];  /* fewest and most settings that the searches behind the trials tried; 0: no search */
    bool by_test;      /* they were chosen by test scores */
    int64_t full_runs; /* runs of most cells; others are printed with their number */
    int64_t row_count, col_count;
    int64_t extra_rows; /* behind the rows, in all that is printed and in nothing that is computed: 1 where there are
                           baselines, whose best values it has */
    int64_t row_key_count, col_key_count; /* at least 1: a table without keys has one head with an empty key */
    const char **row_keys, **col_keys;
    table_head *rows, *cols;
    table_cell *cells;        /* row-major */
    double *average_ranks;    /* of rows, over the columns where they have a value; NAN: none */
    table_summary *summaries; /* the columns behind the others (summary.h) */
    int64_t summary_count;
    const char *new_splits; /* names, with commas, of the damage that came with a split of its own; NULL: none did */
    const char *against;    /* the experiment to compare with; NULL: none */
    const char *minus;      /* the column or row that was taken off (minus.h); NULL: none */
    bool significance;      /* at least one cell was tested */
    bool unpaired;          /* at least one by Welch's test, having no run in common with the best */
    bool references;        /* at least one cell has one */
    double reference_k;
    double reference_points; /* inside is also what is as near as this; 0: only std count */
    table_published published;
    const char *note; /* below the table; NULL: none */
} table;

static inline table_cell *table_at(const table *t, int64_t row, int64_t col)
{
    return &t->cells[row * t->col_count + col];
}

/* Rows and what is printed behind them. */
static inline int64_t table_lines(const table *t)
{
    return t->row_count + t->extra_rows;
}

/* From the unit of a summary's values to the one that is printed. */
static inline double summary_scale(const table *t, summary_kind kind)
{
    return kind == SUMMARY_MEAN || kind == SUMMARY_GAIN ? t->scale : 1;
}

/* Whether the heading of a row is to be printed above it. */
static inline bool table_opens_group(const table *t, int64_t row)
{
    const char *group = t->rows[row].group;
    return group && (row == 0 || t->rows[row - 1].group != group);
}

/* What to make of a frame. Lists are texts with commas; NULL: chosen by itself. */
typedef struct table_request {
    const char *rows; /* NULL: "alias", and settings of methods that are swept */
    const char *cols; /* NULL: everything else that varies */
    const char *over; /* what one averages over; NULL: "seed,split.index" */
    report_spread spread;
    int32_t digits;        /* negative: chosen by the size of the values */
    double alpha;          /* 0: 0.05 */
    double overlap;        /* test items per training item of splits that overlap: the corrected t test is used
                              instead of Wilcoxon's; 0: Wilcoxon's */
    bool average;          /* the mean over the columns, too */
    bool no_ranks;         /* no column with ranks */
    const char *groups;    /* "name: value, value | name: value": columns to rank and average by themselves */
    bool groups_asked;     /* a value in `groups` that no column has is an error, not a column that is not there yet */
    bool tried;            /* every setting that was searched makes a row, also one that follows from the others */
    const char *baselines; /* rows with commas: worse cells are marked */
    const char *minus;     /* a column or row to take off (minus.h); NULL: none */
    frame *other;          /* an experiment to compare with; NULL: none */
} table_request;

/* The table of a measure, in the frame's memory. CRU_BAD_INPUT: an unknown key. */
cru_status table_make(frame *f, const frame_measure *measure, const table_request *request, table **out,
                      cru_error *err);

/* Differences of two cells over the pairs that both have, their number; when a pair has several runs, the k-th meets the
 * k-th. `runs`, which may be NULL, gets those of `a` that were met. Both have room for all runs of `a`. */
int64_t cells_differences(const table_cell *a, const table_cell *b, double *out, table_run *runs);

/* Of two cells being equal, by Welch's test on all their runs; NAN: one has fewer than two. */
double cells_welch(cru_arena *arena, const table_cell *a, const table_cell *b);

/* Ranks, places and average ranks from the means of the cells. */
void table_rank(cru_arena *arena, table *t);

/* Fills `cols` (room for all) with the columns that have a number and differ from `first` only in it, by that number,
 * and returns how many they are; 0 when an earlier column leads the sweep. */
int64_t table_sweep(const table *t, int64_t first, int64_t *cols);

/* Reads a CSV with a header that names at least the columns row, col and mean (std and metric too, if there are any;
 * others are ignored) and notes in the cells of equal labels what it says. Lines for other rows, columns or metrics are
 * passed over. A value is inside when it is within k published standard deviations or, where none is published, k
 * times its own spread. CRU_IO, or CRU_BAD_INPUT with the line's number. */
cru_status table_compare(table *t, const char *path, double k, cru_error *err);

#endif
