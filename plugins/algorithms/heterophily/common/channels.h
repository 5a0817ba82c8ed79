// SPDX-License-Identifier: Apache-2.0
/* channels.h: adaptive channel mixing: every node weighs a low-pass, a high-pass, an identity and, where there is one,
 * a structure channel.
 *
 *     alpha = softmax(sigmoid([LN(H_L) v_L | LN(H_H) v_H | LN(H_I) v_I | LN(H_S) v_S]) M / m), m channels
 *     out   = f sum_c alpha_c H_c      f = 3 for three channels, 1 for four
 *
 * The layer norm LN is optional and only inside the scores. */
#ifndef HETEROPHILY_CHANNELS_H
#define HETEROPHILY_CHANNELS_H

#include <crucible/crucible.h>

typedef enum channel { LOW, HIGH, IDENTITY, STRUCTURE, MAX_CHANNELS } channel;

typedef struct channels {
    int64_t count;
    cru_tensor *w[MAX_CHANNELS]; /* in x out; of the structure: nodes x out */
    cru_tensor *v[MAX_CHANNELS]; /* out x 1 */
    cru_layer_norm_layer norm[MAX_CHANNELS];
    cru_tensor *mix; /* M */
    bool layer_norm;
} channels;

typedef struct channels_shape {
    int64_t in, out;
    int64_t nodes; /* 0: no structure channel */
    bool layer_norm;
} channels_shape;

/* Layer `number`, with weights layer0.low.weight, layer0.low.score, layer0.low.norm, ..., layer0.mix. */
channels channels_create(cru_net *net, int64_t number, const channels_shape *shape);

/* h: the channels, n x out each */
cru_tensor *channels_mix(cru_tape *t, const channels *c, cru_tensor *const *h);

/* Of the paper of acm-gcn and acm-sgc. */
#define CHANNELS_CITATION                                                                                              \
    "Luan, Hua, Lu, Zhu, Zhao, Zhang, Chang, Precup. Revisiting Heterophily for Graph Neural Networks. NeurIPS 2022."

#endif
