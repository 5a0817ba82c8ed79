// SPDX-License-Identifier: Apache-2.0
/* Reductions, orders and tables against loops in double, and gradients where they are a choice (test-ops-values.c has
 * the operators of one or more operands). */
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

/* ---- reductions ----------------------------------------------------------------------------------------------- */

typedef struct run {
    double value[64];
    int64_t count;
} run;

static double mean_of(const run *r)
{
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++) sum += r->value[i];
    return sum / (double)r->count;
}
static double ref_sum(const run *r)
{
    return mean_of(r) * (double)r->count;
}
static double ref_max(const run *r)
{
    double best = r->value[0];
    for (int64_t i = 1; i < r->count; i++) best = fmax(best, r->value[i]);
    return best;
}
static double ref_min(const run *r)
{
    double best = r->value[0];
    for (int64_t i = 1; i < r->count; i++) best = fmin(best, r->value[i]);
    return best;
}
static double ref_logsumexp(const run *r)
{
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++) sum += exp(r->value[i]);
    return log(sum);
}
static double squares_about(const run *r, double centre)
{
    double sum = 0;
    for (int64_t i = 0; i < r->count; i++) sum += (r->value[i] - centre) * (r->value[i] - centre);
    return sum;
}
static double ref_var(const run *r)
{
    return squares_about(r, mean_of(r)) / (double)(r->count - 1);
}
static double ref_std(const run *r)
{
    return sqrt(squares_about(r, mean_of(r)) / (double)r->count + 0.25);
}
static double ref_norm(const run *r)
{
    return sqrt(squares_about(r, 0) + 0.25);
}
static cru_tensor *var(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return cru_var(t, x, axis, 1);
}
static cru_tensor *std(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return cru_std(t, x, axis, 0, 0.25f);
}
static cru_tensor *norm(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return cru_norm_l2(t, x, axis, 0.25f);
}

static const struct {
    const char *name;
    cru_tensor *(*op)(cru_tape *t, cru_tensor *x, int32_t axis);
    double (*expected)(const run *r);
} reductions[] = {
    {"sum", cru_sum, ref_sum},
    {"mean", cru_mean, mean_of},
    {"max", cru_max, ref_max},
    {"min", cru_min, ref_min},
    {"logsumexp", cru_logsumexp, ref_logsumexp},
    {"var", var, ref_var},
    {"std", std, ref_std},
    {"norm_l2", norm, ref_norm},
};

static const int32_t axes[] = {0, 1, 2, -1, CRU_ALL};
static const int64_t cube[3] = {3, 4, 5};

/* The values along `axis` that meet in element `at` of the result. */
static run run_at(const cru_tensor *x, int32_t axis, int64_t at)
{
    run r = {.count = 60};
    int64_t stride = 1;
    if (axis != CRU_ALL) {
        if (axis < 0) axis += 3;
        r.count = cube[axis];
        for (int32_t i = axis + 1; i < 3; i++) stride *= cube[i];
    }
    for (int64_t i = 0; i < r.count; i++)
        r.value[i] = (double)test_value(x, (at / stride * r.count + i) * stride + at % stride);
    return r;
}

START_TEST(reductions_follow_their_formulas_along_every_axis)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_values(&b, 3, cube, -2, 3);
    cru_tape_begin(b.tape, CRU_EVAL);
    for (size_t k = 0; k < sizeof reductions / sizeof *reductions; k++) {
        const cru_tensor *y = reductions[k].op(b.tape, x, axes[_i]);
        for (int64_t at = 0; at < cru_tensor_count(y); at++) {
            const run r = run_at(x, axes[_i], at);
            ck_assert_int_eq(cru_tensor_count(y) * r.count, 60);
            ck_assert_msg(fabs((double)test_value(y, at) - reductions[k].expected(&r)) < 1e-5, "%s: element %lld",
                          reductions[k].name, (long long)at);
        }
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(softmax_and_its_logarithm_follow_their_formulas_along_every_axis)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_values(&b, 3, cube, -2, 3);
    cru_tape_begin(b.tape, CRU_EVAL);
    const float *y = test_values(cru_softmax(b.tape, x, axes[_i])),
                *z = test_values(cru_log_softmax(b.tape, x, axes[_i]));
    const cru_tensor *lse = cru_logsumexp(b.tape, x, axes[_i]);
    int64_t count = 60 / cru_tensor_count(lse), inner_count = 1;
    for (int32_t i = axes[_i] + 1; axes[_i] >= 0 && i < 3; i++) inner_count *= cube[i];
    for (int64_t i = 0; i < 60; i++) {
        const int64_t at = i / (count * inner_count) * inner_count + i % inner_count;
        const run r = run_at(x, axes[_i], at);
        const double expected = (double)test_value(x, i) - ref_logsumexp(&r);
        ck_assert_double_eq_tol((double)z[i], expected, 1e-5);
        ck_assert_double_eq_tol((double)y[i], exp(expected), 1e-6);
    }
    op_bench_close(&b);
}
END_TEST

/* ---- order ---------------------------------------------------------------------------------------------------- */

START_TEST(the_largest_and_smallest_come_in_order_with_their_columns)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    const float x[] = {2, 7, 7, -1, 0, 5, -3, 5};
    cru_tensor *m = cru_tensor_from(b.ctx, cru_2d(2, 4), x);
    static const int32_t sorted[] = {1, 2, 0, 3, 1, 3, 0, 2}, smallest[] = {3, 0, 2, 0};
    const cru_top all = cru_sort(b.tape, m), two = cru_topk(b.tape, m, 2), least = cru_bottomk(b.tape, m, 2);
    const int32_t *ids = test_index(all.ids), *top = test_index(two.ids), *low = test_index(least.ids);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(ids[i], sorted[i]);
        ck_assert_float_eq(test_value(all.values, i), x[i / 4 * 4 + sorted[i]]);
    }
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(top[i], sorted[i / 2 * 4 + i % 2]);
        ck_assert_float_eq(test_value(two.values, i), x[i / 2 * 4 + sorted[i / 2 * 4 + i % 2]]);
        ck_assert_int_eq(low[i], smallest[i]);
        ck_assert_float_eq(test_value(least.values, i), x[i / 2 * 4 + smallest[i]]);
    }
    ck_assert_int_eq(test_index(cru_argmax(b.tape, m))[0], 1);
    ck_assert_int_eq(test_index(cru_argmax(b.tape, m))[1], 1);
    op_bench_close(&b);
}
END_TEST

/* ---- where a gradient is a choice ----------------------------------------------------------------------------- */

static cru_tensor *largest(cru_tape *t, cru_tensor *x)
{
    return cru_max(t, x, -1);
}
static cru_tensor *smallest(cru_tape *t, cru_tensor *x)
{
    return cru_min(t, x, -1);
}
static cru_tensor *clamped(cru_tape *t, cru_tensor *x)
{
    return cru_clamp(t, x, -1, 2);
}

/* Row by row: relu and |x| are flat at 0, the ends of a clamp count as inside, of equal values the first one wins. */
static const struct {
    const char *name;
    cru_tensor *(*op)(cru_tape *t, cru_tensor *x);
    float x[4], slope[4];
} kinks[] = {
    {"relu", cru_relu, {0, -1, 1, -0.0f}, {0, 0, 1, 0}}, {"abs", cru_abs, {0, -1, 1, -0.0f}, {0, -1, 1, 0}},
    {"clamp", clamped, {-1, 2, 3, 0}, {1, 1, 0, 1}},     {"max", largest, {1, 3, 3, 2}, {0, 1, 0, 0}},
    {"min", smallest, {1, 3, 1, 2}, {1, 0, 0, 0}},
};

START_TEST(gradients_at_kinks_and_ties_are_what_the_header_says)
{
    op_bench b = op_bench_open();
    cru_tensor *x = cru_tensor_from(b.ctx, cru_2d(1, 4), kinks[_i].x);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_backward(b.tape, cru_sum(b.tape, kinks[_i].op(b.tape, x), CRU_ALL));
    const cru_tensor *grad = cru_grad_of(b.tape, x);
    for (int i = 0; i < 4; i++)
        ck_assert_msg(test_value(grad, i) == kinks[_i].slope[i], "%s: slope %g at %g", kinks[_i].name,
                      (double)test_value(grad, i), (double)kinks[_i].x[i]);
    op_bench_close(&b);
}
END_TEST

START_TEST(the_gradient_of_the_larger_of_equals_goes_to_the_first)
{
    op_bench b = op_bench_open();
    const int64_t one = 1;
    cru_tensor *x = op_values(&b, 1, &one, 2, 2), *y = op_values(&b, 1, &one, 2, 2);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_tensor_watch(y);
    cru_backward(b.tape, cru_sum(b.tape, _i ? cru_minimum(b.tape, x, y) : cru_maximum(b.tape, x, y), CRU_ALL));
    ck_assert_float_eq(test_value(cru_grad_of(b.tape, x), 0), 1);
    ck_assert_float_eq(test_value(cru_grad_of(b.tape, y), 0), 0);
    op_bench_close(&b);
}
END_TEST

/* ---- tables and edges ----------------------------------------------------------------------------------------- */

START_TEST(rows_are_put_into_a_table)
{
    op_bench b = op_bench_open();
    static const int32_t places[] = {2, 0};
    cru_tensor *table = op_matrix(&b, 4, 3, -1, 1), *x = op_matrix(&b, 2, 3, 5, 6);
    float before[12];
    for (int i = 0; i < 12; i++) before[i] = test_value(table, i);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_put_rows(b.tape, table, cru_index_step(b.tape, places, 2), x);
    for (int64_t k = 0; k < 3; k++) {
        ck_assert_float_eq(test_value(table, 6 + k), test_value(x, k));
        ck_assert_float_eq(test_value(table, k), test_value(x, 3 + k));
        ck_assert_float_eq(test_value(table, 3 + k), before[3 + k]);
        ck_assert_float_eq(test_value(table, 9 + k), before[9 + k]);
    }
    op_bench_close(&b);
}
END_TEST

/* psi(1) = -gamma, psi(1/2) = -gamma - 2 log 2, psi(x + 1) = psi(x) + 1 / x */
START_TEST(the_digamma_function_has_its_known_values)
{
    op_bench b = op_bench_open();
    const double euler = 0.57721566490153286;
    const float at[] = {1, 0.5f, 2, 3, 1.5f};
    const double expected[] = {-euler, -euler - 2 * log(2), 1 - euler, 1.5 - euler, 2 - euler - 2 * log(2)};
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_tensor *y = cru_digamma(b.tape, cru_tensor_from(b.ctx, cru_1d(5), at));
    for (int i = 0; i < 5; i++) ck_assert_double_eq_tol((double)test_value(y, i), expected[i], 2e-6);
    op_bench_close(&b);
}
END_TEST

/* A dropped edge carries nothing, forwards and backwards; a kept one 1 / (1 - p) of its value. */
START_TEST(dropped_edges_carry_nothing)
{
    op_bench b = op_bench_open();
    enum { NODES = 40 };
    int64_t offsets[NODES + 1];
    int32_t ids[NODES];
    float ones[NODES];
    for (int32_t v = 0; v < NODES; v++) offsets[v] = v, ids[v] = (v + 1) % NODES, ones[v] = 1;
    offsets[NODES] = NODES;
    const int64_t n = NODES;
    cru_sparse *ring = cru_sparse_create(b.ctx, &(cru_csr){NODES, NODES, offsets, ids, NULL});
    cru_tensor *w = cru_tensor_from(b.ctx, cru_1d(n), ones), *x = op_matrix(&b, NODES, 1, 0.5, 1.5);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(w);
    cru_tensor *y = cru_spmm_weighted(b.tape, ring, cru_dropout(b.tape, w, 0.5f), x);
    cru_backward(b.tape, cru_sum(b.tape, y, CRU_ALL));
    const float *sums = test_values(y), *grad = test_values(cru_grad_of(b.tape, w)), *from = test_values(x);
    int kept = 0;
    for (int v = 0; v < NODES; v++) {
        const float whole = 2 * from[(v + 1) % NODES];
        ck_assert(sums[v] == 0 || fabsf(sums[v] - whole) < 1e-6f);
        ck_assert_float_eq(grad[v], sums[v]); /* of a weight of 1 */
        kept += sums[v] != 0;
    }
    ck_assert(kept > 5 && kept < 35);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("values of reductions");
    TCase *c = tcase_create("reductions");
    tcase_add_loop_test(c, reductions_follow_their_formulas_along_every_axis, 0, 5);
    tcase_add_loop_test(c, softmax_and_its_logarithm_follow_their_formulas_along_every_axis, 0, 5);
    tcase_add_test(c, the_largest_and_smallest_come_in_order_with_their_columns);
    tcase_add_loop_test(c, gradients_at_kinks_and_ties_are_what_the_header_says, 0,
                        (int)(sizeof kinks / sizeof *kinks));
    tcase_add_loop_test(c, the_gradient_of_the_larger_of_equals_goes_to_the_first, 0, 2);
    tcase_add_test(c, rows_are_put_into_a_table);
    tcase_add_test(c, the_digamma_function_has_its_known_values);
    tcase_add_test(c, dropped_edges_carry_nothing);
    suite_add_tcase(s, c);
    return s;
}
