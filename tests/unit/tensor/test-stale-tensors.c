// SPDX-License-Identifier: Apache-2.0
/* A tensor that is used after its step: named where steps are checked. */
#include <check.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <crucible/crucible.h>

#include "on-device.h"

typedef struct catcher {
    jmp_buf back;
    char text[500];
} catcher;

static void catch_panic(void *user, cru_status status, const char *message)
{
    catcher *c = user;
    (void)status;
    snprintf(c->text, sizeof c->text, "%s", message);
    longjmp(c->back, 1);
}

typedef void use(cru_tape *t, cru_tensor *old);

static void use_relu(cru_tape *t, cru_tensor *old)
{
    cru_relu(t, old);
}

static void use_product(cru_tape *t, cru_tensor *old)
{
    cru_matmul(t, old, cru_tensor_filled(t, cru_2d(3, 2), 1));
}

static void use_values(cru_tape *t, cru_tensor *old)
{
    float values[6];
    cru_tensor_download(t, old, values);
}

static void use_detached(cru_tape *t, cru_tensor *old)
{
    cru_detach(t, old);
}

static const struct {
    use *use;
    const char *name;
} uses[] = {{use_relu, "relu"}, {use_product, "matmul"}, {use_values, "tensor_download"}, {use_detached, "detach"}};

/* Made in one step and used `later` steps after it. */
static void check_use(int which, int later)
{
    static catcher c;
    static cru_ctx *ctx;
    ctx = test_ctx(&(cru_ctx_options){.check_steps = true});
    cru_tape *t = cru_tape_create(ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *old = cru_tensor_filled(t, cru_2d(2, 3), 1);
    uses[which].use(t, old); /* in its own step */
    for (int i = 0; i < later; i++) {
        cru_tape_begin(t, CRU_TRAIN);
        cru_tensor_filled(t, cru_2d(2, 3), 2); /* where the old one would lie */
    }
    cru_panic_set_handler(catch_panic, &c);
    if (setjmp(c.back) == 0) uses[which].use(t, old);
    cru_panic_set_handler(NULL, NULL);
    char expected[200];
    snprintf(expected, sizeof expected, "%s: is given a tensor of a step that has ended;", uses[which].name);
    ck_assert_msg(strncmp(c.text, expected, strlen(expected)) == 0, "%s", c.text);
    cru_ctx_destroy(ctx);
}

START_TEST(a_tensor_used_after_its_step_is_named_with_the_operator)
{
    check_use(_i, 1);
    check_use(_i, 7);
}
END_TEST

START_TEST(what_lives_longer_than_a_step_may_be_used_in_the_next)
{
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.check_steps = true});
    cru_tape *t = cru_tape_create(ctx);
    cru_tensor *kept = cru_tensor_create(ctx, cru_2d(2, 3));
    for (int step = 0; step < 20; step++) { /* more than are remembered */
        cru_tape_begin(t, CRU_TRAIN);
        cru_tensor_keep(t, kept, cru_add(t, kept, cru_tensor_filled(t, cru_2d(2, 3), 1)));
    }
    float values[6];
    cru_tensor_download(t, kept, values);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(values[i], 20);
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("stale tensors");
    TCase *t = tcase_create("stale tensors");
    tcase_add_loop_test(t, a_tensor_used_after_its_step_is_named_with_the_operator, 0, sizeof uses / sizeof *uses);
    tcase_add_test(t, what_lives_longer_than_a_step_may_be_used_in_the_next);
    suite_add_tcase(s, t);
    return s;
}
