// SPDX-License-Identifier: Apache-2.0
/* A trained model on a task with more items. */
#include "linear-method.h"

enum { MORE = ITEMS + 1 };

static const float more_features[MORE * COLS] = {3, -3, 1, 0.5f, -1, 0.25f, 2, -1, -0.5f, 1, 1.5f, 0, -2, -0.5f};
static const int32_t more_ids[] = {1, 2, 3, 4};

static cru_task wider_task(void)
{
    cru_task task = linear_task();
    task.items = task.nodes = task.x.rows = MORE;
    task.x.dense = more_features;
    task.split.train.ids = more_ids;
    static const int32_t more_labels[MORE] = {-1, 1, 0, 1, 0, -1, -1};
    task.labels = more_labels;
    return task;
}

START_TEST(old_items_keep_their_scores_and_new_ones_get_some)
{
    trial t = {.script = {.verdict = {CRU_GO_ON, CRU_KEEP}}};
    cru_task task = wider_task();
    float scores[MORE * CLASSES];
    released = 0;
    trial_open(&t, &plain, 5);
    trial_fit(&t, INT64_MAX);
    ck_assert_int_eq(cru_method_vtable.widen(t.learner, &task), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(t.learner, scores), CRU_OK);
    ck_assert_mem_eq(scores + CLASSES, t.scores, sizeof t.scores);
    const float *w = test_values(t.model->fc.w), *b = test_values(t.model->fc.b); /* 2 x 2, in x out */
    for (int c = 0; c < CLASSES; c++) ck_assert_float_eq_tol(scores[c], 3 * w[c] - 3 * w[CLASSES + c] + b[c], 1e-5f);
    trial_close(&t);
    ck_assert_int_eq(released, 2);
}
END_TEST

/* One weight a row of the task. */
static void build_for_nodes(cru_learner *l, void *self)
{
    cru_net_weight(l->net, "own", cru_1d(l->task->items), (cru_init){0});
    build(l, self);
}

START_TEST(weights_of_single_items_cannot_be_carried_over)
{
    cru_method method = plain;
    trial t = {0};
    cru_task task = wider_task();
    method.build = build_for_nodes;
    released = 0;
    trial_open(&t, &method, 1);
    trial_fit(&t, INT64_MAX);
    ck_assert_int_eq(cru_method_vtable.widen(t.learner, &task), CRU_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(cru_ctx_error(t.ctx)->text, "single nodes"));
    trial_close(&t);
    ck_assert_int_eq(released, 2);
}
END_TEST

static void prepare(cru_learner *l, void *self)
{
    (void)l;
    model *m = self;
    strcpy(m->calls, "prepared");
}

static void carry_over(cru_learner *l, void *self, const void *trained)
{
    (void)l;
    model *m = self;
    memcpy(m->calls, ((const model *)trained)->calls, sizeof m->calls);
}

START_TEST(a_method_with_state_of_its_own_says_how_it_goes_along)
{
    cru_method method = plain;
    trial t = {0};
    cru_task task = wider_task();
    method.prepare = prepare;
    trial_open(&t, &method, 1);
    trial_fit(&t, INT64_MAX);
    ck_assert_int_eq(cru_method_vtable.widen(t.learner, &task), CRU_UNSUPPORTED);
    trial_close(&t);

    method.widen = carry_over;
    trial_open(&t, &method, 1);
    t.script.reports = 0;
    trial_fit(&t, INT64_MAX);
    ck_assert_int_eq(cru_method_vtable.widen(t.learner, &task), CRU_OK);
    ck_assert_str_eq(((const model *)t.learner->wider->model)->calls, "prepared");
    trial_close(&t);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("widen");
    TCase *c = tcase_create("widen");
    tcase_add_test(c, old_items_keep_their_scores_and_new_ones_get_some);
    tcase_add_test(c, weights_of_single_items_cannot_be_carried_over);
    tcase_add_test(c, a_method_with_state_of_its_own_says_how_it_goes_along);
    suite_add_tcase(s, c);
    return s;
}
