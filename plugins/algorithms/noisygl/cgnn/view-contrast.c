// SPDX-License-Identifier: Apache-2.0
/* The contrast of two views. */
#include "view-contrast.h"

cru_tensor *all_pairs_contrast(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature)
{
    cru_tensor *u = cru_normalize_l2(t, a, 1e-8), *v = cru_normalize_l2(t, b, 1e-8);
    cru_tensor *mean_u = cru_mean(t, u, 0), *mean_v = cru_mean(t, v, 0);
    cru_tensor *across = cru_sum(t, cru_mul(t, mean_u, mean_v), CRU_ALL);
    cru_tensor *within_u = cru_mean(t, cru_lse_products(t, u, u, 1 / temperature), CRU_ALL);
    cru_tensor *within_v = cru_mean(t, cru_lse_products(t, v, v, 1 / temperature), CRU_ALL);
    cru_tensor *within = cru_scale(t, cru_add(t, within_u, within_v), 0.5);
    return cru_plus(t, within, -1 / temperature, across);
}
