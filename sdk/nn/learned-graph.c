// SPDX-License-Identifier: Apache-2.0
/* Graphs whose weights are learned. */
#include <crucible/draft/ops-sparse.h>
#include <crucible/learned-graph.h>

cru_learned_graph cru_learned_graph_normalise(cru_tape *t, const cru_learned_graph *g)
{
    cru_learned_graph out = *g;
    cru_tensor *degree = cru_edge_sum(t, g->pattern, g->weights); /* n x 1 */
    if (g->dense) {
        cru_tensor *sums = cru_as_matrix(t, cru_sum(t, g->dense, 1), -1, 1);
        degree = cru_add(t, degree, cru_scatter(t, sums, g->rows, cru_tensor_rows(degree), CRU_REDUCE_SUM));
    }
    cru_tensor *inverse = cru_pow(t, degree, -0.5f);
    out.weights = cru_mul(t, g->weights, cru_edge_mul(t, g->pattern, inverse, inverse));
    if (g->dense) {
        cru_tensor *right = cru_as_matrix(t, cru_gather(t, inverse, g->cols), 1, -1);
        out.dense = cru_mul(t, cru_mul(t, g->dense, cru_gather(t, inverse, g->rows)), right);
    }
    return out;
}

cru_tensor *cru_learned_graph_spread(cru_tape *t, const cru_learned_graph *g, cru_tensor *x)
{
    cru_tensor *y = cru_spmm_weighted(t, g->pattern, g->weights, x);
    if (!g->dense) return y;
    cru_tensor *more = cru_matmul_op(t, g->dense, cru_gather(t, x, g->cols), CRU_NN);
    return cru_add(t, y, cru_scatter(t, more, g->rows, cru_tensor_rows(y), CRU_REDUCE_SUM));
}

cru_tensor *cru_learned_graph_convolve(cru_tape *t, const cru_learned_graph *g, const cru_gcn_stack *stack,
                                       const cru_input *x)
{
    cru_input in = *x;
    cru_tensor *y = NULL;
    for (int64_t i = 0; i < stack->layers; i++) {
        if (i) in = cru_input_of(cru_dropout(t, cru_relu(t, y), stack->dropout));
        y = cru_learned_graph_spread(t, g, cru_input_linear(t, &in, stack->layer[i].w, NULL));
        y = cru_add(t, y, stack->layer[i].b);
    }
    if (stack->layers > 1) cru_represent(t, in.dense);
    return y;
}

cru_tensor *cru_learned_graph_marks(cru_ctx *ctx, const cru_csr *whole, const cru_csr *part)
{
    const int64_t count = cru_csr_nnz(whole);
    float *mark = cru_ctx_alloc(ctx, count, sizeof *mark);
    for (int64_t v = 0; v < whole->rows; v++)
        for (int64_t e = whole->offsets[v]; e < whole->offsets[v + 1]; e++) {
            const int64_t at = cru_csr_find(part, v, whole->ids[e]);
            if (at >= 0) mark[e] = part->values ? part->values[at] : 1;
        }
    return cru_tensor_from(ctx, cru_2d(count, 1), mark);
}
