/* Dirichlet distributions: one per row of a matrix of concentrations. */
#include <float.h>
#include <math.h>

#include <crucible/ops-loss.h>

#include "autograd/tape.h"

static cru_tensor *row_sums(cru_tape *t, cru_tensor *x)
{
    return cru_as_matrix(t, cru_sum(t, x, 1), -1, 1);
}

/* ln G(sum a) - sum ln G(a_k) - ln G(K) + sum (a_k - 1)(psi(a_k) - psi(sum a)) */
cru_tensor *cru_kl_dirichlet(cru_tape *t, cru_tensor *alpha)
{
    cru_tensor *total = row_sums(t, alpha);
    cru_tensor *constants = cru_sub(t, cru_lgamma(t, total), row_sums(t, cru_lgamma(t, alpha)));
    cru_tensor *slopes = cru_sub(t, cru_digamma(t, alpha), cru_digamma(t, total));
    cru_tensor *each = cru_add(t, constants, row_sums(t, cru_mul(t, cru_affine(t, alpha, 1, -1), slopes)));
    const float flat = (float)lgamma((double)cru_tensor_cols(alpha));
    return cru_affine(t, cru_mean(t, each, CRU_ALL), 1, -flat);
}

cru_tensor *cru_dirichlet(cru_tape *t, cru_tensor *alpha, cru_rng *rng)
{
    const int64_t rows = cru_tensor_rows(alpha), cols = cru_tensor_cols(alpha);
    float *values = cru_tape_alloc(t, rows * cols, sizeof *values);
    double *a = cru_tape_alloc(t, cols, sizeof *a), *sample = cru_tape_alloc(t, cols, sizeof *sample);
    cru_tensor_download(t, alpha, values);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < cols; k++) a[k] = (double)values[i * cols + k];
        cru_rng_dirichlet(rng, a, cols, sample);
        for (int64_t k = 0; k < cols; k++)
            values[i * cols + k] = (float)fmin(fmax(sample[k], (double)FLT_MIN), 1 - (double)FLT_EPSILON / 2);
    }
    return cru_tensor_upload(t, 2, (const int64_t[]){rows, cols}, values);
}
