// SPDX-License-Identifier: Apache-2.0
/* Edges to similar labelled nodes. */
#include "labelled-edges.h"

cru_csr similar_labelled(cru_pool pool, const cru_task *task, int64_t k)
{
    const cru_ids train = task->split.train;
    const cru_knn_options options = {.k = k < 0 ? train.count : k, .distance = CRU_ONE_LESS_COSINE};
    const cru_csr nearest = cru_knn_among(pool, &task->x, train, &options), pattern = cru_csr_pattern(&nearest);
    return cru_graph_symmetrise(pool, &pattern, CRU_SYM_OR);
}

cru_tensor *cut_off(cru_tape *t, cru_tensor *product, double least)
{
    cru_tensor *kept = cru_sign(t, cru_relu(t, cru_affine(t, cru_detach(t, product), 1, -least)));
    return cru_mul(t, product, kept);
}

cru_tensor *similar_weights(cru_tape *t, cru_sparse *a, cru_tensor *r, double least)
{
    return cut_off(t, cru_sddmm(t, a, r, r, 1), least);
}

/* Where each of `rows` stands in `cols`, -1 where it does not. */
static cru_index own_places(cru_tape *t, cru_ids rows, cru_ids cols)
{
    int32_t *place = cru_tape_alloc(t, rows.count, sizeof *place);
    for (int64_t i = 0, next = 0; i < rows.count; i++) {
        while (next < cols.count && cols.ids[next] < rows.ids[i]) next++;
        place[i] = next < cols.count && cols.ids[next] == rows.ids[i] ? (int32_t)next : -1;
    }
    return cru_index_step(t, place, rows.count);
}

cru_tensor *similar_block(cru_tape *t, cru_tensor *r, cru_ids rows, cru_ids cols, double least)
{
    cru_tensor *left = cru_gather(t, r, cru_index_step(t, rows.ids, rows.count));
    cru_tensor *right = cru_gather(t, r, cru_index_step(t, cols.ids, cols.count));
    cru_tensor *others = cru_affine(t, cru_one_hot(t, own_places(t, rows, cols), cols.count), -1, 1);
    return cru_mul(t, cut_off(t, cru_matmul_op(t, left, right, CRU_NT), least), others);
}

/* sum of (r_i . r_j - target)^2 over the entries */
static cru_tensor *squares(cru_tape *t, cru_tensor *r, cru_sparse *pairs, double target)
{
    cru_tensor *product = cru_sddmm(t, pairs, r, r, 1);
    return cru_sum(t, cru_square(t, cru_affine(t, product, 1, -target)), CRU_ALL);
}

cru_tensor *reconstruction(cru_tape *t, cru_tensor *r, cru_sparse *far, cru_sparse *near)
{
    const int64_t pairs = cru_csr_nnz(&far->csr) + cru_csr_nnz(&near->csr);
    cru_tensor *joined = squares(t, r, near, 1);
    cru_tensor *sum = cru_add(t, squares(t, r, far, 0), joined);
    return cru_scale(t, sum, (double)cru_tensor_rows(r) / (double)pairs);
}

labelled_graph labelled_graph_create(cru_ctx *ctx, const cru_csr *graph, const cru_csr *candidates)
{
    const cru_pool pool = cru_ctx_pool(ctx);
    const cru_csr looped = cru_graph_loops(pool, graph, CRU_LOOPS_ADD), upper = cru_graph_upper(pool, graph);
    const cru_csr sum = cru_csr_add(pool, &looped, 1, candidates, 1), joint = cru_csr_pattern(&sum);
    labelled_graph g = {.graph = graph};
    g.adj = cru_adjacency_create(ctx, graph, &(cru_adjacency){CRU_LOOPS_FILL, CRU_NORM_SYM});
    g.near = cru_sparse_create(ctx, &upper);
    g.joint = cru_sparse_create(ctx, &joint);
    g.fixed = cru_learned_graph_marks(ctx, &joint, &looped);
    g.learnt = cru_learned_graph_marks(ctx, &joint, candidates);
    return g;
}

cru_learned_graph labelled_graph_weigh(cru_tape *t, const labelled_graph *g, cru_tensor *r, double least)
{
    cru_tensor *learnt = cru_mul(t, g->learnt, similar_weights(t, g->joint, r, least));
    return (cru_learned_graph){.pattern = g->joint, .weights = cru_add(t, g->fixed, learnt)};
}

cru_learned_graph present_edges(cru_tape *t, const cru_learned_graph *g)
{
    if (g->weights->needs_grad) return *g;
    const int64_t entries = cru_csr_nnz(&g->pattern->csr);
    const float *weight = cru_tensor_host(t, g->weights);
    uint8_t *kept = cru_tape_alloc(t, entries, 1);
    for (int64_t e = 0; e < entries; e++) kept[e] = weight[e] != 0;
    cru_csr whole = g->pattern->csr;
    whole.values = weight;
    cru_csr present = cru_csr_select(cru_tape_pool(t), &whole, kept);
    cru_learned_graph out = *g;
    out.weights = cru_tensor_upload(t, cru_2d(cru_csr_nnz(&present), 1), present.values);
    present.values = NULL;
    out.pattern = cru_sparse_step(t, &present);
    return out;
}

cru_tensor *reconstruct_sampled(cru_learner *l, cru_tape *t, const labelled_graph *g, cru_tensor *r,
                                const absent_pairs *draw)
{
    const cru_csr far = cru_sample_absent_edges(cru_tape_pool(t), g->graph, draw->each * g->graph->rows, draw->rng,
                                                cru_ctx_error(l->ctx));
    return reconstruction(t, r, cru_sparse_step(t, &far), g->near);
}

void report_edges(cru_learner *l, cru_report *report, const labelled_graph *g, const cru_tensor *weights)
{
    cru_tape_begin(l->tape, CRU_EVAL);
    const float *weight = cru_tensor_host(l->tape, weights), *fixed = cru_tensor_host(l->tape, g->fixed);
    const int64_t entries = cru_tensor_count(weights), own = cru_csr_nnz(g->graph);
    int64_t added = 0;
    for (int64_t e = 0; e < entries; e++) added += fixed[e] == 0 && weight[e] != 0;
    cru_report_number(report, "edges-kept", (double)own);
    cru_report_number(report, "edges-added", (double)added);
}

cru_ids confident(cru_tape *t, cru_ids items, const float *q, int64_t classes, double least)
{
    int32_t *sure = cru_tape_alloc(t, items.count, sizeof *sure);
    int64_t count = 0;
    for (int64_t i = 0; i < items.count; i++) {
        const float *row = q + items.ids[i] * classes;
        float largest = 0;
        for (int64_t k = 0; k < classes; k++) largest = row[k] > largest ? row[k] : largest;
        if ((double)largest > least) sure[count++] = items.ids[i];
    }
    return (cru_ids){sure, count};
}
