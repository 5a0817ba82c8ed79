// SPDX-License-Identifier: Apache-2.0
/* curriculum.h: from easy to hard training items. */
#ifndef PLUGINS_CURRICULUM_H
#define PLUGINS_CURRICULUM_H

#include <crucible/crucible.h>

typedef enum scheduler { LINEAR, ROOT, GEOM } scheduler;
extern const char *const scheduler_names[];

typedef struct curriculum {
    double lambda;     /* the share to begin with */
    int64_t scheduler; /* how it grows */
    int64_t until;     /* the epoch from which all are used */
} curriculum;

/* Entries for a curriculum member: lambda, ramp and scheduler. */
#define CURRICULUM_SETTINGS(type_, member_, lambda_, until_, scheduler_)                                               \
    CRU_FLOAT_KEY(type_, "lambda", member_.lambda, lambda_, 1e-6, 1, "share of the items to begin with",               \
                  .search = CRU_ONE_OF(0.25, 0.5, 0.75)),                                                              \
        CRU_INT_KEY(type_, "ramp", member_.until, until_, 1, 1e9, "epochs until all are used",                         \
                    .search = CRU_ONE_OF(50, 100, 150)),                                                               \
        CRU_CHOICE_KEY(type_, "scheduler", member_.scheduler, scheduler_, scheduler_names, "how the share grows",      \
                       .search = CRU_ANY_CHOICE)

/* The share of items used in epoch t, at most 1, with l = lambda and u = t / until:
 *     linear: l + (1 - l) u      root: sqrt(l^2 + (1 - l^2) u)      geom: l^(1 - u) */
double curriculum_share(const curriculum *c, int64_t t);

/* Nodes in ascending order of key[i], which belongs to nodes.ids[i]; equals stay in their order. In the context. */
int32_t *nodes_by(cru_ctx *ctx, cru_ids nodes, const double *key);

#endif
