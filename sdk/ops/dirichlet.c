// SPDX-License-Identifier: Apache-2.0
/* Dirichlet distributions: one per row of a matrix of concentrations. */
#include <float.h>
#include <math.h>

#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-loss.h>
#include <crucible/draft/random.h>
#include <crucible/ops-loss.h>

#include "autograd/tape.h"
#include "stats/gamma.h"

static cru_tensor *row_sums(cru_tape *t, cru_tensor *x)
{
    return cru_as_matrix(t, cru_sum(t, x, 1), -1, 1);
}

/* ln G(sum a) - sum ln G(a_k) - ln G(K) + sum (a_k - 1)(psi(a_k) - psi(sum a)) */
cru_tensor *cru_kl_dirichlet(cru_tape *t, cru_tensor *alpha)
{
    cru_tensor *total = row_sums(t, alpha);
    cru_tensor *each_constant = row_sums(t, cru_lgamma(t, alpha));
    cru_tensor *constants = cru_sub(t, cru_lgamma(t, total), each_constant);
    cru_tensor *slope = cru_digamma(t, total);
    cru_tensor *slopes = cru_sub(t, cru_digamma(t, alpha), slope);
    cru_tensor *each = cru_add(t, constants, row_sums(t, cru_mul(t, cru_affine(t, alpha, 1, -1), slopes)));
    const float flat = (float)lgamma((double)cru_tensor_cols(alpha));
    return cru_affine(t, cru_mean(t, each, CRU_ALL), 1, -flat);
}

static const double largest_share = 1 - (double)FLT_EPSILON / 2;

/* Row by row: shares of gamma variables over their sum. Where `slope` is not NULL, log_g becomes the logarithms of the
 * variables and slope their derivatives; the sum is independent of the shares, so it is drawn after them. */
typedef struct draws {
    float *share, *log_g, *slope;
} draws;

static bool is_number(const double *alpha, int64_t cols)
{
    for (int64_t k = 0; k < cols; k++)
        if (!isfinite(alpha[k])) return false;
    return true;
}

static void draw_row(const draws *d, const double *alpha, int64_t cols, double *sample, cru_rng *rng)
{
    double total = 0;
    if (!is_number(alpha, cols)) {
        for (int64_t k = 0; k < cols; k++) d->share[k] = NAN;
        for (int64_t k = 0; d->slope && k < cols; k++) d->log_g[k] = d->slope[k] = NAN;
        return;
    }
    cru_rng_dirichlet(rng, alpha, cols, sample);
    for (int64_t k = 0; k < cols; k++) {
        d->share[k] = (float)fmin(fmax(sample[k], (double)FLT_MIN), largest_share);
        total += alpha[k];
    }
    if (!d->slope) return;
    const double log_sum = log(cru_rng_gamma(rng, total));
    for (int64_t k = 0; k < cols; k++) {
        const double log_g = log(fmax(sample[k], DBL_MIN)) + log_sum;
        d->log_g[k] = (float)log_g;
        d->slope[k] = (float)gamma_slope(alpha[k], log_g);
    }
}

/* delta = softmax(ln g), and ln g moves with alpha as `slope` says. */
cru_tensor *cru_dirichlet(cru_tape *t, cru_tensor *alpha, cru_rng *rng)
{
    const int64_t rows = cru_tensor_rows(alpha), cols = cru_tensor_cols(alpha), size = rows * cols;
    const bool moves = t->recording && alpha->needs_grad;
    float *values = tape_scratch(t, size, sizeof *values);
    draws all = {.share = tape_scratch(t, size, sizeof *all.share)};
    if (moves) all.log_g = tape_scratch(t, size, sizeof *all.log_g);
    if (moves) all.slope = tape_scratch(t, size, sizeof *all.slope);
    double *a = tape_scratch(t, cols, sizeof *a), *sample = tape_scratch(t, cols, sizeof *sample);
    cru_tensor_download(t, alpha, values);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t at = i * cols;
        const draws row = {
            .share = all.share + at, .log_g = moves ? all.log_g + at : NULL, .slope = moves ? all.slope + at : NULL};
        for (int64_t k = 0; k < cols; k++) a[k] = (double)values[at + k];
        draw_row(&row, a, cols, sample, rng);
    }
    const int64_t dim[] = {rows, cols};
    if (!moves) return cru_tensor_upload(t, cru_nd(2, dim), all.share);
    cru_tensor *moved =
        cru_mul(t, cru_sub(t, alpha, cru_detach(t, alpha)), cru_tensor_upload(t, cru_nd(2, dim), all.slope));
    cru_tensor *delta = cru_softmax(t, cru_add(t, cru_tensor_upload(t, cru_nd(2, dim), all.log_g), moved), 1);
    return cru_clamp(t, delta, FLT_MIN, (float)largest_share);
}
