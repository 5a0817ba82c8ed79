// SPDX-License-Identifier: Apache-2.0
#include "mixed-nodes.h"

#include <crucible/linalg.h>

#include "mixup-scale.h"
#include "smote.h"

/* One repetition over the first `count` nodes of a class. */
static void mix_class(cru_tape *t, const mixed_plan *plan, mixed *x, int32_t c, int64_t count, const cru_dense *e,
                      float way)
{
    const cru_ids members = {plan->members[c].ids, count};
    int32_t *nearest = cru_tape_alloc(t, count, sizeof *nearest);
    smote_nearest(e->values, e->cols, members, nearest);
    for (int64_t i = 0; i < count; i++, x->count++) {
        x->first[x->count] = members.ids[i];
        x->second[x->count] = plan->by_place ? nearest[i] : members.ids[nearest[i]];
        x->labels[x->count] = c;
        x->way[x->count] = way;
    }
}

mixed mixed_draw(cru_tape *t, const mixed_plan *plan, cru_tensor *e, cru_rng *rng)
{
    int64_t most = plan->classes * (2 * plan->average + 2); /* k is at most 1 */
    for (int32_t c = 0; c < plan->classes; c++) most += (int64_t)(plan->up_scale * (double)plan->members[c].count);
    mixed x = {cru_tape_alloc(t, most, sizeof(int32_t)), cru_tape_alloc(t, most, sizeof(int32_t)),
               cru_tape_alloc(t, most, sizeof(int32_t)), cru_tape_alloc(t, most, sizeof(float)), 0};
    const cru_dense host = {cru_tensor_rows(e), cru_tensor_cols(e), cru_tensor_host(t, e)};
    for (int32_t c = 0; c < plan->classes; c++) {
        const int64_t count = plan->members[c].count;
        if (!count || (plan->up_scale <= 0 && count >= plan->average)) continue;
        const mixup_copies copies = plan->up_scale > 0 ? mixup_copies_times(count, plan->up_scale)
                                                       : mixup_copies_of(count, plan->average, plan->k);
        for (int64_t i = 0; i < copies.whole; i++) mix_class(t, plan, &x, c, count, &host, cru_rng_uniformf(rng));
        if (copies.rest) mix_class(t, plan, &x, c, copies.rest, &host, cru_rng_uniformf(rng));
    }
    return x;
}

cru_tensor *mixed_join(cru_tape *t, cru_tensor *e, const mixed *x)
{
    if (!x->count) return e;
    cru_tensor *from = cru_gather(t, e, cru_index_step(t, x->first, x->count));
    cru_tensor *to = cru_gather(t, e, cru_index_step(t, x->second, x->count));
    cru_tensor *way = cru_tensor_upload(t, cru_2d(x->count, 1), x->way);
    cru_tensor *added = cru_add(t, from, cru_mul(t, way, cru_sub(t, to, from)));
    return cru_concat_rows(t, (cru_tensor *[]){e, added}, 2);
}

cru_tensor *mixed_around(cru_tape *t, const cru_csr *g, const mixed *x, cru_tensor *code, cru_tensor *h)
{
    const int64_t n = g->rows, all = n + x->count;
    float *alike = cru_tape_alloc(t, all, sizeof *alike); /* equal codes: every candidate is an edge */
    for (int64_t i = 0; i < all; i++) alike[i] = 1;
    const cru_csr joint = smote_graph(cru_tape_pool(t), g, (smote_pairs){x->first, x->second, x->count}, alike, 1);
    cru_sparse *pattern = cru_sparse_step(t, &joint);
    float *given = cru_tape_alloc(t, cru_csr_nnz(&joint), sizeof *given);
    for (int64_t v = 0; v < all; v++)
        for (int64_t i = joint.offsets[v]; i < joint.offsets[v + 1]; i++) given[i] = v < n && joint.ids[i] < n;
    cru_tensor *mask = cru_tensor_upload(t, cru_2d(cru_csr_nnz(&joint), 1), given);
    cru_tensor *soft = cru_sigmoid(t, cru_sddmm(t, pattern, code, code, 1));
    cru_tensor *w = cru_where(t, mask, mask, soft), *sums = cru_affine(t, cru_edge_sum(t, pattern, w), 1, 1);
    return cru_div(t, cru_spmm_weighted(t, pattern, w, h), sums);
}
