// SPDX-License-Identifier: Apache-2.0
#include "multiple-complementary.h"

const cru_param complementary_schema[] =
    VARIANT_SCHEMA("the correction: divided by the other labels' loss, or times it");

/* (|S| - 1) / (m N + 1e-20), b x 1; where m = 0 the constant that a double gives, whose slope is 0. */
static cru_tensor *bench_correction(cru_tape *t, cru_tensor *inside, cru_tensor *m, cru_tensor *rest)
{
    const int64_t rows = cru_tensor_rows(m);
    cru_tensor *some = cru_minimum(t, m, cru_tensor_scalar(t, 1));
    cru_tensor *least = cru_affine(t, some, 1e-20 - 1, 1); /* 1 in the rows that are replaced */
    cru_tensor *tiny = cru_where(t, some, cru_tensor_filled(t, cru_2d(rows, 1), 1e-20), least);
    cru_tensor *fraction = cru_div(t, inside, cru_add(t, cru_mul(t, m, rest), tiny));
    return cru_where(t, some, fraction, cru_scale(t, inside, 1e20));
}

/* (|S| - 1) / m N, b x 1; where m = 0 nothing. */
static cru_tensor *paper_correction(cru_tape *t, cru_tensor *inside, cru_tensor *m, cru_tensor *rest)
{
    return cru_mul(t, cru_div(t, inside, cru_maximum(t, m, cru_tensor_scalar(t, 1))), rest); /* N = 0 there */
}

cru_tensor *complementary_risk(cru_learner *l, cru_tape *t, const cru_batch *batch, cru_tensor *single)
{
    const variant_settings *s = l->settings;
    cru_tensor *off = outside(t, batch), *m = outside_count(t, batch);
    cru_tensor *set = row_sums(t, cru_mul(t, batch->candidates, single));
    cru_tensor *rest = row_sums(t, cru_mul(t, off, single));
    cru_tensor *inside = cru_affine(t, row_sums(t, batch->candidates), 1, -1); /* |S| - 1 */
    cru_tensor *correction =
        s->variant == CRU_PAPER ? paper_correction(t, inside, m, rest) : bench_correction(t, inside, m, rest);
    return cru_mean(t, cru_sub(t, set, correction), CRU_ALL);
}
