// SPDX-License-Identifier: Apache-2.0
/* Recurrent cells and embedding, from simpler operators. */
#include <crucible/draft/ops-image.h>

#include "autograd/tape.h"

static cru_tensor *gate(cru_tape *t, cru_tensor *gates, int64_t which, int64_t hidden)
{
    return cru_slice_cols(t, gates, which * hidden, (which + 1) * hidden);
}

/* i, f, o = sigmoid, g = tanh;   c' = f c + i g;   h' = o tanh(c') */
cru_lstm_state cru_lstm_cell(cru_tape *t, const cru_cell *w, cru_tensor *x, cru_lstm_state state)
{
    int64_t hidden = cru_tensor_cols(state.h);
    cru_tensor *from_h = cru_linear(t, state.h, w->hidden, w->hidden_bias);
    cru_tensor *gates = cru_add(t, cru_linear(t, x, w->input, w->input_bias), from_h);
    cru_tensor *in = cru_sigmoid(t, gate(t, gates, 0, hidden)), *forget = cru_sigmoid(t, gate(t, gates, 1, hidden));
    cru_tensor *cell = cru_tanh(t, gate(t, gates, 2, hidden)), *out = cru_sigmoid(t, gate(t, gates, 3, hidden));
    cru_tensor *new = cru_mul(t, in, cell);
    cru_tensor *c = cru_add(t, cru_mul(t, forget, state.c), new);
    return (cru_lstm_state){.h = cru_mul(t, out, cru_tanh(t, c)), .c = c};
}

/* r, z = sigmoid;   n = tanh(x_n + r h_n);   h' = (1 - z) n + z h */
cru_tensor *cru_gru_cell(cru_tape *t, const cru_cell *w, cru_tensor *x, cru_tensor *h)
{
    int64_t hidden = cru_tensor_cols(h);
    cru_tensor *from_x = cru_linear(t, x, w->input, w->input_bias);
    cru_tensor *from_h = cru_linear(t, h, w->hidden, w->hidden_bias);
    cru_tensor *old[3];
    for (int64_t k = 0; k < 3; k++) old[k] = gate(t, from_h, k, hidden);
    cru_tensor *reset = cru_sigmoid(t, cru_add(t, gate(t, from_x, 0, hidden), old[0]));
    cru_tensor *update = cru_sigmoid(t, cru_add(t, gate(t, from_x, 1, hidden), old[1]));
    cru_tensor *inner = cru_mul(t, reset, old[2]);
    cru_tensor *fresh = cru_tanh(t, cru_add(t, gate(t, from_x, 2, hidden), inner));
    cru_tensor *kept = cru_mul(t, update, h);
    return cru_add(t, cru_mul(t, cru_affine(t, update, -1, 1), fresh), kept);
}

cru_tensor *cru_embedding(cru_tape *t, cru_tensor *table, cru_index ids)
{
    return cru_gather(t, table, ids);
}
