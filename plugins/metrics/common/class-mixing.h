// SPDX-License-Identifier: Apache-2.0
/* class-mixing.h: how many edges lead from which class to which. */
#ifndef METRICS_CLASS_MIXING_H
#define METRICS_CLASS_MIXING_H

#include <crucible/plugin.h>

/* Edges u -> v between labelled nodes, without self-loops. Sums over the edges: */
typedef struct class_mixing {
    int32_t classes;
    int64_t edges;
    int64_t *pairs;    /* [a * classes + b]: y_u = a, y_v = b */
    int64_t *received; /* [b]: y_v = b, the in-degrees of the class */
} class_mixing;

/* Free with class_mixing_free, also after a failure. O(edges + classes^2). */
cru_status class_mixing_take(class_mixing *m, const cru_data *data, cru_error *err);
void class_mixing_free(class_mixing *m);

/* received / edges; the study puts 1e-8 in the place of 0. */
double class_mixing_share(const class_mixing *m, int32_t class);

/* What metrics built on it do: count, compute (NAN without edges), free. */
typedef double mixing_measure(const class_mixing *m);
cru_status class_mixing_score(const cru_judging *j, mixing_measure *measure, double *value);

#endif
