// SPDX-License-Identifier: Apache-2.0
/* draft/csr.h: further ways to combine sparse matrices. Continues csr.h. */
#ifndef CRUCIBLE_DRAFT_CSR_H
#define CRUCIBLE_DRAFT_CSR_H

#include <crucible/csr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The entries of A at places that B does not store. */
CRU_API cru_csr cru_csr_without(cru_pool pool, const cru_csr *a, const cru_csr *b);

/* The k largest entries of each row (ties: the lower id), all of them in shorter rows. */
CRU_API cru_csr cru_csr_top_k(cru_pool pool, const cru_csr *a, int64_t k);

/* The place of every entry among those of its row, from 0, by ascending key (one per entry; ties: the earlier entry),
 * or as they are stored when `key` is NULL. Keeping the entries with place[e] < k keeps the k first of every row. */
CRU_API void cru_csr_row_places(const cru_csr *a, const double *key, int32_t *place);

/* The pattern of A B: an entry is stored where at least one product term is. */
CRU_API cru_csr cru_csr_pattern_product(cru_pool pool, const cru_csr *a, const cru_csr *b);

#ifdef __cplusplus
}
#endif
#endif
