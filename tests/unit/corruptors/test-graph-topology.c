// SPDX-License-Identifier: Apache-2.0
/* Large and small graphs: who is a head, and who trains at which level. */
#include "corruptors/populations.h"
#include "json-fixture.h"

enum { GRAPHS = 60 };

static cru_data *toy(const cJSON *item)
{
    double sizes[GRAPHS], labels[GRAPHS];
    int64_t whole[GRAPHS];
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "sizes"), sizes), GRAPHS);
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "labels"), labels), GRAPHS);
    cru_data *data = damage_data(GRAPHS, 2);
    for (int i = 0; i < GRAPHS; i++) {
        data->truth[i] = data->labels[i] = (int32_t)labels[i];
        whole[i] = (int64_t)sizes[i];
    }
    population_as_graphs(data, whole);
    return data;
}

/* The ids of one class in a part, in order, are those of the fixture. */
static void check_class(const cru_data *data, cru_ids part, int32_t class, const cJSON *expected)
{
    double wanted[GRAPHS];
    const int64_t count = fixture_numbers(expected, wanted);
    int64_t seen = 0;
    for (int64_t i = 0; i < part.count; i++) {
        if (data->truth[part.ids[i]] != class) continue;
        ck_assert_int_lt(seen, count);
        ck_assert_int_eq(part.ids[i], (int32_t)wanted[seen++]);
    }
    ck_assert_int_eq(seen, count);
}

/* At 3 of each class there are no heads, so the low level is determined. */
START_TEST(low_takes_the_largest_tails)
{
    cJSON *root = fixture_open("igl/graph_topology.json");
    const cJSON *item = fixture_case(root, "toy60");
    cru_data *data = toy(item);
    damage_report report;
    damage_apply(&(damage){.name = "graph-topology", .settings = {"level", "low"}, .seed = 3}, data, &report);
    ck_assert_double_eq(*damage_reported(&report, "head_size"), fixture_expected(item, "boundary")->valuedouble + 1);
    for (int32_t c = 0; c < 2; c++) {
        const cJSON *expected = fixture_expected(item, c ? "class_1" : "class_0");
        check_class(data, data->split.train, c, cJSON_GetObjectItem(expected, "low_train_tails"));
        check_class(data, data->split.val, c, cJSON_GetObjectItem(expected, "low_val_tails"));
    }
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

static int64_t size_of(const cru_data *data, int32_t graph)
{
    return data->graph_offsets[graph + 1] - data->graph_offsets[graph];
}

/* Heads of class 0: 4 graphs of more than 27 nodes (28, 33, 35, 37); high takes 37 and 35, then 33 and 28. */
START_TEST(high_takes_the_largest_heads)
{
    cJSON *root = fixture_open("igl/graph_topology.json");
    cru_data *data = toy(fixture_case(root, "toy60"));
    damage_report report;
    const damage d = {.name = "graph-topology", .settings = {"level", "high", "per_class", "4", "heads", "0.5"}};
    damage_apply(&d, data, &report);
    static const int64_t train[] = {37, 35}, val[] = {33, 28};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(size_of(data, data->split.train.ids[i]), train[i]);
        ck_assert_int_eq(size_of(data, data->split.val.ids[i]), val[i]);
    }
    for (int i = 2; i < 4; i++) ck_assert_int_le(size_of(data, data->split.train.ids[i]), 27);
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

/* Over many draws every tail of a class trains equally often. */
START_TEST(mid_is_random)
{
    cJSON *root = fixture_open("igl/graph_topology.json");
    int64_t trained[GRAPHS] = {0};
    enum { DRAWS = 2000, TAILS = 22, TAKEN = 3 };
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        cru_data *data = toy(fixture_case(root, "toy60"));
        damage_report report;
        damage_apply(&(damage){.name = "graph-topology", .settings = {"level", "mid"}, .seed = seed}, data, &report);
        for (int i = 0; i < TAKEN; i++) trained[data->split.train.ids[i]]++;
        cru_data_destroy(data);
    }
    cru_data *data = toy(fixture_case(root, "toy60"));
    for (int32_t g = 0; g < GRAPHS; g++) {
        const bool tail = data->truth[g] == 0 && size_of(data, g) <= 27;
        const double expected = tail ? DRAWS * TAKEN / (double)TAILS : 0; /* 272.7, deviation 15.3 */
        ck_assert_double_eq_tol((double)trained[g], expected, tail ? 62 : 0.5);
    }
    cru_data_destroy(data);
    cJSON_Delete(root);
}
END_TEST

/* ---- the order before the study's shuffle ---- */

/* A bitonic sort as textbooks have it, by recursion, over 1024 places; empty ones (size -1) sort last. Going down, also
 * equal neighbours change places. */
static void merge(int32_t *ids, const int64_t *size, int n, bool up)
{
    for (int i = 0; i < n / 2; i++) {
        const int32_t a = ids[i], b = ids[i + n / 2];
        if ((size[a] > size[b] || size[b] < 0) != up) continue;
        ids[i] = b;
        ids[i + n / 2] = a;
    }
    if (n <= 2) return;
    merge(ids, size, n / 2, up);
    merge(ids + n / 2, size, n / 2, up);
}

static void bitonic(int32_t *ids, const int64_t *size, int n, bool up)
{
    if (n < 2) return;
    bitonic(ids, size, n / 2, false);
    bitonic(ids + n / 2, size, n / 2, true);
    merge(ids, size, n, up);
}

/* Three sizes for 400 graphs, so that the largest tails are chosen among equals. */
START_TEST(the_study_orders_equal_sizes_by_a_network)
{
    enum { MANY = 400, PLACES = 1024 };
    int64_t size[PLACES];
    int32_t order[PLACES];
    cru_data *data = damage_data(MANY, 2);
    damage_report report;
    for (int32_t i = 0; i < PLACES; i++) {
        size[i] = i < MANY ? 1 + i * i % 7 % 3 : -1;
        order[i] = i;
    }
    population_as_graphs(data, size);
    bitonic(order, size, PLACES, false);
    const damage d = {.name = "graph-topology", .settings = {"level", "low", "rng", "study", "heads", "0"}};
    damage_apply(&d, data, &report);
    for (int32_t c = 0; c < 2; c++) {
        int64_t seen = 0, at = 0;
        for (int64_t i = 0; i < data->split.train.count; i++) {
            if (data->truth[data->split.train.ids[i]] != c) continue;
            while (order[at] % 2 != c || (double)size[order[at]] >= *damage_reported(&report, "head_size")) at++;
            ck_assert_int_eq(data->split.train.ids[i], order[at++]);
            seen++;
        }
        ck_assert_int_eq(seen, 20);
    }
    cru_data_destroy(data);
}
END_TEST

START_TEST(published_seeds_need_their_dataset_and_generator)
{
    static const struct {
        const char *rng, *says;
    } tries[] = {{"study", "no seed is known for 60 graphs of 2 classes"}, {"philox", "needs rng = study"}};
    for (int k = 0; k < 2; k++) {
        cru_data *data = damage_data(60, 2);
        population_as_graphs(data, NULL);
        damage_report report = {0};
        cru_error err = {0};
        const damage d = {.name = "graph-topology", .settings = {"selection", "seeds", "rng", tries[k].rng}};
        ck_assert_int_ne(damage_try(&d, data, &report, &err), CRU_OK);
        ck_assert_msg(strstr(err.text, tries[k].says) != NULL, "%s", err.text);
        cru_data_destroy(data);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graph topology");
    TCase *c = tcase_create("topology");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, low_takes_the_largest_tails);
    tcase_add_test(c, high_takes_the_largest_heads);
    tcase_add_test(c, mid_is_random);
    tcase_add_test(c, the_study_orders_equal_sizes_by_a_network);
    tcase_add_test(c, published_seeds_need_their_dataset_and_generator);
    suite_add_tcase(s, c);
    return s;
}
