// SPDX-License-Identifier: Apache-2.0
#include "relations.h"

#include <string.h>

enum { DESCRIPTION = 4, MOST = 64 };

relations relations_create(cru_net *net, int64_t in, int64_t hidden, int64_t count)
{
    const cru_init xavier = {.kind = CRU_INIT_GLOROT_UNIFORM, .a = 1.414};
    const cru_gcn_shape shape = {
        .in = hidden, .hidden = hidden > 1 ? hidden / 2 : 1, .out = hidden, .layers = 2, .draw = CRU_DRAW_FAN_OUT};
    const cru_gcn_stack context = cru_gcn_stack_create(net, "context", &shape);
    relations r = {.hidden = cru_fc_create_with(net, "hidden", in, hidden, xavier, NULL),
                   .own = cru_fc_create_with(net, "own", hidden, count, xavier, NULL),
                   .other = cru_fc_create_with(net, "other", hidden, count, xavier, NULL),
                   .relate = cru_fc_create_with(net, "relate", in, hidden / count * count, xavier, NULL),
                   .describe = cru_fc_create_with(net, "describe", hidden, DESCRIPTION,
                                                  (cru_init){.kind = CRU_INIT_NORMAL, .b = 1}, NULL)};
    memcpy(r.context, context.layer, sizeof r.context);
    return r;
}

relations_seen relations_embed(cru_tape *t, const relations *r, cru_sparse *links, const cru_input *x)
{
    cru_tensor *h = cru_fc_input(t, &r->hidden, x), *own = cru_fc_apply(t, &r->own, h);
    cru_tensor *weights = cru_sigmoid(t, cru_edge_add(t, links, own, cru_fc_apply(t, &r->other, h)));
    cru_tensor *f = cru_spmm_weighted(t, links, weights, cru_fc_input(t, &r->relate, x));
    return (relations_seen){h, weights, cru_relu(t, f)};
}

cru_tensor *relations_describe(cru_tape *t, const relations *r, cru_sparse *links, const relations_seen *seen)
{
    const int64_t count = cru_tensor_cols(seen->weights);
    cru_tensor *rows[MOST], *still = cru_detach(t, seen->h);
    for (int64_t k = 0; k < count; k++) {
        cru_tensor *w = cru_slice_cols(t, seen->weights, k, k + 1), *d = still;
        for (int i = 0; i < 2; i++) {
            d = cru_spmm_weighted(t, links, w, cru_matmul(t, d, r->context[i].w));
            d = cru_tanh(t, cru_add(t, d, r->context[i].b));
        }
        rows[k] = cru_as_matrix(t, cru_mean(t, d, 0), 1, -1);
    }
    return cru_fc_apply(t, &r->describe, cru_concat_rows(t, rows, count));
}

cru_tensor *relations_alike(cru_tape *t, cru_tensor *rows)
{
    const int64_t count = cru_tensor_rows(rows), pairs = count * (count - 1) / 2;
    int32_t *first = cru_tape_alloc(t, pairs, sizeof *first), *second = cru_tape_alloc(t, pairs, sizeof *second);
    int64_t at = 0;
    for (int32_t r = 0; r < count; r++)
        for (int32_t s = r + 1; s < count; s++) first[at] = r, second[at++] = s;
    if (!pairs) return NULL;
    cru_tensor *a = cru_gather(t, rows, cru_index_step(t, first, pairs));
    cru_tensor *b = cru_gather(t, rows, cru_index_step(t, second, pairs));
    return cru_mean(t, cru_cosine_rows(t, a, b, 1e-8), CRU_ALL);
}
