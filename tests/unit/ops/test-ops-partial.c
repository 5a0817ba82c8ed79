// SPDX-License-Identifier: Apache-2.0
/* Operators of partial-label methods: numbers of the study's code, and gradients against differences. */
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-loss.h>
#include <crucible/draft/tensor.h>

#include "json-fixture.h"
#include "ops/gradients.h"

enum { MOST = 512 };

static cru_tensor *from_fixture(op_bench *b, const cJSON *rows)
{
    double numbers[MOST];
    float values[MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    return cru_tensor_from(b->ctx, cru_2d(n, count / n), values);
}

static void check_numbers(const float *values, const cJSON *expected, double tolerance)
{
    double numbers[MOST];
    const int64_t count = fixture_numbers(expected, numbers);
    for (int64_t i = 0; i < count; i++)
        ck_assert_double_eq_tol((double)values[i], numbers[i], tolerance * fmax(1, fabs(numbers[i])));
}

/* Runs a loss of one fixture tensor and compares value and gradient. */
static void check_loss(op_bench *b, op_case *loss, void *user, const cJSON *item, const char *const names[2])
{
    const double tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    cru_tensor *x = from_fixture(b, fixture_input(item, names[0]));
    cru_tape_begin(b->tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_tensor *value = loss(user, b->tape, &x);
    cru_backward(b->tape, value);
    const float number = cru_tensor_item(b->tape, value);
    check_numbers(&number, fixture_expected(item, "loss"), tolerance);
    check_numbers(test_values(cru_grad_of(b->tape, x)), fixture_expected(item, names[1]), tolerance);
}

/* ---- valen: likeness of samples against a graph
 * --------------------------------------------------------------------- */

static cru_tensor *likeness(cru_tape *t, cru_tensor *delta)
{
    return cru_softmax(t, cru_sigmoid(t, cru_matmul_op(t, delta, delta, CRU_NT)), 1);
}

static cru_tensor *distance_to_graph(void *user, cru_tape *t, cru_tensor *const *x)
{
    return cru_mse(t, likeness(t, x[0]), user);
}

START_TEST(likeness_to_a_graph_of_the_fixture)
{
    op_bench b = op_bench_open();
    cJSON *root = fixture_open("pll/valen.json");
    const cJSON *item = fixture_case(root, "graph_reconstruction");
    cru_tensor *delta = from_fixture(&b, fixture_input(item, "delta"));
    check_loss(&b, distance_to_graph, from_fixture(&b, fixture_input(item, "A_sub")), item,
               (const char *[]){"delta", "grad_delta"});
    cru_tape_begin(b.tape, CRU_EVAL);
    check_numbers(test_values(likeness(b.tape, delta)), fixture_expected(item, "A_hat"), 1e-5);
    cJSON_Delete(root);
    op_bench_close(&b);
}
END_TEST

/* ---- Dirichlet ------------------------------------------------------------------------------------------------- */

static cru_tensor *divergence(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_kl_dirichlet(t, x[0]);
}

START_TEST(dirichlet_divergence_of_the_fixture)
{
    op_bench b = op_bench_open();
    cJSON *root = fixture_open("pll/valen.json");
    check_loss(&b, divergence, NULL, fixture_case(root, "alpha_loss"), (const char *[]){"alpha", "grad_alpha"});
    cJSON_Delete(root);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_flat_dirichlet_has_no_divergence)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *ones = cru_tensor_filled(b.tape, cru_2d(3, 5), 1);
    ck_assert_float_eq_tol(cru_tensor_item(b.tape, cru_kl_dirichlet(b.tape, ones)), 0, 1e-5f);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *digamma_of(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_sum(t, cru_digamma(t, x[0]), CRU_ALL);
}

START_TEST(gradients_of_digamma_and_of_the_divergence)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 3, 4, 0.6, 4);
    ck_assert_double_lt(cru_gradcheck(b.tape, digamma_of, NULL, &x, 1), 5e-3);
    ck_assert_double_lt(cru_gradcheck(b.tape, divergence, NULL, &x, 1), 5e-3);
    op_bench_close(&b);
}
END_TEST

/* E delta_k = alpha_k / sum alpha */
START_TEST(dirichlet_samples_are_inside_the_simplex_and_have_their_mean)
{
    enum { ROWS = 4000, COLS = 3 };
    static const float alpha[COLS] = {0.01f, 0.5f, 1.49f};
    op_bench b = op_bench_open();
    cru_rng rng = cru_rng_stream(1, "test", 0);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *row = cru_tensor_upload(b.tape, cru_2d(1, COLS), alpha);
    const float *drawn = test_values(cru_dirichlet(b.tape, cru_broadcast(b.tape, row, ROWS, COLS), &rng));
    double mean[COLS] = {0};
    bool inside = true;
    for (int64_t i = 0; i < ROWS * COLS; i++) {
        inside = inside && drawn[i] > 0 && drawn[i] < 1;
        mean[i % COLS] += (double)drawn[i] / ROWS;
    }
    ck_assert(inside);
    for (int k = 0; k < COLS; k++) ck_assert_double_eq_tol(mean[k], (double)alpha[k] / 2, 0.02);
    op_bench_close(&b);
}
END_TEST

/* With and without a gradient; the row between is drawn as ever. */
START_TEST(dirichlet_samples_of_what_is_not_finite_are_nan)
{
    enum { ROWS = 3, COLS = 2 };
    static const float alpha[ROWS * COLS] = {1, NAN, 0.5f, 2, INFINITY, 1};
    op_bench b = op_bench_open();
    cru_rng rng = cru_rng_stream(1, "test", 0);
    for (int moves = 0; moves < 2; moves++) {
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_tensor *rows = cru_tensor_upload(b.tape, cru_2d(ROWS, COLS), alpha);
        if (moves) cru_tensor_watch(rows);
        const float *drawn = test_values(cru_dirichlet(b.tape, rows, &rng));
        for (int i = 0; i < ROWS * COLS; i++) ck_assert_int_eq(isnan(drawn[i]) != 0, i / COLS != 1);
    }
    op_bench_close(&b);
}
END_TEST

/* With a the sum of alpha: E delta_0 = alpha_0 / a, E delta_0^2 = alpha_0 (alpha_0 + 1) / (a (a + 1)). The mean
 * gradient of samples is the derivative of these. */
START_TEST(gradients_of_dirichlet_samples_are_those_of_their_moments)
{
    enum { ROWS = 20000, COLS = 3 };
    static const float alpha[COLS] = {0.4f, 0.05f, 1.3f};
    const double a0 = (double)alpha[0], a = (double)alpha[0] + (double)alpha[1] + (double)alpha[2];
    const double square = a0 * (a0 + 1) / (a * (a + 1)), by_sum = -square * (1 / a + 1 / (a + 1));
    op_bench b = op_bench_open();
    cru_rng rng = cru_rng_stream(1, "test", 0);
    for (int power = 1; power < 3; power++) {
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_tensor *row = cru_tensor_upload(b.tape, cru_2d(1, COLS), alpha);
        cru_tensor_watch(row);
        cru_tensor *first =
            cru_slice_cols(b.tape, cru_dirichlet(b.tape, cru_broadcast(b.tape, row, ROWS, COLS), &rng), 0, 1);
        cru_backward(b.tape, cru_mean(b.tape, power == 1 ? first : cru_mul(b.tape, first, first), CRU_ALL));
        const cru_tensor *grad = cru_grad_of(b.tape, row);
        for (int k = 0; k < COLS; k++) {
            const double of_mean = (k == 0 ? 1 / a : 0) - a0 / (a * a);
            const double of_square = (k == 0 ? square * (1 / a0 + 1 / (a0 + 1)) : 0) + by_sum;
            ck_assert_double_eq_tol((double)test_value(grad, k), power == 1 ? of_mean : of_square, 0.01);
        }
    }
    op_bench_close(&b);
}
END_TEST

/* ---- contrast with a queue ------------------------------------------------------------------------------------- */

typedef struct others {
    cru_tensor *keys, *queue;
    int32_t labels[32];
    int64_t anchors;
    float temperature;
} others;

static cru_tensor *queue_contrast(void *user, cru_tape *t, cru_tensor *const *x)
{
    const others *o = user;
    return cru_info_nce_queue(t, x[0], o->keys, o->queue, o->temperature);
}

static cru_tensor *label_contrast(void *user, cru_tape *t, cru_tensor *const *x)
{
    const others *o = user;
    cru_tensor *all = cru_concat_rows(t, (cru_tensor *[]){x[0], o->keys, o->queue}, 3);
    return cru_sup_con_anchors(t, all, o->labels, cru_tensor_rows(x[0]), o->temperature);
}

static others others_of(op_bench *b, const cJSON *item)
{
    return (others){.keys = from_fixture(b, fixture_input(item, "k")),
                    .queue = from_fixture(b, fixture_input(item, "queue")),
                    .temperature = (float)fixture_input(item, "temperature")->valuedouble};
}

START_TEST(contrast_with_a_queue_of_the_fixture)
{
    op_bench b = op_bench_open();
    cJSON *root = fixture_open("pll/pico.json");
    const cJSON *item = fixture_case(root, "infonce");
    others o = others_of(&b, item);
    check_loss(&b, queue_contrast, &o, item, (const char *[]){"q", "grad_q"});
    cJSON_Delete(root);
    op_bench_close(&b);
}
END_TEST

START_TEST(supervised_contrast_of_the_fixture)
{
    op_bench b = op_bench_open();
    cJSON *root = fixture_open("pll/pico.json");
    const cJSON *item = fixture_case(root, "supcon");
    double labels[MOST];
    others o = others_of(&b, item);
    const int64_t count = fixture_numbers(fixture_input(item, "labels"), labels);
    for (int64_t i = 0; i < count; i++) o.labels[i] = labels[i] == floor(labels[i]) ? (int32_t)labels[i] : -1;
    check_loss(&b, label_contrast, &o, item, (const char *[]){"q", "grad_q"});
    cJSON_Delete(root);
    op_bench_close(&b);
}
END_TEST

START_TEST(gradients_of_both_contrasts)
{
    op_bench b = op_bench_open();
    others o = {.keys = op_matrix(&b, 3, 4, -1, 1),
                .queue = op_matrix(&b, 5, 4, -1, 1),
                .labels = {0, 1, 0, 0, 1, 0, 2, 1, -1, 0, 2},
                .temperature = 0.5f};
    cru_tensor *x = op_matrix(&b, 3, 4, -1, 1);
    ck_assert_double_lt(cru_gradcheck(b.tape, queue_contrast, &o, &x, 1), 5e-3);
    ck_assert_double_lt(cru_gradcheck(b.tape, label_contrast, &o, &x, 1), 5e-3);
    op_bench_close(&b);
}
END_TEST

START_TEST(an_anchor_without_positives_counts_as_nothing)
{
    op_bench b = op_bench_open();
    static const int32_t apart[] = {0, 1, 2};
    cru_tensor *x = op_matrix(&b, 3, 4, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    ck_assert_float_eq(cru_tensor_item(b.tape, cru_sup_con_anchors(b.tape, x, apart, 2, 0.5f)), 0);
    op_bench_close(&b);
}
END_TEST

/* ---- tables ---------------------------------------------------------------------------------------------------- */

START_TEST(a_table_takes_the_values_of_another_tensor)
{
    op_bench b = op_bench_open();
    cru_tensor *table = op_matrix(&b, 3, 2, 0, 1), *x = op_matrix(&b, 3, 2, 5, 6);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_assign(b.tape, table, x);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(test_value(table, i), test_value(x, i));
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("operators of partial-label methods");
    TCase *c = tcase_create("operators");
    tcase_add_test(c, likeness_to_a_graph_of_the_fixture);
    tcase_add_test(c, dirichlet_divergence_of_the_fixture);
    tcase_add_test(c, a_flat_dirichlet_has_no_divergence);
    tcase_add_test(c, gradients_of_digamma_and_of_the_divergence);
    tcase_add_test(c, dirichlet_samples_are_inside_the_simplex_and_have_their_mean);
    tcase_add_test(c, gradients_of_dirichlet_samples_are_those_of_their_moments);
    tcase_add_test(c, dirichlet_samples_of_what_is_not_finite_are_nan);
    tcase_add_test(c, contrast_with_a_queue_of_the_fixture);
    tcase_add_test(c, supervised_contrast_of_the_fixture);
    tcase_add_test(c, gradients_of_both_contrasts);
    tcase_add_test(c, an_anchor_without_positives_counts_as_nothing);
    tcase_add_test(c, a_table_takes_the_values_of_another_tensor);
    suite_add_tcase(s, c);
    return s;
}
