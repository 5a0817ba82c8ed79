// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "memory/heap.h"
#include "sparse/draft.h"

cru_csr cru_csr_transpose(cru_pool pool, const cru_csr *a, int64_t *entry)
{
    draft d = draft_begin(pool, a->cols, a->rows);
    int64_t nnz = cru_csr_nnz(a);
    for (int64_t e = 0; e < nnz; e++) d.offsets[a->ids[e] + 1]++;
    draft_entries(&d, a->values != NULL);
    int64_t *next = heap_alloc(a->cols, sizeof *next);
    memcpy(next, d.offsets, (size_t)a->cols * sizeof *next);
    for (int64_t i = 0; nnz && i < a->rows; i++) {
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
            int64_t at = next[a->ids[e]]++;
            d.ids[at] = (int32_t)i;
            if (d.values) d.values[at] = a->values[e];
            if (entry) entry[at] = e;
        }
    }
    free(next);
    return draft_done(&d);
}
