// SPDX-License-Identifier: Apache-2.0
/* neighbours.h: how many neighbours of a node share its class. */
#ifndef METRICS_NEIGHBOURS_H
#define METRICS_NEIGHBOURS_H

#include <crucible/plugin.h>

typedef struct neighbour_count {
    int32_t all, same; /* neighbours; those of the node's own class */
} neighbour_count;

/* For every node its out-neighbours by true class, without self-loops and without edges that have an unlabelled end.
 * Free with free(). NULL after a failure. O(edges). */
neighbour_count *neighbours_by_class(const cru_data *data, cru_error *err);

/* For every node how many out-neighbours it has of each class: nodes x classes, without the same. Free with free().
 * NULL after a failure. O(edges + nodes x classes). */
int32_t *neighbour_histograms(const cru_data *data, cru_error *err);

#endif
