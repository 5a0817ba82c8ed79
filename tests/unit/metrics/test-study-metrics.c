// SPDX-License-Identifier: Apache-2.0
/* What single studies measure: label noise by neighbourhood, candidate sets, heads and tails, representations. */
#include <string.h>

#include "json-fixture.h"
#include "metrics/judging.h"

enum { MOST = 200 };

/* Scores that predict these classes. */
static void predict(float *scores, const int32_t *guesses, int64_t n, int32_t classes)
{
    memset(scores, 0, (size_t)(n * classes) * sizeof *scores);
    for (int64_t i = 0; i < n; i++) scores[i * classes + guesses[i]] = 1;
}

static int64_t take_ids(const cJSON *array, int32_t *ids)
{
    double numbers[MOST];
    const int64_t n = fixture_numbers(array, numbers);
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)numbers[i];
    return n;
}

/* ---- label noise ----------------------------------------------------------------------------------------- */

START_TEST(numbers_of_the_label_noise_study)
{
    cJSON *root = fixture_open("noisygl/metrics.json");
    const cJSON *item = fixture_case(root, "extended");
    double numbers[MOST];
    int32_t clean[MOST], noisy[MOST], train[MOST], test[MOST];
    float scores[MOST];
    const int64_t n = take_ids(fixture_input(item, "clean"), clean), count = n * 3;
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "logits"), numbers), count);
    for (int64_t i = 0; i < count; i++) scores[i] = (float)numbers[i];
    judging j = judging_create(clean, n, 3, scores);
    take_ids(fixture_input(item, "noisy"), noisy);
    j.data->labels = noisy;
    j.data->split.train = (cru_ids){train, take_ids(fixture_input(item, "train"), train)};
    j.items = j.data->split.test = (cru_ids){test, take_ids(fixture_input(item, "test"), test)};
    const cJSON *edges = cJSON_GetObjectItem(fixture_input(item, "graph"), "edges");
    judging_join(&j, numbers, fixture_numbers(edges, numbers) / 2, false);
    static const char *const names[][2] = {{"accuracy", "test"}, {"aclt", "ACLT"}, {"ailt", "AILT"}, {"ailmt", "AILMT"},
                                           {"aucs", "AUCS"},     {"auis", "AUIS"}, {"auu", "AUU"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_double_eq_tol(judging_score(&j, names[i][0]), fixture_expected(item, names[i][1])->valuedouble, 1e-9);
    ck_assert_double_eq_tol(judging_with(&j, "auu", "legacy", "true"),
                            fixture_expected(item, "AUU_legacy")->valuedouble, 1e-9);
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

/* Nodes 0 and 1 train, the rest is judged. 0 is labelled right, 1 wrong. Edges 0 -> 2, 3 -> 1, and loops at 4. */
static judging small_noise(float scores[10], int32_t labels[5])
{
    static const int32_t train[] = {0, 1}, test[] = {2, 3, 4};
    predict(scores, (const int32_t[]){0, 1, 0, 1, 0}, 5, 2);
    judging j = judging_create((const int32_t[]){0, 0, 0, 1, 1}, 5, 2, scores);
    for (int i = 0; i < 5; i++) labels[i] = i == 1 ? 1 : j.data->truth[i];
    j.data->labels = labels;
    j.data->split.train = (cru_ids){train, 2};
    j.items = (cru_ids){test, 3};
    judging_join(&j, (const double[]){0, 2, 3, 1, 4, 4}, 3, true);
    return j;
}

START_TEST(neighbours_count_in_both_directions_and_loops_do_not)
{
    float scores[10];
    int32_t labels[5];
    judging j = small_noise(scores, labels);
    ck_assert_double_eq(judging_score(&j, "aclt"), 1);
    ck_assert_double_eq(judging_score(&j, "ailt"), 0);
    ck_assert_double_eq(judging_score(&j, "ailmt"), 1);
    ck_assert_double_eq(judging_score(&j, "aucs"), 1); /* node 2 */
    ck_assert_double_eq(judging_score(&j, "auis"), 1); /* node 3, which points at node 1 */
    ck_assert_double_eq(judging_score(&j, "auu"), 0);  /* node 4 */
    judging_destroy(&j);
}
END_TEST

START_TEST(clean_labels_leave_no_wrong_ones_to_judge)
{
    float scores[10];
    int32_t labels[5];
    judging j = small_noise(scores, labels);
    j.data->labels = j.data->truth;
    ck_assert(isnan(judging_score(&j, "ailt")));
    ck_assert(isnan(judging_score(&j, "ailmt")));
    ck_assert(isnan(judging_score(&j, "auis")));
    ck_assert_double_eq(judging_score(&j, "aclt"), 0.5);
    j.data->split.train.count = 0;
    ck_assert(isnan(judging_score(&j, "aclt")));
    ck_assert(isnan(judging_score(&j, "aucs")));
    judging_destroy(&j);
}
END_TEST

/* Nine training labels with weights; 1, 4 and 8 are wrong. The pairs (wrong, right) in which the wrong one has the
 * lower weight, a tie for half: item 1 (0.1) below all 6; item 4 (0.5) below 0.9, 0.8, 0.7, tied with 0.5, above 0.2,
 * 0.3: 3.5; item 8 (0.85) below 0.9 only: 1. 10.5 of 18. Average precision from the lowest weight on, at the distinct
 * weights that hold a wrong label: 1/3 (1/1) + 1/3 (2/5) + 1/3 (3/8). */
typedef struct ap_sink {
    double ap, wrong;
} ap_sink;

static void take_ap(void *user, const char *name, const double *values, int64_t count)
{
    ap_sink *s = user;
    ck_assert_int_eq(count, 1);
    *(strcmp(name, "ap") == 0 ? &s->ap : &s->wrong) = values[0];
}

START_TEST(wrong_labels_are_told_from_right_ones_by_their_weights)
{
    static const double weights[] = {0.9, 0.1, 0.8, 0.5, 0.5, 0.2, 0.3, 0.7, 0.85};
    static const int32_t train[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    int32_t truth[9] = {0}, labels[9] = {0};
    labels[1] = labels[4] = labels[8] = 1;
    judging j = judging_create(truth, 9, 2, NULL);
    ap_sink sink = {0};
    j.report = &(cru_report){{.put = take_ap, .user = &sink}};
    j.data->labels = labels;
    j.data->split.train = (cru_ids){train, 9};
    ck_assert(isnan(judging_score(&j, "noise-detection")));
    j.label_weights = weights;
    ck_assert_double_eq_tol(judging_score(&j, "noise-detection"), 10.5 / 18, 1e-12);
    ck_assert_double_eq_tol(sink.ap, (1.0 + 2.0 / 5 + 3.0 / 8) / 3, 1e-12);
    ck_assert_double_eq_tol(sink.wrong, 3.0 / 9, 1e-12);
    j.data->labels = j.data->truth;
    ck_assert(isnan(judging_score(&j, "noise-detection")));
    j.data->split.train.count = 0;
    ck_assert(isnan(judging_score(&j, "noise-detection")));
    judging_destroy(&j);
}
END_TEST

/* ---- evidence about labels ------------------------------------------------------------------------------- */

/* What label-evidence reports, at most four numbers each. */
typedef struct evidence_sink {
    double item[4], given[4], probability[8], weight[4];
    int64_t items, probabilities, weights;
} evidence_sink;

static void take_evidence(void *user, const char *name, const double *values, int64_t count)
{
    evidence_sink *s = user;
    const size_t bytes = (size_t)count * sizeof *values;
    if (strcmp(name, "item") == 0) memcpy(s->item, values, bytes), s->items = count;
    if (strcmp(name, "given") == 0) memcpy(s->given, values, bytes);
    if (strcmp(name, "probability") == 0) memcpy(s->probability, values, bytes), s->probabilities = count;
    if (strcmp(name, "weight") == 0) memcpy(s->weight, values, bytes), s->weights = count;
}

/* Two classes: softmax(0, ln 3) = (1/4, 3/4). The item without a label is left out. */
START_TEST(evidence_is_the_probability_of_the_given_label)
{
    const float ln3 = 1.0986122886681098f;
    const float scores[] = {0, ln3, ln3, 0, 5, 5, 0, 0};
    const int32_t y[] = {1, 1, CRU_UNLABELLED, 0}, train[] = {0, 3};
    const double weights[] = {0.5, 0.125}, items[] = {0, 1, 3}, given[] = {1, 1, 0};
    const double probabilities[] = {0.25, 0.75, 0.75, 0.25, 0.5, 0.5};
    evidence_sink sink = {.items = 0};
    judging j = judging_create(y, 4, 2, scores);
    j.report = &(cru_report){{.put = take_evidence, .user = &sink}};
    j.data->split.train = (cru_ids){train, 2};
    ck_assert_double_eq_tol(judging_score(&j, "label-evidence"), (0.75 + 0.25 + 0.5) / 3, 1e-6);
    ck_assert_int_eq(sink.items, 3);
    ck_assert_int_eq(sink.probabilities, 6);
    ck_assert_int_eq(sink.weights, 0);
    for (int i = 0; i < 3; i++) ck_assert_double_eq(sink.item[i], items[i]);
    for (int i = 0; i < 3; i++) ck_assert_double_eq(sink.given[i], given[i]);
    for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(sink.probability[i], probabilities[i], 1e-6);
    j.label_weights = weights;
    judging_score(&j, "label-evidence");
    ck_assert_int_eq(sink.weights, 2);
    ck_assert_double_eq(sink.weight[1], 0.125);
    j.items.count = 0;
    ck_assert(isnan(judging_score(&j, "label-evidence")));
    judging_destroy(&j);
}
END_TEST

/* ---- candidate sets -------------------------------------------------------------------------------------- */

START_TEST(numbers_of_the_partial_label_study)
{
    cJSON *root = fixture_open("pll/protocol.json");
    const cJSON *item = fixture_case(root, "metrics");
    double numbers[MOST];
    float scores[MOST];
    uint8_t sets[MOST];
    int32_t y[MOST];
    const int64_t n = take_ids(fixture_input(item, "y"), y), count = n * 4;
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "logits"), numbers), count);
    for (int64_t i = 0; i < count; i++) scores[i] = (float)numbers[i];
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "S"), numbers), count);
    for (int64_t i = 0; i < count; i++) sets[i] = (uint8_t)numbers[i];
    judging j = judging_create(y, n, 4, scores);
    j.data->candidates = sets;
    j.data->split.val = j.items;
    j.items.count = 0; /* validation data is what counts */
    ck_assert_double_eq_tol(judging_score(&j, "covering-rate"), fixture_expected(item, "CR")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(judging_score(&j, "oracle-accuracy"), fixture_expected(item, "OA")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(judging_score(&j, "approximated-accuracy"),
                            fixture_expected(item, "AA_reference")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(judging_with(&j, "approximated-accuracy", "variant", "paper"),
                            fixture_expected(item, "AA_paper")->valuedouble, 1e-6);
    ck_assert(isnan(judging_with(&j, "covering-rate", "part", "test")));
    ck_assert(isnan(judging_with(&j, "oracle-accuracy", "part", "train")));
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

START_TEST(candidate_metrics_need_candidate_sets)
{
    static const char *const names[] = {"covering-rate", "approximated-accuracy"};
    const float scores[2] = {0};
    judging j = judging_create((const int32_t[]){0}, 1, 2, scores);
    double value;
    cru_error err = {0};
    ck_assert_int_eq(judging_try(&j, names[_i], NULL, &value, &err), CRU_UNSUPPORTED);
    ck_assert_str_ne(err.text, "");
    judging_destroy(&j);
}
END_TEST

/* Under flipping with a constant rate rho, E[covering rate] = accuracy + rho (1 - accuracy). */
START_TEST(covering_rate_grows_with_the_accuracy_as_predicted)
{
    enum { N = 20000, CLASSES = 5 };
    const double rho = 0.3;
    cru_rng rng = cru_rng_stream(1, "covering", 0);
    judging j = judging_create((const int32_t[N]){0}, N, CLASSES, NULL);
    float *scores = cru_data_alloc(j.data, N * CLASSES, sizeof *scores);
    j.data->candidates = cru_data_alloc(j.data, N * CLASSES, 1);
    for (int64_t i = 0; i < N; i++) {
        j.data->truth[i] = (int32_t)cru_rng_below(&rng, CLASSES);
        for (int c = 0; c < CLASSES; c++)
            j.data->candidates[i * CLASSES + c] = c == j.data->truth[i] || cru_rng_uniform(&rng) < rho;
        scores[i * CLASSES + cru_rng_below(&rng, CLASSES)] = 1;
    }
    j.scores = scores;
    const double accuracy = judging_score(&j, "accuracy");
    ck_assert_double_eq_tol(judging_with(&j, "covering-rate", "part", "test"), accuracy + rho * (1 - accuracy), 0.02);
    judging_destroy(&j);
}
END_TEST

/* ---- recall of every class ------------------------------------------------------------------------------- */

typedef struct heard {
    char name[50];
    double values[10];
    int64_t count;
} heard;

static void hear(void *user, const char *name, const double *values, int64_t count)
{
    heard *h = user;
    snprintf(h->name, sizeof h->name, "%s", name);
    memcpy(h->values, values, (size_t)count * sizeof *values);
    h->count = count;
}

/* Class 0 is hit once in two, class 1 always, class 2 does not occur. */
START_TEST(recall_is_reported_for_every_class)
{
    float scores[12];
    heard h = {0};
    cru_report report = {.sink = {.put = hear, .user = &h}};
    predict(scores, (const int32_t[]){0, 1, 1, 2}, 4, 3);
    judging j = judging_create((const int32_t[]){0, 0, 1, CRU_UNLABELLED}, 4, 3, scores);
    j.report = &report;
    ck_assert_double_eq(judging_score(&j, "per-class-recall"), 0.5);
    ck_assert_str_eq(h.name, "recall");
    ck_assert_int_eq(h.count, 3);
    ck_assert_double_eq(h.values[0], 0.5);
    ck_assert_double_eq(h.values[1], 1);
    ck_assert(isnan(h.values[2]));
    ck_assert_double_eq(judging_with(&j, "per-class-recall", "class", "1"), 1);
    ck_assert(isnan(judging_with(&j, "per-class-recall", "class", "2")));
    ck_assert(isnan(judging_with(&j, "per-class-recall", "class", "3")));
    j.items.count = 0;
    ck_assert(isnan(judging_score(&j, "per-class-recall")));
    judging_destroy(&j);
}
END_TEST

/* ---- heads and tails ------------------------------------------------------------------------------------- */

/* Node 0 points at all five others, 1 at 0 only: out-degrees 5 1 0 0 0 0. The 0.8 quantile of 0 0 0 0 1 5 is 1 (place 4
 * of 0..5), so 0 and 1 are the head. 0 and 1 are right, of 2..5 one is. */
START_TEST(the_gap_is_between_high_and_low_degrees)
{
    float scores[12];
    predict(scores, (const int32_t[]){0, 0, 0, 1, 1, 1}, 6, 2);
    judging j = judging_create((const int32_t[]){0, 0, 0, 0, 0, 0}, 6, 2, scores);
    judging_join(&j, (const double[]){0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 1, 0}, 6, true);
    ck_assert_double_eq(judging_score(&j, "head-tail-gap"), 1 - 0.25);
    ck_assert_double_eq(judging_with(&j, "head-tail-gap", "measure", "balanced-accuracy"), 1 - 0.25);
    /* macro-F1 of the tail: class 0 has precision 1 and recall 1/4, class 1 is predicted and never true */
    ck_assert_double_eq_tol(judging_with(&j, "head-tail-gap", "measure", "macro-f1"), 1 - 0.4 / 2, 1e-12);
    judging_destroy(&j);
}
END_TEST

START_TEST(no_gap_without_both_sides)
{
    float scores[4] = {1, 0, 1, 0};
    judging j = judging_create((const int32_t[]){0, 0}, 2, 2, scores);
    judging_join(&j, (const double[]){0, 1}, 1, false);
    ck_assert(isnan(judging_score(&j, "head-tail-gap"))); /* equal degrees: all are head */
    judging_destroy(&j);
}
END_TEST

/* A star: its centre has degree 3, the leaves 1. Logits (0, ln 3) give the classes 1/4 and 3/4: the centre, of class 0,
 * costs ln 4, the leaves ln(4/3) twice and ln 4 once. Variance of two means: half the square of their difference. */
START_TEST(bias_is_the_variance_over_degrees)
{
    const float third = logf(3), scores[8] = {0, third, 0, third, 0, third, 0, third};
    judging j = judging_create((const int32_t[]){0, 1, 1, 0}, 4, 2, scores);
    judging_join(&j, (const double[]){0, 1, 0, 2, 0, 3}, 3, false);
    const double off = log(4) - (2 * log(4.0 / 3) + log(4)) / 3;
    ck_assert_double_eq_tol(judging_score(&j, "bias"), off * off / 2, 1e-7);
    j.items.count = 1; /* one degree alone */
    ck_assert(isnan(judging_score(&j, "bias")));
    j.items.count = 0;
    ck_assert(isnan(judging_score(&j, "bias")));
    judging_destroy(&j);
}
END_TEST

/* Ten graphs of 1..10 nodes: two are larger than the one at rank floor(0.2 x 10) = 2 from the top, which has 8. */
START_TEST(the_gap_is_between_large_and_small_graphs)
{
    float scores[20];
    int32_t truth[10] = {0};
    int64_t offsets[11] = {0};
    predict(scores, (const int32_t[]){1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, 10, 2);
    judging j = judging_create(truth, 10, 2, scores);
    for (int g = 0; g < 10; g++) offsets[g + 1] = offsets[g] + g + 1;
    j.data->problem = CRU_GRAPHS;
    j.data->graph_offsets = offsets;
    j.data->nodes = offsets[10];
    ck_assert_double_eq(judging_score(&j, "head-tail-gap"), 1);
    judging_destroy(&j);
}
END_TEST

/* ---- representations ------------------------------------------------------------------------------------- */

START_TEST(silhouettes_of_the_imbalance_study)
{
    static const char *const names[] = {"silhouette", "silhouette_singleton"};
    cJSON *root = fixture_open("igl/metrics.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double numbers[MOST];
    float rows[MOST];
    int32_t labels[MOST];
    const int64_t n = take_ids(fixture_input(item, "labels"), labels);
    const int64_t count = fixture_numbers(fixture_input(item, "embedding"), numbers);
    for (int64_t i = 0; i < count; i++) rows[i] = (float)numbers[i];
    judging j = judging_create(labels, n, 4, NULL);
    j.embedding = rows;
    j.embedding_cols = count / n;
    ck_assert_double_eq_tol(judging_score(&j, "silhouette"), fixture_expected(item, "score")->valuedouble, 1e-6);
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

START_TEST(silhouette_where_it_is_not_defined)
{
    const float rows[] = {1, 2, 3};
    judging j = judging_create((const int32_t[]){1, 1, 1}, 3, 2, NULL);
    ck_assert(isnan(judging_score(&j, "silhouette"))); /* no embedding */
    j.embedding = rows;
    j.embedding_cols = 1;
    ck_assert(isnan(judging_score(&j, "silhouette"))); /* one class */
    j.items.count = 0;
    ck_assert(isnan(judging_score(&j, "silhouette")));
    judging_destroy(&j);
}
END_TEST

START_TEST(equal_points_have_silhouette_zero)
{
    const float rows[4] = {0};
    judging j = judging_create((const int32_t[]){0, 0, 1, 1}, 4, 2, NULL);
    j.embedding = rows;
    j.embedding_cols = 1;
    ck_assert_double_eq(judging_score(&j, "silhouette"), 0);
    judging_destroy(&j);
}
END_TEST

/* What silhouette reports with map = yes of up to 8 items. */
typedef struct heard_map {
    double points[16], truth[8], predicted[8];
} heard_map;

static void hear_map(void *user, const char *name, const double *values, int64_t count)
{
    heard_map *h = user;
    double *to = strcmp(name, "points") == 0 ? h->points : strcmp(name, "truth") == 0 ? h->truth : h->predicted;
    if (count > 1) memcpy(to, values, (size_t)count * sizeof *values);
}

/* A representation of two dimensions is the map; one of three is laid out. */
START_TEST(a_map_tells_places_and_classes)
{
    const float flat[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, deep[] = {0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 5, 0, 5};
    const int32_t truth[] = {0, 0, 1, 1, 1}, guesses[] = {1, 0, 1, 0, 1};
    float scores[10];
    heard_map h;
    predict(scores, guesses, 5, 2);
    judging j = judging_create(truth, 5, 2, scores);
    j.report = &(cru_report){{.put = hear_map, .user = &h}};
    j.embedding = flat;
    j.embedding_cols = 2;
    judging_with(&j, "silhouette", "map", "yes");
    for (int i = 0; i < 10; i++) ck_assert_double_eq(h.points[i], (double)flat[i]);
    for (int i = 0; i < 5; i++) ck_assert(h.truth[i] == truth[i] && h.predicted[i] == guesses[i]);
    j.embedding = deep;
    j.embedding_cols = 3;
    judging_with(&j, "silhouette", "map", "yes");
    for (int i = 0; i < 10; i++) ck_assert(isfinite(h.points[i]));
    judging_destroy(&j);
}
END_TEST

/* Two far, tight clusters: any sample of them is close to 1. */
START_TEST(a_sample_stands_for_many_items)
{
    enum { N = 400 };
    float rows[N];
    int32_t labels[N];
    for (int i = 0; i < N; i++) {
        labels[i] = i % 2;
        rows[i] = (float)(100 * labels[i]) + 0.01f * (float)(i % 7);
    }
    judging j = judging_create(labels, N, 2, NULL);
    j.embedding = rows;
    j.embedding_cols = 1;
    const double some = judging_with(&j, "silhouette", "most", "50");
    ck_assert_double_gt(some, 0.999);
    ck_assert_double_eq(judging_with(&j, "silhouette", "most", "50"), some);
    judging_destroy(&j);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("metrics of single studies");
    TCase *c = tcase_create("metrics");
    tcase_add_test(c, numbers_of_the_label_noise_study);
    tcase_add_test(c, evidence_is_the_probability_of_the_given_label);
    tcase_add_test(c, neighbours_count_in_both_directions_and_loops_do_not);
    tcase_add_test(c, clean_labels_leave_no_wrong_ones_to_judge);
    tcase_add_test(c, wrong_labels_are_told_from_right_ones_by_their_weights);
    tcase_add_test(c, numbers_of_the_partial_label_study);
    tcase_add_loop_test(c, candidate_metrics_need_candidate_sets, 0, 2);
    tcase_add_test(c, covering_rate_grows_with_the_accuracy_as_predicted);
    tcase_add_test(c, recall_is_reported_for_every_class);
    tcase_add_test(c, the_gap_is_between_high_and_low_degrees);
    tcase_add_test(c, no_gap_without_both_sides);
    tcase_add_test(c, bias_is_the_variance_over_degrees);
    tcase_add_test(c, the_gap_is_between_large_and_small_graphs);
    tcase_add_loop_test(c, silhouettes_of_the_imbalance_study, 0, 2);
    tcase_add_test(c, silhouette_where_it_is_not_defined);
    tcase_add_test(c, equal_points_have_silhouette_zero);
    tcase_add_test(c, a_map_tells_places_and_classes);
    tcase_add_test(c, a_sample_stands_for_many_items);
    suite_add_tcase(s, c);
    return s;
}
