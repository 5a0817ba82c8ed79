// SPDX-License-Identifier: Apache-2.0
/* gencat-model.h: the deterministic half of GenCAT: what it measures on a base graph and how it bends and fits it. The
 * draws are in gencat.c.
 *
 * k classes, n nodes, d attributes. Matrices are row-major. */
#ifndef FORMATS_GENCAT_MODEL_H
#define FORMATS_GENCAT_MODEL_H

#include <crucible/plugin.h>

typedef struct gencat_model {
    int64_t k, n, d;
    double *mean;       /* k x k: mean share of neighbours of class b, over the nodes of class a */
    double *deviation;  /* k x k: its sample standard deviation */
    double *class_size; /* k: share of nodes */
    double *attribute;  /* d x k: mean of attribute j over class a */
    double *degree;     /* n: descending */
} gencat_model;

/* Measures a graph without self-loops and with both directions of every edge. Memory comes from `data`, not from the
 * base. */
cru_status gencat_measure(const cru_data *base, cru_data *data, gencat_model *m, cru_error *err);

/* Takes 0.1 beta off every class's liking for itself and spreads it over the others. Follows the published code, which
 * leaves beta out where it adapts the deviations off the diagonal. beta = 0 changes nothing. */
void gencat_adjust(gencat_model *m, int64_t beta);

/* out = u with the weight of entry l turned round: 1 - u for l, the others scaled to share what is left. */
void gencat_reverse(const double *u, int64_t k, int64_t l, double *out);

/* out = u^(1/t), normalised: t < 1 sharpens. */
void gencat_freeze(const double *u, int64_t k, double t, double *out);

/* Fits the temperature of every class to the model's means and sharpens the factors u (n x k) in place; `tie` (n x k)
 * receives the factors that edges are drawn to: u, or its reverse in a class that avoids itself. */
void gencat_fit(const gencat_model *m, const int32_t *label, double *u, double *tie);

/* The sampling table of class a: node numbers in `cells` equal steps of the cumulated column a of `tie`. */
void gencat_table(const gencat_model *m, const double *tie, int64_t a, int64_t cells, int32_t *table);

/* The share of every class in attribute j: rows of `share` (d x k), given the mean factors of each class (k x k). A row
 * is 0 for an attribute that never occurs. */
void gencat_attributes(const gencat_model *m, const double *class_factor, double *share);

#endif
