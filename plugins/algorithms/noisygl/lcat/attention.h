// SPDX-License-Identifier: Apache-2.0
/* attention.h: graph attention on features that are convolved as far as two learned gates say (L-CAT). */
#ifndef PLUGINS_LCAT_ATTENTION_H
#define PLUGINS_LCAT_ATTENTION_H

#include <crucible/crucible.h>

/* For every head, with x_l, x_r and x_v linear maps of the input, N(i) the neighbours of i without i:
 *     x' = g1 (x + g2 agg over N(i) of x_j) / (1 + g2 |N(i)|)      for x_l and x_r
 *     e_ij = sum_d att_d leaky(x'_r,i + x'_l,j)_d      out_i = sum_j softmax_j(e_ij) x_v,j + bias, j in N(i) and i
 *     g1 = sigmoid(10^a - 6)      g2 = sigmoid(10^(2.2 - b) - 6)      at first 1/2 both
 *
 * In a deep layer x_l = x_r and agg is the sum. With d_i = |N(i)| + 1 and block h of x for head h
 *     y_i = (1 - keep) sum_j softmax_j(e_ij) d_i w_ij x_j + keep x_i      w_ij = 1 / sqrt(d_i d_j), w_ii = 1
 *     out = (1 - mix) y + mix y W, W the map of x_l the other way round */
typedef struct gated_attention {
    cru_fc left, right, value;      /* of a deep one left alone */
    cru_tensor *a, *b, *att, *bias; /* 1, 1, heads * width, heads * width; no bias in a deep one */
    cru_sparse *agg, *with_self;    /* what sums or averages N(i); the pattern of N(i) and i */
    cru_tensor *degree;             /* |N(i)|: n x 1 */
    cru_tensor *scale;              /* d_i w_ij: entries x 1; NULL: not deep */
    int64_t heads;
    double slope, keep, mix;
} gated_attention;

typedef struct gated_shape {
    int64_t in, width, heads; /* width of a head; deep: in / heads */
    double slope;
    bool mean; /* agg is the mean, else the sum */
    bool deep;
    double keep, mix; /* deep */
} gated_shape;

gated_attention gated_attention_create(cru_net *net, const cru_csr *graph, const gated_shape *shape);
/* n x (heads * width) */
cru_tensor *gated_attention_apply(cru_tape *t, const gated_attention *layer, cru_tensor *x);

#endif
