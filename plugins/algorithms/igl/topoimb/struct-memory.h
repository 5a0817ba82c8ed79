// SPDX-License-Identifier: Apache-2.0
/* struct-memory.h: the parts of topoimb that weigh graphs: templates of local structure, weights, and groups of graphs.
 *
 *     s = softmax over templates of sigmoid(x M), but `default_share` instead of the last sigmoid      recalled: s M^T
 *     w_i = sigmoid(a_i) n / sum_j sigmoid(a_j), the scale without gradient */
#ifndef IGL_STRUCT_MEMORY_H
#define IGL_STRUCT_MEMORY_H

#include <crucible/crucible.h>

/* Linear, leaky ReLU of slope 0.1, linear. Weights name.in and name.out. */
typedef struct leaky_mlp {
    cru_fc in, out;
} leaky_mlp;
leaky_mlp leaky_mlp_create(cru_net *net, const char *name, int64_t in, int64_t hidden, int64_t out);
/* What follows the first linear layer, whose result is h. */
cru_tensor *leaky_mlp_after_first(cru_tape *t, const leaky_mlp *mlp, cru_tensor *h);

/* x: n x width, memory: width x templates, of which the last is the default. */
cru_tensor *memory_recall(cru_tape *t, cru_tensor *memory, cru_tensor *x, double default_share);

/* n x 1 -> n: weights of mean 1 */
cru_tensor *graph_weights(cru_tape *t, cru_tensor *score);

/* lambda mean w_i l_i + (1 - lambda) mean l_i; w without gradient */
cru_tensor *weighed_loss(cru_tape *t, cru_tensor *each, cru_tensor *weights, double lambda);

/* A group for every graph of the task: spectral clusters of the histograms of Weisfeiler-Lehman colours after `rounds`
 * rounds from the largest feature of a node, over the 10 nearest graphs. Fewer groups where there are few graphs. */
int32_t *structure_groups(cru_ctx *ctx, const cru_task *task, int32_t rounds, int32_t groups);

#endif
