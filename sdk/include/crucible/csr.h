// SPDX-License-Identifier: Apache-2.0
/* csr.h: making and combining sparse matrices.
 *
 * Every function that returns a `cru_csr` puts its arrays into the pool it is given and leaves its inputs untouched.
 * Results have ascending ids in each row; `values` stays NULL where every entry is 1 and nothing asks for weights.
 * Sums run in double. Results are the same bits for any number of threads. Sizes that do not fit together and ids out
 * of range are assertions: check data from outside with cru_csr_check first. */
#ifndef CRUCIBLE_CSR_H
#define CRUCIBLE_CSR_H

#include <stdbool.h>

#include <crucible/pool.h>
#include <crucible/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A list of entries in any order. For a graph an edge u -> v is the entry (row v, col u). */
typedef struct cru_coo {
    int64_t rows, cols, count;
    const int32_t *row, *col; /* count each */
    const float *values;      /* count, or NULL: all 1 */
} cru_coo;

/* What becomes of entries with the same row and column. */
typedef enum cru_duplicates {
    CRU_DUP_SUM,   /* one entry with the sum */
    CRU_DUP_FIRST, /* one entry, the first in input order */
    CRU_DUP_MAX,   /* one entry with the largest value */
    CRU_DUP_KEEP,  /* all of them, in input order (a multigraph); ids ascend, but not strictly */
} cru_duplicates;

CRU_API cru_csr cru_csr_from_coo(cru_pool pool, const cru_coo *entries, cru_duplicates rule);

/* The entries of `a` with sorted rows and duplicates treated by the rule; for rows that are unsorted or hold parallel
 * edges. */
CRU_API cru_csr cru_csr_merge(cru_pool pool, const cru_csr *a, cru_duplicates rule);

/* The transpose. `entry`, when not NULL, receives for every entry of the result the number of that entry in `a`, so
 * that weights can follow: values_t[e] = values[entry[e]]. */
CRU_API cru_csr cru_csr_transpose(cru_pool pool, const cru_csr *a, int64_t *entry);

/* The row of every entry: nnz numbers. Together with a->ids this is the list of entries. */
CRU_API void cru_csr_entry_rows(const cru_csr *a, int32_t *row);

/* The number of the entry (row, col), -1 when it is not stored. Rows must ascend. O(log row length). */
CRU_API int64_t cru_csr_find(const cru_csr *a, int64_t row, int32_t col);

/* Sums of the stored values by row (in-degrees of a graph) or by column (out-degrees). */
CRU_API void cru_csr_row_sums(const cru_csr *a, double *sum);
CRU_API void cru_csr_col_sums(const cru_csr *a, double *sum);

/* diag(left) A diag(right); either may be NULL (all 1). Only the values are new: offsets and ids are those of `a`. */
CRU_API cru_csr cru_csr_scale(cru_pool pool, const cru_csr *a, const double *left, const double *right);

/* alpha A + beta B on the union of the patterns. */
CRU_API cru_csr cru_csr_add(cru_pool pool, const cru_csr *a, double alpha, const cru_csr *b, double beta);

/* The entries for which `keep` answers true. `keep` may be called from several threads. */
typedef bool cru_csr_keep(void *user, int64_t row, int32_t col, float value);
CRU_API cru_csr cru_csr_filter(cru_pool pool, const cru_csr *a, cru_csr_keep *keep, void *user);

/* The entries numbered e with mask[e] != 0. */
CRU_API cru_csr cru_csr_select(cru_pool pool, const cru_csr *a, const uint8_t *mask);

/* A B. The pattern form drops values: an entry is stored where at least one product term is. */
CRU_API cru_csr cru_csr_product(cru_pool pool, const cru_csr *a, const cru_csr *b);

/* Rows `ids` of A in that order; columns stay. */
CRU_API cru_csr cru_csr_rows(cru_pool pool, const cru_csr *a, const int32_t *ids, int64_t count);

/* Between dense and sparse; from_dense stores what is not zero. `dense` is rows x cols. */
CRU_API cru_csr cru_csr_from_dense(cru_pool pool, const float *dense, int64_t rows, int64_t cols);
CRU_API void cru_csr_to_dense(const cru_csr *a, float *dense);

/* The pattern of `a` with every value 1; shares the arrays of `a`. */
static inline cru_csr cru_csr_pattern(const cru_csr *a)
{
    cru_csr pattern = *a;
    pattern.values = NULL;
    return pattern;
}

#ifdef __cplusplus
}
#endif
#endif
