// SPDX-License-Identifier: Apache-2.0
/* momentum.h: momentum contrast with class prototypes, as pico, pico-plus and alim have it.
 *
 * The query network gives scores z and a unit vector v of the weak view; the key network, a moving average of it, gives
 * k of the strong view; keys of earlier steps are in a queue with their labels. Per step, with labels y of the rows:
 *
 *     a = v mu'  with the prototypes mu of before the step
 *     mu_y = proto_m mu_y + (1 - proto_m) v_i for each row in turn, then rows of mu to unit length
 *
 * Wang, Xiao, Li, Feng, Niu, Chen, Zhao. PiCO: Contrastive Label Disambiguation for Partial Label Learning. ICLR
 * 2022. */
#ifndef PLL_MOMENTUM_H
#define PLL_MOMENTUM_H

#include "contrast.h"

typedef struct momentum_settings {
    int64_t prot_start, feat_dim, moco_queue;
    double moco_m, proto_m, loss_weight, conf_ema_start, conf_ema_end;
    bool same_views;
} momentum_settings;

/* Entries of a schema for a momentum_settings member; further arguments belong to prot_start. */
#define MOMENTUM_SETTINGS(type_, member_, prot_start_, ...)                                                            \
    CRU_INT_KEY(type_, "prot_start", member_.prot_start, prot_start_, 0, 1e9, "step from which prototypes count",      \
                __VA_ARGS__),                                                                                          \
        CRU_INT_KEY(type_, "feat_dim", member_.feat_dim, 128, 1, 65536, "width of the projection",                     \
                    .search = CRU_ONE_OF(64, 128, 256)),                                                               \
        CRU_INT_KEY(type_, "moco_queue", member_.moco_queue, 8192, 1, 1e7, "keys that are kept",                       \
                    .search = CRU_ONE_OF(4096, 8192)),                                                                 \
        CRU_FLOAT_KEY(type_, "moco_m", member_.moco_m, 0.999, 0, 1, "momentum of the key network",                     \
                      .search = CRU_ONE_OF(0.9, 0.999)),                                                               \
        CRU_FLOAT_KEY(type_, "proto_m", member_.proto_m, 0.99, 0, 1, "momentum of the prototypes",                     \
                      .search = CRU_ONE_OF(0.99, 0.9)),                                                                \
        CRU_FLOAT_KEY(type_, "loss_weight", member_.loss_weight, 0.5, 0, CRU_NO_MAX, "weight of the contrast",         \
                      .search = CRU_ONE_OF(0.5, 1)),                                                                   \
        CRU_FLOAT_KEY(type_, "conf_ema_start", member_.conf_ema_start, 0.95, 0, 1,                                     \
                      "momentum of the targets at the first step"),                                                    \
        CRU_FLOAT_KEY(type_, "conf_ema_end", member_.conf_ema_end, 0.8, 0, 1,                                          \
                      "momentum of the targets at the last step"),                                                     \
        CRU_BOOL_KEY(type_, "same_views", member_.same_views, false, "run on rows, too, whose views are all the same")

typedef struct momentum {
    const momentum_settings *settings;
    encoder query, key;
    cru_tensor *q;                  /* training items x classes: the targets, at first uniform on the candidates */
    cru_tensor *queue, *prototypes; /* keys x feat_dim, classes x feat_dim */
    int32_t *queue_labels;          /* -1: none */
    int64_t at;                     /* where the queue goes on */
    cru_tensor *z, *v, *k, *a;      /* of this step */
    const int32_t *labels;
} momentum;

/* Makes both networks, the queue and the table, and the optimiser of the query network; refuses rows unless the
 * settings ask for them. */
void momentum_build(cru_learner *l, momentum *m, const momentum_settings *s, const cru_backbone_choice *backbone);

/* z, v and a of the weak view. */
void momentum_look(momentum *m, cru_tape *t, const cru_batch *batch);

/* argmax_k scores_ik s_ik */
cru_index best_candidate(cru_tape *t, cru_tensor *scores, const cru_batch *batch);

/* Moves the prototypes with these labels of the rows, later rows weighing more, then the key network, and computes k.
 * used: one mark for each row of the batch, those that move prototypes; NULL: all. */
void momentum_move(momentum *m, cru_tape *t, const cru_batch *batch, const int32_t *labels, const uint8_t *used);

/* q_i = phi q_i + (1 - phi) onehot(meant_i) for the rows of the batch; phi is that which the step before this one
 * set. */
void momentum_confide(momentum *m, cru_tape *t, const cru_batch *batch, cru_index meant, double phi);
double confidence_momentum(const momentum_settings *s, int64_t step, int64_t steps);

/* [v; k; queue], and the labels of its rows, host */
cru_tensor *momentum_all(const momentum *m, cru_tape *t);
int32_t *momentum_labels(const momentum *m, cru_tape *t);

/* Contrast of v with k and the queue, and with all of the same label. */
cru_tensor *momentum_info_nce(const momentum *m, cru_tape *t);
cru_tensor *momentum_sup_con(const momentum *m, cru_tape *t);

/* For after_step, and only there: the gradient of the contrast is taken with the queue as it was. */
void momentum_enqueue(momentum *m, cru_tape *t, const cru_batch *batch);

/* gamma of mixup: max(b, 1 - b) of a draw b of Beta(alpha, alpha) */
double mixup_share(cru_rng *rng, double alpha);

#endif
