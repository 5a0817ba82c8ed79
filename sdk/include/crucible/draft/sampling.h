// SPDX-License-Identifier: Apache-2.0
/* draft/sampling.h: random walks, neighbours and non-edges. Continues sampling.h, also in how streams are
 * moved. Walks go along rows. */
#ifndef CRUCIBLE_DRAFT_SAMPLING_H
#define CRUCIBLE_DRAFT_SAMPLING_H

#include <crucible/sampling.h>

#ifdef __cplusplus
extern "C" {
#endif

/* node2vec walks: from v, having come from t, the unnormalised weight of u is 1/p if u = t, 1 if u is a neighbour of t,
 * 1/q otherwise. Rows must ascend. */
typedef struct cru_node2vec {
    int32_t length;
    double p, q;
} cru_node2vec;
CRU_API void cru_walk_node2vec(const cru_csr *g, cru_ids starts, const cru_node2vec *options, cru_rng *rng,
                               int32_t *out);

/* `count` pairs (row[i], col[i]), uniform over pairs of different nodes that are not stored entries; pairs may repeat.
 * Fails with CRU_FAILED when there is no such pair. Rows must ascend. */
typedef struct cru_pairs {
    int64_t count;
    int32_t *row, *col;
} cru_pairs;
CRU_API cru_status cru_sample_non_edges(const cru_csr *g, cru_rng *rng, const cru_pairs *out, cru_error *err);

/* For row rows.ids[i]: `each` columns that are neither stored in that row nor the row itself, out: rows.count x each;
 * -1 where the row is full. Rows must ascend. */
CRU_API void cru_sample_non_neighbours(const cru_csr *g, cru_ids rows, int64_t each, cru_rng *rng, int32_t *out);

/* At most `fanout` entries of each row in `rows`, without replacement: row i of the result (rows.count x g->cols) is
 * drawn from row rows.ids[i] with its values. */
CRU_API cru_csr cru_sample_neighbours(cru_pool pool, const cru_csr *g, cru_ids rows, int64_t fanout, cru_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
