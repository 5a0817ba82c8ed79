// SPDX-License-Identifier: Apache-2.0
/* feature-rows.h: rows of a graph's features, as they are or aggregated over neighbours, in double. */
#ifndef METRICS_FEATURE_ROWS_H
#define METRICS_FEATURE_ROWS_H

#include <stdbool.h>

#include <crucible/arena.h>
#include <crucible/task.h>

/* Some rows: dense, or compressed with the columns of a row in any order. */
typedef struct feature_rows {
    int64_t count, cols;
    const int64_t *offsets; /* count + 1; NULL: dense, count x cols */
    const int32_t *ids;
    const double *values;
} feature_rows;

/* out: count x cols. */
void feature_rows_dense(const feature_rows *rows, double *out);

/* All scalar products, count x count, symmetric. Uses the arena for scratch. */
void feature_rows_products(const feature_rows *rows, cru_arena *arena, double *products);

typedef enum feature_aggregator {
    AGGREGATE_SYM,  /* D^-1/2 (A + I) D^-1/2 */
    AGGREGATE_RW,   /* D^-1 (A + I) */
    AGGREGATE_NONE, /* A, without self-loops */
} feature_aggregator;

typedef enum feature_norm { NORM_ROW_SUM, NORM_RAW } feature_norm;

/* Where rows come from. A is binary and has no diagonal; row v of A holds the targets of edges v -> u; D are its row
 * sums, with the self-loop where one is added. */
typedef struct feature_source {
    const cru_features *x;
    cru_csr out;     /* A; may hold self-loops, which are passed over */
    double *scale;   /* of every row of x */
    double *degrees; /* D */
    feature_aggregator aggregator;
} feature_source;

/* Allocates from the arena, O(edges). */
feature_source feature_source_create(const cru_data *data, feature_aggregator aggregator, feature_norm norm,
                                     cru_arena *arena);

/* The rows of these nodes in memory of the arena: of X, or of A X. */
feature_rows feature_rows_take(const feature_source *source, cru_ids nodes, bool aggregated, cru_arena *arena);

#endif
