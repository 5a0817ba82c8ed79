// SPDX-License-Identifier: Apache-2.0
/* described.h: whom a metric of a dataset describes. */
#ifndef METRICS_DESCRIBED_H
#define METRICS_DESCRIBED_H

#include <crucible/plugin.h>
#include <crucible/pool.h>

/* The training part, or all items when there is no split yet. The pool is that of scratch memory. */
cru_ids described_items(cru_pool pool, const cru_data *data);

/* The graph as an undirected one without self-loops and weights. */
cru_csr described_graph(cru_pool pool, const cru_data *data);

#endif
