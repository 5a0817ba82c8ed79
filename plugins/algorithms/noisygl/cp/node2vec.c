// SPDX-License-Identifier: Apache-2.0
/* Embeddings of nodes from random walks. */
#include "node2vec.h"

/* The products of all pairs of nodes of each walk, of which a window's are a band: count x length x length. A walk has
 * few nodes and its windows overlap, so this is less work than to look up every window. */
static cru_tensor *products(cru_tape *t, cru_tensor *table, const int32_t *ids, const walk_batch *w)
{
    cru_tensor *rows = cru_embedding(t, table, cru_index_step(t, ids, w->count * w->length));
    cru_tensor *walks = cru_reshape(t, rows, cru_3d(w->count, w->length, cru_tensor_cols(table)));
    return cru_as_matrix(t, cru_bmm(t, walks, walks, CRU_NT), w->count, w->length * w->length);
}

/* 1 where a window starts at i and holds j */
static cru_tensor *band(cru_tape *t, const walk_batch *w)
{
    float *mask = cru_tape_alloc(t, w->length * w->length, sizeof *mask);
    for (int64_t i = 0; i + w->context <= w->length; i++)
        for (int64_t j = i + 1; j < i + w->context; j++) mask[i * w->length + j] = 1;
    return cru_tensor_upload(t, cru_1d(w->length * w->length), mask);
}

cru_tensor *node2vec_loss(cru_tape *t, cru_tensor *table, const walk_batch *w)
{
    const int64_t pairs = w->count * (w->length - w->context + 1) * (w->context - 1);
    cru_tensor *mask = band(t, w);
    cru_tensor *near = cru_sigmoid(t, products(t, table, w->walked, w));
    near = cru_mul(t, cru_log(t, cru_affine(t, near, 1, 1e-15)), mask);
    cru_tensor *far = cru_affine(t, cru_sigmoid(t, products(t, table, w->random, w)), -1, 1);
    far = cru_mul(t, cru_log(t, cru_affine(t, far, 1, 1e-15)), mask);
    return cru_scale(t, cru_sum(t, cru_add(t, near, far), CRU_ALL), -1 / (double)pairs);
}

/* The nodes of both lists, each once; seen: nodes bytes, all 0 before and after. */
static cru_ids present(cru_tape *t, const walk_batch *w, int64_t nodes, uint8_t *seen)
{
    int32_t *ids = cru_tape_alloc(t, nodes, sizeof *ids);
    int64_t count = 0;
    for (int64_t i = 0; i < w->count * w->length; i++) seen[w->walked[i]] = seen[w->random[i]] = 1;
    for (int32_t v = 0; v < nodes; v++) {
        if (seen[v]) ids[count++] = v;
        seen[v] = 0;
    }
    return (cru_ids){ids, count};
}

void node2vec_fit(cru_learner *l, const node2vec *s, cru_tensor *table)
{
    const int64_t n = l->task->nodes, most = s->batch * s->walks;
    cru_tape *t = l->tape;
    cru_rng rng = cru_ctx_stream(l->ctx, "walks");
    cru_optim *optim = cru_optim_create(l->ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = s->lr});
    int32_t *order = cru_ctx_alloc(l->ctx, n, sizeof *order), *starts = cru_ctx_alloc(l->ctx, most, sizeof *starts);
    int32_t *walked = cru_ctx_alloc(l->ctx, most * s->length, sizeof *walked);
    int32_t *random = cru_ctx_alloc(l->ctx, most * s->length, sizeof *random);
    uint8_t *seen = cru_ctx_alloc(l->ctx, n, sizeof *seen);
    cru_optim_add_weight(optim, table, NULL);
    for (int64_t step = 0, from = n; step < s->epochs * ((n + s->batch - 1) / s->batch); step++, from += s->batch) {
        if (from >= n) cru_rng_permutation(&rng, order, n), from = 0;
        const int64_t count = (n - from < s->batch ? n - from : s->batch) * s->walks;
        for (int64_t i = 0; i < count; i++) starts[i] = order[from + i / s->walks];
        cru_walk_uniform(&l->task->graph, (cru_ids){starts, count}, (int32_t)s->length - 1, &rng, walked);
        for (int64_t i = 0; i < count * s->length; i++)
            random[i] = i % s->length ? (int32_t)cru_rng_below(&rng, n) : starts[i / s->length];
        const walk_batch w = {walked, random, count, s->length, s->context};
        cru_tape_begin(t, CRU_TRAIN);
        cru_backward(t, node2vec_loss(t, table, &w));
        cru_optim_step_rows(optim, table, present(t, &w, n, seen));
        if (cru_ctx_status(l->ctx)) return;
    }
}
