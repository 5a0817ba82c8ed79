// SPDX-License-Identifier: Apache-2.0
/* The deterministic halves of the generators against values of the published code. */
#include <math.h>

#include "attachment.h"
#include "gencat-model.h"
#include "json-fixture.h"

static void same(const double *got, const cJSON *expected)
{
    double values[1000];
    int64_t count = fixture_numbers(expected, values);
    ck_assert_int_gt(count, 0);
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(fabs(got[i] - values[i]) <= 1e-5 * fmax(1, fabs(values[i])), "[%d]: %.9g, expected %.9g", (int)i,
                      got[i], values[i]);
}

/* ---- preferential attachment ---- */

START_TEST(class_weights_fall_with_distance)
{
    static const char *const names[] = {"pa_class_weights_C4", "pa_class_weights_C5", "pa_class_weights_C7"};
    cJSON *root = fixture_open("heterophily/generators-rg-pa.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double weight[49];
    attachment_class_weights(fixture_input(item, "C")->valueint, false, weight);
    same(weight, fixture_expected(item, "weights"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(normalised_weights_sum_to_one)
{
    double weight[25];
    attachment_class_weights(5, true, weight);
    for (int a = 0; a < 5; a++) {
        double sum = 0;
        for (int b = 0; b < 5; b++) sum += weight[5 * a + b];
        ck_assert_double_eq_tol(sum, 1, 1e-12);
    }
}
END_TEST

START_TEST(newcomers_like_degree_and_class)
{
    static const char *const names[] = {"pa_attachment_mu0.0_class0", "pa_attachment_mu0.0_class2",
                                        "pa_attachment_mu0.3_class0", "pa_attachment_mu0.9_class0",
                                        "pa_attachment_mu0.9_class2"};
    cJSON *root = fixture_open("heterophily/generators-rg-pa.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double class_weight[25], label[7], degree[7], chance[7], sum = 0;
    attachment a = {class_weight, 5, fixture_input(item, "mu")->valuedouble};
    attachment_class_weights(5, false, class_weight);
    fixture_numbers(fixture_input(item, "labels"), label);
    fixture_numbers(fixture_input(item, "degrees"), degree);
    for (int u = 0; u < 7; u++) {
        chance[u] = degree[u] * attachment_liking(&a, fixture_input(item, "new_class")->valueint, (int32_t)label[u]);
        sum += chance[u];
    }
    for (int u = 0; u < 7; u++) chance[u] /= sum;
    same(chance, fixture_expected(item, "probability"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(clouds_stand_on_a_circle)
{
    cJSON *root = fixture_open("heterophily/generators-rg-pa.json");
    const cJSON *item = fixture_case(root, "pa_gaussians_C5");
    for (int c = 0; c < 5; c++) {
        attachment_gaussian cloud = attachment_cloud(c, 5);
        for (int k = 0; k < 2; k++)
            ck_assert_double_eq_tol(
                cloud.mean[k],
                cJSON_GetArrayItem(cJSON_GetArrayItem(fixture_expected(item, "mean"), c), k)->valuedouble, 1e-3);
        const double flat[] = {cloud.covariance[0][0], cloud.covariance[0][1], cloud.covariance[1][0],
                               cloud.covariance[1][1]};
        double expected[4];
        fixture_numbers(cJSON_GetArrayItem(fixture_expected(item, "covariance"), c), expected);
        for (int k = 0; k < 4; k++) ck_assert_double_eq_tol(flat[k], expected[k], 1e-2);
    }
    cJSON_Delete(root);
}
END_TEST

/* ---- GenCAT ---- */

static cru_data *base;

static void start(void)
{
    base = cru_data_create();
}

static void stop(void)
{
    cru_data_destroy(base);
}

/* The undirected graph, labels and features of a case. */
static void fill_base(const cJSON *item)
{
    static int64_t offsets[10];
    static int32_t ids[100], truth[9];
    static float x[54];
    double label[9], features[54];
    bool linked[9][9] = {{0}};
    const cJSON *pair;
    cJSON_ArrayForEach(pair, cJSON_GetObjectItem(fixture_input(item, "graph"), "edges"))
    {
        int a = cJSON_GetArrayItem(pair, 0)->valueint, b = cJSON_GetArrayItem(pair, 1)->valueint;
        linked[a][b] = linked[b][a] = true;
    }
    int64_t count = 0;
    for (int v = 0; v < 9; v++) {
        for (int u = 0; u < 9; u++)
            if (linked[v][u]) ids[count++] = u;
        offsets[v + 1] = count;
    }
    fixture_numbers(fixture_input(item, "labels"), label);
    fixture_numbers(fixture_input(item, "features"), features);
    for (int v = 0; v < 9; v++) truth[v] = (int32_t)label[v];
    for (int k = 0; k < 54; k++) x[k] = (float)features[k];
    base->problem = CRU_NODES;
    base->items = base->nodes = 9;
    base->classes = 3;
    base->truth = truth;
    base->graph = (cru_csr){9, 9, offsets, ids, NULL};
    base->x = (cru_features){.rows = 9, .cols = 6, .dense = x};
}

START_TEST(the_base_is_measured)
{
    cJSON *root = fixture_open("heterophily/generators-gencat.json");
    const cJSON *item = fixture_case(root, "statistics");
    fill_base(item);
    gencat_model m;
    ck_assert_int_eq(gencat_measure(base, base, &m, NULL), CRU_OK);
    same(m.mean, fixture_expected(item, "M"));
    same(m.deviation, fixture_expected(item, "D"));
    same(m.class_size, fixture_expected(item, "class_size"));
    same(m.attribute, fixture_expected(item, "H"));
    same(m.degree, fixture_expected(item, "theta_sorted"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(homophily_is_shifted)
{
    static const char *const names[] = {"adjust_beta-1", "adjust_beta0", "adjust_beta4", "adjust_beta8"};
    cJSON *root = fixture_open("heterophily/generators-gencat.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double mean[9], deviation[9];
    fixture_numbers(fixture_input(item, "M"), mean);
    fixture_numbers(fixture_input(item, "D"), deviation);
    gencat_model m = {.k = 3, .mean = mean, .deviation = deviation};
    gencat_adjust(&m, fixture_input(item, "beta")->valueint);
    same(mean, fixture_expected(item, "M"));
    same(deviation, fixture_expected(item, "D"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(factors_are_reversed_and_frozen)
{
    cJSON *root = fixture_open("heterophily/generators-gencat.json");
    const cJSON *reverse = fixture_case(root, "reverse"), *freeze = fixture_case(root, "freeze");
    double u[3], out[3];
    fixture_numbers(fixture_input(reverse, "u"), u);
    static const char *const keys[] = {"l0", "l1", "l2"};
    for (int l = 0; l < 3; l++) {
        gencat_reverse(u, 3, l, out);
        same(out, fixture_expected(reverse, keys[l]));
    }
    static const struct {
        const char *key;
        double t;
    } levels[] = {{"T0.1", 0.1}, {"T0.5", 0.5}, {"T0.99", 0.99}};
    for (int k = 0; k < 3; k++) {
        gencat_freeze(u, 3, levels[k].t, out);
        same(out, fixture_expected(freeze, levels[k].key));
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(sampling_tables_follow_the_cumulated_factors)
{
    cJSON *root = fixture_open("heterophily/generators-gencat.json");
    const cJSON *item = fixture_case(root, "sampling_table_5_cells_per_node");
    double tie[8], got[20];
    int32_t table[20];
    fixture_numbers(fixture_input(item, "U_prime"), tie);
    gencat_model m = {.k = 2, .n = 4};
    for (int a = 0; a < 2; a++) {
        gencat_table(&m, tie, a, 20, table);
        for (int i = 0; i < 20; i++) got[i] = table[i];
        same(got, cJSON_GetArrayItem(fixture_expected(item, "table_per_class"), a));
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(attributes_are_shared_among_classes)
{
    cJSON *root = fixture_open("heterophily/generators-gencat.json");
    const cJSON *item = fixture_case(root, "attribute_proportions");
    double u[36], label[12], wanted[18], factor[9] = {0}, count[3] = {0}, share[18], x[72];
    fixture_numbers(fixture_input(item, "U"), u);
    fixture_numbers(fixture_input(item, "classes"), label);
    fixture_numbers(fixture_input(item, "H_row_normalised"), wanted);
    for (int i = 0; i < 12; i++) {
        int l = (int)label[i];
        count[l]++;
        for (int h = 0; h < 3; h++) factor[3 * l + h] += u[3 * i + h];
    }
    for (int k = 0; k < 9; k++) factor[k] /= count[k / 3];
    gencat_model m = {.k = 3, .n = 12, .d = 6, .attribute = wanted};
    gencat_attributes(&m, factor, share);
    same(share, fixture_expected(item, "V"));
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 6; j++) {
            x[6 * i + j] = 0;
            for (int h = 0; h < 3; h++) x[6 * i + j] += u[3 * i + h] * share[3 * j + h];
        }
    }
    same(x, fixture_expected(item, "X_expected_before_scaling"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(an_absent_attribute_has_no_share)
{
    double attribute[] = {0, 0}, factor[] = {1, 0, 0, 1}, share[] = {7, 7};
    gencat_model m = {.k = 2, .d = 1, .attribute = attribute};
    gencat_attributes(&m, factor, share);
    ck_assert_double_eq(share[0], 0);
    ck_assert_double_eq(share[1], 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("closed-forms");
    TCase *c = tcase_create("closed-forms");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_loop_test(c, class_weights_fall_with_distance, 0, 3);
    tcase_add_test(c, normalised_weights_sum_to_one);
    tcase_add_loop_test(c, newcomers_like_degree_and_class, 0, 5);
    tcase_add_test(c, clouds_stand_on_a_circle);
    tcase_add_test(c, the_base_is_measured);
    tcase_add_loop_test(c, homophily_is_shifted, 0, 4);
    tcase_add_test(c, factors_are_reversed_and_frozen);
    tcase_add_test(c, sampling_tables_follow_the_cumulated_factors);
    tcase_add_test(c, attributes_are_shared_among_classes);
    tcase_add_test(c, an_absent_attribute_has_no_share);
    suite_add_tcase(s, c);
    return s;
}
