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

Suite *suite(void)
{
    Suite *s = suite_create("graph topology");
    TCase *c = tcase_create("topology");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, low_takes_the_largest_tails);
    tcase_add_test(c, high_takes_the_largest_heads);
    tcase_add_test(c, mid_is_random);
    suite_add_tcase(s, c);
    return s;
}
