// SPDX-License-Identifier: Apache-2.0
/* Inner products of feature rows. */
#include <crucible/linalg.h>

static double dense_dot(const float *a, const float *b, int64_t cols)
{
    double sum = 0;
    for (int64_t k = 0; k < cols; k++) sum += (double)a[k] * (double)b[k];
    return sum;
}

/* Both rows ascend: one walk along the two. */
static double sparse_dot(const cru_csr *x, int64_t i, int64_t j)
{
    int64_t a = x->offsets[i], b = x->offsets[j];
    double sum = 0;
    while (a < x->offsets[i + 1] && b < x->offsets[j + 1]) {
        const int32_t ca = x->ids[a], cb = x->ids[b];
        if (ca == cb) sum += x->values ? (double)x->values[a] * (double)x->values[b] : 1;
        a += ca <= cb;
        b += cb <= ca;
    }
    return sum;
}

double cru_features_dot(const cru_features *x, int64_t i, int64_t j)
{
    if (!x->dense) return sparse_dot(&x->sparse, i, j);
    return dense_dot(x->dense + i * x->cols, x->dense + j * x->cols, x->cols);
}
