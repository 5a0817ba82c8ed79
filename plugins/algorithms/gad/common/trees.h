/* trees.h: what the tree methods on graphs share: the features of a node beside those of its neighbourhood,
 *
 *     F = [X | P X | ... | P^L X],     P: the mean (sum, maximum) over in-neighbours
 *
 * and the training rows with the weights of their classes. A tree method is its settings, a learner between trees_open
 * and trees_give, and a vtable. On a graph whose nodes all have self-loops P includes the node itself. */
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

typedef struct trees {
    cru_ctx *ctx;
    const cru_task *task;
    const trees_settings *settings;
    cru_dense all;       /* F of every item */
    cru_samples samples; /* the training items; no weights: all 1 */
    float *scores;       /* items x classes */
} trees;

/* The first act of create. Everything lives in the context. CRU_UNSUPPORTED: no features, no labels. */
cru_status trees_open(trees *t, const trees_settings *settings, const cru_task *task, cru_ctx *ctx);

/* For widen: the same on another task, whose training items do not matter. */
void trees_widen(trees *t, const cru_task *task);

/* Copies the scores out, for predict. */
void trees_give(const trees *t, float *scores);

#endif
