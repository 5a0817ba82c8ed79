// SPDX-License-Identifier: Apache-2.0
/* hard-sampling.h: pairs of nodes that a classifier confuses.
 *
 * For a class c that lacks k nodes, from class probabilities q of the training nodes:
 *     source       k draws from c with weights 1 - q_v[c] + 1e-12
 *     other class  one draw for each source from q_source with 0 at c, + 1e-12
 *     partner      one draw from that class with weights q_w[c] + 1e-12 */
#ifndef IGL_HARD_SAMPLING_H
#define IGL_HARD_SAMPLING_H

#include <crucible/crucible.h>

typedef struct hard_pair {
    int32_t source, partner; /* places in the training part */
    int32_t label;
} hard_pair;

/* Training nodes by class: places in the training part. */
typedef struct hard_classes {
    const cru_ids *places;
    int32_t count;
    const float *q; /* training nodes x classes */
} hard_classes;

/* One of 0 .. n-1 with the given weights. */
typedef int64_t hard_draw(void *user, const double *weights, int64_t n);
hard_draw hard_draw_one; /* at random; user: cru_rng */

/* floor(target - n_c) where that is positive and the class has nodes */
int64_t hard_missing(const hard_classes *classes, int32_t c, double target);

/* Pairs of all classes in order into `pairs`, whose room is the sum of hard_missing; `weights`: room for as many
 * numbers as there are training nodes and classes. Without any node of another class the partner is the source. */
int64_t hard_pairs(const hard_classes *classes, double target, hard_draw *draw, void *user, double *weights,
                   hard_pair *pairs);

/* As many pairs without any prediction: uniform sources, partners by the weights of the `count` training nodes. */
void plain_pairs(const hard_classes *classes, double target, const double *weights, int64_t count, cru_rng *rng,
                 hard_pair *pairs);

/* `count` different nodes of row `source` of g, drawn by its values; any others after them when the row is shorter. */
void hard_neighbours(cru_tape *t, const cru_csr *g, int32_t source, cru_rng *rng, int64_t count, int32_t *ids);

/* The places of every class in the list of training nodes; in the context. */
cru_ids *hard_places(cru_ctx *ctx, const cru_task *task);

#endif
