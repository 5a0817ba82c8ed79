// SPDX-License-Identifier: Apache-2.0
/* losses.h: what the tests of losses share. */
#ifndef TESTS_OPS_LOSSES_H
#define TESTS_OPS_LOSSES_H

#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

/* log softmax(z_i)_k */
static inline double log_softmax(const cru_tensor *z, int64_t i, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < cru_tensor_cols(z); j++) sum += exp(op_at(z, i, j));
    return op_at(z, i, k) - log(sum);
}

/* A loss over nothing is NaN, and its gradient with respect to z is zero. */
static inline void check_empty(op_bench *b, cru_tensor *loss, cru_tensor *z)
{
    ck_assert(isnan(cru_tensor_item(b->tape, loss)));
    cru_backward(b->tape, loss);
    const cru_tensor *grad = cru_grad_of(b->tape, z);
    for (int64_t i = 0; i < cru_tensor_count(z); i++) ck_assert_float_eq(test_value(grad, i), 0);
}

#endif
