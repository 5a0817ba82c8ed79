// SPDX-License-Identifier: Apache-2.0
/* crgnn's consistency across spaces, for which the study has no numbers: against its formula in double precision. */
#include <math.h>
#include <string.h>

#include <crucible/draft/tensor.h>

#include "methods/method-bench.h"
#include "noisy-labels.h"

enum { N = 4, WIDTH = 3, PARTS = 4, VALUES = N * WIDTH };

static const float temperature = 2;

/* The projections of two views, then their classes. */
static const double drawn[PARTS][VALUES] = {{0.3, -1.2, 0.5, 1.1, 0.2, -0.4, -0.7, 0.9, 0.6, 0.1, 0.8, -1.5},
                                            {0.9, 0.4, -0.2, -1.3, 0.6, 0.7, 0.2, -0.5, 1.4, -0.6, -0.1, 0.3},
                                            {-0.2, -1.7, -3.1, -2.2, -0.4, -1.5, -0.9, -2.4, -0.7, -1.1, -1.0, -1.2},
                                            {-1.9, -0.3, -2.0, -0.5, -1.6, -1.8, -2.7, -0.8, -0.8, -0.1, -3.2, -2.9}};

static double similarity(const double *a, const double *b)
{
    double aa = 0, bb = 0, ab = 0;
    for (int k = 0; k < WIDTH; k++) aa += a[k] * a[k], bb += b[k] * b[k], ab += a[k] * b[k];
    return exp(ab / sqrt(aa * bb) / (double)temperature);
}

static double naive(double x[PARTS][VALUES], double least)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double s = similarity(x[0] + i * WIDTH, x[1] + j * WIDTH);
            const double c = similarity(x[2] + i * WIDTH, x[3] + j * WIDTH);
            sum += pow(s - (c > least ? c : 0), 2);
        }
    return sum / (N * N);
}

/* All similarities of the classes count; some; none. */
START_TEST(spaces_are_compared_as_the_formula_says)
{
    static const double least[] = {0, 1.45, 2};
    static const double h = 1e-5;
    double x[PARTS][VALUES];
    cru_tensor *parts[PARTS];
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    memcpy(x, drawn, sizeof x);
    cru_tape_begin(t, CRU_TRAIN);
    for (int p = 0; p < PARTS; p++) {
        float values[VALUES];
        for (int i = 0; i < VALUES; i++) values[i] = (float)drawn[p][i];
        parts[p] = cru_tensor_upload(t, cru_2d(N, WIDTH), values);
        cru_tensor_watch(parts[p]);
    }
    cru_tensor *loss = consistency(t, &(two_spaces){.projected = {parts[0], parts[1]},
                                                    .classified = {parts[2], parts[3]},
                                                    .temperature = temperature,
                                                    .least = (float)least[_i]});
    cru_backward(t, loss);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), naive(x, least[_i]));
    for (int p = 0; p < PARTS; p++)
        for (int i = 0; i < VALUES; i++) {
            x[p][i] = drawn[p][i] + h;
            const double above = naive(x, least[_i]);
            x[p][i] = drawn[p][i] - h;
            const double slope = (above - naive(x, least[_i])) / (2 * h);
            x[p][i] = drawn[p][i];
            bench_check_number(&b, (double)cru_grad_of(t, parts[p])->data[i], slope);
        }
    bench_destroy(&b);
}
END_TEST

/* Three steps (the first of Adam shows signs only) from the same weights: the class head moves otherwise when beta is
 * not 0, and p alone, without beta, changes nothing. */
START_TEST(the_consistency_is_part_of_the_loss)
{
    float weight[3][6];
    for (int run = 0; run < 3; run++) {
        cJSON *labels = cJSON_Parse("[0, 1, 0, 1]"), *train = cJSON_Parse("[0, 1]");
        cJSON *graph = cJSON_Parse("{\"n\": 4, \"edges\": [[0, 1], [1, 2], [2, 3]]}");
        cJSON *rows = cJSON_Parse("[[1, 0, 2], [0, 1, 1], [3, 1, 0], [1, 1, 1]]");
        bench b = bench_create();
        bench_graph(&b, graph);
        bench_features(&b, rows);
        bench_labels(&b, labels, train);
        bench_open(&b, "crgnn",
                   (const char *[]){"variant", "paper", "beta", run == 2 ? "5" : "0", "epochs", "3", "hidden", "3",
                                    "dropout", "0", "p", run == 1 ? "0.5" : "0.8", NULL});
        ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
        memcpy(weight[run], bench_weight(&b, "classes.weight")->data, sizeof weight[run]);
        bench_destroy(&b);
        cJSON_Delete(labels);
        cJSON_Delete(train);
        cJSON_Delete(graph);
        cJSON_Delete(rows);
    }
    ck_assert_mem_eq(weight[0], weight[1], sizeof weight[0]);
    ck_assert_mem_ne(weight[0], weight[2], sizeof weight[0]);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("crgnn");
    TCase *c = tcase_create("crgnn");
    tcase_add_loop_test(c, spaces_are_compared_as_the_formula_says, 0, 3);
    tcase_add_test(c, the_consistency_is_part_of_the_loss);
    suite_add_tcase(s, c);
    return s;
}
