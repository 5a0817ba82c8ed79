// SPDX-License-Identifier: Apache-2.0
/* prune.h: a graph without its worst edges. */
#ifndef GAD_PRUNE_H
#define GAD_PRUNE_H

#include <crucible/crucible.h>

/* The graph without the `count` entries of the smallest key (one per entry); among equals those with the smaller
 * source, then destination, go first, which is the order of the study's edge numbers. */
cru_csr prune_edges(cru_ctx *ctx, const cru_csr *graph, const double *key, int64_t count);

#endif
