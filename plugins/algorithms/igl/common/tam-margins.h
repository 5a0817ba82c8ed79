// SPDX-License-Identifier: Apache-2.0
/* tam-margins.h: what TAM adds to the logits of labelled nodes whose neighbours are not as usual for their class.
 *
 *     tau_c = phi (r_c + 1 - max r)      r_c = gamma n_c / sum n + 1 - gamma
 *     q = softmax(tau o), one-hot for labelled nodes; d_v = mean of q over in-neighbours and v
 *     M_c = mean of d_v over labelled v of class c; d and M at least 1e-6
 *     ACM_vj = min(1, d_v[y] / M_y[y] M_y[j] / d_v[j])
 *     ADM_vj = (JSD(d_v, M_y)^2 + D_yj^2 - JSD(d_v, M_j)^2) / (2 D_yj^2)      D_cj = max(JSD(M_c, M_j), 1e-6)
 *     margin_vj = alpha ln ACM_vj - beta ADM_vj      at j = y: 0
 *
 * No gradient flows through the margins. */
#ifndef IGL_TAM_MARGINS_H
#define IGL_TAM_MARGINS_H

#include <crucible/crucible.h>

#include "added-nodes.h"

typedef struct tam_rule {
    double alpha, beta, phi, gamma;
} tam_rule;

/* Entries of a schema for a tam_rule member. */
#define TAM_SETTINGS(type_, member_)                                                                                   \
    CRU_FLOAT_KEY(type_, "alpha", member_.alpha, 2.5, 0, CRU_NO_MAX, "weight of unusual connections, ACM",             \
                  .search = CRU_ONE_OF(0.25, 0.5, 1.5, 2.5)),                                                          \
        CRU_FLOAT_KEY(type_, "beta", member_.beta, 0.5, 0, CRU_NO_MAX, "weight of unusual distributions, ADM",         \
                      .search = CRU_ONE_OF(0.125, 0.25, 0.5)),                                                         \
        CRU_FLOAT_KEY(type_, "phi", member_.phi, 1.2, 0, CRU_NO_MAX, "sharpness of predictions",                       \
                      .search = CRU_ONE_OF(0.8, 1.2)),                                                                 \
        CRU_FLOAT_KEY(type_, "gamma", member_.gamma, 0.4, 0, 1, "how much less sharp those of small classes are")

/* tau, one per class, of the task's training nodes; in the context. */
double *tam_sharpness(cru_ctx *ctx, const cru_task *task, const tam_rule *rule);

/* Labelled nodes in the order of their margins. */
typedef struct tam_labelled {
    int64_t count;
    const int32_t *rows, *labels; /* of the logits */
    const cru_csr *around;        /* row i: in-neighbours of the i-th and itself, as rows of the logits */
} tam_labelled;

/* labelled nodes x classes; z: logits of all nodes */
cru_tensor *tam_margins(cru_tape *t, const cru_tensor *z, const tam_labelled *labelled, const tam_rule *rule,
                        const double *tau);

typedef struct tam_rule_at {
    const tam_rule *rule;
    const double *tau;
} tam_rule_at;

/* added_loss with margins on training and added nodes. */
cru_tensor *tam_added_loss(const cru_learner *learner, cru_tape *t, cru_tensor *z, const added_nodes *a,
                           const tam_rule_at *rule);

#endif
