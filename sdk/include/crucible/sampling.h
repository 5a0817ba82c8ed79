// SPDX-License-Identifier: Apache-2.0
/* sampling.h: some of the edges of a graph. Walks, neighbours and non-edges are in draft/sampling.h.
 *
 * A function draws from the given stream and moves it once; inside, item i uses a child stream of its own, so that
 * results do not depend on threads. For weighted draws from a list see cru_rng_weighted. */
#ifndef CRUCIBLE_SAMPLING_H
#define CRUCIBLE_SAMPLING_H

#include <crucible/graph.h>
#include <crucible/random.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps each entry with probability `keep`. Paired: an edge and its reverse share one draw (self-loops their own). */
CRU_API cru_csr cru_sample_edges(cru_pool pool, const cru_csr *g, double keep, bool paired, cru_rng *rng);

/* Walks of `length` steps: out is starts.count x (length + 1), the start first. Steps are uniform over stored entries
 * (parallel edges count). A walk that reaches an empty row stays there. */
CRU_API void cru_walk_uniform(const cru_csr *g, cru_ids starts, int32_t length, cru_rng *rng, int32_t *out);

/* Pairs of nodes without an edge, as a pattern with v < u: `count` uniform draws, of which the half with row < col is
 * kept, each pair once. What the reconstruction of a graph holds against its edges. Rows must ascend. Empty after a
 * failure. */
CRU_API cru_csr cru_sample_absent_edges(cru_pool pool, const cru_csr *g, int64_t count, cru_rng *rng, cru_error *err);

#ifdef __cplusplus
}
#endif
#endif
