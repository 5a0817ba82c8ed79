// SPDX-License-Identifier: Apache-2.0
#include "linalg/gemm.h"

#include <oneapi/dnnl/dnnl.h>

void gemm_block(const cru_gemm_args *g)
{
    dnnl_status_t status = dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, g->alpha, g->a, g->lda,
                                      g->b, g->ldb, g->beta, g->c, g->ldc);
    if (status == dnnl_out_of_memory) cru_panic(CRU_NO_MEMORY, "matrix product: out of memory");
    cru_assert(status == dnnl_success, "matrix product: oneDNN refused %lld x %lld x %lld", (long long)g->m,
               (long long)g->n, (long long)g->k);
}
