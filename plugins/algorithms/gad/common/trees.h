// SPDX-License-Identifier: Apache-2.0
/* trees.h: what the tree methods on graphs share: the features of a node beside those of its neighbourhood,
 *
 *     F = [X | P X | ... | P^L X],     P: the mean (sum, maximum) over in-neighbours
 *
 * and the training rows with the weights of their classes. On a graph whose nodes all have self-loops P includes the
 * node itself. A tree method is its settings with a member `table`, a model that begins with a `trees`, and a
 * TREES_METHOD at the head of its CRU_PLUGIN. */
#ifndef GAD_TREES_H
#define GAD_TREES_H

#include <crucible/crucible.h>

typedef struct trees_settings {
    int64_t layers, aggregate, class_weights;
} trees_settings;

extern const char *const trees_aggregate_names[]; /* "mean", "sum", "max", NULL */

/* Entries of a schema for a trees_settings member: `layers`, `aggregate`, `class_weights`. */
#define TREES_SETTINGS(type_, member_)                                                                                 \
    CRU_INT_KEY(type_, "layers", member_.layers, 2, 0, CRU_MAX_LAYERS,                                                 \
                "hops of neighbourhood beside the features; 0: the features alone", .search = CRU_ONE_OF(1, 2, 3, 4)), \
        CRU_CHOICE_KEY(type_, "aggregate", member_.aggregate, 0, trees_aggregate_names,                                \
                       "what a hop makes of the in-neighbours", .search = CRU_ANY_CHOICE),                             \
        CRU_CHOICE_KEY(type_, "class_weights", member_.class_weights, CRU_WEIGHTS_BALANCED, cru_class_weight_names,    \
                       "weight of a training item: all equal, or largest class over own size")

typedef struct trees trees;

/* What a tree method brings, as the vtable of its plugin. Failures go to the context. */
typedef struct trees_learner {
    cru_algorithm vtable; /* first */
    size_t model_size;
    size_t table;
    void (*grow)(void *self);    /* learns from `samples` */
    void (*score)(void *self);   /* fills `scores`, which are 0, from `all` */
    void (*release)(void *self); /* optional: frees what the context does not */
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

/* Entries of the vtable. CRU_UNSUPPORTED: no features, no labels. There is one report to the monitor: nothing to select
 * from. */
cru_status trees_create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                        cru_ctx *ctx);
cru_status trees_fit(void *self, cru_monitor *monitor);
cru_status trees_widen(void *self, const cru_task *task);
cru_status trees_predict(void *self, float *scores);
void trees_destroy(void *self);

/* The first entries of the CRU_PLUGIN of a tree method: .grow, .score and .release. */
#define TREES_METHOD(settings_, schema_, model_, ...)                                                                  \
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM), .settings_size = sizeof(settings_), .params = (schema_),                    \
                                           .vtable = &(const trees_learner)                                            \
    {                                                                                                                  \
        .vtable = {.size = sizeof(cru_algorithm),                                                                      \
                   .create = trees_create,                                                                             \
                   .fit = trees_fit,                                                                                   \
                   .predict = trees_predict,                                                                           \
                   .destroy = trees_destroy,                                                                           \
                   .widen = trees_widen},                                                                              \
        .model_size = sizeof(model_), .table = offsetof(settings_, table), __VA_ARGS__                                 \
    }

#endif
