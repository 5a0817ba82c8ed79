// SPDX-License-Identifier: Apache-2.0
/* What a trace is told: every operator once forward and, where a gradient flows, once backward, then the optimiser. */
#include <check.h>
#include <string.h>

#include <crucible/draft/optim.h>
#include <crucible/draft/tensor.h>
#include <crucible/nn.h>
#include <crucible/ops.h>
#include <crucible/optim.h>
#include <crucible/trace.h>

enum { MOST = 64 };

typedef struct record {
    cru_trace_event events[MOST];
    int count;
} record;

static void keep(void *user, const cru_trace_event *event)
{
    record *r = user;
    ck_assert_int_lt(r->count, MOST);
    r->events[r->count++] = *event;
}

typedef struct bench {
    cru_ctx *ctx;
    cru_tape *tape;
    cru_tensor *x, *w;
    cru_optim *optim;
} bench;

static bench bench_create(void)
{
    bench b = {.ctx = cru_ctx_create(NULL)};
    b.tape = cru_tape_create(b.ctx);
    b.x = cru_tensor_from(b.ctx, cru_2d(2, 3), (const float[]){1, 2, 3, 4, 5, 6});
    b.w = cru_weight_create(b.ctx, cru_2d(3, 4));
    b.optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_SGD, .lr = 0.1});
    cru_optim_add_weight(b.optim, b.w, NULL);
    return b;
}

static void step(bench *b)
{
    cru_tape_begin(b->tape, CRU_TRAIN);
    cru_tensor *h = cru_relu(b->tape, cru_matmul(b->tape, b->x, b->w));
    cru_backward(b->tape, cru_sum(b->tape, h, CRU_ALL));
    cru_optim_step(b->optim);
}

static void expect(const cru_trace_event *e, const char *op, bool backward)
{
    ck_assert_str_eq(e->op, op);
    ck_assert_int_eq(e->backward, backward);
    ck_assert(e->seconds >= 0);
}

START_TEST(operators_are_told_in_the_order_in_which_they_ran)
{
    bench b = bench_create();
    record r = {0};
    cru_ctx_trace(b.ctx, keep, &r);
    step(&b);
    expect(&r.events[0], "matmul", false);
    expect(&r.events[1], "relu", false);
    int backward = 2;
    while (!r.events[backward].backward) backward++;
    expect(&r.events[r.count - 3], "relu", true);
    expect(&r.events[r.count - 2], "matmul", true);
    expect(&r.events[r.count - 1], "sgd", false);
    ck_assert_int_eq(r.count, 2 * backward + 1); /* as many backward as forward, then the step */
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(an_event_has_the_shape_of_the_result_and_the_bytes_of_all_operands)
{
    bench b = bench_create();
    record r = {0};
    cru_ctx_trace(b.ctx, keep, &r);
    step(&b);
    const cru_trace_event *e = &r.events[0];
    ck_assert_int_eq(e->rank, 2);
    ck_assert_int_eq(e->dim[0], 2);
    ck_assert_int_eq(e->dim[1], 4);
    ck_assert_int_eq(e->bytes, (2 * 3 + 3 * 4 + 2 * 4) * (int64_t)sizeof(float));
    ck_assert_int_eq(r.events[r.count - 1].bytes, 3 * 4 * (int64_t)sizeof(float));
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(what_a_method_does_between_operators_is_told_apart)
{
    bench b = bench_create();
    record r = {0};
    cru_ctx_trace(b.ctx, keep, &r);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *h = cru_matmul(b.tape, b.x, b.w);
    for (int i = 0; i < 3; i++) (void)cru_tape_alloc(b.tape, 10, 1);
    cru_relu(b.tape, h);
    cru_tape_begin(b.tape, CRU_TRAIN);
    ck_assert_int_eq(r.count, 3);
    expect(&r.events[0], "matmul", false);
    expect(&r.events[1], "(between)", false);
    expect(&r.events[2], "relu", false);
    ck_assert_int_eq(r.events[1].rank, 0);
    ck_assert_int_eq(r.events[1].bytes, 0);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(nothing_is_told_after_the_trace_was_ended)
{
    bench b = bench_create();
    record r = {0};
    cru_ctx_trace(b.ctx, keep, &r);
    step(&b);
    const int before = r.count;
    cru_ctx_trace(b.ctx, NULL, NULL);
    step(&b);
    ck_assert_int_eq(r.count, before);
    cru_ctx_destroy(b.ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("trace");
    TCase *c = tcase_create("trace");
    tcase_add_test(c, operators_are_told_in_the_order_in_which_they_ran);
    tcase_add_test(c, an_event_has_the_shape_of_the_result_and_the_bytes_of_all_operands);
    tcase_add_test(c, what_a_method_does_between_operators_is_told_apart);
    tcase_add_test(c, nothing_is_told_after_the_trace_was_ended);
    suite_add_tcase(s, c);
    return s;
}
