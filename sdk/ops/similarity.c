// SPDX-License-Identifier: Apache-2.0
/* Row normalisation, similarities and distances, from simpler operators. */
#include <math.h>

#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

static cru_tensor *as_column(cru_tape *t, cru_tensor *x)
{
    return cru_as_matrix(t, x, cru_tensor_rows(x), 1);
}

cru_tensor *cru_normalize_l1(cru_tape *t, cru_tensor *x, double eps)
{
    cru_tensor *total = cru_sum(t, cru_abs(t, x), 1);
    return cru_div(t, x, as_column(t, cru_clamp(t, total, eps, INFINITY)));
}

/* The tiny number under the root keeps the gradient of a zero row finite; it vanishes beside any squared norm that
 * float can hold exactly. */
static cru_tensor *row_norms(cru_tape *t, cru_tensor *x, float eps)
{
    return cru_clamp(t, cru_norm_l2(t, x, 1, 1e-30f), eps, INFINITY);
}

cru_tensor *cru_normalize_l2(cru_tape *t, cru_tensor *x, double eps)
{
    return cru_div(t, x, as_column(t, row_norms(t, x, (float)eps)));
}

cru_tensor *cru_cosine_matrix(cru_tape *t, cru_tensor *a, cru_tensor *b, double eps)
{
    cru_tensor *unit = cru_normalize_l2(t, b, eps);
    return cru_matmul_op(t, cru_normalize_l2(t, a, eps), unit, CRU_NT);
}

cru_tensor *cru_cosine_rows(cru_tape *t, cru_tensor *a, cru_tensor *b, double eps)
{
    cru_tensor *unit = cru_normalize_l2(t, b, eps);
    return cru_dot_rows(t, cru_normalize_l2(t, a, eps), unit);
}

/* |a|^2 - 2 a b + |b|^2, clamped: rounding may push small distances below zero. */
cru_tensor *cru_distance_matrix(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    cru_tensor *square_a = as_column(t, cru_sum(t, cru_square(t, a), 1));
    cru_tensor *square_b = cru_sum(t, cru_square(t, b), 1);
    cru_tensor *cross = cru_scale(t, cru_matmul_op(t, a, b, CRU_NT), -2);
    cru_tensor *row_b = cru_as_matrix(t, square_b, 1, cru_tensor_rows(b));
    return cru_relu(t, cru_add(t, cru_add(t, cross, square_a), row_b));
}
