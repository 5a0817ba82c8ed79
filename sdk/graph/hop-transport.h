// SPDX-License-Identifier: Apache-2.0
/* hop-transport.h: exact optimal transport when every cost is 1, 2 or 3.
 *
 * Costs of hop distances around an edge are such. Because a unit can always be moved at cost 3, the successive
 * shortest paths of a min-cost flow have lengths 1, then 2, then 3 only, and all that is left after the paths of length
 * 2 costs 3 a unit:
 *     W = 3 M - 2 f1 - f2
 * with M the mass, f1 the greatest flow over pairs of cost 1 and f2 what the second phase adds. Two greatest flows on
 * bipartite graphs, whose arcs are rows of bits. Masses are integers: nothing is rounded. */
#ifndef CRU_GRAPH_HOP_TRANSPORT_H
#define CRU_GRAPH_HOP_TRANSPORT_H

#include <stdint.h>

/* m places with supply, n with demand, totals equal, all positive. Row i of `one` (`two`) has `words` words whose bit j
 * says that the cost from i to j is exactly 1 (2). */
typedef struct hop_transport {
    int64_t m, n, words;      /* words = ceil(n / 64) */
    int64_t *supply, *demand; /* used up by the solver */
    const uint64_t *const *one, *const *two;
} hop_transport;

/* The least cost. */
int64_t hop_transport_solve(const hop_transport *problem);

#endif
