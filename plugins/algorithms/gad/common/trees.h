// SPDX-License-Identifier: Apache-2.0
/* trees.h: what the tree methods on graphs share: the features of a node beside those of its neighbourhood,
 *
 *     F = [X | P X | ... | P^L X],     P: the mean (sum, maximum) over in-neighbours
 *
 * and the training rows with the weights of their classes. A tree method is its settings, a learner and a vtable of the
 * functions here. On a graph whose nodes all have self-loops P includes the node itself. */
#ifndef GAD_TREES_H
#define GAD_TREES_H

#include <crucible/crucible.h>

typedef struct trees_settings {
    int64_t layers, aggregate, class_weights;
} trees_settings;

extern const char *const trees_aggregate_names[]; /* "mean", "sum", "max", NULL */

/* Entries of a schema for a trees_settings member: `layers`, `aggregate`, `class_weights`. */
#define TREES_SETTINGS(type_, member_)                                                                                 \
    {.key = "layers",                                                                                                  \
     .type = CRU_PARAM_INT,                                                                                            \
     .offset = offsetof(type_, member_.layers),                                                                        \
     .number = 2,                                                                                                      \
     .max = CRU_MAX_LAYERS,                                                                                            \
     .search = CRU_ONE_OF(1, 2, 3, 4),                                                                                 \
     .help = "hops of neighbourhood beside the features; 0: the features alone"},                                      \
        {.key = "aggregate",                                                                                           \
         .type = CRU_PARAM_CHOICE,                                                                                     \
         .offset = offsetof(type_, member_.aggregate),                                                                 \
         .choices = trees_aggregate_names,                                                                             \
         .search = CRU_ANY_CHOICE,                                                                                     \
         .help = "what a hop makes of the in-neighbours"},                                                             \
    {                                                                                                                  \
        .key = "class_weights", .type = CRU_PARAM_CHOICE, .offset = offsetof(type_, member_.class_weights),            \
        .number = CRU_WEIGHTS_BALANCED, .choices = cru_class_weight_names,                                             \
        .help = "weight of a training item: all equal, or largest class over own size"                                 \
    }

enum { TREES_PROBLEMS = CRU_NODES | CRU_ANOMALY };

typedef struct trees trees;

/* What a tree method brings. Failures go to the context. */
typedef struct trees_learner {
    size_t model_size;         /* its model begins with a `trees` */
    size_t table;              /* where its settings have the trees_settings */
    void (*grow)(void *self);  /* learns from `samples` */
    void (*score)(void *self); /* fills `scores`, which are 0, from `all` */
} trees_learner;

struct trees {
    const trees_learner *learner;
    const void *settings;
    cru_ctx *ctx;
    const cru_task *task;
    cru_dense all;       /* F of every item */
    cru_samples samples; /* the training items; no weights: all 1 */
    float *scores;       /* items x classes */
};

/* Entries of the method's vtable, which TREES_VTABLE makes. Everything lives in the context.
 * CRU_UNSUPPORTED: no features, no labels. There is one report to the monitor: nothing to select from. */
cru_status trees_create(void **self, const trees_learner *learner, const void *settings, const cru_task *task,
                        cru_ctx *ctx);
cru_status trees_fit(void *self, cru_monitor *monitor);
cru_status trees_widen(void *self, const cru_task *task);
cru_status trees_predict(void *self, float *scores);

/* Defines `vtable`, a method with this learner, as CRU_METHOD_VTABLE does; `destroy_` frees what the context does not.
 */
#define TREES_VTABLE(learner_, destroy_)                                                                               \
    static cru_status create_instance(void **self_, const void *settings_, const cru_task *task_, cru_ctx *ctx_)       \
    {                                                                                                                  \
        return trees_create(self_, &(learner_), settings_, task_, ctx_);                                               \
    }                                                                                                                  \
    static const cru_algorithm vtable = {.size = sizeof(cru_algorithm),                                                \
                                         .create = create_instance,                                                    \
                                         .fit = trees_fit,                                                             \
                                         .predict = trees_predict,                                                     \
                                         .destroy = (destroy_),                                                        \
                                         .widen = trees_widen}

#endif
