// SPDX-License-Identifier: Apache-2.0
#include "infomax.h"

#include <crucible/draft/ops-basic.h>

cru_tensor *infomax_encode(cru_tape *t, const infomax *m, const cru_input *x)
{
    cru_input h = *x;
    for (int64_t i = 0; i < m->layers; i++) {
        cru_tensor *z = cru_input_linear(t, &h, m->conv[i].w, NULL);
        z = cru_add(t, z, cru_spmm(t, m->adj, z));
        h = cru_input_of(cru_relu(t, cru_add(t, z, m->conv[i].b)));
    }
    return h.dense;
}

/* 1 / (C |cluster of i|) for every node, so that the sum over nodes is the mean over clusters of their means. */
static cru_tensor *node_weights(cru_tape *t, const infomax *m, const int32_t *group, int64_t n)
{
    int64_t *size = cru_tape_alloc(t, m->clusters, sizeof *size);
    float *weight = cru_tape_alloc(t, n, sizeof *weight);
    for (int64_t c = 0; c < m->clusters; c++) size[c] = 0;
    for (int64_t i = 0; i < n; i++) size[group[i]]++;
    for (int64_t i = 0; i < n; i++) weight[i] = (float)(1 / (double)(m->clusters * size[group[i]]));
    return cru_tensor_upload(t, cru_1d(n), weight);
}

cru_tensor *infomax_loss(cru_tape *t, const infomax *m, const cru_input *x, const int32_t *permutation,
                         const int32_t *group)
{
    const int64_t n = x->rows;
    const cru_input shuffled = cru_input_rows(t, x, cru_index_step(t, permutation, n));
    cru_tensor *real = infomax_encode(t, m, x), *fake = infomax_encode(t, m, &shuffled);
    const int64_t width = cru_tensor_cols(real);
    cru_tensor *s; /* n x width: the summary that a node is compared with */
    if (m->own_summary) {
        const cru_index groups = cru_index_step(t, group, n);
        s = cru_gather(t, cru_sigmoid(t, cru_scatter(t, real, groups, m->clusters, CRU_REDUCE_MEAN)), groups);
    } else {
        s = cru_broadcast(t, cru_reshape(t, cru_sigmoid(t, cru_mean(t, real, 0)), cru_2d(1, width)), n, width);
    }
    cru_tensor *likeness = cru_matmul_op(t, s, m->discriminator, CRU_NT); /* rows W_d s */
    cru_tensor *high = cru_softplus(t, cru_neg(t, cru_dot_rows(t, real, likeness)));
    cru_tensor *low = cru_softplus(t, cru_dot_rows(t, fake, likeness));
    return cru_sum(t, cru_mul(t, cru_add(t, high, low), node_weights(t, m, group, n)), CRU_ALL);
}
