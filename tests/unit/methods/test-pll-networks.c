// SPDX-License-Identifier: Apache-2.0
/* Partial labels: methods with several networks, views or queues against whole trajectories of the study's code. What a
 * method keeps is seen through the losses and weights of the steps that follow. */
#include "methods/pll-networks.h"

typedef struct network_case {
    const char *method, *name;
    const pair *weights;
    const char *settings[MOST_SETTINGS];
} network_case;

static const pair two_networks[] = {
    {"featurizer_f.fc1.weight", "0:backbone.fc1.weight"},
    {"featurizer_f.fc1.bias", "0:backbone.fc1.bias"},
    {"classifier_f.weight", "0:classifier.weight"},
    {"classifier_f.bias", "0:classifier.bias"},
    {"featurizer_g.fc1.weight", "1:backbone.fc1.weight"},
    {"featurizer_g.fc1.bias", "1:backbone.fc1.bias"},
    {"classifier_g.weight", "1:classifier.weight"},
    {"classifier_g.bias", "1:classifier.bias"},
    {NULL, NULL},
};

static const pair one_encoder[] = {
    {"network.encoder.featurizer.fc1.weight", "0:backbone.fc1.weight"},
    {"network.encoder.featurizer.fc1.bias", "0:backbone.fc1.bias"},
    {"network.encoder.classifier.weight", "0:classifier.weight"},
    {"network.encoder.classifier.bias", "0:classifier.bias"},
    {"network.encoder.head.0.weight", "0:head.0.weight"},
    {"network.encoder.head.0.bias", "0:head.0.bias"},
    {"network.encoder.head.2.weight", "0:head.2.weight"},
    {"network.encoder.head.2.bias", "0:head.2.bias"},
    {NULL, NULL},
};

static const pair student_and_teacher[] = {
    {"stu.encoder.featurizer.fc1.weight", "0:backbone.fc1.weight"},
    {"stu.encoder.featurizer.fc1.bias", "0:backbone.fc1.bias"},
    {"stu.encoder.classifier.weight", "0:classifier.weight"},
    {"stu.encoder.classifier.bias", "0:classifier.bias"},
    {"stu.encoder.head.0.weight", "0:head.0.weight"},
    {"stu.encoder.head.0.bias", "0:head.0.bias"},
    {"stu.encoder.head.2.weight", "0:head.2.weight"},
    {"stu.encoder.head.2.bias", "0:head.2.bias"},
    {"tea.encoder.featurizer.fc1.weight", "1:backbone.fc1.weight"},
    {"tea.encoder.featurizer.fc1.bias", "1:backbone.fc1.bias"},
    {"tea.encoder.classifier.weight", "1:classifier.weight"},
    {"tea.encoder.classifier.bias", "1:classifier.bias"},
    {"tea.encoder.head.0.weight", "1:head.0.weight"},
    {"tea.encoder.head.0.bias", "1:head.0.bias"},
    {"tea.encoder.head.2.weight", "1:head.2.weight"},
    {"tea.encoder.head.2.bias", "1:head.2.bias"},
    {NULL, NULL},
};

#define MOMENTUM                                                                                                       \
    "same_views", "true", "steps", "20", "prot_start", "1", "feat_dim", "3", "moco_queue", "8", "moco_m", "0.9",       \
        "proto_m", "0.9"
#define PICO_PLUS MOMENTUM, "pure_ratio", "0.75", "knn_start", "2", "chosen_neighbors", "3", "temperature_guess", "0.1"
#define ALIM      MOMENTUM, "start_epoch", "1", "noise_rate", "0.3"

static const network_case cases[] = {
    {"crdpll", "trajectory", perceptron, {"steps", "20"}},
    {"idgp", "trajectory", two_networks, {"steps", "20", "warm_up_epoch", "1"}},
    {"fredis",
     "trajectory_reference",
     perceptron,
     {"theta", "0.05", "inc", "0.01", "delta", "0.6", "dec", "0.01", "times", "1", "change_size", "3",
      "update_interval", "1"}},
    {"able", "trajectory", one_encoder, {"same_views", "true", "feat_dim", "3", "temperature", "0.1"}},
    {"dirk",
     "trajectory",
     student_and_teacher,
     {"same_views", "true", "momentum", "0.9", "moco_queue", "8", "feat_dim", "3", "prot_start", "1", "weight", "0.7",
      "feat_temperature", "0.1"}},
    {"pico-plus", "trajectory_reference", query_and_key, {PICO_PLUS, "variant", "bench"}},
    {"pico-plus", "trajectory_corrected", query_and_key, {PICO_PLUS, "variant", "paper"}},
    {"alim", "trajectory_reference", query_and_key, {ALIM, "variant", "bench"}},
    {"alim", "trajectory_corrected", query_and_key, {ALIM, "variant", "paper"}},
};

static const pair queues[] = {
    {"queue", "queue"},           {"queue_feat", "queue"},
    {"queue_dist", "queue_dist"}, {"queue_candidates", "queue_candidates"},
    {"prototypes", "prototypes"}, {NULL, NULL},
};

/* After a step, those that the fixture tells; before the first (NULL) they are set. */
static void check_queues(const bench *b, const cJSON *item, const cJSON *step)
{
    char initial[100];
    for (const pair *p = queues; p->theirs; p++) {
        snprintf(initial, sizeof initial, "initial_%s", p->theirs);
        const cJSON *start = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), initial);
        const cJSON *now = cJSON_GetObjectItem(step, p->theirs);
        if (!step && start) bench_set(b, p->ours, start, AS_STORED);
        if (step && now) bench_check_weight(b, p->ours, now, AS_STORED);
    }
}

START_TEST(whole_trajectories)
{
    const network_case *c = &cases[_i];
    char file[100];
    snprintf(file, sizeof file, "pll/%s.json", c->method);
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, c->name), *step;
    bench b = bench_create();
    memset(&frozen, 0, sizeof frozen);
    frozen.item = item;
    open_trajectory(&b, item, c->method, c->settings);
    set_weights(&b, fixture_input(item, "initial_params"), c->weights);
    check_queues(&b, item, NULL);
    cJSON_ArrayForEach(step, fixture_expected(item, "steps"))
    {
        const double loss = step_with_views(&b, item, cJSON_GetObjectItem(step, "batch_rows"));
        bench_check_number(&b, loss, cJSON_GetObjectItem(step, "loss")->valuedouble);
        check_queues(&b, item, step);
    }
    check_weights(&b, fixture_expected(item, "final_params"), c->weights);
    check_scores(&b, fixture_expected(item, "final_logits_eval"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* ---- images: how often a step moves the running statistics of the network that predicts, as the pages count the
 * passes of the study's code
 * -------------------------------------------------------------------------------------------- */

typedef struct moving_case {
    const char *method;
    int passes;
    const char *settings[MOST_SETTINGS];
} moving_case;

static const moving_case moving[] = {
    {"cc", 1, {NULL}},
    {"proden", 2, {NULL}},
    {"cavl", 2, {NULL}},
    {"pop", 2, {NULL}},
    {"lws", 2, {NULL}},
    {"idgp", 1, {NULL}},
    {"valen", 2, {"knn", "2", "warm_up", "2"}},
    {"crdpll", 4, {NULL}},
    {"fredis", 3, {NULL}},
    {"able", 1, {NULL}},
    {"dirk", 2, {"moco_queue", "8"}},
    {"pico", 1, {"moco_queue", "8"}},
    {"pico-plus", 1, {"moco_queue", "8"}},
    {"alim", 2, {"moco_queue", "8"}},
};

enum { IMAGES = 4, SIDE = 8 };

static void open_images(bench *b, const moving_case *c)
{
    enum { SHARED = 8 };
    const char *settings[MOST_SETTINGS] = {"blocks", "1", "width", "2", "batch_size", "4", "lr", "0"};
    cJSON *rows = cJSON_CreateArray(), *sets = cJSON_Parse("[[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]]");
    for (int i = 0; i < IMAGES; i++) {
        cJSON *row = cJSON_CreateArray();
        for (int k = 0; k < SIDE * SIDE; k++) cJSON_AddItemToArray(row, cJSON_CreateNumber((i + k) % 3 / 2.0));
        cJSON_AddItemToArray(rows, row);
    }
    for (int i = 0; c->settings[i]; i++) settings[SHARED + i] = c->settings[i];
    bench_candidates(b, rows, sets);
    b->data->x.channels = 1;
    b->data->x.height = b->data->x.width = SIDE;
    bench_open(b, c->method, settings);
    cJSON_Delete(rows);
    cJSON_Delete(sets);
}

/* With a first convolution of zeros the batch variance is 0, so that a pass leaves 0.9 of the running one. */
START_TEST(a_step_moves_the_statistics_of_images)
{
    const moving_case *c = &moving[_i];
    cJSON *batch = cJSON_Parse("[0, 1, 2, 3]");
    bench b = bench_create();
    memset(&frozen, 0, sizeof frozen);
    open_images(&b, c);
    set_zero(&b, "0:backbone.conv1.weight");
    bench_step(&b, batch);
    const cru_tensor *variance = bench_weight(&b, "0:backbone.bn1.running_var");
    for (int64_t k = 0; k < cru_tensor_count(variance); k++)
        ck_assert_double_eq_tol((double)variance->data[k], pow(0.9, c->passes), 1e-6);
    bench_destroy(&b);
    cJSON_Delete(batch);
}
END_TEST

/* ---- no fixture ------------------------------------------------------------------------------------------------ */

#define SMALL_QUEUE "same_views", "true", "moco_queue", "8", "prot_start", "2"
static const network_case diverged[] = {
    {"crdpll", NULL, NULL, {NULL}},
    {"idgp", NULL, NULL, {"warm_up_epoch", "1"}},
    {"fredis", NULL, NULL, {"update_interval", "1"}},
    {"fredis", NULL, NULL, {"update_interval", "1", "variant", "paper", "change_size", "2"}},
    {"able", NULL, NULL, {"same_views", "true"}},
    {"dirk", NULL, NULL, {SMALL_QUEUE}},
    {"pico-plus", NULL, NULL, {SMALL_QUEUE, "variant", "paper", "knn_start", "4", "pure_ratio", "0.5"}},
    {"alim", NULL, NULL, {SMALL_QUEUE, "variant", "paper", "start_epoch", "1"}},
};

/* Through all phases of each method: nothing ends the process, nothing runs for ever. */
START_TEST(steps_of_nan_weights_do_no_harm)
{
    static float scores[BENCH_MOST];
    cJSON *root = fixture_open("pll/idgp.json");
    const cJSON *item = fixture_case(root, "trajectory");
    bench b = bench_create();
    open_trajectory(&b, item, diverged[_i].method, diverged[_i].settings);
    const char *const biases[] = {"0:classifier.bias", "0:backbone.fc1.bias"};
    for (int w = 0; w < 2; w++) {
        cru_tensor *bias = bench_weight(&b, biases[w]);
        for (int64_t k = 0; k < cru_tensor_count(bias); k++) bias->data[k] = NAN;
    }
    for (int s = 0; s < 12; s++) {
        cJSON *rows = cJSON_Parse(s % 2 ? "[0, 1, 2, 3]" : "[4, 5, 6, 7]");
        bench_step(&b, rows);
        cJSON_Delete(rows);
    }
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_DIVERGED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The mean over rows of 10 KL(q || p) - sum over labels outside the set of log(1 - p); q is p within the set, and p the
 * same for all rows. */
static double fredis_loss_of(const double *p, const int sets[4][3])
{
    double loss = 0;
    for (int i = 0; i < 4; i++) {
        double inside = 0;
        for (int k = 0; k < 3; k++) inside += sets[i][k] * p[k];
        for (int k = 0; k < 3; k++) loss -= sets[i][k] ? 10 * p[k] / inside * log(inside) : log(1 - p[k]);
    }
    return loss / 4;
}

/* fredis, variant paper, by the formulas. With weights of 0 and lr = 0, p = (0.6, 0.3, 0.1) by the bias in every row,
 * so g = (0, 0.3, 0.5). One pass is one step, and there is no correction after the first. After the second, theta = 0.1
 * lets label 0 into rows 0, 1 and 2; beyond delta = 0.45 are the members 2 of rows 1 and 2, and a third must go for the
 * three that came: delta falls below 0.3, and the 1 of row 0 goes, too. With theta = 0 none comes, and rows 1 and 2,
 * which would be empty, get back what they had. */
START_TEST(fredis_puts_the_corrected_sets_in_the_place_of_the_given)
{
    static const double p[] = {0.6, 0.3, 0.1};
    static const int given[4][3] = {{0, 1, 0}, {0, 0, 1}, {0, 0, 1}, {1, 0, 0}};
    static const int corrected[4][3] = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    cJSON *x = cJSON_Parse("[[1, 0], [0, 1], [1, 1], [2, 1]]"), *rows = cJSON_Parse("[0, 1, 2, 3]");
    cJSON *sets = cJSON_Parse("[[0, 1, 0], [0, 0, 1], [0, 0, 1], [1, 0, 0]]");
    bench b = bench_create();
    bench_candidates(&b, x, sets);
    bench_open(&b, "fredis", (const char *[]){"backbone", "linear",     "lr",
                                              "0",        "batch_size", "4",
                                              "variant",  "paper",      "update_interval",
                                              "1",        "theta",      _i ? "0.1" : "0",
                                              "delta",    "0.45",       "dec",
                                              "0.01",     "times",      "1",
                                              "inc",      "0",          NULL});
    set_zero(&b, "classifier.weight");
    for (int k = 0; k < 3; k++) bench_weight(&b, "classifier.bias")->data[k] = (float)log(p[k]);
    for (int s = 0; s < 4; s++)
        bench_check_number(&b, bench_step(&b, rows), fredis_loss_of(p, _i && s > 1 ? corrected : given));
    bench_destroy(&b);
    cJSON_Delete(x);
    cJSON_Delete(rows);
    cJSON_Delete(sets);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("partial labels: networks");
    TCase *t = tcase_create("fixtures");
    tcase_add_loop_test(t, whole_trajectories, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(t, a_step_moves_the_statistics_of_images, 0, (int)(sizeof moving / sizeof *moving));
    tcase_add_loop_test(t, steps_of_nan_weights_do_no_harm, 0, (int)(sizeof diverged / sizeof *diverged));
    tcase_add_loop_test(t, fredis_puts_the_corrected_sets_in_the_place_of_the_given, 0, 2);
    suite_add_tcase(s, t);
    return s;
}
