// SPDX-License-Identifier: Apache-2.0
#include "learned.h"

#include <math.h>

learned learned_dropped(cru_tape *t, const relation *s, const cru_csr *given, double skip)
{
    float *values = cru_tape_alloc(t, cru_csr_nnz(given), sizeof *values);
    float *mask = cru_tape_alloc(t, given->rows, sizeof *mask);
    for (int64_t u = 0; u < given->rows; u++) {
        relation_mask(s, RELATION_PRODUCT, u, mask);
        for (int64_t e = given->offsets[u]; e < given->offsets[u + 1]; e++)
            values[e] = mask[given->ids[e]] * given->values[e];
    }
    cru_csr dropped = *given;
    dropped.values = values;
    return (learned){*s, cru_sparse_step(t, &dropped), skip, 1, NULL};
}

cru_tensor *learned_spread(cru_tape *t, const learned *g, cru_tensor *h)
{
    const int64_t cols = cru_tensor_cols(h);
    cru_tensor *y = relation_product(t, &g->s, h);
    cru_tensor *sums = cru_clamp(t, cru_slice_cols(t, y, cols, cols + 1), 1e-12, INFINITY);
    cru_tensor *near = cru_div(t, cru_slice_cols(t, y, 0, cols), sums), *kept = cru_spmm(t, g->given, h);
    cru_tensor *mixed = cru_lerp(t, near, kept, g->skip);
    return g->other ? cru_lerp(t, learned_spread(t, g->other, h), mixed, g->share) : mixed;
}

void learned_row(const void *user, int64_t u, float *next)
{
    const learned *g = user;
    const cru_csr *a = &g->given->csr;
    relation_row(&g->s, u, next);
    for (int64_t e = a->offsets[u]; e < a->offsets[u + 1]; e++) next[a->ids[e]] = 1;
}
