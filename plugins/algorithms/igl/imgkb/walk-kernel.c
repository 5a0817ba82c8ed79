// SPDX-License-Identifier: Apache-2.0
#include "walk-kernel.h"

#include <math.h>

walk_kernel walk_kernel_of(cru_ctx *ctx, int64_t graphs, int64_t size, cru_tensor *upper, cru_tensor *z)
{
    const int64_t n = graphs * size, row = size - 1, total = n * row;
    int64_t *offsets = cru_ctx_alloc(ctx, n + 1, sizeof *offsets), e = 0;
    int32_t *ids = cru_ctx_alloc(ctx, total, sizeof *ids), *of = cru_ctx_alloc(ctx, total, sizeof *of);
    for (int64_t v = 0; v < n; v++) {
        const int64_t graph = v / size, i = v % size;
        for (int64_t j = 0; j < size; j++) {
            if (i == j) continue;
            const int64_t low = i < j ? i : j, high = i < j ? j : i;
            ids[e] = (int32_t)(graph * size + j);
            of[e++] = (int32_t)(graph * (size * row / 2) + low * (2 * size - low - 1) / 2 + high - low - 1);
        }
        offsets[v + 1] = e;
    }
    return (walk_kernel){graphs,
                         size,
                         upper,
                         z,
                         cru_sparse_create(ctx, &(cru_csr){.rows = n, .cols = n, .offsets = offsets, .ids = ids}),
                         cru_index_create(ctx, of, total)};
}

void walk_kernel_apply(cru_tape *t, const walk_kernel *k, cru_tensor *h, int64_t count, cru_tensor **steps)
{
    const int64_t n = cru_tensor_rows(h);
    cru_tensor *strength = cru_relu(t, cru_as_matrix(t, k->upper, -1, 1));
    cru_tensor *edges = cru_reshape(t, cru_gather(t, strength, k->of), cru_1d(k->of.count));
    cru_tensor *z = k->z, *first = cru_matmul_op(t, h, z, CRU_NT);
    for (int64_t p = 0; p < count; p++) {
        z = cru_spmm_weighted(t, k->pairs, edges, z);
        cru_tensor *both = cru_mul(t, first, cru_matmul_op(t, h, z, CRU_NT));
        steps[p] = cru_as_matrix(t, cru_sum(t, cru_as_matrix(t, both, n * k->graphs, k->size), 1), n, k->graphs);
    }
}

cru_tensor *balanced_loss(cru_tape *t, cru_tensor *z, const int32_t *labels, double beta)
{
    const int64_t n = cru_tensor_rows(z), classes = cru_tensor_cols(z);
    float *weights = cru_tape_alloc(t, classes, sizeof *weights);
    int64_t *count = cru_tape_alloc(t, classes, sizeof *count);
    double sum = 0;
    for (int64_t c = 0; c < classes; c++) count[c] = 0;
    for (int64_t i = 0; i < n; i++) count[labels[i]]++;
    for (int64_t c = 0; c < classes; c++)
        if (count[c]) sum += (1 - beta) / (1 - pow(beta, (double)count[c]));
    for (int64_t c = 0; c < classes; c++)
        weights[c] = count[c] ? (float)((1 - beta) / (1 - pow(beta, (double)count[c])) * (double)classes / sum) : 0;
    return cru_cross_entropy(t, z, &(cru_targets){.labels = cru_index_step(t, labels, n), .class_weights = weights});
}

static cru_tensor *dependence(cru_tape *t, const cru_mlp *d, cru_tensor *h, cru_tensor *a)
{
    return cru_relu(t, cru_mlp_apply(t, d, cru_concat_cols(t, (cru_tensor *[]){h, a}, 2)));
}

cru_tensor *mutual_information(cru_tape *t, const cru_mlp *d, cru_tensor *h, cru_tensor *a, cru_index other)
{
    cru_tensor *joint = cru_affine(t, cru_mean(t, dependence(t, d, h, a), CRU_ALL), 1, 1e-10);
    cru_tensor *apart = cru_exp(t, dependence(t, d, h, cru_gather(t, a, other)));
    return cru_add(t, joint, cru_log(t, cru_mean(t, apart, CRU_ALL)));
}
