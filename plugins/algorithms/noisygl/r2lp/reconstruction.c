// SPDX-License-Identifier: Apache-2.0
/* Products with the reconstructed graph. */
#include "reconstruction.h"

/* R */
static cru_tensor *inverse(cru_tape *t, const closed_form *f, cru_tensor *square)
{
    const double c = 1 / (f->alpha + f->beta), g = 1 - f->gamma;
    const int64_t classes = cru_tensor_rows(square);
    int32_t *own = cru_tape_alloc(t, classes, sizeof *own);
    for (int32_t i = 0; i < classes; i++) own[i] = i;
    cru_tensor *unit = cru_one_hot(t, cru_index_step(t, own, classes), classes);
    return cru_inverted(t, cru_plus(t, cru_scale(t, unit, 1 / (g * g)), c, square));
}

/* c v - c^2 x (R (x^T v)) */
static cru_tensor *solve(cru_tape *t, const closed_form *f, cru_tensor *x, cru_tensor *v)
{
    const double c = 1 / (f->alpha + f->beta);
    cru_tensor *inverted = inverse(t, f, cru_matmul_op(t, x, x, CRU_TN));
    cru_tensor *inner = cru_matmul(t, inverted, cru_matmul_op(t, x, v, CRU_TN)); /* C x C */
    return cru_plus(t, cru_scale(t, v, c), -c * c, cru_matmul(t, x, inner));
}

/* K(v), with `orders` powers of A, each over f->orders */
static cru_tensor *apply(cru_tape *t, const closed_form *f, cru_tensor *x, cru_tensor *h, cru_tensor *v, int64_t orders)
{
    const double g = 1 - f->gamma;
    cru_tensor *inner = cru_matmul_op(t, x, v, CRU_TN), *power = v;
    cru_tensor *sum = cru_scale(t, cru_matmul(t, x, inner), g);
    for (int64_t i = 0; i < orders; i++) {
        power = cru_spmm(t, f->walk, power);
        sum = cru_plus(t, sum, f->beta / (double)f->orders, power);
    }
    return cru_plus(t, sum, -f->gamma * g, cru_matmul(t, h, inner));
}

cru_tensor *reconstruct(cru_tape *t, const closed_form *f, cru_tensor *x, cru_tensor *h)
{
    cru_tensor *r = cru_scale(t, solve(t, f, x, x), 1 - f->gamma);
    return cru_plus(t, apply(t, f, x, h, r, f->orders), f->gamma, h);
}

cru_tensor *spread_labels(cru_tape *t, const closed_form *f, cru_tensor *x, cru_tensor *h, cru_tensor *y, double weight)
{
    return cru_plus(t, y, weight, apply(t, f, x, h, solve(t, f, x, y), 1));
}
