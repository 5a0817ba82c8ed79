// SPDX-License-Identifier: Apache-2.0
/* union.h: combining two patterns place by place, and two small questions that graphs ask. */
#ifndef CRU_SPARSE_UNION_H
#define CRU_SPARSE_UNION_H

#include <crucible/csr.h>

/* One place of the union of two patterns; a and b are 0 where absent. */
typedef struct csr_union_place {
    int64_t row;
    int32_t col;
    bool in_a, in_b;
    float a, b;
} csr_union_place;

/* What the union stores at a place; no function: a pattern without values. */
typedef struct csr_union_rule {
    double (*value)(void *user, const csr_union_place *place);
    void *user;
} csr_union_rule;

/* The union of two matrices of one shape with strictly ascending rows. */
cru_csr csr_union(cru_pool pool, const cru_csr *a, const cru_csr *b, const csr_union_rule *rule);

/* Strictly ascending ids in every row: no parallel edges. */
bool csr_is_strict(const cru_csr *a);

/* Whether a square matrix with strictly ascending rows equals its transpose, values included. Every row is met in the
 * order of its ids, so the partner of the next entry (i, j) is the next entry of row j. */
bool csr_is_mirrored(const cru_csr *a);

/* n x n with the given diagonal, stored for every row; NULL: ones. */
cru_csr csr_diagonal(cru_pool pool, const float *diagonal, int64_t n);

#endif
