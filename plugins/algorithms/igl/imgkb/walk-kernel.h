// SPDX-License-Identifier: Apache-2.0
/* walk-kernel.h: the parts of imgkb that compare a graph with hidden graphs.
 *
 *     Adj = symmetric ReLU(a), 0 on the diagonal      Z_p = Adj Z_p-1, Z_0 the features of the hidden nodes
 *     t_p = sum over the nodes of each hidden graph of (Z_0 h) (Z_p h)      p = 1, 2, ...
 *     mi = mean d(h, a) + ln mean exp d(h, a of another graph)      d(x, y) = ReLU(MLP([x; y])) */
#ifndef IGL_WALK_KERNEL_H
#define IGL_WALK_KERNEL_H

#include <crucible/crucible.h>

typedef struct walk_kernel {
    int64_t graphs, size;
    cru_tensor *upper, *z; /* graphs x pairs of nodes, row by row; (graphs size) x width */
    cru_sparse *pairs;     /* all pairs of nodes of one hidden graph, */
    cru_index of;          /* and which of `upper` each has */
} walk_kernel;

/* The pattern for given weights, in the context. */
walk_kernel walk_kernel_of(cru_ctx *ctx, int64_t graphs, int64_t size, cru_tensor *upper, cru_tensor *z);
/* steps[p]: n x graphs, for p + 1 = 1 .. count */
void walk_kernel_apply(cru_tape *t, const walk_kernel *k, cru_tensor *h, int64_t count, cru_tensor **steps);

/* Cross-entropy with weights (1 - beta) / (1 - beta^n_c) of the classes in the batch, which sum to the number of
 * classes; `labels` on the host. */
cru_tensor *balanced_loss(cru_tape *t, cru_tensor *z, const int32_t *labels, double beta);

/* The estimate, where the second term pairs h_i with a_other(i). */
cru_tensor *mutual_information(cru_tape *t, const cru_mlp *d, cru_tensor *h, cru_tensor *a, cru_index other);

#endif
