// SPDX-License-Identifier: Apache-2.0
/* learner.h: what the files of train share. */
#ifndef SDK_TRAIN_LEARNER_H
#define SDK_TRAIN_LEARNER_H

#include <crucible/train.h>

/* Rows of logits that the default loss asks for: those of the training items. */
typedef struct cru_wanted {
    const cru_learner *learner;
    cru_sparse *rows; /* of graphs.adj; made when a pass first asks for them */
    bool given;       /* a pass gave these rows alone, in the order of the training items */
    int64_t hops;     /* of a minibatch of nodes: its layers, whose last gives the rows of the minibatch; else 0 */
    cru_hop hop[CRU_MAX_LAYERS];
} cru_wanted;

/* A member of the settings that the method named with CRU_AT; NULL where it named none. */
static inline const void *settings_at(const cru_learner *l, size_t at)
{
    return at ? (const char *)l->settings + (at - 1) : NULL;
}

/* The first fault in a method's combination of hooks, as a sentence; NULL when there is none. */
const char *method_fault(const cru_plugin *plugin);

/* What a hook gave, with two columns where it is one for two classes; fails the trial where it is NULL. */
cru_tensor *learner_scores_of(cru_learner *l, cru_tape *t, cru_tensor *z, const char *hook);

/* What `forward` gave, as learner_scores_of. */
cru_tensor *learner_forward(cru_learner *l, cru_tape *t, const cru_graphs *graphs);

/* Scores of all items with the weights as they are. */
cru_status learner_evaluate(cru_learner *l);

/* Representations of all items, from the steps of an evaluation. */
typedef struct cru_noted {
    float *rows; /* items x cols, in the context; NULL until the first step */
    int64_t cols;
    bool none; /* a step noted nothing, or not a row for each of its items */
} cru_noted;

/* In a step that computed the scores of these items (NULL: of all, in order): takes what was noted, if it is wanted. */
void learner_gather(cru_learner *l, const int32_t *items, int64_t count);

/* Trains epoch by epoch; the weights stay the last ones. */
cru_status epochs_fit(cru_learner *l, cru_monitor *monitor);

/* Entries of the vtable that are not in method.c. */
cru_status method_widen(void *self, const cru_task *task);
void method_select(void *self, int32_t rule);
cru_status method_create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx);
void method_destroy(void *self);
cru_status method_save(void *self, int fd);
cru_status method_load(void *self, int fd);

#endif
