// SPDX-License-Identifier: Apache-2.0
/* path-tasks.h: what GraphMixup asks of embeddings besides classes: how far apart nodes are, and where they are. */
#ifndef IGL_PATH_TASKS_H
#define IGL_PATH_TASKS_H

#include <crucible/crucible.h>

/* Pairs (first, second) with the number of their group: 1 .. cut hops are 0 .. cut - 1, farther or unreachable is
 * cut. */
typedef struct path_pairs {
    int32_t *first, *second, *group;
    int64_t count;
} path_pairs;

/* `each` pairs u < v of every group, or all that it has, drawn without replacement from a stream of all pairs: the n x
 * n distances are never kept. g: undirected. */
path_pairs path_pairs_draw(cru_pool pool, const cru_csr *g, int32_t cut, int64_t each, cru_rng *rng);

/* 1 / (hops to the centre of each part), 0 where that is 0 or none: nodes x parts. Centres have the most neighbours in
 * their part. `misread`: the place of a centre in its part is taken for its number, as in the authors' code. */
cru_status path_centres(const cru_csr *g, int32_t parts, bool misread, float *target, cru_error *err);

#endif
