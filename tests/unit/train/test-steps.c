// SPDX-License-Identifier: Apache-2.0
/* Training in steps: which batches, which hooks in which order, when it is evaluated. */
#include <crucible/draft/minibatch.h>

#include "train/linear-method.h"

static cru_tensor *classify(cru_learner *l, void *self, cru_tape *t, const cru_input *x)
{
    (void)l;
    model *m = self;
    return cru_fc_input(t, &m->fc, x);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    strcat(m->calls, "l");
    return cru_learner_batch_loss(l, t, classify(l, m, t, &batch->x), batch->items);
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    strcat(m->calls, "a");
    ck_assert_int_eq(cru_tape_mode(t), CRU_TRAIN);
    ck_assert(!classify(l, m, t, &batch->x)->needs_grad);
}

static const cru_method stepped = {.model_size = sizeof(model),
                                   .train = CRU_AT(settings, train),
                                   .build = build,
                                   .classify = classify,
                                   .batch_loss = batch_loss,
                                   .after_step = after_step};

static void steps_open(trial *t, const cru_method *method, int64_t steps, int64_t every)
{
    t->settings.train.steps = (cru_steps){.steps = steps, .every = every, .batch_size = 2};
    trial_open(t, method, 0);
}

typedef struct checkpoints {
    int64_t count, step[20];
    double loss[20];
    uint32_t verdict;
} checkpoints;

static uint32_t note(void *user, int64_t step, double loss, const float *scores)
{
    checkpoints *c = user;
    ck_assert_ptr_nonnull(scores);
    c->step[c->count] = step;
    c->loss[c->count++] = loss;
    return c->verdict;
}

static checkpoints fit(trial *t, int64_t limit, uint32_t verdict)
{
    checkpoints c = {.verdict = verdict};
    cru_monitor monitor = {.epoch = note, .user = &c, .limit = limit};
    ck_assert_int_eq(cru_method_vtable.fit(t->learner, &monitor), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(t->learner, t->scores), CRU_OK);
    return c;
}

START_TEST(checkpoints_are_the_first_every_so_many_and_the_last_step)
{
    static const int64_t expected[] = {0, 4, 8, 9};
    trial t = {0};
    steps_open(&t, &stepped, 10, 4);
    const checkpoints c = fit(&t, 0, CRU_GO_ON);
    ck_assert_int_eq(c.count, 4);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(c.step[i], expected[i]);
    ck_assert_str_eq(t.model->calls, "lalalalalalalalalala");
    trial_close(&t);
}
END_TEST

START_TEST(the_monitor_limits_and_stops_steps)
{
    trial limited = {0}, stopped = {0};
    steps_open(&limited, &stepped, 10, 4);
    const checkpoints few = fit(&limited, 6, CRU_GO_ON);
    ck_assert_int_eq(few.count, 3);
    ck_assert_int_eq(few.step[2], 5);
    steps_open(&stopped, &stepped, 10, 4);
    ck_assert_int_eq(fit(&stopped, 0, CRU_STOP).count, 1);
    ck_assert_str_eq(stopped.model->calls, "la");
    trial_close(&limited);
    trial_close(&stopped);
}
END_TEST

START_TEST(steps_learn_with_the_default_loss)
{
    cru_method bare = stepped;
    bare.batch_loss = NULL;
    bare.after_step = NULL;
    trial t = {0};
    steps_open(&t, &bare, 60, 10);
    const checkpoints c = fit(&t, 0, CRU_GO_ON);
    ck_assert_double_lt(c.loss[c.count - 1], 0.5 * c.loss[0]);
    for (int i = 0; i < ITEMS; i++) ck_assert((t.scores[2 * i + 1] > t.scores[2 * i]) == (features[2 * i] > 0));
    trial_close(&t);
}
END_TEST

/* Step 1 keeps its weights: they predict, not those of the last step. */
static uint32_t keep_first(void *user, int64_t step, double loss, const float *scores)
{
    (void)loss;
    if (step == 0) memcpy(user, scores, sizeof(float[ITEMS * CLASSES]));
    return step == 0 ? CRU_KEEP : CRU_GO_ON;
}

START_TEST(the_kept_checkpoint_predicts)
{
    trial t = {0};
    float kept[ITEMS * CLASSES];
    steps_open(&t, &stepped, 9, 3);
    cru_monitor monitor = {.epoch = keep_first, .user = kept};
    ck_assert_int_eq(cru_method_vtable.fit(t.learner, &monitor), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, t.scores), CRU_OK);
    ck_assert_mem_eq(t.scores, kept, sizeof kept);
    trial_close(&t);
}
END_TEST

static uint32_t copy_scores(void *user, int64_t step, double loss, const float *scores)
{
    (void)step, (void)loss;
    memcpy(user, scores, sizeof(float[ITEMS * CLASSES]));
    return CRU_GO_ON;
}

/* A monitor that looks at validation items only is shown theirs, any other one and predict all, and the same bits. */
START_TEST(while_training_only_validation_items_are_evaluated)
{
    static const int32_t val[] = {5, 3};
    trial t = {.task = linear_task()};
    float seen[ITEMS * CLASSES];
    t.task.split.val = (cru_ids){val, 2};
    steps_open(&t, &stepped, 3, 3);
    cru_monitor monitor = {.epoch = copy_scores, .user = seen, .validation_only = _i == 0};
    ck_assert_int_eq(cru_method_vtable.fit(t.learner, &monitor), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, t.scores), CRU_OK);
    for (int i = 0; i < ITEMS * CLASSES; i++) {
        const bool validated = i / CLASSES == 5 || i / CLASSES == 3;
        ck_assert_float_ne(t.scores[i], 0);
        ck_assert_float_eq(seen[i], validated || !monitor.validation_only ? t.scores[i] : 0);
    }
    trial_close(&t);
}
END_TEST

static cru_tensor *no_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l, (void)self, (void)t, (void)batch;
    return NULL;
}

START_TEST(a_step_without_loss_changes_nothing_but_is_told)
{
    cru_method idle = stepped;
    idle.batch_loss = no_loss;
    trial t = {0};
    steps_open(&t, &idle, 3, 1);
    const float before = test_value(t.model->fc.w, 0);
    ck_assert_double_eq(fit(&t, 0, CRU_GO_ON).loss[0], 0);
    ck_assert_float_eq(test_value(t.model->fc.w, 0), before);
    ck_assert_str_eq(t.model->calls, "aaa");
    trial_close(&t);
}
END_TEST

/* ---- what a batch holds ---------------------------------------------------------------------------------------- */

START_TEST(a_batch_holds_items_rows_sets_and_views_in_one_order)
{
    static const int32_t shuffled[] = {3, 1, 0, 2}, rows[] = {2, 0};
    cru_method seeing = stepped;
    seeing.views = CRU_VIEW_STRONG;
    trial t = {.task = linear_task()};
    t.task.split.train.ids = shuffled;
    t.task.candidates = candidates;
    steps_open(&t, &seeing, 1, 1);
    cru_learner *l = t.learner;
    cru_tape_begin(l->tape, CRU_TRAIN);
    const cru_batch batch = cru_learner_batch(l, (cru_ids){rows, 2});
    for (int i = 0; i < 2; i++) {
        const int32_t item = shuffled[rows[i]];
        ck_assert_int_eq(batch.items.ids[i], item);
        ck_assert_int_eq(test_index(batch.rows)[i], rows[i]);
        for (int k = 0; k < 2; k++) {
            ck_assert_float_eq(test_value(batch.x.dense, 2 * i + k), features[2 * item + k]);
            ck_assert_float_eq(test_value(batch.strong.dense, 2 * i + k), features[2 * item + k]);
            ck_assert_float_eq(test_value(batch.candidates, 2 * i + k), candidates[2 * item + k]);
        }
    }
    ck_assert_ptr_null(batch.distill.dense);
    trial_close(&t);
}
END_TEST

START_TEST(plain_labels_are_sets_of_one_and_shares_are_uniform)
{
    trial plain_labels = {0}, sets = {.task = linear_task()};
    sets.task.candidates = candidates;
    steps_open(&plain_labels, &stepped, 1, 1);
    steps_open(&sets, &stepped, 1, 1);
    const cru_tensor *one = cru_learner_candidates(plain_labels.learner);
    const cru_tensor *shares = cru_learner_candidate_shares(sets.learner);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t k = 0; k < 2; k++) {
            const float size = (float)(candidates[2 * i] + candidates[2 * i + 1]);
            ck_assert_float_eq(test_value(one, 2 * i + k), labels[i] == k);
            ck_assert_float_eq(test_value(shares, 2 * i + k), (float)candidates[2 * i + k] / size);
        }
    trial_close(&plain_labels);
    trial_close(&sets);
}
END_TEST

START_TEST(rows_put_into_a_table_replace_only_themselves)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_tape *tape = cru_tape_create(ctx);
    static const float old[] = {1, 2, 3, 4, 5, 6}, fresh[] = {10, 20, 30, 40}, expected[] = {30, 40, 3, 4, 10, 20};
    static const int32_t ids[] = {2, 0};
    cru_tensor *table = cru_tensor_from(ctx, cru_2d(3, 2), old);
    cru_tape_begin(tape, CRU_TRAIN);
    cru_put_rows(tape, table, cru_index_step(tape, ids, 2), cru_tensor_upload(tape, cru_2d(2, 2), fresh));
    for (int i = 0; i < 6; i++) ck_assert_float_eq(test_value(table, i), expected[i]);
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("training in steps");
    TCase *c = tcase_create("methods");
    tcase_add_test(c, checkpoints_are_the_first_every_so_many_and_the_last_step);
    tcase_add_test(c, the_monitor_limits_and_stops_steps);
    tcase_add_test(c, steps_learn_with_the_default_loss);
    tcase_add_test(c, the_kept_checkpoint_predicts);
    tcase_add_loop_test(c, while_training_only_validation_items_are_evaluated, 0, 2);
    tcase_add_test(c, a_step_without_loss_changes_nothing_but_is_told);
    tcase_add_test(c, a_batch_holds_items_rows_sets_and_views_in_one_order);
    tcase_add_test(c, plain_labels_are_sets_of_one_and_shares_are_uniform);
    tcase_add_test(c, rows_put_into_a_table_replace_only_themselves);
    suite_add_tcase(s, c);
    return s;
}
