// SPDX-License-Identifier: Apache-2.0
/* outgoing.h: the adjacency as the heterophily study's code has it: row v lists the nodes that v points to. */
#ifndef HETEROPHILY_OUTGOING_H
#define HETEROPHILY_OUTGOING_H

#include <crucible/crucible.h>

/* The task's graph transposed, without weights and self-loops; of an undirected graph that is the graph itself. In
 * memory of the context. */
cru_csr outgoing_graph(cru_learner *l);

#endif
