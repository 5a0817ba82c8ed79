// SPDX-License-Identifier: Apache-2.0
/* Several networks in one model: trained together, in turns or in phases, and kept together. */
#include <stdio.h>

#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>
#include <crucible/draft/train.h>

#include "train/linear-method.h"

typedef struct pair_model {
    cru_net *second_net;
    cru_fc first, second;
    cru_optim *own[2]; /* one for each net, where they take turns */
    int64_t phase;
} pair_model;

static void build_pair(cru_learner *l, void *self)
{
    pair_model *m = self;
    m->second_net = cru_learner_net(l, "second");
    m->first = cru_fc_create(l->net, "fc", l->x.cols, l->task->classes);
    m->second = cru_fc_create(m->second_net, "fc", l->x.cols, l->task->classes);
}

static cru_tensor *sum_of_both(cru_learner *l, void *self, cru_tape *t)
{
    const pair_model *m = self;
    cru_tensor *first = cru_fc_input(t, &m->first, &l->x), *second = cru_fc_input(t, &m->second, &l->x);
    return cru_add(t, first, second);
}

static const cru_method pair = {
    .model_size = sizeof(pair_model), .train = CRU_AT(settings, train), .build = build_pair, .logits = sum_of_both};

static pair_model *of(trial *t)
{
    return (pair_model *)t->model;
}

static void remember(float *out, const cru_fc *fc)
{
    memcpy(out, test_values(fc->w), COLS * CLASSES * sizeof *out);
}

static bool unchanged(const float *before, const cru_fc *fc)
{
    return memcmp(before, test_values(fc->w), COLS * CLASSES * sizeof *before) == 0;
}

START_TEST(nets_of_one_model_start_apart_and_learn_together)
{
    float first[COLS * CLASSES], second[COLS * CLASSES];
    trial t = {0};
    trial_open(&t, &pair, 3);
    ck_assert_int_eq(t.learner->net_count, 2);
    remember(first, &of(&t)->first);
    remember(second, &of(&t)->second);
    ck_assert(memcmp(first, second, sizeof first) != 0);
    trial_fit(&t, 0);
    ck_assert(!unchanged(first, &of(&t)->first));
    ck_assert(!unchanged(second, &of(&t)->second));
    ck_assert_double_lt(t.script.loss[2], t.script.loss[0]);
    trial_close(&t);
}
END_TEST

START_TEST(the_kept_epoch_brings_back_all_nets)
{
    trial t = {.script = {.verdict = {[2] = CRU_KEEP}}};
    trial_open(&t, &pair, 7);
    trial_fit(&t, 0);
    ck_assert(predicts_as_in(&t, 2));
    ck_assert(!predicts_as_in(&t, 6));
    trial_close(&t);
}
END_TEST

/* ---- each with an optimiser of its own ------------------------------------------------------------------------ */

static void build_turns(cru_learner *l, void *self)
{
    pair_model *m = self;
    build_pair(l, self);
    m->own[0] = cru_learner_optim(l, &l->net, 1);
    m->own[1] = cru_learner_optim(l, &m->second_net, 1);
}

/* Even epochs train the first net, odd ones the second. */
static double take_turns(cru_learner *l, void *self)
{
    pair_model *m = self;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *z = cru_learner_logits(l, t);
    const double loss = cru_learner_step(l, m->own[l->epoch % 2], cru_learner_loss(l, t, z));
    cru_net_clear(l->epoch % 2 ? l->net : m->second_net);
    return loss;
}

START_TEST(an_own_optimiser_moves_its_own_nets_only)
{
    cru_method turns = pair;
    turns.build = build_turns;
    turns.epoch = take_turns;
    float first[COLS * CLASSES], second[COLS * CLASSES];
    trial t = {0};
    trial_open(&t, &turns, 1);
    remember(first, &of(&t)->first);
    remember(second, &of(&t)->second);
    trial_fit(&t, 0);
    ck_assert(!unchanged(first, &of(&t)->first));
    ck_assert(unchanged(second, &of(&t)->second));
    remember(first, &of(&t)->first);
    t.learner->epoch = 1;
    take_turns(t.learner, t.model);
    ck_assert(unchanged(first, &of(&t)->first));
    ck_assert(!unchanged(second, &of(&t)->second));
    trial_close(&t);
}
END_TEST

/* With lr and decay of the settings: one step of SGD is w - lr (g + decay w). */
START_TEST(an_own_optimiser_is_as_the_settings_say)
{
    cru_method turns = pair;
    turns.build = build_turns;
    turns.epoch = take_turns;
    trial t = {0};
    t.settings.train.optimiser = CRU_SGD;
    t.settings.train.weight_decay = 0.5;
    trial_open(&t, &turns, 1);
    cru_tape *tape = t.learner->tape;
    float before[COLS * CLASSES], grad[COLS * CLASSES];
    remember(before, &of(&t)->first);
    cru_tape_begin(tape, CRU_TRAIN);
    cru_tensor *loss = cru_learner_loss(t.learner, tape, cru_learner_logits(t.learner, tape)), *slope;
    cru_grad(tape, loss, &of(&t)->first.w, 1, &slope, 0);
    memcpy(grad, test_values(slope), sizeof grad);
    take_turns(t.learner, t.model);
    ck_assert_double_eq(cru_optim_lr(of(&t)->own[0]), 0.1);
    for (int i = 0; i < COLS * CLASSES; i++)
        ck_assert_float_eq_tol(test_value(of(&t)->first.w, i), before[i] - 0.1f * (grad[i] + 0.5f * before[i]), 1e-6f);
    trial_close(&t);
}
END_TEST

/* ---- phases --------------------------------------------------------------------------------------------------- */

static cru_tensor *second_only(cru_learner *l, void *self, cru_tape *t)
{
    const pair_model *m = self;
    return cru_fc_input(t, &m->second, &l->x);
}

/* First the second net alone, of which the monitor hears nothing; then both, and the average of their weights goes
 * on. */
static void pretrain_second(cru_learner *l, void *self)
{
    pair_model *m = self;
    m->phase = 1;
    cru_learner_pretrain(l, m->own[1], second_only, 5);
}

static void next_phase(cru_learner *l, void *self)
{
    pair_model *m = self;
    m->phase++;
    cru_net_ema(m->second_net, l->net, 0.5);
}

START_TEST(a_model_trains_in_phases)
{
    cru_method phases = pair;
    phases.build = build_turns;
    phases.prepare = pretrain_second;
    phases.after_epoch = next_phase;
    float first[COLS * CLASSES], second[COLS * CLASSES];
    trial t = {0};
    trial_open(&t, &phases, 2);
    remember(first, &of(&t)->first);
    remember(second, &of(&t)->second);
    pretrain_second(t.learner, t.model);
    ck_assert(unchanged(first, &of(&t)->first));
    ck_assert(!unchanged(second, &of(&t)->second));
    trial_fit(&t, 0);
    ck_assert_int_eq(t.script.reports, 2);
    ck_assert_int_eq(of(&t)->phase, 3);
    trial_close(&t);
}
END_TEST

/* A method that writes its own loop: what it reports is judged like every epoch. */
START_TEST(a_report_keeps_and_stops)
{
    trial t = {.script = {.verdict = {[0] = CRU_KEEP, [1] = CRU_STOP}}};
    trial_open(&t, &pair, 1);
    cru_monitor monitor = {.epoch = follow, .user = &t.script};
    ck_assert(cru_learner_report(t.learner, &monitor, 3));
    ck_assert(t.learner->kept);
    t.learner->epoch = 1;
    ck_assert(!cru_learner_report(t.learner, &monitor, 2));
    ck_assert_double_eq(t.script.loss[0], 3);
    ck_assert_double_eq(t.script.loss[1], 2);
    trial_close(&t);
}
END_TEST

/* ---- convolutions --------------------------------------------------------------------------------------------- */

START_TEST(the_gcn_of_the_settings_has_their_shape)
{
    trial t = {0};
    trial_open(&t, &pair, 1);
    cru_net *net = cru_net_create(t.ctx, "third");
    const cru_gcn_settings s = {.layers = 3, .hidden = 5};
    const cru_gcn_stack stack = cru_learner_gcn(t.learner, net, &s);
    static const int64_t widths[] = {COLS, 5, 5, CLASSES};
    ck_assert_int_eq(stack.layers, 3);
    for (int k = 0; k < 3; k++) {
        char name[20];
        snprintf(name, sizeof name, "conv%d.weight", k);
        const cru_tensor *w = cru_net_find(net, name);
        ck_assert_msg(w != NULL, "no %s", name);
        ck_assert_int_eq(cru_tensor_rows(w), widths[k]);
        ck_assert_int_eq(cru_tensor_cols(w), widths[k + 1]);
        const float limit = sqrtf(6.0f / (float)(widths[k] + widths[k + 1])); /* Glorot */
        for (int64_t i = 0; i < cru_tensor_count(w); i++) ck_assert_float_le(fabsf(test_value(w, i)), limit);
    }
    trial_close(&t);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("several networks");
    TCase *c = tcase_create("nets");
    tcase_add_test(c, nets_of_one_model_start_apart_and_learn_together);
    tcase_add_test(c, the_kept_epoch_brings_back_all_nets);
    tcase_add_test(c, an_own_optimiser_moves_its_own_nets_only);
    tcase_add_test(c, an_own_optimiser_is_as_the_settings_say);
    tcase_add_test(c, a_model_trains_in_phases);
    tcase_add_test(c, a_report_keeps_and_stops);
    tcase_add_test(c, the_gcn_of_the_settings_has_their_shape);
    suite_add_tcase(s, c);
    return s;
}
