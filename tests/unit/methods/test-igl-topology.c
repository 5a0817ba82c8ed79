// SPDX-License-Identifier: Apache-2.0
/* cold-brew, hyperimba and tail-gnn against the numbers of the imbalance study's code. */
#include "methods/method-bench.h"
#include "poincare.h"
#include "translation.h"

typedef struct binding {
    const char *weight, *input, *gradient;
    bench_layout layout;
} binding;

static bench open_case(const cJSON *item)
{
    bench b = bench_create();
    b.tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    return b;
}

/* "k2" is not "K2". */
static const cJSON *input(const cJSON *item, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(item, "inputs"), key);
}

static void set_all(const bench *b, const cJSON *item, const binding *bindings, int count)
{
    for (int i = 0; i < count; i++)
        bench_set(b, bindings[i].weight, input(item, bindings[i].input), bindings[i].layout);
}

static void check_gradients(const bench *b, const cJSON *item, const binding *bindings, int count)
{
    for (int i = 0; i < count; i++)
        if (bindings[i].gradient)
            bench_check_gradient(b, bindings[i].weight, fixture_expected(item, bindings[i].gradient),
                                 bindings[i].layout);
}

START_TEST(cold_brew_teaches)
{
    static const char *const cases[][2] = {{"se_off", "no"}, {"se_on", "yes"}};
    static const binding bindings[] = {
        {"in.weight", "W_in", "dWi", TRANSPOSED},   {"in.bias", "b_in", NULL, AS_STORED},
        {"conv0.weight", "G1", "dG1", AS_STORED},   {"conv0.bias", "c1", NULL, AS_STORED},
        {"conv1.weight", "G2", NULL, AS_STORED},    {"conv1.bias", "c2", NULL, AS_STORED},
        {"out.weight", "W_out", "dWo", TRANSPOSED}, {"out.bias", "b_out", NULL, AS_STORED},
        {"embedding0", "E", NULL, AS_STORED},       {"embedding1", "E", NULL, AS_STORED},
    };
    const int count = _i ? 10 : 8;
    cJSON *root = fixture_open("igl/cold-brew.json");
    const cJSON *item = fixture_case(root, cases[_i][0]);
    bench b = open_case(item);
    bench_open(&b, "cold-brew", (const char *[]){"hidden", "4", "dropout", "0", "embeddings", cases[_i][1], NULL});
    set_all(&b, item, bindings, count);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    check_gradients(&b, item, bindings, count);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(hyperimba_weighs_by_curvature)
{
    static const binding bindings[] = {
        {"layer0.map.weight", "W", "dW", AS_STORED},  {"layer0.k1.weight", "K1", "dK1", AS_STORED},
        {"layer0.k2.weight", "K2", "dK2", AS_STORED}, {"layer0.k2.bias", "k2", NULL, AS_STORED},
        {"layer0.p1.weight", "P1", "dP1", AS_STORED}, {"layer0.p2.weight", "P2", NULL, AS_STORED},
        {"layer0.p2.bias", "p2", NULL, AS_STORED},    {"layer0.bias", "bias", NULL, AS_STORED},
        {"place", "poincare", NULL, AS_STORED},
    };
    cJSON *root = fixture_open("igl/hyperimba.json");
    const cJSON *item = fixture_case(root, "layer");
    bench b = open_case(item);
    bench_open(&b, "hyperimba", (const char *[]){"layers", "1", "dropout", "0", NULL});
    set_all(&b, item, bindings, 9);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "out"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    check_gradients(&b, item, bindings, 9);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(hyperimba_steps_in_the_disc)
{
    double theta[2], x[2], gradient[2], expected[2];
    cJSON *root = fixture_open("igl/hyperimba.json");
    const cJSON *item = fixture_case(root, "poincare_step");
    fixture_numbers(fixture_input(item, "theta"), theta);
    fixture_numbers(fixture_input(item, "x"), x);
    ck_assert_double_eq_tol(poincare_distance(theta, x, gradient), fixture_expected(item, "distance")->valuedouble,
                            1e-6);
    fixture_numbers(fixture_expected(item, "partial_d"), expected);
    for (int i = 0; i < 2; i++) ck_assert_double_eq_tol(gradient[i], expected[i], 1e-6);
    poincare_step(theta, gradient, -1, fixture_input(item, "eta")->valuedouble);
    fixture_numbers(fixture_expected(item, "theta_after_positive"), expected);
    for (int i = 0; i < 2; i++) ck_assert_double_eq_tol(theta[i], expected[i], 1e-6);
    double far[2] = {0.9, 0.9};
    poincare_step(far, gradient, 0, 1);
    ck_assert_double_lt(far[0] * far[0] + far[1] * far[1], 1);
    cJSON_Delete(root);
}
END_TEST

/* The graph without the edges into `row` but those that the fixture names. */
static bool in_tail(void *user, int64_t row, int32_t col, float value)
{
    (void)value;
    char key[8];
    snprintf(key, sizeof key, "%d", (int)row);
    const cJSON *kept = cJSON_GetObjectItem(user, key), *id;
    if (!kept) return true;
    cJSON_ArrayForEach(id, kept) if (id->valueint == col) return true;
    return false;
}

START_TEST(tail_gnn_translates)
{
    static const binding bindings[] = {
        {"layer0.g1.weight", "G1", "dG1", AS_STORED}, {"layer0.g2.weight", "G2", NULL, AS_STORED},
        {"layer0.b1.weight", "B1", NULL, AS_STORED},  {"layer0.b2.weight", "B2", "dB2", AS_STORED},
        {"layer0.r", "r", "dr", AS_STORED},           {"layer0.w", "W", "dW", AS_STORED},
        {"layer0.b", "b", NULL, AS_STORED},
    };
    cJSON *root = fixture_open("igl/tail-gnn.json");
    const cJSON *item = fixture_case(root, "layer");
    bench b = open_case(item);
    bench_open(&b, "tail-gnn", (const char *[]){"hidden", "3", "dropout", "0", NULL});
    set_all(&b, item, bindings, 7);
    cru_learner *l = b.learner;
    const cru_csr cut = cru_csr_filter(cru_ctx_pool(b.ctx), &b.task.graph, in_tail,
                                       cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), "tail_row"));
    const tail_view whole = tail_view_create(l, &b.task.graph), tails = tail_view_create(l, &cut);
    tail_layer y = {
        .r = bench_weight(&b, "layer0.r"), .w = bench_weight(&b, "layer0.w"), .b = bench_weight(&b, "layer0.b")};
    y.g1.w = bench_weight(&b, "layer0.g1.weight"), y.g2.w = bench_weight(&b, "layer0.g2.weight");
    y.b1.w = bench_weight(&b, "layer0.b1.weight"), y.b2.w = bench_weight(&b, "layer0.b2.weight");
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *missing = tail_layer_missing(t, &y, &l->x, &whole.near);
    bench_check(&b, missing, fixture_expected(item, "m_head"));
    cru_tensor *head = tail_layer_apply(t, &y, &whole, &l->x, NULL);
    bench_check(&b, head, fixture_expected(item, "head_out"));
    cru_tensor *tail = tail_layer_apply(t, &y, &tails, &l->x, tail_layer_missing(t, &y, &l->x, &tails.near));
    bench_check(&b, tail, fixture_expected(item, "tail_out"));
    cru_tensor *both = cru_add(t, cru_learner_loss(l, t, head), cru_learner_loss(l, t, tail));
    b.loss = cru_plus(t, cru_scale(t, both, 0.5), fixture_input(item, "mu")->valuedouble,
                      cru_mean(t, cru_norm_l2(t, cru_gather(t, missing, l->train_rows), 1, 1e-12), CRU_ALL));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    cru_backward(t, b.loss);
    check_gradients(&b, item, bindings, 7);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance of places");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, cold_brew_teaches, 0, 2);
    tcase_add_test(c, hyperimba_weighs_by_curvature);
    tcase_add_test(c, hyperimba_steps_in_the_disc);
    tcase_add_test(c, tail_gnn_translates);
    suite_add_tcase(s, c);
    return s;
}
