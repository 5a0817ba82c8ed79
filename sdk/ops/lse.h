// SPDX-License-Identifier: Apache-2.0
/* lse.h: what the two forms of cru_lse_products share. */
#ifndef SDK_OPS_LSE_H
#define SDK_OPS_LSE_H

#include <crucible/ops-loss.h>

#include "autograd/tape.h"

/* Floats of a block of products: stays in the second-level cache. */
enum { LSE_BLOCK = 1 << 18 };

/* cru_lse_products(t, x, x, scale) by half the products; NULL when one of them may be too large for it. */
cru_tensor *lse_own_products(cru_tape *t, cru_tensor *x, float scale);

#endif
