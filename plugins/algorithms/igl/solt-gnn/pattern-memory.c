// SPDX-License-Identifier: Apache-2.0
#include "pattern-memory.h"

static const float slope = 0.2f, tiny = 1e-7f;

static cru_tensor *weight(cru_net *net, const char *name, int64_t rows, int64_t cols)
{
    return cru_net_weight(net, name, cru_2d(rows, cols), (cru_init){.kind = CRU_INIT_GLOROT_UNIFORM});
}

pattern_memory pattern_memory_create(cru_net *net, int64_t width, int64_t size)
{
    return (pattern_memory){.know = weight(net, "memory.know", size, size),
                            .m = weight(net, "memory.m", size, width),
                            .eta = weight(net, "memory.eta", size, 1),
                            .w_gamma = weight(net, "memory.w_gamma", size, 1),
                            .w_beta = weight(net, "memory.w_beta", size, 1),
                            .u_gamma = weight(net, "memory.u_gamma", width, size),
                            .u_beta = weight(net, "memory.u_beta", width, size)};
}

/* The matrices of all queries on top of each other: row (query, i) is number query * size + i. */
typedef struct stacked {
    cru_index query, place;
} stacked;

static cru_tensor *modulate(cru_tape *t, cru_tensor *qu, cru_tensor *w, const stacked *rows)
{
    cru_tensor *factor = cru_gather(t, w, rows->place);
    return cru_leaky_relu(t, cru_mul(t, cru_gather(t, qu, rows->query), factor), slope);
}

cru_tensor *pattern_memory_recall(cru_tape *t, const pattern_memory *memory, cru_tensor *q)
{
    const int64_t n = cru_tensor_rows(q), size = cru_tensor_rows(memory->know);
    int32_t *query = cru_tape_alloc(t, n * size, sizeof *query), *place = cru_tape_alloc(t, n * size, sizeof *place);
    int64_t *offsets = cru_tape_alloc(t, n + 1, sizeof *offsets);
    for (int64_t i = 0; i < n * size; i++) {
        query[i] = (int32_t)(i / size);
        place[i] = (int32_t)(i % size);
    }
    for (int64_t i = 0; i <= n; i++) offsets[i] = i * size;
    const stacked rows = {cru_index_step(t, query, n * size), cru_index_step(t, place, n * size)};
    cru_tensor *gamma = modulate(t, cru_matmul(t, q, memory->u_gamma), memory->w_gamma, &rows);
    cru_tensor *beta = modulate(t, cru_matmul(t, q, memory->u_beta), memory->w_beta, &rows);
    cru_tensor *know = cru_gather(t, memory->know, rows.place);
    cru_tensor *pattern = cru_add(t, cru_mul(t, cru_affine(t, gamma, 1, 1), know), beta);
    cru_tensor *hidden = cru_leaky_relu(t, cru_matmul(t, pattern, memory->m), slope);
    hidden = cru_mul(t, hidden, cru_gather(t, memory->eta, rows.place));
    return cru_segment(t, hidden, offsets, n, CRU_REDUCE_SUM);
}

cru_tensor *pattern_relevance(cru_tape *t, cru_tensor *p, cru_tensor *positive, cru_tensor *negative)
{
    cru_tensor *far = cru_cosine_rows(t, p, negative, tiny);
    cru_tensor *gap = cru_sub(t, cru_cosine_rows(t, p, positive, tiny), far);
    return cru_neg(t, cru_mean(t, cru_log_sigmoid(t, gap), CRU_ALL));
}
