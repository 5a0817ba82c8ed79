// SPDX-License-Identifier: Apache-2.0
/* Every classification loss against its formula in double precision, and its gradient against differences. */
#include <crucible/draft/ops-loss.h>
#include <crucible/draft/tensor.h>

#include "ops/losses.h"

/* ---- the items --------------------------------------------------------------------------------------------------- */

enum { N = 5, C = 4, CHOSEN = 3 };

static const int32_t all_labels[N] = {1, 3, 0, 2, 1};
static const int32_t chosen_rows[CHOSEN] = {4, 1, 3}, chosen_labels[CHOSEN] = {2, 0, 2};
static const float item_weights[CHOSEN] = {0.5f, 2, 1.5f}, class_weights[C] = {1, 0.5f, 2, 3};

static const cru_index chosen = {chosen_rows, CHOSEN};
static const cru_targets all = {.labels = {all_labels, N}};
static const cru_targets some = {.rows = &chosen, .labels = {chosen_labels, CHOSEN}};
static const cru_targets by_item = {.rows = &chosen, .labels = {chosen_labels, CHOSEN}, .weights = item_weights};
static const cru_targets by_class = {
    .rows = &chosen, .labels = {chosen_labels, CHOSEN}, .class_weights = class_weights};
static const cru_targets by_both = {
    .rows = &chosen, .labels = {chosen_labels, CHOSEN}, .weights = item_weights, .class_weights = class_weights};

/* ---- formulas -------------------------------------------------------------------------------------------- */

static double weight_of(const cru_targets *y, int64_t i)
{
    double w = y->weights ? (double)y->weights[i] : 1;
    return y->class_weights ? w * (double)y->class_weights[y->labels.ids[i]] : w;
}

typedef double item_loss(const cru_tensor *z, int64_t row, int32_t label);

static double mean_over(const cru_tensor *z, const cru_targets *y, item_loss *loss)
{
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < y->labels.count; i++) {
        sum += weight_of(y, i) * loss(z, y->rows ? y->rows->ids[i] : i, y->labels.ids[i]);
        weights += weight_of(y, i);
    }
    return sum / (y->class_weights ? weights : (double)y->labels.count);
}

static double xent_item(const cru_tensor *z, int64_t row, int32_t label)
{
    return -log_softmax(z, row, label);
}
static double nll_item(const cru_tensor *z, int64_t row, int32_t label)
{
    return -op_at(z, row, label);
}
static double gce_item(const cru_tensor *z, int64_t row, int32_t label)
{
    return (1 - pow(exp(log_softmax(z, row, label)), 0.7)) / 0.7;
}
static double focal_item(const cru_tensor *z, int64_t row, int32_t label)
{
    double log_p = log_softmax(z, row, label);
    return -pow(1 - exp(log_p), 2) * log_p;
}

/* ---- classification losses -------------------------------------------------------------------------------------- */

static cru_tensor *gce(cru_tape *t, cru_tensor *z, const cru_targets *y)
{
    return cru_gce(t, z, y, 0.7f);
}
static cru_tensor *focal(cru_tape *t, cru_tensor *z, const cru_targets *y)
{
    return cru_focal(t, z, y, 2);
}

typedef struct class_case {
    const char *name;
    cru_tensor *(*loss)(cru_tape *t, cru_tensor *z, const cru_targets *y);
    item_loss *item;
    const cru_targets *targets;
} class_case;

static const class_case class_cases[] = {
    {"cross-entropy", cru_cross_entropy, xent_item, &all},
    {"cross-entropy of some rows", cru_cross_entropy, xent_item, &some},
    {"cross-entropy by item", cru_cross_entropy, xent_item, &by_item},
    {"cross-entropy by class", cru_cross_entropy, xent_item, &by_class},
    {"cross-entropy by both", cru_cross_entropy, xent_item, &by_both},
    {"nll", cru_nll, nll_item, &all},
    {"nll of some rows", cru_nll, nll_item, &some},
    {"nll by item", cru_nll, nll_item, &by_item},
    {"nll by class", cru_nll, nll_item, &by_class},
    {"nll by both", cru_nll, nll_item, &by_both},
    {"gce", gce, gce_item, &all},
    {"gce of some rows", gce, gce_item, &some},
    {"focal", focal, focal_item, &all},
    {"focal of some rows", focal, focal_item, &some},
};

static cru_tensor *class_loss(void *user, cru_tape *t, cru_tensor *const *x)
{
    const class_case *c = user;
    return c->loss(t, x[0], step_targets(t, c->targets));
}

START_TEST(a_classification_loss_follows_its_formula)
{
    op_bench b = op_bench_open();
    class_case c = class_cases[_i];
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    double value = (double)cru_tensor_item(b.tape, class_loss(&c, b.tape, &z));
    double expected = mean_over(z, c.targets, c.item);
    ck_assert_msg(fabs(value - expected) < 1e-5, "%s: %g, not %g", c.name, value, expected);
    op_check(&b, class_loss, &c, &z, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(each_item_gets_its_own_weighted_loss)
{
    op_bench b = op_bench_open();
    class_case c = {"each", cru_cross_entropy_each, xent_item, &by_both};
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = class_loss(&c, b.tape, &z);
    ck_assert_int_eq(cru_tensor_count(y), CHOSEN);
    for (int64_t i = 0; i < CHOSEN; i++)
        ck_assert_double_eq_tol((double)test_value(y, i),
                                weight_of(&by_both, i) * xent_item(z, chosen_rows[i], chosen_labels[i]), 1e-5);
    op_check(&b, class_loss, &c, &z, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(limits_of_robust_losses_are_the_plain_ones)
{
    op_bench b = op_bench_open();
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_targets *each = step_targets(b.tape, &all);
    double mae = 0;
    for (int64_t i = 0; i < N; i++) mae += (1 - exp(log_softmax(z, i, all_labels[i]))) / N;
    ck_assert_double_eq_tol((double)test_value(cru_gce(b.tape, z, each, 1), 0), mae, 1e-5);
    ck_assert_double_eq_tol((double)test_value(cru_focal(b.tape, z, each, 0), 0), mean_over(z, &all, xent_item), 1e-5);
    op_bench_close(&b);
}
END_TEST

START_TEST(large_logits_neither_overflow_nor_lose_the_gradient)
{
    op_bench b = op_bench_open();
    cru_tensor *z = cru_tensor_from(b.ctx, cru_2d(2, 2), (const float[]){500, -500, -500, 500});
    const int32_t labels[] = {1, 1};
    cru_targets y = {.labels = {labels, 2}};
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(z);
    cru_tensor *loss = cru_cross_entropy(b.tape, z, step_targets(b.tape, &y));
    ck_assert_float_eq(cru_tensor_item(b.tape, loss), 500);
    cru_backward(b.tape, loss);
    const float expected[] = {0.5f, -0.5f, 0, 0};
    const float *grad = test_values(cru_grad_of(b.tape, z));
    for (int i = 0; i < 4; i++) ck_assert_float_eq_tol(grad[i], expected[i], 1e-6f);
    op_bench_close(&b);
}
END_TEST

/* ---- nothing to average ---------------------------------------------------------------------------------- */

static const cru_index no_rows = {chosen_rows, 0};
static const cru_targets nothing = {.rows = &no_rows, .labels = {chosen_labels, 0}};
static const cru_targets nothing_by_class = {
    .rows = &no_rows, .labels = {chosen_labels, 0}, .class_weights = class_weights};

START_TEST(a_classification_loss_of_no_items_is_nan_and_moves_nothing)
{
    op_bench b = op_bench_open();
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(z);
    const class_case *c = &class_cases[_i];
    bool weighted = c->targets->class_weights;
    check_empty(&b, c->loss(b.tape, z, step_targets(b.tape, weighted ? &nothing_by_class : &nothing)), z);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("classification losses");
    TCase *c = tcase_create("losses");
    tcase_add_loop_test(c, a_classification_loss_follows_its_formula, 0,
                        (int)(sizeof class_cases / sizeof *class_cases));
    tcase_add_test(c, each_item_gets_its_own_weighted_loss);
    tcase_add_test(c, limits_of_robust_losses_are_the_plain_ones);
    tcase_add_test(c, large_logits_neither_overflow_nor_lose_the_gradient);
    tcase_add_loop_test(c, a_classification_loss_of_no_items_is_nan_and_moves_nothing, 0,
                        (int)(sizeof class_cases / sizeof *class_cases));
    suite_add_tcase(s, c);
    return s;
}
