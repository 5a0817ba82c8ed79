// SPDX-License-Identifier: Apache-2.0
/* What the training loop does with verdicts, limits and hooks. */
#include <crucible/draft/train.h>

#include "train/linear-method.h"

START_TEST(training_learns_a_linear_rule)
{
    trial t = {0};
    trial_open(&t, &plain, 20);
    trial_fit(&t, 0);
    ck_assert_double_lt(t.script.loss[19], 0.5 * t.script.loss[0]);
    for (int i = 0; i < ITEMS; i++) ck_assert((t.scores[2 * i + 1] > t.scores[2 * i]) == (features[2 * i] > 0));
    trial_close(&t);
}
END_TEST

START_TEST(the_kept_epoch_predicts)
{
    trial t = {.script = {.verdict = {[1] = CRU_KEEP, [4] = CRU_KEEP}}};
    trial_open(&t, &plain, 9);
    trial_fit(&t, 0);
    ck_assert_int_eq(t.script.reports, 9);
    ck_assert(predicts_as_in(&t, 4));
    ck_assert(!predicts_as_in(&t, 8));
    trial_close(&t);
}
END_TEST

START_TEST(several_rules_keep_epochs_of_their_own)
{
    trial t = {.script = {.verdict = {[1] = CRU_KEEP_FOR(0) | CRU_KEEP_FOR(2),
                                      [4] = CRU_KEEP_FOR(2),
                                      [5] = CRU_KEEP_FOR(CRU_MAX_RULES - 1)}}};
    static const struct {
        int32_t rule;
        int64_t epoch;
    } order[] = {{2, 4}, {1, 8}, {0, 1}, {CRU_MAX_RULES - 1, 5}, {2, 4}, {3, 8}}; /* 8: the last, nothing was kept */
    trial_open(&t, &plain, 9);
    trial_fit(&t, 0);
    ck_assert(predicts_as_in(&t, 8)); /* fit itself goes back to nothing */
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        cru_method_vtable.select(t.learner, order[i].rule);
        ck_assert_int_eq(cru_method_vtable.predict(t.learner, t.scores), CRU_OK);
        ck_assert_msg(predicts_as_in(&t, order[i].epoch), "rule %d", (int)order[i].rule);
    }
    trial_close(&t);
}
END_TEST

static void forget_after_three(cru_learner *l, void *self)
{
    (void)self;
    if (l->epoch == 3) cru_learner_forget(l);
}

/* Epochs 1 and 2 were kept before. */
START_TEST(what_was_kept_can_be_forgotten)
{
    cru_method forgetful = plain;
    trial t = {
        .script = {.verdict = {[1] = CRU_KEEP, [2] = CRU_KEEP_FOR(0), [5] = _i ? CRU_KEEP | CRU_KEEP_FOR(0) : 0}}};
    forgetful.after_epoch = forget_after_three;
    trial_open(&t, &forgetful, 9);
    trial_fit(&t, 0);
    ck_assert(predicts_as_in(&t, _i ? 5 : 8));
    cru_method_vtable.select(t.learner, 0);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, t.scores), CRU_OK);
    ck_assert(predicts_as_in(&t, _i ? 5 : 8));
    trial_close(&t);
}
END_TEST

START_TEST(where_no_rule_kept_anything_the_last_epoch_predicts)
{
    trial t = {0};
    trial_open(&t, &plain, 9);
    trial_fit(&t, 0);
    cru_method_vtable.select(t.learner, 0);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, t.scores), CRU_OK);
    ck_assert(predicts_as_in(&t, 8));
    trial_close(&t);
}
END_TEST

START_TEST(before_the_step_the_first_report_is_of_the_initial_weights)
{
    trial after = {0}, before = {.before_step = true, .script = {.verdict = {[3] = CRU_KEEP}}};
    trial_open(&after, &plain, 6);
    trial_fit(&after, 0);
    trial_open(&before, &plain, 6);
    ck_assert_int_eq(cru_method_vtable.predict(before.learner, before.scores), CRU_OK);
    float initial[ITEMS * CLASSES];
    memcpy(initial, before.scores, sizeof initial);
    trial_fit(&before, 0);
    ck_assert_int_eq(before.script.reports, 6);
    ck_assert_mem_eq(before.script.scores[0], initial, sizeof initial);
    ck_assert_double_nan(before.script.loss[0]);
    for (int e = 1; e < 6; e++) {
        ck_assert_mem_eq(before.script.scores[e], after.script.scores[e - 1], sizeof initial);
        ck_assert_double_eq(before.script.loss[e], after.script.loss[e - 1]);
    }
    ck_assert(predicts_as_in(&before, 3));
    trial_close(&after);
    trial_close(&before);
}
END_TEST

START_TEST(validation_accuracy_counts_observed_labels)
{
    static const int32_t val[] = {1, 2, 3};                                        /* of classes 0, 1, 0 */
    static const float z[ITEMS * CLASSES] = {0, 1, 1, 0, 2, 1, 0, -1, 0, 0, 0, 0}; /* chosen there: 0, 0, 0 */
    trial t = {0};
    trial_open(&t, &plain, 1);
    cru_learner *l = t.learner;
    cru_task task = *l->task;
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor *logits_of_all = cru_tensor_upload(l->tape, cru_2d(ITEMS, CLASSES), z);
    ck_assert_double_eq(cru_learner_val_accuracy(l, l->tape, logits_of_all), 0); /* no validation part */
    task.split.val = (cru_ids){val, 3};
    l->task = &task;
    ck_assert_double_eq_tol(cru_learner_val_accuracy(l, l->tape, logits_of_all), 2 / 3., 1e-12);
    trial_close(&t);
}
END_TEST

static int64_t passes;

static cru_tensor *counted_logits(cru_learner *l, void *self, cru_tape *t)
{
    passes++;
    return logits(l, self, t);
}

static cru_tensor *dropping_logits(cru_learner *l, void *self, cru_tape *t)
{
    return cru_dropout(t, counted_logits(l, self, t), 0.5f);
}

START_TEST(before_the_step_one_pass_is_enough_unless_the_mode_matters)
{
    cru_method counted = plain;
    for (int drops = 0; drops < 2; drops++) {
        counted.logits = drops ? dropping_logits : counted_logits;
        trial t = {.before_step = true};
        trial_open(&t, &counted, 6);
        passes = 0;
        trial_fit(&t, 0);
        ck_assert_int_eq(t.script.reports, 6);
        /* the first pass finds out; prediction takes one more */
        ck_assert_int_eq(passes, drops ? 1 + 2 * 6 + 1 : 6 + 1);
        trial_close(&t);
    }
}
END_TEST

/* The same reports as before the step without dropout, and as after it with dropout; one pass more finds out. */
START_TEST(before_the_step_unless_there_is_dropout)
{
    cru_method counted = plain;
    for (int drops = 0; drops < 2; drops++) {
        counted.logits = drops ? dropping_logits : counted_logits;
        trial one = {.before_step = true, .unless_dropout = true}, plainly = {.before_step = !drops};
        trial_open(&one, &counted, 6);
        trial_open(&plainly, &counted, 6);
        float initial[ITEMS * CLASSES];
        ck_assert_int_eq(cru_method_vtable.predict(one.learner, initial), CRU_OK);
        passes = 0;
        trial_fit(&plainly, 0);
        const int64_t before = passes;
        trial_fit(&one, 0);
        ck_assert_int_eq(passes - before, before + 1);
        ck_assert_int_eq(one.script.reports, 6);
        ck_assert_int_eq(memcmp(one.script.scores[0], initial, sizeof initial) == 0, !drops);
        ck_assert_int_eq(isnan(one.script.loss[0]) != 0, !drops);
        if (!drops) ck_assert_mem_eq(one.script.scores, plainly.script.scores, 6 * sizeof initial);
        trial_close(&one);
        trial_close(&plainly);
    }
}
END_TEST

START_TEST(after_the_step_one_pass_is_enough_unless_the_mode_matters)
{
    cru_method counted = plain;
    for (int drops = 0; drops < 2; drops++) {
        counted.logits = drops ? dropping_logits : counted_logits;
        trial t = {0};
        trial_open(&t, &counted, 6);
        passes = 0;
        trial_fit(&t, 0);
        ck_assert_int_eq(t.script.reports, 6);
        /* one an epoch to judge, two to learn before that is known to be enough; prediction takes one more */
        ck_assert_int_eq(passes, drops ? 2 * 6 + 1 : 2 + 6 + 1);
        trial_close(&t);
    }
}
END_TEST

static cru_tensor *asking_logits(cru_learner *l, void *self, cru_tape *t)
{
    (void)cru_tape_mode(t); /* from now on the mode matters, though nothing else changes */
    return logits(l, self, t);
}

START_TEST(sharing_a_pass_changes_no_bit)
{
    cru_method asking = plain;
    asking.logits = asking_logits;
    trial shared = {0}, apart = {0};
    trial_open(&shared, &plain, 9);
    trial_fit(&shared, 0);
    trial_open(&apart, &asking, 9);
    trial_fit(&apart, 0);
    ck_assert_mem_eq(shared.script.scores, apart.script.scores, sizeof shared.script.scores);
    ck_assert_mem_eq(shared.script.loss, apart.script.loss, sizeof shared.script.loss);
    trial_close(&shared);
    trial_close(&apart);
}
END_TEST

/* Two layers with dropout behind the first, on dense or on sparse features. */
typedef struct deep_model {
    cru_mlp mlp;
} deep_model;

static void deep_build(cru_learner *l, void *self)
{
    deep_model *m = self;
    const cru_mlp_shape shape = {.in = COLS, .hidden = 5, .out = CLASSES, .layers = 2, .dropout = 0.5f};
    m->mlp = cru_mlp_create(l->net, "mlp", &shape);
}

static cru_tensor *deep_logits(cru_learner *l, void *self, cru_tape *t)
{
    deep_model *m = self;
    return cru_mlp_input(t, &m->mlp, &l->x);
}

static double own_epoch(cru_learner *l, void *self)
{
    (void)self;
    return cru_learner_epoch(l);
}

/* Before the step, the first pass finds out that the mode matters, and draws masks for it. */
static void draw_masks(cru_learner *l, void *self)
{
    cru_tape_begin(l->tape, CRU_TRAIN);
    deep_logits(l, self, l->tape);
}

/* The same epoch as the method's own shares nothing with judging. Trials: dense and sparse features, judged after the
 * step and before it. */
START_TEST(sharing_what_comes_before_dropout_changes_no_bit)
{
    static const int64_t offsets[] = {0, 2, 4, 6, 8, 9, 11};
    static const int32_t ids[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1};
    static const float values[] = {1, 0.5f, -1, 0.25f, 2, -1, -0.5f, 1, 1.5f, -2, -0.5f};
    cru_method shares = {.model_size = sizeof(deep_model),
                         .train = CRU_AT(settings, train),
                         .build = deep_build,
                         .logits = deep_logits},
               shares_not = shares;
    shares_not.epoch = own_epoch;
    if (_i / 2) shares_not.prepare = draw_masks;
    trial a = {.before_step = _i / 2}, b = a;
    a.task = linear_task();
    if (_i % 2) {
        a.task.x.dense = NULL;
        a.task.x.sparse = (cru_csr){.rows = ITEMS, .cols = COLS, .offsets = offsets, .ids = ids, .values = values};
    }
    b.task = a.task;
    trial_open(&a, &shares, 9);
    trial_open(&b, &shares_not, 9);
    trial_fit(&a, 0);
    trial_fit(&b, 0);
    ck_assert_int_eq(a.script.reports, 9);
    ck_assert_mem_eq(a.script.scores, b.script.scores, sizeof a.script.scores);
    ck_assert_mem_eq(a.script.loss, b.script.loss, sizeof a.script.loss);
    ck_assert_mem_eq(a.scores, b.scores, sizeof a.scores);
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* Without dropout for the first four passes, then with it. */
static cru_tensor *later_dropping_logits(cru_learner *l, void *self, cru_tape *t)
{
    return passes < 4 ? counted_logits(l, self, t) : dropping_logits(l, self, t);
}

START_TEST(a_pass_is_not_shared_once_the_mode_begins_to_matter)
{
    cru_method later = plain;
    later.logits = later_dropping_logits;
    trial t = {.script = {.verdict = {[2] = CRU_KEEP}}};
    trial_open(&t, &later, 6);
    passes = 0;
    trial_fit(&t, 0);
    /* epochs 0 and 1 take two passes each, epoch 2 one in vain and one to judge, the others two each */
    ck_assert_int_eq(passes, 2 * 2 + 2 + 2 * 3 + 1);
    ck_assert(predicts_as_in(&t, 2)); /* so nothing was dropped from what was judged */
    trial_close(&t);
}
END_TEST

START_TEST(the_last_epoch_predicts_when_none_was_kept)
{
    trial t = {0};
    trial_open(&t, &plain, 5);
    trial_fit(&t, 0);
    ck_assert(predicts_as_in(&t, 4));
    trial_close(&t);
}
END_TEST

START_TEST(training_stops_when_told_to)
{
    trial t = {.script = {.verdict = {[0] = CRU_KEEP, [3] = CRU_STOP}}};
    trial_open(&t, &plain, 9);
    trial_fit(&t, 0);
    ck_assert_int_eq(t.script.reports, 4);
    ck_assert(predicts_as_in(&t, 0));
    trial_close(&t);
}
END_TEST

START_TEST(a_last_word_may_both_keep_and_stop)
{
    trial t = {.script = {.verdict = {[2] = CRU_KEEP | CRU_STOP}}};
    trial_open(&t, &plain, 9);
    trial_fit(&t, 0);
    ck_assert_int_eq(t.script.reports, 3);
    ck_assert(predicts_as_in(&t, 2));
    trial_close(&t);
}
END_TEST

START_TEST(the_smaller_of_both_limits_counts)
{
    trial few = {0}, many = {0};
    trial_open(&few, &plain, 9);
    trial_fit(&few, 5);
    ck_assert_int_eq(few.script.reports, 5);
    trial_open(&many, &plain, 3);
    trial_fit(&many, 5);
    ck_assert_int_eq(many.script.reports, 3);
    trial_close(&few);
    trial_close(&many);
}
END_TEST

START_TEST(a_method_trains_without_a_monitor_and_predicts_the_same_twice)
{
    trial t = {0};
    float again[ITEMS * CLASSES];
    trial_open(&t, &plain, 4);
    ck_assert_int_eq(cru_method_vtable.fit(t.learner, NULL), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, t.scores), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, again), CRU_OK);
    ck_assert_mem_eq(t.scores, again, sizeof again);
    trial_close(&t);
}
END_TEST

START_TEST(one_seed_gives_one_result)
{
    trial a = {0}, b = {0};
    trial_open(&a, &plain, 6);
    trial_fit(&a, 0);
    trial_open(&b, &plain, 6);
    trial_fit(&b, 0);
    ck_assert_mem_eq(a.scores, b.scores, sizeof a.scores);
    trial_close(&a);
    trial_close(&b);
}
END_TEST

START_TEST(a_build_that_fails_is_released_and_passed_on)
{
    cru_task task = linear_task();
    cru_ctx *ctx = test_ctx(NULL);
    settings s = {.build_fails_with = CRU_UNSUPPORTED};
    cru_learner *self = NULL;
    released = 0;
    ck_assert_int_eq(create_linear(&plain, &self, &s, &task, ctx), CRU_UNSUPPORTED);
    ck_assert_ptr_null(self);
    ck_assert_int_eq(released, 1);
    ck_assert_str_eq(cru_ctx_error(ctx)->text, "not this task");
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(a_task_that_the_method_does_not_claim_is_refused_before_build)
{
    cru_task graphs = linear_task(), bare = linear_task(), partial = linear_task();
    graphs.problem = CRU_NODES;
    bare.x = (cru_features){.rows = ITEMS};
    partial.candidates = candidates;
    cru_method picky = plain;
    picky.labelled = true;
    const cru_task *const refused[] = {&graphs, &bare, &partial};
    for (int i = 0; i < 3; i++) {
        cru_ctx *ctx = test_ctx(NULL);
        settings s = {.build_fails_with = CRU_FAILED};
        cru_learner *self = NULL;
        ck_assert_int_eq(create_linear(&picky, &self, &s, refused[i], ctx), CRU_UNSUPPORTED);
        ck_assert_ptr_null(self);
        cru_ctx_destroy(ctx);
    }
}
END_TEST

START_TEST(scores_that_are_not_numbers_are_a_divergence)
{
    trial t = {0};
    trial_open(&t, &plain, 1);
    ck_assert_int_eq(cru_method_vtable.fit(t.learner, NULL), CRU_OK);
    test_put(t.model->fc.b, 1, NAN);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, t.scores), CRU_DIVERGED);
    for (int i = 0; i < ITEMS; i++) ck_assert(isfinite(t.scores[CLASSES * i]) && isnan(t.scores[CLASSES * i + 1]));
    trial_close(&t);
}
END_TEST

/* ---- losses ------------------------------------------------------------------------------------------- */

/* log softmax of the scores. With a rate of 0 the evaluation sees the weights that the loss was taken with. */
static double log_prob(const float *scores, int64_t i, int64_t k)
{
    double top = (double)scores[2 * i], other = (double)scores[2 * i + 1];
    return (double)scores[2 * i + k] - log(exp(top) + exp(other));
}

START_TEST(the_default_loss_is_the_cross_entropy_of_the_training_items)
{
    trial t = {0};
    trial_open(&t, &plain, 1);
    cru_optim_set_lr(t.learner->optim, 0);
    trial_fit(&t, 0);
    double mean = 0;
    for (int64_t i = 0; i < 4; i++) mean -= log_prob(t.scores, i, labels[i]) / 4;
    ck_assert_double_eq_tol(t.script.loss[0], mean, 1e-5);
    trial_close(&t);
}
END_TEST

static void build_one_output(cru_learner *l, void *self)
{
    model *m = self;
    m->fc = cru_fc_create(l->net, "fc", l->x.cols, cru_outputs(l->task, true));
}

/* The mean of log(1 + exp(-z)) over class 1 and of log(1 + exp(z)) over class 0. */
START_TEST(one_output_for_two_classes_is_learned_by_the_binary_cross_entropy)
{
    cru_method single = plain;
    trial t = {0};
    single.build = build_one_output;
    trial_open(&t, &single, 1);
    cru_learner *l = t.learner;
    const float w[] = {0.75f, -0.5f};
    cru_tensor_set(l->ctx, cru_net_find(l->net, "fc.weight"), w);
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_tensor *scores = cru_learner_logits(l, l->tape);
    const double loss = (double)cru_tensor_item(l->tape, cru_learner_loss(l, l->tape, scores));
    const float bias = cru_tensor_item(l->tape, cru_net_find(l->net, "fc.bias"));
    const float *z = cru_tensor_host(l->tape, scores);
    double expected = 0;
    for (int i = 0; i < ITEMS; i++) {
        const double score = (double)(features[2 * i] * w[0] + features[2 * i + 1] * w[1] + bias);
        ck_assert_float_eq(z[2 * i], 0);
        ck_assert_double_eq_tol((double)z[2 * i + 1], score, 1e-6);
        if (labels[i] != CRU_UNLABELLED) expected += log1p(exp(labels[i] ? -score : score)) / 4;
    }
    ck_assert_double_eq_tol(loss, expected, 1e-6);
    trial_close(&t);
}
END_TEST

START_TEST(one_output_is_for_two_classes_alone)
{
    ck_assert_int_eq(cru_outputs(&(cru_task){.classes = 2}, true), 1);
    ck_assert_int_eq(cru_outputs(&(cru_task){.classes = 2}, false), 2);
    ck_assert_int_eq(cru_outputs(&(cru_task){.classes = 3}, true), 3);
}
END_TEST

START_TEST(balanced_classes_weigh_by_the_largest_class)
{
    static const int32_t uneven[ITEMS] = {1, 0, 1, 1, CRU_UNLABELLED, CRU_UNLABELLED};
    trial t = {.task = linear_task(), .settings = {.train = {.class_weights = CRU_WEIGHTS_BALANCED}}};
    t.task.labels = uneven;
    trial_open(&t, &plain, 1);
    cru_optim_set_lr(t.learner->optim, 0);
    trial_fit(&t, 0);
    double sum = -3 * log_prob(t.scores, 1, 0); /* the only item of class 0 */
    for (int64_t i = 0; i < 4; i++)
        if (uneven[i] == 1) sum -= log_prob(t.scores, i, 1);
    ck_assert_double_eq_tol(t.script.loss[0], sum / 6, 1e-5);
    trial_close(&t);
}
END_TEST

START_TEST(the_loss_of_a_minibatch_is_that_of_its_items)
{
    static const int32_t batch[] = {3, 0};
    trial t = {0};
    trial_open(&t, &plain, 0);
    trial_fit(&t, 0);
    cru_tape *tape = t.learner->tape;
    cru_tape_begin(tape, CRU_EVAL);
    cru_tensor *z = cru_gather(tape, logits(t.learner, t.model, tape), cru_index_step(tape, batch, 2));
    double loss = (double)cru_tensor_item(tape, cru_learner_batch_loss(t.learner, tape, z, (cru_ids){batch, 2}));
    ck_assert_double_eq_tol(loss, -(log_prob(t.scores, 3, 0) + log_prob(t.scores, 0, 1)) / 2, 1e-5);
    trial_close(&t);
}
END_TEST

START_TEST(candidate_sets_are_learned_as_uniform_distributions)
{
    trial t = {.task = linear_task()};
    t.task.candidates = candidates;
    t.task.labels = NULL;
    trial_open(&t, &plain, 1);
    cru_optim_set_lr(t.learner->optim, 0);
    trial_fit(&t, 0);
    double mean = 0;
    for (int64_t i = 0; i < 4; i++) {
        double size = candidates[2 * i] + candidates[2 * i + 1];
        for (int64_t k = 0; k < 2; k++) mean -= candidates[2 * i + k] * log_prob(t.scores, i, k) / size / 4;
    }
    ck_assert_double_eq_tol(t.script.loss[0], mean, 1e-5);
    trial_close(&t);
}
END_TEST

/* The same steps as training takes, without a monitor. */
START_TEST(pretraining_is_training_without_reports)
{
    trial a = {0}, b = {0};
    trial_open(&a, &plain, 3);
    trial_open(&b, &plain, 3);
    ck_assert_int_eq(cru_method_vtable.fit(a.learner, NULL), CRU_OK);
    cru_learner_pretrain(b.learner, b.learner->optim, logits, 3);
    ck_assert_int_eq(cru_ctx_status(b.ctx), CRU_OK);
    ck_assert_mem_eq(test_values(a.model->fc.w), test_values(b.model->fc.w), COLS * CLASSES * sizeof(float));
    trial_close(&a);
    trial_close(&b);
}
END_TEST

/* ---- hooks -------------------------------------------------------------------------------------------- */

static cru_tensor *doubled_loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    strcat(m->calls, "l");
    return cru_scale(t, cru_learner_loss(l, t, z), 2);
}

static void prepare(cru_learner *l, void *self)
{
    (void)l;
    strcat(((model *)self)->calls, "p");
}

static void after_epoch(cru_learner *l, void *self)
{
    (void)l;
    strcat(((model *)self)->calls, "a");
}

static cru_tensor *embed(cru_learner *l, void *self, cru_tape *t)
{
    return cru_scale(t, logits(l, self, t), 3);
}

START_TEST(hooks_are_called_in_their_order)
{
    cru_method hooked = plain;
    hooked.loss = doubled_loss;
    hooked.prepare = prepare;
    hooked.after_epoch = after_epoch;
    hooked.embed = embed;
    trial t = {0};
    trial_open(&t, &hooked, 2);
    trial_fit(&t, 0);
    ck_assert_str_eq(t.model->calls, "plala");
    const float *rows;
    int64_t cols;
    ck_assert_int_eq(cru_method_vtable.embed(t.learner, &rows, &cols), CRU_OK);
    ck_assert_int_eq(cols, CLASSES);
    for (int i = 0; i < ITEMS * CLASSES; i++) ck_assert_float_eq_tol(rows[i], 3 * t.scores[i], 1e-6f);
    released = 0;
    trial_close(&t);
    ck_assert_int_eq(released, 1);
}
END_TEST

START_TEST(without_an_embedding_the_scores_are_it)
{
    trial t = {0};
    trial_open(&t, &plain, 1);
    const float *rows;
    int64_t cols;
    trial_fit(&t, 0);
    ck_assert_int_eq(cru_method_vtable.embed(t.learner, &rows, &cols), CRU_OK);
    ck_assert_int_eq(cols, CLASSES);
    ck_assert_mem_eq(rows, t.scores, sizeof t.scores);
    trial_close(&t);
}
END_TEST

static double give_up(cru_learner *l, void *self)
{
    (void)self;
    if (l->epoch == 2) cru_ctx_fail(l->ctx, CRU_DIVERGED, "gave up");
    return l->epoch == 2 ? (double)NAN : 7 + (double)l->epoch;
}

START_TEST(an_own_epoch_reports_its_loss_and_may_fail)
{
    cru_method own = plain;
    own.epoch = give_up;
    trial t = {0};
    trial_open(&t, &own, 9);
    cru_monitor monitor = {.epoch = follow, .user = &t.script};
    ck_assert_int_eq(cru_method_vtable.fit(t.learner, &monitor), CRU_DIVERGED);
    ck_assert_int_eq(t.script.reports, 2);
    ck_assert_double_eq(t.script.loss[1], 8);
    trial_close(&t);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("training");
    TCase *c = tcase_create("methods");
    tcase_add_test(c, training_learns_a_linear_rule);
    tcase_add_test(c, the_kept_epoch_predicts);
    tcase_add_test(c, validation_accuracy_counts_observed_labels);
    tcase_add_test(c, several_rules_keep_epochs_of_their_own);
    tcase_add_loop_test(c, what_was_kept_can_be_forgotten, 0, 2);
    tcase_add_test(c, where_no_rule_kept_anything_the_last_epoch_predicts);
    tcase_add_test(c, before_the_step_the_first_report_is_of_the_initial_weights);
    tcase_add_test(c, before_the_step_one_pass_is_enough_unless_the_mode_matters);
    tcase_add_test(c, before_the_step_unless_there_is_dropout);
    tcase_add_test(c, after_the_step_one_pass_is_enough_unless_the_mode_matters);
    tcase_add_test(c, sharing_a_pass_changes_no_bit);
    tcase_add_loop_test(c, sharing_what_comes_before_dropout_changes_no_bit, 0, 4);
    tcase_add_test(c, a_pass_is_not_shared_once_the_mode_begins_to_matter);
    tcase_add_test(c, the_last_epoch_predicts_when_none_was_kept);
    tcase_add_test(c, training_stops_when_told_to);
    tcase_add_test(c, a_last_word_may_both_keep_and_stop);
    tcase_add_test(c, the_smaller_of_both_limits_counts);
    tcase_add_test(c, a_method_trains_without_a_monitor_and_predicts_the_same_twice);
    tcase_add_test(c, one_seed_gives_one_result);
    tcase_add_test(c, a_build_that_fails_is_released_and_passed_on);
    tcase_add_test(c, a_task_that_the_method_does_not_claim_is_refused_before_build);
    tcase_add_test(c, scores_that_are_not_numbers_are_a_divergence);
    tcase_add_test(c, the_default_loss_is_the_cross_entropy_of_the_training_items);
    tcase_add_test(c, one_output_for_two_classes_is_learned_by_the_binary_cross_entropy);
    tcase_add_test(c, one_output_is_for_two_classes_alone);
    tcase_add_test(c, balanced_classes_weigh_by_the_largest_class);
    tcase_add_test(c, the_loss_of_a_minibatch_is_that_of_its_items);
    tcase_add_test(c, candidate_sets_are_learned_as_uniform_distributions);
    tcase_add_test(c, pretraining_is_training_without_reports);
    tcase_add_test(c, hooks_are_called_in_their_order);
    tcase_add_test(c, without_an_embedding_the_scores_are_it);
    tcase_add_test(c, an_own_epoch_reports_its_loss_and_may_fail);
    suite_add_tcase(s, c);
    return s;
}
