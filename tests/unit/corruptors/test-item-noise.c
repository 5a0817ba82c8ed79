// SPDX-License-Identifier: Apache-2.0
/* Label noise that differs from item to item: by features, by place in the graph. */
#include <math.h>

#include "corruptors/damage.h"
#include "json-fixture.h"
#include "random/statistics.h"

START_TEST(instance_noise_repeats_the_study)
{
    static const char *const names[] = {"instance_3000", "instance_3001"};
    cJSON *root = fixture_open("noisygl/label-noise.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double labels[16], noisy[16], features[80];
    char rate[32], deviation[32], base[32];
    const int64_t n = fixture_numbers(fixture_input(item, "labels"), labels);
    const int64_t values = fixture_numbers(fixture_input(item, "features"), features);
    cru_data *data = damage_data(n, fixture_input(item, "n_classes")->valueint);
    float *x = cru_data_alloc(data, values, sizeof *x);
    damage_report report;
    for (int64_t i = 0; i < n; i++) data->truth[i] = data->labels[i] = (int32_t)labels[i];
    for (int64_t i = 0; i < values; i++) x[i] = (float)features[i];
    data->x = (cru_features){.rows = n, .cols = values / n, .dense = x};
    snprintf(rate, sizeof rate, "%g", fixture_input(item, "rate")->valuedouble);
    snprintf(deviation, sizeof deviation, "%g", fixture_input(item, "norm_std")->valuedouble);
    snprintf(base, sizeof base, "%d", fixture_input(item, "seed")->valueint);
    const damage d = {.name = "instance",
                      .settings = {"rate", rate, "deviation", deviation, "rng", "numpy", "base", base, "where", "all"}};
    damage_apply(&d, data, &report);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "noisy"), noisy), n);
    for (int64_t i = 0; i < n; i++) ck_assert_int_eq(data->labels[i], (int32_t)noisy[i]);
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

enum { DRAWS = 120000, CLASSES = 3, COLS = 2 };

/* Items of one class share their features, so that each class has one law: the mean of N(0.3, 0.1^2) within [0, 1],
 * times the softmax over the other classes. The matrices W follow the flip rates in the stream. */
START_TEST(instance_noise_follows_its_law)
{
    static const float x[CLASSES][COLS] = {{0.5f, 0}, {0, -0.5f}, {0.3f, 0.4f}};
    cru_data *data = damage_data(DRAWS, CLASSES);
    float *rows = cru_data_alloc(data, DRAWS * COLS, sizeof *rows);
    damage_report report;
    for (int64_t i = 0; i < DRAWS; i++) memcpy(rows + i * COLS, x[i % CLASSES], sizeof x[0]);
    data->x = (cru_features){.rows = DRAWS, .cols = COLS, .dense = rows};
    damage_apply(&(damage){.name = "instance", .settings = {"rate", "0.3", "where", "all"}, .seed = 4}, data, &report);

    cru_rng rng = cru_rng_stream(4, "corruption", 0);
    float w[CLASSES][COLS][CLASSES];
    for (int64_t i = 0; i < DRAWS; i++) cru_rng_uniform(&rng);
    for (int64_t i = 0; i < CLASSES * COLS * CLASSES; i++) (&w[0][0][0])[i] = (float)cru_rng_normal(&rng);
    const double flip = 0.3 + 0.1 * exp(-4.5) / sqrt(2 * M_PI) / (1 - 0.5 * erfc(3 / sqrt(2)));
    for (int y = 0; y < CLASSES; y++) {
        double p[CLASSES], sum = 0;
        int64_t count[CLASSES] = {0};
        for (int j = 0; j < CLASSES; j++)
            sum += p[j] = j == y ? 0 : exp((double)(x[y][0] * w[y][0][j] + x[y][1] * w[y][1][j]));
        for (int j = 0; j < CLASSES; j++) p[j] = j == y ? 1 - flip : flip * p[j] / sum;
        for (int64_t i = y; i < DRAWS; i += CLASSES) count[data->labels[i]]++;
        assert_counts_fit(count, p, CLASSES, DRAWS / CLASSES);
    }
    cru_data_destroy(data);
}
END_TEST

/* Sparse and dense features of the same values are hit alike. */
START_TEST(instance_noise_reads_sparse_features)
{
    cru_data *dense = damage_data(300, CLASSES), *sparse = damage_data(300, CLASSES);
    damage_report report;
    float *x = cru_data_alloc(dense, 300, sizeof *x);
    for (int i = 0; i < 300; i++) x[i] = i % 2 ? 0 : 1;
    dense->x.dense = x;
    sparse->x = (cru_features){.rows = 300, .cols = 1, .sparse = cru_csr_from_dense(cru_data_pool(sparse), x, 300, 1)};
    damage_apply(&(damage){.name = "instance", .settings = {"where", "all"}}, dense, &report);
    damage_apply(&(damage){.name = "instance", .settings = {"where", "all"}}, sparse, &report);
    ck_assert_mem_eq(dense->labels, sparse->labels, 300 * sizeof(int32_t));
    cru_data_destroy(dense);
    cru_data_destroy(sparse);
}
END_TEST

/* Chains a - b - c of classes 0, 0, 1: their heterophily is 0, 1/2 and 1, their degree 1, 2 and 1. Self-loops and
 * direction must not matter: a -> b is stored once, b - c both ways, and a has a loop. */
static cru_data *chains(int32_t count)
{
    cru_data *data = damage_data(3 * count, CLASSES);
    int32_t *row = cru_data_alloc(data, 4 * count, sizeof *row), *col = cru_data_alloc(data, 4 * count, sizeof *col);
    for (int32_t i = 0; i < count; i++) {
        const int32_t a = 3 * i, b = a + 1, c = a + 2;
        const int32_t from[] = {a, b, c, a}, to[] = {b, c, b, a};
        memcpy(col + 4 * i, from, sizeof from);
        memcpy(row + 4 * i, to, sizeof to);
        data->truth[a] = data->labels[a] = data->truth[b] = data->labels[b] = 0;
        data->truth[c] = data->labels[c] = 1;
    }
    const cru_coo coo = {.rows = 3 * count, .cols = 3 * count, .count = 4 * count, .row = row, .col = col};
    data->problem = CRU_NODES;
    data->graph = cru_csr_from_coo(cru_data_pool(data), &coo, CRU_DUP_FIRST);
    return data;
}

static void count_labels(const cru_data *data, int place, int64_t count[CLASSES])
{
    memset(count, 0, CLASSES * sizeof *count);
    for (int64_t i = place; i < data->items; i += 3) count[data->labels[i]]++;
}

START_TEST(heterophily_misleads_to_the_neighbours_class)
{
    enum { CHAINS = 40000 };
    cru_data *data = chains(CHAINS);
    damage_report report;
    int64_t count[CLASSES];
    damage_apply(&(damage){.name = "structural", .settings = {"rate", "0.3", "where", "all"}, .seed = 1}, data,
                 &report);
    count_labels(data, 0, count);
    ck_assert_int_eq(count[0], CHAINS);
    count_labels(data, 1, count);
    ck_assert_int_eq(count[2], 0);
    assert_counts_fit(count, (const double[]){0.7, 0.3}, 2, CHAINS);
    count_labels(data, 2, count);
    ck_assert_int_eq(count[2], 0);
    assert_counts_fit(count, (const double[]){0.6, 0.4}, 2, CHAINS);
    ck_assert_double_gt(*damage_reported(&report, "driver_of_wrong"), *damage_reported(&report, "driver_of_right"));
    cru_data_destroy(data);
}
END_TEST

START_TEST(degree_misleads_to_any_class)
{
    enum { CHAINS = 40000 };
    static const double flip[] = {0.225, 0.45, 0.225};
    cru_data *data = chains(CHAINS);
    damage_report report;
    const damage d = {
        .name = "structural", .settings = {"driver", "degree", "target", "uniform", "where", "all"}, .seed = 1};
    damage_apply(&d, data, &report);
    for (int place = 0; place < 3; place++) {
        const int y = place == 2;
        double p[] = {flip[place] / 2, flip[place] / 2, flip[place] / 2};
        int64_t count[CLASSES];
        p[y] = 1 - flip[place];
        count_labels(data, place, count);
        assert_counts_fit(count, p, CLASSES, CHAINS);
    }
    cru_data_destroy(data);
}
END_TEST

/* Heterophily 0, 1/2, 1 at a rate of 0.6: c is never above 1, so b must make up for it: 0, 0.8, 1. */
START_TEST(a_high_rate_reaches_those_who_can_still_flip)
{
    cru_data *data = chains(10000);
    damage_report report;
    int64_t count[CLASSES];
    damage_apply(&(damage){.name = "structural", .settings = {"rate", "0.6", "where", "all"}}, data, &report);
    count_labels(data, 2, count);
    ck_assert_int_eq(count[0], 10000);
    count_labels(data, 1, count);
    assert_counts_fit(count, (const double[]){0.2, 0.8}, 2, 10000);
    cru_data_destroy(data);
}
END_TEST

START_TEST(without_spread_all_nodes_are_alike)
{
    cru_data *data = chains(40000);
    damage_report report;
    const damage d = {.name = "structural", .settings = {"spread", "0", "where", "all", "rate", "0.2"}};
    damage_apply(&d, data, &report);
    for (int place = 0; place < 3; place++) {
        int64_t count[CLASSES], kept[2];
        count_labels(data, place, count);
        kept[0] = count[place == 2];
        kept[1] = 40000 - kept[0];
        assert_counts_fit(kept, (const double[]){0.8, 0.2}, 2, 40000);
    }
    cru_data_destroy(data);
}
END_TEST

START_TEST(noise_without_a_cause_is_refused)
{
    cru_data *data = chains(10);
    damage_report report = {0};
    cru_error err = {0};
    for (int64_t i = 0; i < data->items; i++) data->truth[i] = data->labels[i] = 1;
    ck_assert_int_eq(damage_try(&(damage){.name = "structural"}, data, &report, &err), CRU_UNSUPPORTED);
    data->x = (cru_features){.rows = data->items};
    err = (cru_error){0};
    ck_assert_int_eq(damage_try(&(damage){.name = "instance"}, data, &report, &err), CRU_UNSUPPORTED);
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("item noise");
    TCase *c = tcase_create("noise");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, instance_noise_repeats_the_study, 0, 2);
    tcase_add_test(c, instance_noise_follows_its_law);
    tcase_add_test(c, instance_noise_reads_sparse_features);
    tcase_add_test(c, heterophily_misleads_to_the_neighbours_class);
    tcase_add_test(c, degree_misleads_to_any_class);
    tcase_add_test(c, a_high_rate_reaches_those_who_can_still_flip);
    tcase_add_test(c, without_spread_all_nodes_are_alike);
    tcase_add_test(c, noise_without_a_cause_is_refused);
    suite_add_tcase(s, c);
    return s;
}
