// SPDX-License-Identifier: Apache-2.0
/* Consecutive runs of rows. A segmentation is a sparse matrix whose row g lists the rows of segment g, so everything
 * here is propagation over that matrix. */
#include <crucible/draft/ops-sparse.h>
#include <crucible/ops-sparse.h>

#include "autograd/tape.h"

static cru_sparse *membership(cru_tape *t, const cru_tensor *x, const int64_t *offsets, int64_t segments)
{
    int64_t n = cru_tensor_rows(x);
    cru_assert(offsets[0] == 0 && offsets[segments] == n, "segment: offsets from %lld to %lld for %s",
               (long long)offsets[0], (long long)offsets[segments], tape_text(x).text);
    int32_t *ids = tape_scratch(t, n, sizeof *ids);
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)i;
    return cru_sparse_step(t, &(cru_csr){.rows = segments, .cols = n, .offsets = offsets, .ids = ids});
}

cru_tensor *cru_segment(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments, cru_reduce op)
{
    return cru_aggregate(t, membership(t, x, offsets, segments), x, op);
}

cru_tensor *cru_segment_softmax(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments)
{
    return cru_edge_softmax(t, membership(t, x, offsets, segments), x);
}
