// SPDX-License-Identifier: Apache-2.0
/* label-propagation against its closed form on a path of three nodes. */
#include "methods/method-bench.h"

/* A path 0 - 1 - 2 and the isolated node 3; 0 is trained on as class 0, 2 as class 1. */
static bench path(void)
{
    cJSON *graph = cJSON_Parse("{\"n\": 4, \"edges\": [[0, 1], [1, 2]]}");
    cJSON *labels = cJSON_Parse("[0, 0, 1, 0]"), *train = cJSON_Parse("[0, 2]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    return b;
}

static void predict(const bench *b, float *scores)
{
    void *self = b->learner; /* not a learner: this method fills the vtable itself */
    ck_assert_int_eq(b->algorithm->fit(self, NULL), CRU_OK);
    ck_assert_int_eq(b->algorithm->predict(self, scores), CRU_OK);
}

/* F = (1 - a) Y + a (1 - a) S Y + a^2 S S Y. The entries of S = D^-1/2 A D^-1/2 are 1/sqrt 2, so S S has 1/2 at (0, 0)
 * and (0, 2), and S Y adds nothing to node 0. */
START_TEST(two_steps_by_hand)
{
    const double a = 0.5, own = (1 - a) + a * a / 2, other = a * a / 2, e = 1e-6, prior = 0.5;
    bench b = path();
    float scores[8];
    bench_open(&b, "label-propagation", (const char *[]){"alpha", "0.5", "hops", "2", NULL});
    predict(&b, scores);
    ck_assert_double_eq_tol((double)scores[0], log((1 - e) * own / (own + other) + e * prior), 1e-6);
    ck_assert_double_eq_tol((double)scores[1], log((1 - e) * other / (own + other) + e * prior), 1e-6);
    ck_assert_double_eq_tol((double)scores[2], log(0.5), 1e-6); /* node 1 is between the two */
    ck_assert_double_eq_tol((double)scores[3], log(0.5), 1e-6);
    bench_destroy(&b);
}
END_TEST

START_TEST(a_node_out_of_reach_has_the_class_frequencies)
{
    bench b = path();
    float scores[8];
    b.data->split.train.count = 1; /* node 0, class 0 */
    bench_open(&b, "label-propagation", (const char *[]){NULL});
    predict(&b, scores);
    ck_assert_double_eq_tol((double)scores[6], log(2. / 3), 1e-6); /* (1 + 1) / (1 + 2 classes) */
    ck_assert_double_eq_tol((double)scores[7], log(1. / 3), 1e-6);
    bench_destroy(&b);
}
END_TEST

/* Candidates {0, 1} at node 0 alone: nothing is known of the class. */
START_TEST(candidates_share_a_label)
{
    bench b = path();
    float scores[8];
    b.data->split.train.count = 1;
    b.data->candidates = cru_data_alloc(b.data, 4 * 2, 1);
    b.data->candidates[0] = b.data->candidates[1] = 1;
    bench_open(&b, "label-propagation", (const char *[]){NULL});
    predict(&b, scores);
    for (int i = 0; i < 8; i++) ck_assert_double_eq_tol((double)scores[i], log(0.5), 1e-6);
    bench_destroy(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("label propagation");
    TCase *c = tcase_create("propagation");
    tcase_add_test(c, two_steps_by_hand);
    tcase_add_test(c, a_node_out_of_reach_has_the_class_frequencies);
    tcase_add_test(c, candidates_share_a_label);
    suite_add_tcase(s, c);
    return s;
}
