/* table.h: one metric of an experiment, pivoted. */
#ifndef CORE_REPORT_TABLE_H
#define CORE_REPORT_TABLE_H

#include "config/settings.h"
#include "report/frame.h"

/* Why a cell has no mean, as papers print it: OOM, OOT (out of time), ERR (crashed or failed), — (not run). */
typedef enum table_mark { TABLE_VALUE, TABLE_OOM, TABLE_OOT, TABLE_ERR, TABLE_MISSING } table_mark;

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
} table_cell;

/* A row or a column: what its trials have in common. */
typedef struct table_head {
    const char *label;  /* all parts in one text: "cora rate=0.3" */
    const char **parts; /* one per key; "" where the setting does not exist */
    double number;      /* the last part as a number; NAN: it is none */
} table_head;

typedef struct table {
    const char *experiment, *metric;
    const char *caption; /* what the numbers are, where they are not means of runs; else NULL */
    bool lower_is_better;
    double scale;   /* 100 for metrics in percent, else 1 */
    int32_t digits; /* after the point */
    report_spread spread;
    double alpha;      /* level of the tests */
    int64_t tried[2];  /* fewest and most settings that the searches behind the trials tried; 0: no search */
    int64_t full_runs; /* runs of most cells; others are printed with their number */
    int64_t row_count, col_count;
    int64_t row_key_count, col_key_count; /* at least 1: a table without keys has one head with an empty key */
    const char **row_keys, **col_keys;
    table_head *rows, *cols;
    table_cell *cells;     /* row-major */
    double *average_ranks; /* of rows, over the columns where they have a value; NAN: none */
    double *averages;      /* of rows, the mean over all columns; NAN: one has no value; NULL: not asked for */
    bool significance;     /* at least one cell was tested */
    bool unpaired;         /* at least one by Welch's test, having no run in common with the best */
    bool references;       /* at least one cell has one */
    double reference_k;
} table;

static inline table_cell *table_at(const table *t, int64_t row, int64_t col)
{
    return &t->cells[row * t->col_count + col];
}

/* What to make of a frame. Lists are texts with commas; NULL: chosen by itself. */
typedef struct table_request {
    const char *rows; /* NULL: "alias", and settings of methods that are swept */
    const char *cols; /* NULL: everything else that varies */
    const char *over; /* what one averages over; NULL: "seed,split.index" */
    report_spread spread;
    int32_t digits; /* negative: chosen by the size of the values */
    double alpha;   /* 0: 0.05 */
    bool average;   /* the mean over the columns, too */
} table_request;

/* The table of a measure, in the frame's memory. CRU_BAD_INPUT: an unknown key. */
cru_status table_make(frame *f, const frame_measure *measure, const table_request *request, table **out,
                      cru_error *err);

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
