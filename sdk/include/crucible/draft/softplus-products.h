// SPDX-License-Identifier: Apache-2.0
/* draft/softplus-products.h: what absent edges cost when a graph is scored by inner products. */
#ifndef CRUCIBLE_DRAFT_SOFTPLUS_PRODUCTS_H
#define CRUCIBLE_DRAFT_SOFTPLUS_PRODUCTS_H

#include <crucible/ops-basic.h>

#ifdef __cplusplus
extern "C" {
#endif

/* sum over all i and j of w_ij log(1 + exp(<x_i, x_j>)), in blocks, without the n x n matrix: n x c -> scalar. The
 * weight w_ij is 1, or with v (n x any) sigmoid(-<v_i, v_j>), to which no gradient goes. */
CRU_API cru_tensor *cru_softplus_products(cru_tape *t, cru_tensor *x, const cru_tensor *v);

#ifdef __cplusplus
}
#endif
#endif
