// SPDX-License-Identifier: Apache-2.0
/* From easy to hard. */
#include "curriculum.h"

#include <math.h>
#include <stdlib.h>

const char *const scheduler_names[] = {"linear", "root", "geom", NULL};

/* Products come before the division, as in the benchmark: what is used is the floor of a multiple of it. */
double curriculum_share(const curriculum *c, int64_t t)
{
    const double l = c->lambda, e = (double)t, until = (double)c->until;
    double share = l + (1 - l) * e / until;
    if (c->scheduler == ROOT) share = sqrt(l * l + (1 - l * l) * e / until);
    if (c->scheduler == GEOM) share = pow(2, log2(l) - log2(l) * e / until);
    return share < 1 ? share : 1;
}

typedef struct keyed {
    double key;
    int64_t place;
} keyed;

static int compare(const void *left, const void *right)
{
    const keyed *a = left, *b = right;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

int32_t *nodes_by(cru_ctx *ctx, cru_ids nodes, const double *key)
{
    keyed *order = cru_ctx_alloc(ctx, nodes.count, sizeof *order);
    int32_t *sorted = cru_ctx_alloc(ctx, nodes.count, sizeof *sorted);
    for (int64_t i = 0; i < nodes.count; i++) order[i] = (keyed){isnan(key[i]) ? INFINITY : key[i], i};
    qsort(order, (size_t)nodes.count, sizeof *order, compare);
    for (int64_t i = 0; i < nodes.count; i++) sorted[i] = nodes.ids[order[i].place];
    return sorted;
}
