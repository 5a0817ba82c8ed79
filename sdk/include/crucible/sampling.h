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

#ifdef __cplusplus
}
#endif
#endif
