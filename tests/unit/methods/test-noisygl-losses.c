// SPDX-License-Identifier: Apache-2.0
/* Methods against noisy labels that change the loss: against the numbers of the study's code. */
#include <crucible/draft/tensor.h>

#include "methods/method-bench.h"

/* What a case of a fixture is run with; its matrices by name, NULL: there is none. */
typedef struct loss_case {
    const char *method, *name;
    const char *settings[8];
    const char *second, *matrix, *weight; /* logits of a second network; a small matrix, and where it goes */
    const char *gradient;                 /* of that matrix */
} loss_case;

static const loss_case cases[] = {
    {.method = "s-model",
     .name = "init_B",
     .settings = {"noise_rate_init", "0.1"},
     .weight = "noise",
     .gradient = "grad_B"},
    {.method = "s-model", .name = "general_B_large_logits", .matrix = "B", .weight = "noise", .gradient = "grad_B"},
    {.method = "sce", .name = "bench", .settings = {"alpha", "0.1", "beta", "1"}},
    {.method = "sce",
     .name = "paper_variant_torch_rederivation",
     .settings = {"variant", "paper", "alpha", "0.1", "beta", "1"}},
    {.method = "apl", .name = "scale1"},
    {.method = "apl", .name = "scale15"},
    {.method = "backward", .name = "loss", .matrix = "C", .weight = "transition"},
    {.method = "backward", .name = "singular_C", .matrix = "C", .weight = "transition"},
    {.method = "jocor", .name = "forget_0.0", .settings = {"forget_rate", "0"}, .second = "logits2"},
    {.method = "jocor", .name = "forget_0.2", .settings = {"forget_rate", "0.2"}, .second = "logits2"},
    {.method = "jocor", .name = "forget_0.5", .settings = {"forget_rate", "0.5"}, .second = "logits2"},
};

/* The learner keeps a pointer to the task in the bench, which must not move after this. */
static void open_case(bench *b, const loss_case *c, const cJSON *labels)
{
    const char *settings[16] = {BENCH_FREE_LOGITS};
    cJSON *all = cJSON_CreateArray();
    for (int i = 0; i < cJSON_GetArraySize(labels); i++) cJSON_AddItemToArray(all, cJSON_CreateNumber(i));
    for (int i = 0; i < 8; i++) settings[6 + i] = c->settings[i];
    bench_free_logits(b, cJSON_GetArraySize(labels));
    bench_labels(b, labels, all);
    bench_open(b, c->method, settings);
    cJSON_Delete(all);
}

START_TEST(losses_and_their_gradients)
{
    const loss_case *c = cases + _i;
    char file[100];
    snprintf(file, sizeof file, "noisygl/%s.json", c->method);
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, c->name);
    bench b = bench_create();
    open_case(&b, c, fixture_input(item, "labels"));
    bench_set(&b, "0:conv0.weight", fixture_input(item, c->second ? "logits1" : "logits"), AS_STORED);
    if (c->second) bench_set(&b, "1:conv0.weight", fixture_input(item, c->second), AS_STORED);
    if (c->matrix) bench_set(&b, c->weight, fixture_input(item, c->matrix), AS_STORED);
    if (c->weight && !c->matrix) bench_check_weight(&b, c->weight, fixture_expected(item, "B"), AS_STORED);
    b.learner->epoch = 1000; /* beyond every rise */
    bench_run(&b);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "0:conv0.weight", fixture_expected(item, c->second ? "grad_logits1" : "grad_logits"),
                         AS_STORED);
    if (c->second) bench_check_gradient(&b, "1:conv0.weight", fixture_expected(item, "grad_logits2"), AS_STORED);
    if (c->gradient) bench_check_gradient(&b, c->weight, fixture_expected(item, c->gradient), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* 8 items, forget_rate 0.5, 5 epochs: f = 0, 1/8, 2/8, 3/8, 4/8 keeps 8, 7, 6, 5, 4 and then 4. An item that is left
 * out has no gradient. */
START_TEST(jocor_forgets_little_by_little)
{
    static const int kept[] = {8, 7, 6, 5, 4, 4};
    const loss_case c = {
        .method = "jocor", .name = "forget_0.0", .settings = {"forget_rate", "0.5", "num_gradual", "5"}};
    cJSON *root = fixture_open("noisygl/jocor.json");
    const cJSON *item = fixture_case(root, c.name);
    bench b = bench_create();
    open_case(&b, &c, fixture_input(item, "labels"));
    bench_set(&b, "0:conv0.weight", fixture_input(item, "logits1"), AS_STORED);
    bench_set(&b, "1:conv0.weight", fixture_input(item, "logits2"), AS_STORED);
    b.learner->epoch = _i;
    bench_run(&b);
    const float *gradient = cru_weight_grad(bench_weight(&b, "0:conv0.weight"));
    int count = 0;
    for (int i = 0; i < 8; i++) count += gradient[3 * i] != 0;
    ck_assert_int_eq(count, kept[_i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static const char *const gin_weights[][2] = {
    {"W1", "conv0.nn.linear0.weight"}, {"b1", "conv0.nn.linear0.bias"}, {"eps1", "conv0.eps"},
    {"W2", "conv1.nn.linear0.weight"}, {"b2", "conv1.nn.linear0.bias"}, {"eps2", "conv1.eps"}};

/* A number of the fixture as a list of one. */
static cJSON *as_list(const cJSON *value)
{
    if (cJSON_IsArray(value)) return cJSON_Duplicate(value, true);
    cJSON *list = cJSON_CreateArray();
    cJSON_AddItemToArray(list, cJSON_Duplicate(value, true));
    return list;
}

START_TEST(d_gnn_corrects_the_loss_of_a_gin)
{
    cJSON *root = fixture_open("noisygl/d-gnn.json");
    const cJSON *item = fixture_case(root, "loss_and_grads"), *grads = fixture_expected(item, "grads");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "d-gnn", (const char *[]){"layers", "2", "hidden", "4", NULL});
    bench_set(&b, "transition", fixture_input(item, "C"), AS_STORED);
    for (size_t i = 0; i < sizeof gin_weights / sizeof *gin_weights; i++) {
        cJSON *value = as_list(fixture_input(item, gin_weights[i][0]));
        bench_set(&b, gin_weights[i][1], value, AS_STORED);
        cJSON_Delete(value);
    }
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    for (size_t i = 0; i < sizeof gin_weights / sizeof *gin_weights; i++) {
        const cJSON *gradient = cJSON_GetObjectItem(grads, gin_weights[i][0]);
        if (gradient) bench_check_gradient(&b, gin_weights[i][1], gradient, AS_STORED);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* After fit every row of the transition is a distribution, whoever estimates it. */
START_TEST(transitions_are_estimated_before_the_training)
{
    static const char *const methods[] = {"forward", "backward", "d-gnn"};
    cJSON *root = fixture_open("noisygl/d-gnn.json");
    const cJSON *item = fixture_case(root, "loss_and_grads");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, methods[_i], (const char *[]){"epochs", "1", "pretrain", "3", NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    const cru_tensor *c = bench_weight(&b, "transition");
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) sum += (double)c->data[4 * i + k];
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("noisy label losses");
    TCase *c = tcase_create("losses");
    tcase_add_loop_test(c, losses_and_their_gradients, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(c, jocor_forgets_little_by_little, 0, 6);
    tcase_add_test(c, d_gnn_corrects_the_loss_of_a_gin);
    tcase_add_loop_test(c, transitions_are_estimated_before_the_training, 0, 3);
    suite_add_tcase(s, c);
    return s;
}
