// SPDX-License-Identifier: Apache-2.0
/* difficulty.h: how hard a training node is to learn (CLNode). */
#ifndef PLUGINS_DIFFICULTY_H
#define PLUGINS_DIFFICULTY_H

#include <crucible/crucible.h>

typedef struct nodes_seen {
    const cru_csr *graph;
    const int32_t *labels; /* of all nodes, l below */
    int32_t classes;
    const float *embedding; /* nodes x width, logarithms */
    int64_t width;
} nodes_seen;

/* For node u = train.ids[i]: local[i] = - sum_c q_c log(q_c + e^-20), q the shares of the labels of u and its
 * neighbours; global[i] = 1 / r, where
 *     f_u = exp(embedding_u) / ||.||      m_c = (sum of f over nodes labelled c) / ||.||
 *     sim_u = K f_u m_l(u) / sum_c f_u m_c      K labels that occur
 *     r = sim_u / (mean of sim over training nodes of the same label), above 0.95: 1 */
void difficulty(cru_ctx *ctx, const nodes_seen *n, cru_ids train, double *local, double *global);

/* The benchmark's loss of the network that embeds: mean of - s_n[label of n], raw scores. scores: rows x classes. */
cru_tensor *raw_score_loss(cru_tape *t, cru_tensor *scores, cru_index labels);

#endif
