// SPDX-License-Identifier: Apache-2.0
#include "channels.h"

#include <stdio.h>

static const char *const channel_names[MAX_CHANNELS] = {"low", "high", "identity", "structure"};

channels channels_create(cru_net *net, int64_t number, const channels_shape *shape)
{
    channels c = {.count = shape->nodes ? 4 : 3, .layer_norm = shape->layer_norm};
    const cru_init fan_out = {.kind = CRU_INIT_FAN_OUT};
    char text[64];
    for (int64_t i = 0; i < c.count; i++) {
        const int64_t in = i == STRUCTURE ? shape->nodes : shape->in;
        snprintf(text, sizeof text, "layer%d.%s.weight", (int)number, channel_names[i]);
        c.w[i] = cru_net_weight(net, text, cru_2d(in, shape->out), fan_out);
        snprintf(text, sizeof text, "layer%d.%s.score", (int)number, channel_names[i]);
        c.v[i] = cru_net_weight(net, text, cru_2d(shape->out, 1), fan_out); /* U(-1, 1) */
        snprintf(text, sizeof text, "layer%d.%s.norm", (int)number, channel_names[i]);
        if (c.layer_norm) c.norm[i] = cru_layer_norm_create(net, text, shape->out);
    }
    snprintf(text, sizeof text, "layer%d.mix", (int)number);
    c.mix = cru_net_weight(net, text, cru_2d(c.count, c.count), fan_out);
    return c;
}

cru_tensor *channels_mix(cru_tape *t, const channels *c, cru_tensor *const *h)
{
    cru_tensor *score[MAX_CHANNELS], *out = NULL;
    for (int64_t i = 0; i < c->count; i++) {
        cru_tensor *seen = c->layer_norm ? cru_layer_norm_apply(t, &c->norm[i], h[i]) : h[i];
        score[i] = cru_matmul(t, seen, c->v[i]);
    }
    cru_tensor *s = cru_matmul(t, cru_sigmoid(t, cru_concat_cols(t, score, c->count)), c->mix);
    cru_tensor *alpha = cru_softmax(t, cru_scale(t, s, 1 / (double)c->count), -1); /* n x channels */
    for (int64_t i = 0; i < c->count; i++) {
        cru_tensor *weighed = cru_mul(t, h[i], cru_slice_cols(t, alpha, i, i + 1));
        out = out ? cru_add(t, out, weighed) : weighed;
    }
    return c->count == 3 ? cru_scale(t, out, 3) : out;
}
