/* Partial-label methods against the numbers of the study's code: whole trajectories, step by step. The tables that a
 * method keeps are seen through the losses and weights of the steps that follow. */
#include "methods/method-bench.h"

/* A weight's names in the fixture and in the method's nets. */
typedef struct pair {
    const char *theirs, *ours;
} pair;

static const pair perceptron[] = {
    {"featurizer.fc1.weight", "backbone.fc1.weight"},
    {"featurizer.fc1.bias", "backbone.fc1.bias"},
    {"classifier.weight", "classifier.weight"},
    {"classifier.bias", "classifier.bias"},
    {NULL, NULL},
};

static void set_weights(const bench *b, const cJSON *values, const pair *names)
{
    for (; names->theirs; names++) bench_set(b, names->ours, cJSON_GetObjectItem(values, names->theirs), TRANSPOSED);
}

static void check_weights(const bench *b, const cJSON *values, const pair *names)
{
    for (; names->theirs; names++)
        bench_check_weight(b, names->ours, cJSON_GetObjectItem(values, names->theirs), TRANSPOSED);
}

/* Scores of all rows, in evaluation mode. */
static void check_scores(bench *b, const cJSON *expected)
{
    static double numbers[BENCH_MOST];
    static float scores[BENCH_MOST];
    const int64_t count = fixture_numbers(expected, numbers);
    ck_assert_int_eq(b->algorithm->predict(b->learner, scores), CRU_OK);
    for (int64_t i = 0; i < count; i++) bench_check_number(b, (double)scores[i], numbers[i]);
}

static void open_trajectory(bench *b, const cJSON *item, const char *method)
{
    b->tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    bench_candidates(b, fixture_input(item, "X_weak"), fixture_input(item, "S"));
    bench_open(b, method,
               (const char *[]){"hidden", "6", "lr", "0.01", "weight_decay", "0.001", "batch_size", "4", NULL});
}

static void check_trajectory(const char *file, const char *method)
{
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, "trajectory"), *step;
    bench b = bench_create();
    open_trajectory(&b, item, method);
    set_weights(&b, fixture_input(item, "initial_params"), perceptron);
    cJSON_ArrayForEach(step, fixture_expected(item, "steps")) bench_check_number(
        &b, bench_step(&b, cJSON_GetObjectItem(step, "batch_rows")), cJSON_GetObjectItem(step, "loss")->valuedouble);
    check_weights(&b, fixture_expected(item, "final_params"), perceptron);
    check_scores(&b, fixture_expected(item, "final_logits_eval"));
    bench_destroy(&b);
    cJSON_Delete(root);
}

START_TEST(proden_trajectory)
{
    check_trajectory("pll/proden.json", "proden");
}
END_TEST

START_TEST(lws_trajectory)
{
    check_trajectory("pll/lws.json", "lws");
}
END_TEST

START_TEST(scl_nl_trajectory)
{
    check_trajectory("pll/scl-nl.json", "scl-nl");
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
    b->loss = l->method->batch_loss(l, l->tape, &batch);
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

START_TEST(scl_nl_learns_nothing_from_a_batch_of_full_sets)
{
    cJSON *rows = cJSON_Parse("[[1, 0], [0, 1]]"), *sets = cJSON_Parse("[[1, 1, 1], [1, 1, 1]]"),
          *batch = cJSON_Parse("[0, 1]");
    bench b = bench_create();
    bench_candidates(&b, rows, sets);
    bench_open(&b, "scl-nl", (const char *[]){"backbone", "linear", "weight_decay", "0", NULL});
    const cru_tensor *w = bench_weight(&b, "classifier.weight");
    const float before = w->data[0];
    ck_assert_double_eq(bench_step(&b, batch), 0);
    ck_assert_float_eq(w->data[0], before);
    bench_destroy(&b);
    cJSON_Delete(rows);
    cJSON_Delete(sets);
    cJSON_Delete(batch);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("partial labels");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, proden_trajectory);
    tcase_add_test(c, lws_trajectory);
    tcase_add_test(c, scl_nl_trajectory);
    tcase_add_test(c, scl_nl_loss_and_gradient);
    tcase_add_test(c, proden_starts_from_uniform_candidates);
    tcase_add_test(c, scl_nl_learns_nothing_from_a_batch_of_full_sets);
    suite_add_tcase(s, c);
    return s;
}
