// SPDX-License-Identifier: Apache-2.0
/* Partial and complementary labels: methods that are a loss of a minibatch, or proden with another rule, against the
 * numbers of the study's code: the loss of given logits with its gradient, and whole trajectories. */
#include <crucible/draft/minibatch.h>
#include <crucible/draft/tensor.h>

#include "methods/pll-bench.h"

typedef struct loss_case {
    const char *method, *name, *settings[3];
} loss_case;

static const loss_case losses[] = {
    {"abs-mae", "loss", {NULL}},
    {"abs-gce", "loss", {NULL}},
    {"cc", "loss", {NULL}},
    {"cc", "log_variant_set_weight", {"set_weight", "true"}},
    {"exp", "loss", {NULL}},
    {"mcl-gce", "loss", {NULL}},
    {"mcl-gce", "corrected_variant", {"variant", "paper"}},
    {"mcl-gce", "reference_full_set_float64_labels", {NULL}},
    {"mcl-mse", "loss", {NULL}},
    {"mcl-mse", "corrected_variant", {"variant", "paper"}},
    {"mcl-mse", "reference_full_set_float64_labels", {NULL}},
    {"pc", "loss", {NULL}},
    {"cll-forward", "loss", {NULL}},
    {"scl-exp", "loss", {NULL}},
    {"scl-nl", "loss", {NULL}},
    {"l-w", "loss", {NULL}},
    {"op-w", "loss", {NULL}},
    {"op-w", "loss_large_logits", {NULL}},
};

static cJSON *open_file(const char *method)
{
    char file[100];
    snprintf(file, sizeof file, "pll/%s.json", method);
    return fixture_open(file);
}

START_TEST(losses_of_given_logits)
{
    const loss_case *c = &losses[_i];
    static const int32_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7};
    cJSON *root = open_file(c->method);
    const cJSON *item = fixture_case(root, c->name);
    bench b = bench_create();
    b.tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    open_given_logits(&b, c->method, fixture_input(item, "S"), c->settings);
    set_logits(&b, rows, fixture_input(item, "logits"));
    bench_check_number(&b, loss_of_rows(&b, rows, b.task.items), fixture_expected(item, "loss")->valuedouble);
    bench_check_gradient(&b, "classifier.weight", fixture_expected(item, "grad_logits"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* In the study's code one set of all labels makes every weight NaN; the paper's method leaves the row out. */
START_TEST(exp_has_an_infinite_weight_for_a_full_set)
{
    static const int32_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7};
    cJSON *root = open_file("exp");
    const cJSON *item = fixture_case(root, "full_candidate_set_poisons");
    for (int paper = 0; paper < 2; paper++) {
        bench b = bench_create();
        open_given_logits(&b, "exp", fixture_input(item, "S"),
                          (const char *[]){"variant", paper ? "paper" : "bench", NULL});
        set_logits(&b, rows, fixture_input(item, "logits"));
        const double loss = loss_of_rows(&b, rows, b.task.items);
        const float *gradient = cru_weight_grad(bench_weight(&b, "classifier.weight"));
        int64_t broken = 0;
        for (int64_t i = 0; i < b.task.items * b.task.classes; i++) broken += !isfinite(gradient[i]);
        ck_assert(paper ? isfinite(loss) && broken == 0 : isinf(loss) && broken > 0);
        bench_destroy(&b);
    }
    cJSON_Delete(root);
}
END_TEST

/* ---- complementary risks: the batch is rows 0, 3, 4, 6 of the sets that give the priors --------------------- */

static const int32_t batch_rows[] = {0, 3, 4, 6};

static void check_risk(const cJSON *sets, const loss_case *c, const char *value, const char *slope)
{
    static double numbers[BENCH_MOST];
    cJSON *root = open_file(c->method);
    const cJSON *item = fixture_case(root, c->name);
    bench b = bench_create();
    open_given_logits(&b, c->method, sets, c->settings);
    set_logits(&b, batch_rows, fixture_input(item, "logits"));
    bench_check_number(&b, loss_of_rows(&b, batch_rows, 4), fixture_expected(item, value)->valuedouble);
    const float *gradient = cru_weight_grad(bench_weight(&b, "classifier.weight"));
    const int64_t count = fixture_numbers(fixture_expected(item, slope), numbers), cols = b.task.classes;
    for (int64_t i = 0; i < count; i++)
        bench_check_number(&b, (double)gradient[batch_rows[i / cols] * cols + i % cols], numbers[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}

START_TEST(class_risks_and_their_slopes)
{
    static const loss_case cases[] = {
        {"cll-nn", "loss", {NULL}},
        {"cll-nn", "loss_corrected", {"variant", "paper"}},
        {"cll-ga", "step_gradient", {NULL}},
        {"cll-ga", "step_gradient_zero_logits", {NULL}},
        {"cll-ga", "step_gradient_ascent", {NULL}},
    };
    cJSON *root = open_file("cll-nn");
    const cJSON *sets = fixture_input(fixture_case(root, "class_vectors"), "S_train");
    const bool ascent = _i >= 2;
    check_risk(sets, &cases[_i], ascent ? "objective" : "loss",
               ascent ? "grad_logits_seen_by_optimizer" : "grad_logits");
    cJSON_Delete(root);
}
END_TEST

/* ---- cavl: the table is seen through the loss that follows --------------------------------------------------- */

static double loss_with_table(const cJSON *table, const cJSON *logits)
{
    static double z[BENCH_MOST];
    const int64_t cols = cJSON_GetArraySize(cJSON_GetArrayItem(table, 0));
    double loss = 0;
    fixture_numbers(logits, z);
    for (int64_t i = 0; i < 4; i++) {
        double q[16], sum = 0;
        fixture_numbers(cJSON_GetArrayItem(table, batch_rows[i]), q);
        for (int64_t k = 0; k < cols; k++) sum += exp(z[i * cols + k]);
        for (int64_t k = 0; k < cols; k++) loss -= q[k] * (z[i * cols + k] - log(sum));
    }
    return loss / 4;
}

START_TEST(cavl_takes_the_highest_activation_value)
{
    static const char *const names[] = {"confidence_update",
                                        "confidence_update_all_candidate_logits_negative_picks_noncandidate"};
    cJSON *root = open_file("cavl");
    const cJSON *item = fixture_case(root, names[_i]), *logits = fixture_input(item, "post_step_logits");
    bench b = bench_create();
    open_given_logits(&b, "cavl", fixture_input(item, "S"), NULL);
    set_logits(&b, batch_rows, logits);
    cru_learner *l = b.learner;
    cru_tape_begin(l->tape, CRU_TRAIN);
    const cru_batch batch = cru_learner_batch(l, (cru_ids){(int32_t *)batch_rows, 4});
    cru_tape_record(l->tape, false);
    l->method->after_step(l, l->model, l->tape, &batch);
    cru_tape_record(l->tape, true);
    bench_check_number(&b, loss_of_rows(&b, batch_rows, 4), loss_with_table(fixture_expected(item, "q_after"), logits));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The slope w sigma(z) sigma(-z) / B, where sigma of |z| is 1 in single precision: w is 1/K at first, beta 2. */
START_TEST(lws_has_a_slope_at_large_scores)
{
    static const double z[] = {-30, -20, 25, 30};
    cJSON *sets = cJSON_Parse("[[1, 0, 1, 0]]"), *logits = cJSON_Parse("[[-30, -20, 25, 30]]");
    static const int32_t row[] = {0};
    bench b = bench_create();
    open_given_logits(&b, "lws", sets, NULL);
    set_logits(&b, row, logits);
    loss_of_rows(&b, row, 1);
    const float *slope = cru_weight_grad(bench_weight(&b, "classifier.weight"));
    for (int k = 0; k < 4; k++) {
        const double steep = 0.25 / (2 + exp(z[k]) + exp(-z[k])), expected = k % 2 ? 2 * steep : -steep;
        ck_assert_double_eq_tol((double)slope[k] / expected, 1, 1e-5);
    }
    bench_destroy(&b);
    cJSON_Delete(sets);
    cJSON_Delete(logits);
}
END_TEST

/* ---- trajectories -------------------------------------------------------------------------------------------- */

static const loss_case trajectories[] = {
    {"abs-mae", "trajectory", {NULL}}, {"abs-gce", "trajectory", {NULL}}, {"cc", "trajectory", {NULL}},
    {"exp", "trajectory", {NULL}},     {"mcl-gce", "trajectory", {NULL}}, {"mcl-mse", "trajectory", {NULL}},
    {"pc", "trajectory", {NULL}},      {"l-w", "trajectory", {NULL}},     {"cll-forward", "trajectory", {NULL}},
    {"op-w", "trajectory", {NULL}},    {"scl-exp", "trajectory", {NULL}}, {"cll-ga", "trajectory", {NULL}},
};

START_TEST(whole_trajectories)
{
    check_case(trajectories[_i].method, trajectories[_i].name, NULL);
}
END_TEST

/* Purifications after steps 2 and 4; what they did is seen in the losses after them. */
START_TEST(pop_strikes_candidates)
{
    check_case("pop", "trajectory_reference_variant",
               (const char *[]){"window", "2", "warm_up", "1", "theta", "0.3", "inc", "0.5", NULL});
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("partial labels: losses");
    TCase *t = tcase_create("fixtures");
    tcase_add_loop_test(t, losses_of_given_logits, 0, (int)(sizeof losses / sizeof *losses));
    tcase_add_test(t, exp_has_an_infinite_weight_for_a_full_set);
    tcase_add_loop_test(t, class_risks_and_their_slopes, 0, 5);
    tcase_add_loop_test(t, cavl_takes_the_highest_activation_value, 0, 2);
    tcase_add_test(t, lws_has_a_slope_at_large_scores);
    tcase_add_loop_test(t, whole_trajectories, 0, (int)(sizeof trajectories / sizeof *trajectories));
    tcase_add_test(t, pop_strikes_candidates);
    suite_add_tcase(s, t);
    return s;
}
