// SPDX-License-Identifier: Apache-2.0
/* linear-method.h: a linear method, a problem of six rows and a monitor that follows a script. */
#ifndef TESTS_TRAIN_LINEAR_METHOD_H
#define TESTS_TRAIN_LINEAR_METHOD_H

#include <check.h>
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

#include "on-device.h"
#include "train/create-method.h"

/* ---- the problem: the class is the sign of x_0 ----------------------------------------------------------- */

enum { ITEMS = 6, COLS = 2, CLASSES = 2 };

static const float features[ITEMS * COLS] = {1, 0.5f, -1, 0.25f, 2, -1, -0.5f, 1, 1.5f, 0, -2, -0.5f};
static const int32_t labels[ITEMS] = {1, 0, 1, 0, CRU_UNLABELLED, CRU_UNLABELLED};
static const uint8_t candidates[ITEMS * CLASSES] = {0, 1, 1, 1, 0, 1, 1, 0};
static const int32_t train_ids[] = {0, 1, 2, 3}, test_ids[] = {4, 5};

static inline cru_task linear_task(void)
{
    return (cru_task){.size = sizeof(cru_task),
                      .problem = CRU_ROWS,
                      .items = ITEMS,
                      .nodes = ITEMS,
                      .classes = CLASSES,
                      .x = {.rows = ITEMS, .cols = COLS, .dense = features},
                      .labels = labels,
                      .split = {.train = {train_ids, 4}, .test = {test_ids, 2}}};
}

/* ---- the method --------------------------------------------------------------------------------------- */

typedef struct settings {
    cru_train train;
    cru_status build_fails_with;
} settings;

typedef struct model {
    cru_fc fc;
    char calls[64]; /* the hooks, in the order in which they were called */
} model;

static int released;

static inline void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->fc = cru_fc_create(l->net, "fc", l->x.cols, l->task->classes);
    if (s->build_fails_with) cru_ctx_fail(l->ctx, s->build_fails_with, "not this task");
}

static inline cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_fc_input(t, &m->fc, &l->x);
}

static inline void release(cru_learner *l, void *self)
{
    (void)l, (void)self;
    released++;
}

static const cru_method plain = {.model_size = sizeof(model),
                                 .train = CRU_AT(settings, train),
                                 .build = build,
                                 .logits = logits,
                                 .release = release};

/* ---- a monitor that follows a script ------------------------------------------------------------------ */

typedef struct script {
    uint32_t verdict[20];
    int64_t reports;
    double loss[20];
    float scores[20][ITEMS * CLASSES];
} script;

static inline uint32_t follow(void *user, int64_t epoch, double train_loss, const float *scores)
{
    script *s = user;
    ck_assert_int_eq(epoch, s->reports);
    ck_assert_int_lt(s->reports, 20);
    s->loss[epoch] = train_loss;
    memcpy(s->scores[epoch], scores, sizeof s->scores[epoch]);
    return s->verdict[s->reports++];
}

typedef struct trial {
    cru_ctx *ctx;
    cru_task task;
    settings settings;
    script script;
    cru_learner *learner;
    model *model;
    bool before_step, unless_dropout;
    float scores[ITEMS * CLASSES];
} trial;

static inline cru_status create_linear(const cru_method *method, cru_learner **self, const settings *s,
                                       const cru_task *task, cru_ctx *ctx)
{
    return create_method(&(test_method){method, CRU_ROWS, sizeof(settings)}, self, s, task, ctx);
}

static inline void trial_open(trial *t, const cru_method *method, int64_t epochs)
{
    t->ctx = test_ctx(&(cru_ctx_options){.seed = 11});
    if (!t->task.items) t->task = linear_task();
    t->settings.train.epochs = epochs;
    t->settings.train.lr = 0.1;
    ck_assert_int_eq(create_linear(method, &t->learner, &t->settings, &t->task, t->ctx), CRU_OK);
    t->model = t->learner->model;
}

static inline void trial_fit(trial *t, int64_t limit)
{
    cru_monitor monitor = {.epoch = follow,
                           .user = &t->script,
                           .limit = limit,
                           .before_step = t->before_step,
                           .unless_dropout = t->unless_dropout};
    ck_assert_int_eq(cru_method_vtable.fit(t->learner, &monitor), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(t->learner, t->scores), CRU_OK);
}

static inline void trial_close(trial *t)
{
    cru_method_vtable.destroy(t->learner);
    cru_ctx_destroy(t->ctx);
}

static inline bool predicts_as_in(const trial *t, int64_t epoch)
{
    return memcmp(t->scores, t->script.scores[epoch], sizeof t->scores) == 0;
}

#endif
