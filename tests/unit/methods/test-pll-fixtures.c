// SPDX-License-Identifier: Apache-2.0
/* Partial-label methods against the numbers of the study's code: whole trajectories, step by step. The tables that a
 * method keeps are seen through the losses and weights of the steps that follow. */
#include <crucible/draft/minibatch.h>
#include <crucible/draft/tensor.h>

#include "methods/pll-bench.h"

START_TEST(proden_trajectory)
{
    check_case("proden", "trajectory", NULL);
}
END_TEST

START_TEST(lws_trajectory)
{
    check_case("lws", "trajectory", NULL);
}
END_TEST

START_TEST(scl_nl_trajectory)
{
    check_case("scl-nl", "trajectory", NULL);
}
END_TEST

/* ---- valen: the SDK's Dirichlet sampler is replaced by one that hands out the fixture's samples ----------------- */

static struct {
    double concentrations[BENCH_MOST], samples[BENCH_MOST];
    int64_t at;
} dirichlet;

void cru_rng_dirichlet(cru_rng *rng, const double *alpha, int64_t n, double *out)
{
    (void)rng;
    for (int64_t k = 0; k < n; k++) {
        ck_assert_double_eq_tol(alpha[k], dirichlet.concentrations[dirichlet.at], 1e-4);
        out[k] = dirichlet.samples[dirichlet.at++];
    }
}

static const pair valen_nets[] = {
    {"featurizer_net.fc1.weight", "0:backbone.fc1.weight"},
    {"featurizer_net.fc1.bias", "0:backbone.fc1.bias"},
    {"classifier_net.weight", "0:classifier.weight"},
    {"classifier_net.bias", "0:classifier.bias"},
    {"dec.layer1.weight", "1:layer1.weight"},
    {"dec.layer1.bias", "1:layer1.bias"},
    {"dec.layer2.weight", "1:layer2.weight"},
    {"dec.layer2.bias", "1:layer2.bias"},
    {NULL, NULL},
};
static const pair valen_encoder[] = {
    {"0.fc1.weight", "2:backbone.fc1.weight"},
    {"0.fc1.bias", "2:backbone.fc1.bias"},
    {"1.weight", "2:classifier.weight"},
    {"1.bias", "2:classifier.bias"},
    {NULL, NULL},
};

START_TEST(valen_trajectory_through_all_phases)
{
    cJSON *root = fixture_open("pll/valen.json");
    const cJSON *item = fixture_case(root, "trajectory_reference");
    dirichlet.at = 0;
    const int64_t drawn = fixture_numbers(fixture_input(item, "dirichlet_samples"), dirichlet.samples);
    fixture_numbers(fixture_expected(item, "dirichlet_concentrations"), dirichlet.concentrations);
    bench b = bench_create();
    open_trajectory(&b, item, "valen", (const char *[]){"warm_up", "2", "knn", "2", NULL});
    set_weights(&b, fixture_input(item, "initial_params"), valen_nets);
    /* the loss of phase A is not logged there, so it is left out here: three steps with a loss are compared */
    const cJSON *step;
    cJSON_ArrayForEach(step, fixture_expected(item, "steps"))
    {
        const double loss = bench_step(&b, cJSON_GetObjectItem(step, "batch_rows"));
        if (cJSON_GetObjectItem(step, "step")->valueint >= 2)
            bench_check_number(&b, loss, cJSON_GetObjectItem(step, "loss")->valuedouble);
    }
    ck_assert_int_eq(dirichlet.at, drawn);
    check_weights(&b, fixture_expected(item, "final_params"), valen_nets);
    check_weights(&b, fixture_expected(item, "enc_params_frozen_after_phase_C"), valen_encoder);
    check_scores(&b, fixture_expected(item, "final_logits_eval"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Until then nothing differs, and that step has the same sample and the same loss; but its gradient reaches the
 * encoder. */
START_TEST(valen_corrected_trains_the_encoder_from_its_first_step_on)
{
    cJSON *root = fixture_open("pll/valen.json");
    const cJSON *item = fixture_case(root, "trajectory_reference"), *step;
    dirichlet.at = 0;
    fixture_numbers(fixture_input(item, "dirichlet_samples"), dirichlet.samples);
    fixture_numbers(fixture_expected(item, "dirichlet_concentrations"), dirichlet.concentrations);
    bench b = bench_create();
    open_trajectory(&b, item, "valen", (const char *[]){"warm_up", "2", "knn", "2", "variant", "paper", NULL});
    set_weights(&b, fixture_input(item, "initial_params"), valen_nets);
    const cJSON *frozen = fixture_expected(item, "enc_params_frozen_after_phase_C");
    cJSON_ArrayForEach(step, fixture_expected(item, "steps"))
    {
        const double loss = bench_step(&b, cJSON_GetObjectItem(step, "batch_rows"));
        if (dirichlet.at == 0) continue;
        bench_check_number(&b, loss, cJSON_GetObjectItem(step, "loss")->valuedouble);
        break;
    }
    ck_assert_int_gt(dirichlet.at, 0);
    static double before[BENCH_MOST];
    const cru_tensor *bias = bench_weight(&b, "2:classifier.bias");
    const int64_t count = fixture_numbers(cJSON_GetObjectItem(frozen, "1.bias"), before);
    for (int64_t k = 0; k < count; k++) ck_assert_double_gt(fabs((double)bias->data[k] - before[k]), 1e-3);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* ---- pico: the strong view is the fixture's, not the row itself ------------------------------------------------- */

static double step_with_views(bench *b, const cJSON *rows, const cJSON *strong)
{
    static double numbers[BENCH_MOST];
    static int32_t ids[BENCH_MOST];
    static float view[BENCH_MOST];
    cru_learner *l = b->learner;
    const int64_t count = fixture_numbers(rows, numbers), cols = l->x.cols;
    for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)numbers[i];
    fixture_numbers(strong, numbers);
    for (int64_t i = 0; i < count * cols; i++) view[i] = (float)numbers[ids[i / cols] * cols + i % cols];
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_batch batch = cru_learner_batch(l, (cru_ids){ids, count});
    batch.strong = cru_input_of(cru_tensor_upload(l->tape, cru_2d(count, cols), view));
    const double loss = cru_learner_step(l, l->optim, l->method->batch_loss(l, l->model, l->tape, &batch));
    cru_tape_record(l->tape, false);
    l->method->after_step(l, l->model, l->tape, &batch);
    l->epoch++;
    return loss;
}

START_TEST(pico_trajectory)
{
    static const char *const settings[] = {"same_views", "true",       "prot_start", "1",      "feat_dim",
                                           "3",          "moco_queue", "8",          "moco_m", "0.9",
                                           "proto_m",    "0.9",        "steps",      "20",     NULL};
    cJSON *root = fixture_open("pll/pico.json");
    const cJSON *item = fixture_case(root, "trajectory"), *step;
    bench b = bench_create();
    open_trajectory(&b, item, "pico", settings);
    set_weights(&b, fixture_input(item, "initial_params"), query_and_key);
    bench_set(&b, "queue", fixture_input(item, "initial_queue"), AS_STORED);
    cJSON_ArrayForEach(step, fixture_expected(item, "steps"))
    {
        const double loss =
            step_with_views(&b, cJSON_GetObjectItem(step, "batch_rows"), fixture_input(item, "X_strong"));
        bench_check_number(&b, loss, cJSON_GetObjectItem(step, "loss")->valuedouble);
        bench_check_weight(&b, "queue", cJSON_GetObjectItem(step, "queue"), AS_STORED);
        bench_check_weight(&b, "prototypes", cJSON_GetObjectItem(step, "prototypes"), AS_STORED);
    }
    check_weights(&b, fixture_expected(item, "final_params"), query_and_key);
    check_scores(&b, fixture_expected(item, "final_logits_eval"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* 6 keys cannot be replaced four at a time. */
START_TEST(pico_refuses_a_queue_of_no_whole_number_of_batches)
{
    cJSON *root = fixture_open("pll/pico.json");
    const cJSON *item = fixture_case(root, "trajectory");
    bench b = bench_create();
    bench_candidates(&b, fixture_input(item, "X_weak"), fixture_input(item, "S"));
    const cru_status status =
        bench_try(&b, "pico", (const char *[]){"same_views", "true", "batch_size", "4", "moco_queue", "6", NULL});
    ck_assert_int_eq(status, CRU_BAD_INPUT);
    ck_assert_str_eq(cru_ctx_error(b.ctx)->text, "moco_queue = 6 is no multiple of batch_size = 4");
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The loss of the step after `before` others, of which the first leaves the targets alone. */
static double pico_loss(const cJSON *item, const char *start, const char *end, int before)
{
    const char *const settings[] = {"same_views",   "true", "prot_start", "1", "feat_dim",       "3",
                                    "moco_queue",   "8",    "steps",      "1", "conf_ema_start", start,
                                    "conf_ema_end", end,    NULL};
    bench b = bench_create();
    open_trajectory(&b, item, "pico", settings);
    const cJSON *steps = fixture_expected(item, "steps");
    double loss = 0;
    for (int i = 0; i <= before; i++)
        loss = bench_step(&b, cJSON_GetObjectItem(cJSON_GetArrayItem(steps, i), "batch_rows"));
    bench_destroy(&b);
    return loss;
}

/* The loss is linear in the targets, and they in phi: of the second step phi is conf_ema_start, of the third (all steps
 * are done) conf_ema_end. With phi = 1 nothing moves. */
START_TEST(pico_takes_the_momentum_of_its_targets_from_two_settings)
{
    cJSON *root = fixture_open("pll/pico.json");
    const cJSON *item = fixture_case(root, "trajectory");
    const double stay = pico_loss(item, "1", "1", 1), jump = pico_loss(item, "0", "1", 1);
    ck_assert_double_gt(fabs(stay - jump), 0.01);
    ck_assert_double_eq_tol(pico_loss(item, "0.25", "1", 1), 0.25 * stay + 0.75 * jump, 1e-5);
    const double later_stay = pico_loss(item, "1", "1", 2), later_jump = pico_loss(item, "1", "0", 2);
    ck_assert_double_gt(fabs(later_stay - later_jump), 0.01);
    ck_assert_double_eq_tol(pico_loss(item, "1", "0.25", 2), 0.25 * later_stay + 0.75 * later_jump, 1e-5);
    cJSON_Delete(root);
}
END_TEST

/* ---- single losses: with a linear backbone, X = I and b = 0 the matrix is the logits
 * --------------------------------- */

static void open_logits(bench *b, const cJSON *item, const char *method, const char *const *settings)
{
    cJSON *identity = cJSON_CreateArray();
    const int n = cJSON_GetArraySize(fixture_input(item, "S"));
    for (int i = 0; i < n; i++) {
        cJSON *row = cJSON_CreateArray();
        for (int j = 0; j < n; j++) cJSON_AddItemToArray(row, cJSON_CreateNumber(i == j));
        cJSON_AddItemToArray(identity, row);
    }
    bench_candidates(b, identity, fixture_input(item, "S"));
    cJSON_Delete(identity);
    bench_open(b, method, settings);
    bench_set(b, "classifier.weight", fixture_input(item, "logits"), AS_STORED);
    cru_tensor *bias = bench_weight(b, "classifier.bias");
    for (int64_t k = 0; k < cru_tensor_count(bias); k++) bias->data[k] = 0;
}

/* The loss of all rows and its gradient, before any table has changed. */
static void run_first_loss(bench *b)
{
    static const int32_t rows[] = {0, 1, 2, 3, 4, 5, 6, 7};
    cru_learner *l = b->learner;
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_batch batch = cru_learner_batch(l, (cru_ids){rows, b->task.items});
    b->loss = l->method->batch_loss(l, l->model, l->tape, &batch);
    cru_backward(l->tape, b->loss);
}

START_TEST(scl_nl_loss_and_gradient)
{
    cJSON *root = fixture_open("pll/scl-nl.json");
    const cJSON *item = fixture_case(root, "loss");
    bench b = bench_create();
    open_logits(&b, item, "scl-nl", (const char *[]){"backbone", "linear", NULL});
    run_first_loss(&b);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "classifier.weight", fixture_expected(item, "grad_logits"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* ---- a network that diverged ------------------------------------------------------------------------------------ */

/* Through all phases of each method: nothing ends the process, and the weights stay what they are. */
START_TEST(steps_of_nan_weights_do_no_harm)
{
    static const char *const methods[] = {"proden", "lws", "scl-nl", "pico", "valen"};
    static const char *const settings[][9] = {{NULL},
                                              {NULL},
                                              {NULL},
                                              {"same_views", "true", "moco_queue", "8", "prot_start", "2", NULL},
                                              {"warm_up", "2", "knn", "2", "variant", "paper", NULL}};
    static float scores[BENCH_MOST];
    cJSON *root = fixture_open("pll/proden.json");
    const cJSON *item = fixture_case(root, "trajectory");
    bench b = bench_create();
    open_trajectory(&b, item, methods[_i], settings[_i]);
    cru_tensor *bias = bench_weight(&b, "0:classifier.bias"), *hidden = bench_weight(&b, "0:backbone.fc1.bias");
    for (int64_t k = 0; k < cru_tensor_count(bias); k++) bias->data[k] = NAN;
    for (int64_t k = 0; k < cru_tensor_count(hidden); k++) hidden->data[k] = NAN;
    for (int s = 0; s < 12; s++) {
        cJSON *rows = cJSON_Parse(s % 2 ? "[0, 1, 2, 3]" : "[4, 5, 6, 7]");
        bench_step(&b, rows);
        cJSON_Delete(rows);
    }
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_DIVERGED);
    for (int64_t i = 0; i < b.task.items * b.task.classes; i++) ck_assert(isnan(scores[i]));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* No fixture: on the first visit q_ik = s_ik / |S_i|, so that dL/dz = (p - q) / B. */
START_TEST(proden_starts_from_uniform_candidates)
{
    cJSON *root = fixture_open("pll/proden.json");
    const cJSON *item = fixture_case(root, "loss");
    bench b = bench_create();
    open_logits(&b, item, "proden", (const char *[]){"backbone", "linear", NULL});
    run_first_loss(&b);
    const cru_tensor *z = bench_weight(&b, "classifier.weight");
    const int64_t n = cru_tensor_rows(z), classes = cru_tensor_cols(z);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0, size = 0;
        for (int64_t k = 0; k < classes; k++) {
            sum += exp((double)z->data[i * classes + k]);
            size += b.data->candidates[i * classes + k];
        }
        for (int64_t k = 0; k < classes; k++) {
            const double p = exp((double)z->data[i * classes + k]) / sum;
            const double q = b.data->candidates[i * classes + k] / size;
            bench_check_number(&b, (double)cru_weight_grad(z)[i * classes + k], (p - q) / (double)n);
        }
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The step before leaves momentum behind, and the decay would pull, too: neither may move the weights. */
START_TEST(scl_nl_skips_a_batch_of_full_sets)
{
    cJSON *rows = cJSON_Parse("[[1, 0], [0, 1], [1, 1], [2, 1]]");
    cJSON *sets = cJSON_Parse("[[1, 0, 1], [0, 1, 1], [1, 1, 1], [1, 1, 1]]");
    cJSON *pairs = cJSON_Parse("[0, 1]"), *full = cJSON_Parse("[2, 3]");
    bench b = bench_create();
    bench_candidates(&b, rows, sets);
    bench_open(&b, "scl-nl", (const char *[]){"backbone", "linear", "weight_decay", "0.1", "batch_size", "2", NULL});
    const cru_tensor *w = bench_weight(&b, "classifier.weight");
    float start[6], before[6];
    memcpy(start, w->data, sizeof start);
    ck_assert_double_gt(bench_step(&b, pairs), 0);
    ck_assert_mem_ne(w->data, start, sizeof start);
    memcpy(before, w->data, sizeof before);
    ck_assert_double_eq(bench_step(&b, full), 0);
    ck_assert_mem_eq(w->data, before, sizeof before);
    bench_destroy(&b);
    cJSON_Delete(rows);
    cJSON_Delete(sets);
    cJSON_Delete(pairs);
    cJSON_Delete(full);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("partial labels");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, proden_trajectory);
    tcase_add_test(c, lws_trajectory);
    tcase_add_test(c, scl_nl_trajectory);
    tcase_add_test(c, valen_trajectory_through_all_phases);
    tcase_add_test(c, valen_corrected_trains_the_encoder_from_its_first_step_on);
    tcase_add_test(c, pico_trajectory);
    tcase_add_test(c, pico_refuses_a_queue_of_no_whole_number_of_batches);
    tcase_add_test(c, pico_takes_the_momentum_of_its_targets_from_two_settings);
    tcase_add_test(c, scl_nl_loss_and_gradient);
    tcase_add_test(c, proden_starts_from_uniform_candidates);
    tcase_add_test(c, scl_nl_skips_a_batch_of_full_sets);
    tcase_add_loop_test(c, steps_of_nan_weights_do_no_harm, 0, 5);
    suite_add_tcase(s, c);
    return s;
}
