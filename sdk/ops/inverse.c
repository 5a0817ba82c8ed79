// SPDX-License-Identifier: Apache-2.0
/* Inverse of a small matrix, in double on the host. With Y = X^-1:   dX = -Y^T dY Y^T */
#include <math.h>

#include <crucible/ops-basic.h>

#include "autograd/tape.h"

static void swap_rows(double *a, int64_t n, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < 2 * n; k++) {
        double keep = a[i * 2 * n + k];
        a[i * 2 * n + k] = a[j * 2 * n + k];
        a[j * 2 * n + k] = keep;
    }
}

/* Gauss-Jordan with partial pivoting on [X | I]; false when X is singular. */
static bool invert(double *a, int64_t n)
{
    int64_t width = 2 * n;
    for (int64_t c = 0; c < n; c++) {
        int64_t pivot = c;
        for (int64_t r = c + 1; r < n; r++)
            if (fabs(a[r * width + c]) > fabs(a[pivot * width + c])) pivot = r;
        if (!(fabs(a[pivot * width + c]) > 0)) return false;
        if (pivot != c) swap_rows(a, n, pivot, c);
        double scale = 1 / a[c * width + c];
        for (int64_t k = 0; k < width; k++) a[c * width + k] *= scale;
        for (int64_t r = 0; r < n; r++) {
            double factor = a[r * width + c];
            if (r == c || factor == 0) continue;
            for (int64_t k = 0; k < width; k++) a[r * width + k] -= factor * a[c * width + k];
        }
    }
    return true;
}

static void inverse_backward(cru_tape *t, tape_node *n)
{
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    if (!dx) return;
    int64_t c = cru_tensor_rows(n->out);
    float *half = tape_floats(t, c * c);
    cru_gemm_args args = {.ta = true,
                          .m = c,
                          .n = c,
                          .k = c,
                          .alpha = 1,
                          .a = n->out->data,
                          .b = n->out->grad,
                          .c = half,
                          .lda = c,
                          .ldb = c,
                          .ldc = c};
    t->device->backend->gemm(t->device, &args);
    args = (cru_gemm_args){.tb = true,
                           .m = c,
                           .n = c,
                           .k = c,
                           .alpha = -1,
                           .beta = add ? 1 : 0,
                           .a = half,
                           .b = n->out->data,
                           .c = dx,
                           .lda = c,
                           .ldb = c,
                           .ldc = c};
    t->device->backend->gemm(t->device, &args);
}

static const tape_op inverse_op = {.name = "inverse", .backward = inverse_backward};

cru_tensor *cru_inverted(cru_tape *t, cru_tensor *x)
{
    int64_t c = cru_tensor_rows(x);
    cru_assert(x->rank == 2 && cru_tensor_cols(x) == c, "inverse: %s is not square", tape_text(x).text);
    tape_result r = tape_emit(t, &inverse_op, x, &x, 1, 0);
    float *host = tape_scratch(t, c * c, sizeof *host);
    double *work = tape_scratch(t, 2 * c * c, sizeof *work);
    cru_tensor_download(t, x, host);
    for (int64_t i = 0; i < c; i++) {
        for (int64_t j = 0; j < c; j++) work[i * 2 * c + j] = (double)host[i * c + j];
        work[i * 2 * c + c + i] = 1;
    }
    if (!invert(work, c)) /* the caller sees the infinities and reports that training diverged */
        for (int64_t i = 0; i < 2 * c * c; i++) work[i] = (double)NAN;
    for (int64_t i = 0; i < c; i++)
        for (int64_t j = 0; j < c; j++) host[i * c + j] = (float)work[i * 2 * c + c + j];
    t->device->backend->upload(t->device, r.out->data, host, (size_t)(c * c) * sizeof *host);
    return r.out;
}
