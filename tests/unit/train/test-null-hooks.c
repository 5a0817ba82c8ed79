// SPDX-License-Identifier: Apache-2.0
/* A hook that returns nothing, and a loss that is no number, are said. */
#include "train/linear-method.h"

static cru_tensor *no_logits(cru_learner *l, void *self, cru_tape *t)
{
    (void)l, (void)self, (void)t;
    return NULL;
}

static cru_tensor *no_loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    (void)l, (void)self, (void)t, (void)z;
    return NULL;
}

/* The right loss and, beside it, one that is no number and has no gradient. */
static cru_tensor *nan_loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    (void)self;
    return cru_add(t, cru_learner_loss(l, t, z), cru_tensor_scalar(t, NAN));
}

static void fails_with(const cru_method *method, const char *message)
{
    trial t = {0};
    trial_open(&t, method, 3);
    ck_assert_int_eq(cru_method_vtable.fit(t.learner, NULL), CRU_FAILED);
    ck_assert_str_eq(cru_ctx_error(t.ctx)->text, message);
    trial_close(&t);
}

START_TEST(null_from_logits_is_said)
{
    cru_method method = plain;
    method.logits = no_logits;
    fails_with(&method, "logits returned NULL instead of a tensor, and no error");
}
END_TEST

START_TEST(null_from_loss_is_said)
{
    cru_method method = plain;
    method.loss = no_loss;
    fails_with(&method, "loss returned NULL instead of a tensor, and no error");
}
END_TEST

static void take_line(void *user, const char *line)
{
    strcat(strcat(user, line), "\n");
}

static void logs(const cru_method *method, const char *expected)
{
    char log[1000] = "";
    cru_task task = linear_task();
    settings s = {.train = {.epochs = 3, .lr = 0.1}};
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.log = take_line, .log_user = log});
    cru_learner *self = NULL;
    ck_assert_int_eq(create_linear(method, &self, &s, &task, ctx), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.fit(self, NULL), CRU_OK);
    ck_assert_str_eq(log, expected);
    cru_method_vtable.destroy(self);
    cru_ctx_destroy(ctx);
}

START_TEST(a_loss_that_is_never_a_number_is_warned_of)
{
    cru_method method = plain;
    method.loss = nan_loss;
    logs(&method, "warning: the training loss was not a number (NaN) in any of its 3 steps\n");
    logs(&plain, "");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("null hooks");
    TCase *t = tcase_create("null hooks");
    tcase_add_test(t, null_from_logits_is_said);
    tcase_add_test(t, null_from_loss_is_said);
    tcase_add_test(t, a_loss_that_is_never_a_number_is_warned_of);
    suite_add_tcase(s, t);
    return s;
}
