// SPDX-License-Identifier: Apache-2.0
/* frechet.h: how well one curve follows another.
 *
 * The discrete Fréchet distance of two sequences of points P and Q in the plane, d Euclidean:
 *
 *     c(1,1) = d(p_1, q_1)      c(i,j) = max( min(c(i-1,j), c(i-1,j-1), c(i,j-1)), d(p_i, q_j) )      D = c(n,m)
 *
 * where indices below 1 do not count in the minimum. Eiter, Mannila. Computing Discrete Fréchet Distance. 1994. */
#ifndef CORE_REPORT_FRECHET_H
#define CORE_REPORT_FRECHET_H

#include "report/table/table.h"

typedef struct curve_point {
    double x, y;
} curve_point;

typedef struct curve {
    const curve_point *points;
    int64_t count;
} curve;

/* NAN when one of them has no points. Memory running out is a panic. */
double frechet_distance(curve p, curve q);

/* What happens to curves before they are compared. Scaled to 0..1 by their least and largest number; a constant becomes
 * 0. */
typedef enum frechet_scale { FRECHET_VALUES, FRECHET_BOTH, FRECHET_NONE, FRECHET_SCALES } frechet_scale;

/* "values", "both" (the swept number, too), "none". */
extern const char *const frechet_scale_names[FRECHET_SCALES];

/* Two curves over the same levels x, from the values at each of them. */
typedef struct curve_pair {
    const double *x, *a, *b; /* ascending x; a level at which a or b is NAN is left out */
    int64_t count;
    frechet_scale scale;
} curve_pair;

double frechet_compare(const curve_pair *pair);

typedef struct frechet_request {
    const frame_measure *target;          /* the metric to be followed, say accuracy */
    const frame_measure *const *measures; /* the metrics that should follow it */
    int64_t measure_count;
    table_request pivot; /* the last key of the columns is the level */
    frechet_scale scale;
} frechet_request;

/* A table with a row for each measure and a column for each row (method) and sweep of the target's own table, in the
 * frame's memory. The curve of a measure is its mean over all methods at each level; one of which lower is better
 * enters as 1 - value. CRU_BAD_INPUT: an unknown key; CRU_UNSUPPORTED: no key with two or more numbers among the
 * columns. */
cru_status table_frechet(frame *f, const frechet_request *request, table **out, cru_error *err);

#endif
