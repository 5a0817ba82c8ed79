// SPDX-License-Identifier: Apache-2.0
/* How well inner products tell neighbours from others. */
#include "pair-loss.h"

#include <crucible/draft/softplus-products.h>

cru_tensor *pair_loss(cru_tape *t, const pair_graph *g, cru_tensor *z, cru_tensor *v)
{
    const double n = (double)cru_tensor_rows(z), edges = (double)g->edges, others = n * n - edges;
    cru_tensor *s = cru_sddmm(t, g->near, z, z, 1);
    cru_tensor *joined = cru_scale(t, cru_softplus(t, cru_neg(t, s)), others / edges), *apart = cru_softplus(t, s);
    if (v) {
        v = cru_detach(t, v);
        cru_tensor *sure = cru_sigmoid(t, cru_sddmm(t, g->near, v, v, 1));
        joined = cru_mul(t, joined, sure);
        apart = cru_mul(t, apart, cru_affine(t, sure, -1, 1));
    }
    cru_tensor *corrected = cru_sum(t, cru_sub(t, joined, apart), CRU_ALL);
    cru_tensor *sum = cru_add(t, cru_softplus_products(t, z, v), corrected);
    return cru_scale(t, sum, 1 / (2 * others));
}
