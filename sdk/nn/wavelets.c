// SPDX-License-Identifier: Apache-2.0
/* Beta wavelets. The formula stands in nn.h. */
#include <crucible/draft/nn.h>
#include <crucible/nn.h>

#include "nn/naming.h"

/* (a + b s) times the polynomial of `degree`, in place. */
static void multiply(double *p, int64_t degree, double a, double b)
{
    p[degree + 1] = b * p[degree];
    for (int64_t k = degree; k > 0; k--) p[k] = a * p[k] + b * p[k - 1];
    p[0] *= a;
}

/* Coefficients of s^0 .. s^C in W_i where L = 1 - s:
 *     (C + 1) binom(C, i) ((1 - s) / 2)^i ((1 + s) / 2)^(C - i),     because 1 / B(i+1, C-i+1) = (C + 1) binom(C, i) */
static void wavelet(int64_t order, int64_t i, double *p)
{
    p[0] = (double)(order + 1);
    for (int64_t k = 0; k < i; k++) p[0] *= (double)(order - k) / (double)(k + 1);
    for (int64_t k = 0; k < order; k++) multiply(p, k, 0.5, k < i ? -0.5 : 0.5);
}

/* theta[k in + j, i in + j] = the coefficient of A^k in W_i: (A powers of x) theta = (wavelets of x) */
static cru_tensor *mixture(cru_ctx *ctx, int64_t order, int64_t in)
{
    const int64_t n = (order + 1) * in;
    float *theta = cru_ctx_alloc(ctx, n * n, sizeof *theta);
    double p[CRU_MAX_LAYERS + 1];
    for (int64_t i = 0; i <= order; i++) {
        wavelet(order, i, p);
        for (int64_t k = 0; k <= order; k++)
            for (int64_t j = 0; j < in; j++) theta[(k * in + j) * n + i * in + j] = (float)p[k];
    }
    return cru_tensor_from(ctx, cru_2d(n, n), theta);
}

cru_wavelets cru_wavelets_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t order)
{
    cru_assert(order >= 0 && order <= CRU_MAX_LAYERS, "wavelets: order %lld; up to %d is possible", (long long)order,
               CRU_MAX_LAYERS);
    return (cru_wavelets){.fc = cru_fc_create(net, name, (order + 1) * in, out),
                          .theta = mixture(cru_net_ctx(net), order, in),
                          .order = order};
}

cru_tensor *cru_wavelets_apply(cru_tape *t, const cru_wavelets *layer, cru_sparse *adj, cru_tensor *x)
{
    cru_tensor *w = cru_matmul(t, layer->theta, layer->fc.w);
    return cru_linear(t, cru_powers(t, adj, x, layer->order), w, layer->fc.b);
}
