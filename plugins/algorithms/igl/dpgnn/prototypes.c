// SPDX-License-Identifier: Apache-2.0
#include "prototypes.h"

#include <string.h>

/* With blocks W_c of W, g(q) = q sum_c W_c - sum_c p_c W_c + b: no row is as long as all differences together. */
prototypes prototypes_create(cru_tape *t, cru_tensor *e, const support *s, const cru_fc *distance)
{
    const int64_t width = cru_tensor_cols(e), classes = cru_tensor_cols(distance->w);
    cru_tensor *rows = cru_gather(t, e, cru_index_step(t, s->nodes, s->count));
    prototypes p = {.p = cru_scatter(t, rows, cru_index_step(t, s->classes, s->count), classes, CRU_REDUCE_MEAN)};
    cru_tensor *blocks = cru_as_matrix(t, distance->w, classes, width * classes);
    p.sum = cru_as_matrix(t, cru_sum(t, blocks, 0), width, classes);
    cru_tensor *all = cru_matmul(t, cru_as_matrix(t, p.p, 1, classes * width), distance->w);
    p.shift = cru_sub(t, distance->b, cru_reshape(t, all, cru_1d(classes)));
    p.own = prototypes_place(t, &p, p.p);
    return p;
}

cru_tensor *prototypes_place(cru_tape *t, const prototypes *p, cru_tensor *q)
{
    return cru_add(t, cru_matmul(t, q, p->sum), p->shift);
}

cru_tensor *prototypes_scores(cru_tape *t, const prototypes *p, cru_tensor *q)
{
    return cru_matmul(t, prototypes_place(t, p, q), p->own);
}

cru_tensor *prototypes_overlap(cru_tape *t, const prototypes *p)
{
    const double k = (double)cru_tensor_rows(p->p);
    cru_tensor *all = cru_sum(t, cru_cosine_matrix(t, p->p, p->p, 1e-6), CRU_ALL);
    cru_tensor *same = cru_sum(t, cru_cosine_rows(t, p->p, p->p, 1e-6), CRU_ALL);
    return cru_scale(t, cru_sub(t, all, same), k > 1 ? 2 / (k * k - k) : 0);
}

cru_tensor *prototypes_roughness(cru_tape *t, cru_tensor *placed, cru_sparse *edges, cru_tensor *scale)
{
    cru_tensor *scaled = cru_mul(t, placed, scale);
    cru_tensor *from = cru_edge_src(t, edges, scaled), *to = cru_edge_dst(t, edges, scaled);
    return cru_mse(t, from, to);
}

void propagate_labels(cru_pool pool, const cru_csr *g, double *h, int64_t classes, int64_t steps)
{
    const int64_t size = g->rows * classes;
    double *next = cru_pool_alloc(pool, size, sizeof *next);
    for (; steps > 0; steps--) {
        memset(next, 0, (size_t)size * sizeof *next);
        for (int64_t v = 0; v < g->rows; v++)
            for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
                const int64_t u = g->ids[e];
                const double degree = (double)(g->offsets[u + 1] - g->offsets[u]);
                for (int64_t c = 0; degree > 0 && c < classes; c++)
                    next[v * classes + c] += h[u * classes + c] / degree;
            }
        memcpy(h, next, (size_t)size * sizeof *h);
    }
}

double label_confidence(const double *row, int64_t classes, int32_t *best)
{
    double sum = 0;
    *best = 0;
    for (int32_t c = 0; c < classes; c++) {
        sum += row[c];
        if (row[c] > row[*best]) *best = c;
    }
    const double others = classes > 1 ? (sum - row[*best]) / (double)(classes - 1) : 0;
    return (row[*best] - others) / (sum / (double)classes);
}
