// SPDX-License-Identifier: Apache-2.0
/* A small network made with train.h, which draws (dropout) and predicts with more than its weights: a number that every
 * epoch changes and no snapshot holds. It can fail after its last epoch, or have weights then that predict nothing. */
#include <math.h>
#include <stdlib.h>

#include <crucible/crucible.h>

enum { END_GOOD, END_CRASH, END_NAN };
static const char *const ends[] = {"good", "crash", "nan", NULL};

enum { HIDDEN = 16 };

typedef struct settings {
    cru_train train;
    int64_t end;
} settings;

static const cru_param schema[] = {
    CRU_TRAIN_SETTINGS(settings, train, 12, 0.05, 0),
    CRU_CHOICE(settings, end, END_GOOD, ends, "how the last epoch ends"),
    CRU_END,
};

typedef struct model {
    cru_fc first, second;
    float scale; /* not a weight */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    m->first = cru_fc_create(l->net, "first", l->x.cols, HIDDEN);
    m->second = cru_fc_create(cru_learner_net(l, "second"), "second", HIDDEN, l->task->classes);
    m->scale = 1;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    cru_tensor *x = cru_scale(t, cru_fc_input(t, &m->first, &l->x), 0.01f);
    return cru_scale(t, cru_fc_apply(t, &m->second, cru_dropout(t, cru_relu(t, x), 0.5f)), m->scale);
}

static void after_epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->scale *= 1.01f;
    if (l->epoch + 1 < s->train.epochs) return;
    if (s->end == END_CRASH) abort();
    float none[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) none[i] = NAN;
    if (s->end == END_NAN) cru_tensor_set(l->ctx, m->first.b, none);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .after_epoch = after_epoch),
    .name = "runner-learner",
    .version = "1.0",
    .summary = "learns a little",
    .problems = CRU_ROWS | CRU_GRAPHS,
};
