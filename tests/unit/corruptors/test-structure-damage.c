/* Edges, features and labels that are taken away. */
#include <math.h>

#include <crucible/graph.h>

#include "corruptors/damage.h"
#include "random/statistics.h"

/* A circle of n nodes with a self-loop at 0, both directions. */
static cru_data *circle(int32_t n)
{
    cru_data *data = damage_data(n, 2);
    int32_t *row = cru_data_alloc(data, 2 * n + 1, sizeof *row), *col = cru_data_alloc(data, 2 * n + 1, sizeof *col);
    for (int32_t i = 0; i < n; i++) {
        row[2 * i] = col[2 * i + 1] = i;
        col[2 * i] = row[2 * i + 1] = (i + 1) % n;
    }
    const cru_coo coo = {.rows = n, .cols = n, .count = 2 * (int64_t)n + 1, .row = row, .col = col};
    data->problem = CRU_NODES;
    data->graph = cru_csr_from_coo(cru_data_pool(data), &coo, CRU_DUP_FIRST);
    return data;
}

START_TEST(edges_are_lost_in_both_directions)
{
    enum { N = 100000 };
    cru_data *data = circle(N);
    damage_report report;
    damage_apply(&(damage){.name = "drop-edges", .settings = {"rate", "0.3"}, .seed = 1}, data, &report);
    ck_assert(cru_graph_is_symmetric(&data->graph));
    ck_assert_int_ge(cru_csr_find(&data->graph, 0, 0), 0);
    const int64_t left = (cru_csr_nnz(&data->graph) - 1) / 2;
    assert_counts_fit((const int64_t[]){left, N - left}, (const double[]){0.7, 0.3}, 2, N);
    ck_assert_double_eq(*damage_reported(&report, "edges_lost"), 2.0 * (double)(N - left));
    cru_data_destroy(data);
}
END_TEST

START_TEST(a_relation_loses_what_the_graph_loses)
{
    cru_data *data = circle(1000);
    damage_report report;
    data->relations = cru_data_alloc(data, 1, sizeof *data->relations);
    data->relations[0] = (cru_relation){.name = "all", .graph = data->graph};
    data->relation_count = 1;
    damage_apply(&(damage){.name = "drop-edges", .settings = {"rate", "0.5"}}, data, &report);
    const cru_csr *a = &data->graph, *b = &data->relations[0].graph;
    ck_assert_int_eq(cru_csr_nnz(a), cru_csr_nnz(b));
    ck_assert_mem_eq(a->ids, b->ids, (size_t)cru_csr_nnz(a) * sizeof *a->ids);
    cru_data_destroy(data);
}
END_TEST

START_TEST(all_or_no_edges)
{
    static const char *const rates[] = {"0", "1"};
    cru_data *data = circle(100);
    damage_report report;
    damage_apply(&(damage){.name = "drop-edges", .settings = {"rate", rates[_i]}}, data, &report);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), _i ? 1 : 201);
    cru_data_destroy(data);
}
END_TEST

enum { VALUES = 100000 };

START_TEST(features_are_masked)
{
    cru_data *data = damage_data(VALUES, 2);
    const float *before = data->x.dense;
    damage_report report;
    int64_t lost = 0;
    damage_apply(&(damage){.name = "feature-noise", .settings = {"rate", "0.3"}, .seed = 1}, data, &report);
    for (int64_t i = 1; i < VALUES; i++) {
        ck_assert(data->x.dense[i] == 0 || data->x.dense[i] == before[i]);
        lost += data->x.dense[i] == 0;
    }
    assert_counts_fit((const int64_t[]){lost, VALUES - 1 - lost}, (const double[]){0.3, 0.7}, 2, VALUES - 1);
    cru_data_destroy(data);
}
END_TEST

START_TEST(masked_sparse_features_are_not_stored)
{
    cru_data *data = damage_data(VALUES, 2);
    damage_report report;
    const cru_csr stored = cru_csr_from_dense(cru_data_pool(data), data->x.dense, VALUES, 1);
    data->x = (cru_features){.rows = VALUES, .cols = 1, .sparse = stored};
    damage_apply(&(damage){.name = "feature-noise", .settings = {"rate", "0.3"}, .seed = 1}, data, &report);
    const int64_t left = cru_csr_nnz(&data->x.sparse);
    assert_counts_fit((const int64_t[]){VALUES - 1 - left, left}, (const double[]){0.3, 0.7}, 2, VALUES - 1);
    for (int64_t i = 0; i < left; i++) ck_assert(data->x.sparse.values[i] != 0);
    cru_data_destroy(data);
}
END_TEST

static double normal_cdf(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* x = 0, 1, ... n-1 has the deviation sqrt((n^2 - 1) / 12). */
START_TEST(gaussian_noise_is_in_units_of_the_deviation)
{
    cru_data *data = damage_data(VALUES, 2);
    damage_report report;
    double *z = malloc(VALUES * sizeof *z);
    const double scale = 0.5 * sqrt(((double)VALUES * VALUES - 1) / 12);
    damage_apply(&(damage){.name = "feature-noise", .settings = {"rate", "0.5", "kind", "gaussian"}}, data, &report);
    for (int64_t i = 0; i < VALUES; i++) z[i] = ((double)data->x.dense[i] - (double)i) / scale;
    assert_distribution(z, VALUES, normal_cdf);
    free(z);
    cru_data_destroy(data);
}
END_TEST

/* 200 training items: 50 of each of 4 classes. */
START_TEST(labels_become_scarce_class_by_class)
{
    static const struct {
        const char *settings[7];
        int64_t left; /* of each class */
    } cases[] = {{{"keep", "0.1"}, 5},
                 {{"keep", "0"}, 1},
                 {{"keep", "0", "at_least", "7"}, 7},
                 {{"per_class", "3"}, 3},
                 {{"per_class", "60"}, 50}};
    cru_data *data = damage_data(400, 4);
    damage_report report;
    damage d = {.name = "label-scarcity"};
    for (int i = 0; cases[_i].settings[i]; i++) d.settings[i] = cases[_i].settings[i];
    damage_apply(&d, data, &report);
    int64_t count[4] = {0};
    for (int64_t i = 0; i < data->split.train.count; i++) {
        ck_assert(i == 0 || data->split.train.ids[i] > data->split.train.ids[i - 1]); /* the order is kept */
        count[data->labels[data->split.train.ids[i]]]++;
    }
    for (int c = 0; c < 4; c++) ck_assert_int_eq(count[c], cases[_i].left);
    ck_assert_double_eq(*damage_reported(&report, "train_after"), 4.0 * (double)cases[_i].left);
    ck_assert_int_eq(data->split.val.count, 100);
    cru_data_destroy(data);
}
END_TEST

START_TEST(no_label_left_is_an_error)
{
    cru_data *data = damage_data(400, 4);
    damage_report report = {0};
    cru_error err = {0};
    const damage d = {.name = "label-scarcity", .settings = {"keep", "0", "at_least", "0"}};
    ck_assert_int_eq(damage_try(&d, data, &report, &err), CRU_BAD_INPUT);
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("structure, features, scarcity");
    TCase *c = tcase_create("damage");
    tcase_add_test(c, edges_are_lost_in_both_directions);
    tcase_add_test(c, a_relation_loses_what_the_graph_loses);
    tcase_add_loop_test(c, all_or_no_edges, 0, 2);
    tcase_add_test(c, features_are_masked);
    tcase_add_test(c, masked_sparse_features_are_not_stored);
    tcase_add_test(c, gaussian_noise_is_in_units_of_the_deviation);
    tcase_add_loop_test(c, labels_become_scarce_class_by_class, 0, 5);
    tcase_add_test(c, no_label_left_is_an_error);
    suite_add_tcase(s, c);
    return s;
}
