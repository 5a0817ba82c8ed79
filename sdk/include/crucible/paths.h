// SPDX-License-Identifier: Apache-2.0
/* paths.h: what hangs together. Searches and distances are in draft/paths.h. */
#ifndef CRUCIBLE_PATHS_H
#define CRUCIBLE_PATHS_H

#include <crucible/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The nodes of the largest weak component, ascending; the one with the smallest node when sizes tie. */
CRU_API cru_ids cru_graph_largest_component(cru_pool pool, const cru_csr *g);

#ifdef __cplusplus
}
#endif
#endif
