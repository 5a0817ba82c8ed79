// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "data/data.h"
#include "json-fixture.h"

static cru_data *data;
static cru_error err;

static const preprocess_settings none = {.epsilon = -1};

/* Six nodes: 0 -> 1 -> 2 -> 0 with a loop on 1, 3 -> 4, and 5 alone. Entries (row, col) of the graph. */
static void start(void)
{
    static const int64_t offsets[] = {0, 1, 3, 4, 4, 5, 5};
    static const int32_t ids[] = {2, 0, 1, 1, 3};
    static const float x[] = {1, 2, 1, 0, 0, 0, 1, -0.5f, -0.3f, 4, 0, 0, 0, 2, 0, 1, 1, 1};
    static const int32_t part[] = {0, 3, 5};
    err = (cru_error){0};
    data = cru_data_create();
    data->problem = CRU_NODES;
    data->items = data->nodes = 6;
    data->classes = 2;
    data->graph = (cru_csr){6, 6, offsets, ids, NULL};
    data->x = (cru_features){.rows = 6, .cols = 3, .dense = x};
    data->truth = cru_data_alloc(data, 6, sizeof *data->truth);
    data->labels = cru_data_alloc(data, 6, sizeof *data->labels);
    for (int i = 0; i < 6; i++) data->truth[i] = data->labels[i] = i % 2;
    data->official = cru_data_alloc(data, 1, sizeof *data->official);
    data->official[0].train = (cru_ids){part, 3};
    data->official_count = 1;
}

static void stop(void)
{
    cru_data_destroy(data);
}

static void run(preprocess_settings s)
{
    cru_status status = data_preprocess(&s, data, &err);
    ck_assert_msg(status == CRU_OK, "%s", err.text);
    status = cru_data_check(data, &err);
    ck_assert_msg(status == CRU_OK, "%s", err.text);
}

static bool has(int64_t row, int32_t col)
{
    for (int64_t e = data->graph.offsets[row]; e < data->graph.offsets[row + 1]; e++)
        if (data->graph.ids[e] == col) return true;
    return false;
}

static void same_row(const float *row, double a, double b, double c)
{
    ck_assert_double_eq_tol(row[0], a, 1e-5);
    ck_assert_double_eq_tol(row[1], b, 1e-5);
    ck_assert_double_eq_tol(row[2], c, 1e-5);
}

/* The values of the key in the preprocess table; a choice is easier to read by its name. */
static int64_t choice(const char *key, const char *name)
{
    for (const cru_param *p = preprocess_params; p->type != CRU_PARAM_END; p++)
        for (int64_t k = 0; strcmp(p->key, key) == 0 && p->choices[k]; k++)
            if (strcmp(p->choices[k], name) == 0) return k;
    ck_abort_msg("%s = %s is not in the table", key, name);
    return -1;
}

START_TEST(nothing_asked_nothing_changed)
{
    cru_csr graph = data->graph;
    const float *x = data->x.dense;
    run(none);
    ck_assert_ptr_eq(data->graph.ids, graph.ids);
    ck_assert_ptr_eq(data->x.dense, x);
}
END_TEST

START_TEST(symmetrise_adds_the_way_back)
{
    preprocess_settings s = none;
    s.direction = choice("direction", "symmetrise");
    run(s);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2 * 4 + 1);
    ck_assert(has(3, 4) && has(4, 3) && has(0, 1) && has(1, 1));
}
END_TEST

START_TEST(reverse_turns_edges_round)
{
    preprocess_settings s = none;
    s.direction = choice("direction", "reverse");
    run(s);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 5);
    ck_assert(has(3, 4) && !has(4, 3) && has(1, 1));
}
END_TEST

START_TEST(loops_come_and_go)
{
    preprocess_settings s = none;
    s.self_loops = choice("self_loops", "remove");
    run(s);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4);
    s.self_loops = choice("self_loops", "add");
    run(s);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4 + 6);
    run(s); /* one loop a node, not two */
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4 + 6);
}
END_TEST

START_TEST(the_largest_component_keeps_labels_features_and_splits)
{
    preprocess_settings s = none;
    s.largest_component = true;
    run(s);
    ck_assert_int_eq(data->nodes, 3);
    ck_assert_int_eq(data->items, 3);
    same_row(data->x.dense + 6, 1, -0.5, -0.3);
    ck_assert_int_eq(data->truth[1], 1);
    ck_assert_int_eq(data->official[0].train.count, 1);
    ck_assert_int_eq(data->official[0].train.ids[0], 0);
}
END_TEST

START_TEST(isolated_nodes_go_and_the_rest_moves_up)
{
    preprocess_settings s = none;
    s.remove_isolated = true;
    run(s);
    ck_assert_int_eq(data->nodes, 5);
    ck_assert_int_eq(data->official[0].train.count, 2);
    ck_assert_int_eq(data->official[0].train.ids[1], 3);
    ck_assert(has(4, 3));
}
END_TEST

START_TEST(a_loop_does_not_make_company)
{
    static const int64_t offsets[] = {0, 1, 2, 2, 2, 2, 2};
    static const int32_t ids[] = {0, 2};
    data->graph = (cru_csr){6, 6, offsets, ids, NULL};
    preprocess_settings s = none;
    s.remove_isolated = true;
    run(s);
    ck_assert_int_eq(data->nodes, 2);
}
END_TEST

START_TEST(row_sums_follow_the_fixture)
{
    cJSON *root = fixture_open("heterophily/protocol.json");
    const cJSON *item = fixture_case(root, "row_sum_normalise");
    float x[9];
    double in[9], expected[9];
    fixture_numbers(fixture_input(item, "X"), in);
    fixture_numbers(fixture_expected(item, "X"), expected);
    for (int i = 0; i < 9; i++) x[i] = (float)in[i];
    data->problem = CRU_ROWS;
    data->items = data->nodes = 3;
    data->graph = (cru_csr){0};
    data->official_count = 0;
    data->x = (cru_features){.rows = 3, .cols = 3, .dense = x};
    preprocess_settings s = none;
    s.features = choice("features", "row-sum");
    run(s);
    for (int i = 0; i < 9; i++) ck_assert_double_eq_tol(data->x.dense[i], expected[i], 1e-5);
    cJSON_Delete(root);
}
END_TEST

START_TEST(l1_divides_by_absolute_values)
{
    preprocess_settings s = none;
    s.features = choice("features", "l1");
    run(s);
    same_row(data->x.dense + 6, 1 / 1.8, -0.5 / 1.8, -0.3 / 1.8);
    same_row(data->x.dense + 3, 0, 0, 0);
}
END_TEST

START_TEST(sparse_rows_stay_sparse)
{
    static const int64_t offsets[] = {0, 2, 2, 3, 3, 3, 6};
    static const int32_t ids[] = {0, 2, 1, 0, 1, 2};
    data->x = (cru_features){.rows = 6, .cols = 3, .sparse = {6, 3, offsets, ids, NULL}};
    preprocess_settings s = none;
    s.features = choice("features", "row-sum");
    run(s);
    ck_assert_ptr_null(data->x.dense);
    ck_assert_double_eq_tol(data->x.sparse.values[1], 0.5, 1e-6);
    ck_assert_double_eq_tol(data->x.sparse.values[2], 1, 1e-6);
    ck_assert_double_eq_tol(data->x.sparse.values[5], 1.0 / 3, 1e-6);
}
END_TEST

START_TEST(standardise_divides_by_deviation_plus_epsilon)
{
    preprocess_settings s = none;
    s.features = choice("features", "standardise");
    double mean = (1 + 0 + 1 + 4 + 0 + 1) / 6.0, variance = 0;
    static const double first[] = {1, 0, 1, 4, 0, 1};
    for (int i = 0; i < 6; i++) variance += (first[i] - mean) * (first[i] - mean);
    run(s);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(data->x.dense[3 * i], (first[i] - mean) / (sqrt(variance / 6) + 1e-6), 1e-6);
    stop();
    start();
    s.ddof = 1;
    s.epsilon = 0;
    run(s);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(data->x.dense[3 * i], (first[i] - mean) / sqrt(variance / 5), 1e-6);
}
END_TEST

START_TEST(min_max_fills_the_unit_interval)
{
    preprocess_settings s = none;
    s.features = choice("features", "min-max");
    run(s);
    same_row(data->x.dense + 9, 1, 0.2, 0.3 / 1.3);
    same_row(data->x.dense + 6, 0.25, 0, 0);
}
END_TEST

/* Whether stored or not, and however many: what is positive is 1, zeros and negative numbers stay. */
START_TEST(binary_marks_what_is_positive)
{
    static const float x[] = {0, 3, -2, 0.5f, 1, 0};
    static const int64_t offsets[] = {0, 1, 2, 4, 5, 5, 5};
    static const int32_t ids[] = {0, 0, 0, 1, 1};
    static const float stored[] = {7, -1, 0.25f, 1, 2};
    preprocess_settings s = none;
    s.features = choice("features", "binary");
    data->x = (cru_features){.rows = 6, .cols = 1, .dense = x};
    run(s);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(data->x.dense[i], x[i] > 0 ? 1 : x[i]);
    data->x = (cru_features){.rows = 6, .cols = 2, .sparse = {6, 2, offsets, ids, stored}};
    run(s);
    for (int i = 0; i < 5; i++) ck_assert_float_eq(data->x.sparse.values[i], stored[i] > 0 ? 1 : stored[i]);
    data->x = (cru_features){.rows = 6, .cols = 2, .sparse = {6, 2, offsets, ids, NULL}};
    run(s);
    for (int i = 0; i < 5; i++) ck_assert_float_eq(data->x.sparse.values[i], 1);
}
END_TEST

START_TEST(a_constant_column_becomes_zero)
{
    static const float x[] = {5, 5, 5, 5, 5, 5};
    data->x = (cru_features){.rows = 6, .cols = 1, .dense = x};
    preprocess_settings s = none;
    s.features = choice("features", "min-max");
    run(s);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(data->x.dense[i], 0);
}
END_TEST

/* The graphs of the fixture as one block-diagonal graph; fills data. */
static void fill_degree_case(const cJSON *item)
{
    static int64_t offsets[10], blocks[3];
    static int32_t ids[100];
    bool linked[9][9] = {{0}};
    int64_t first = 0, block = 0;
    const cJSON *graph, *pair;
    cJSON_ArrayForEach(graph, fixture_input(item, "graphs"))
    {
        cJSON_ArrayForEach(pair, cJSON_GetObjectItem(graph, "edges"))
        {
            int64_t a = first + cJSON_GetArrayItem(pair, 0)->valueint,
                    b = first + cJSON_GetArrayItem(pair, 1)->valueint;
            linked[a][b] = linked[b][a] = true;
        }
        first += cJSON_GetObjectItem(graph, "n")->valueint;
        blocks[++block] = first;
    }
    int64_t count = 0;
    for (int v = 0; v < 9; v++) {
        for (int u = 0; u < 9; u++)
            if (linked[v][u]) ids[count++] = u;
        offsets[v + 1] = count;
    }
    data->problem = CRU_GRAPHS;
    data->items = 2;
    data->nodes = 9;
    data->graph_offsets = blocks;
    data->graph = (cru_csr){9, 9, offsets, ids, NULL};
    data->official_count = 0;
}

START_TEST(degrees_are_coded_as_published)
{
    static const char *const rules[][2] = {{"doubled", "codes_doubled"}, {"exact", "codes_exact"}};
    cJSON *root = fixture_open("igl/degree_code.json");
    const cJSON *item = fixture_case(root, "degree_code");
    fill_degree_case(item);
    preprocess_settings s = none;
    s.degree_features = choice("degree_features", rules[_i][0]);
    run(s);
    double codes[9];
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, rules[_i][1]), codes), 9);
    for (int v = 0; v < 9; v++) ck_assert_int_eq(data->x.sparse.ids[v], (int)codes[v]);
    /* exact: degrees 1, 2 and 4 occur */
    ck_assert_int_eq(data->x.cols, _i == 0 ? fixture_expected(item, "width")->valueint : 3);
    cJSON_Delete(root);
}
END_TEST

START_TEST(constant_features_are_a_one_that_all_nodes_share)
{
    cJSON *root = fixture_open("igl/degree_code.json");
    fill_degree_case(fixture_case(root, "degree_code"));
    preprocess_settings s = none;
    s.degree_features = choice("degree_features", "constant");
    run(s);
    ck_assert_int_eq(data->x.cols, 1);
    for (int v = 0; v < 9; v++) {
        ck_assert_int_eq(data->x.sparse.offsets[v + 1], v + 1);
        ck_assert_int_eq(data->x.sparse.ids[v], 0);
    }
    ck_assert_ptr_null(data->x.sparse.values);
    cJSON_Delete(root);
}
END_TEST

START_TEST(relations_are_forgotten_on_request)
{
    cru_relation relation = {"likes", data->graph};
    data->relations = &relation;
    data->relation_count = 1;
    preprocess_settings s = none;
    s.self_loops = choice("self_loops", "remove");
    run(s);
    ck_assert_int_eq(cru_csr_nnz(&data->relations[0].graph), 4);
    s.relations = choice("relations", "merge");
    run(s);
    ck_assert_int_eq(data->relation_count, 0);
}
END_TEST

START_TEST(rows_have_no_graph_to_change)
{
    data->problem = CRU_ROWS;
    preprocess_settings s = none;
    s.direction = choice("direction", "symmetrise");
    ck_assert_int_eq(data_preprocess(&s, data, &err), CRU_UNSUPPORTED);
    data->problem = CRU_GRAPHS;
    err = (cru_error){0};
    s = none;
    s.largest_component = true;
    ck_assert_int_eq(data_preprocess(&s, data, &err), CRU_UNSUPPORTED);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("preprocess");
    TCase *c = tcase_create("preprocess");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, nothing_asked_nothing_changed);
    tcase_add_test(c, symmetrise_adds_the_way_back);
    tcase_add_test(c, reverse_turns_edges_round);
    tcase_add_test(c, loops_come_and_go);
    tcase_add_test(c, the_largest_component_keeps_labels_features_and_splits);
    tcase_add_test(c, isolated_nodes_go_and_the_rest_moves_up);
    tcase_add_test(c, a_loop_does_not_make_company);
    tcase_add_test(c, row_sums_follow_the_fixture);
    tcase_add_test(c, l1_divides_by_absolute_values);
    tcase_add_test(c, sparse_rows_stay_sparse);
    tcase_add_test(c, standardise_divides_by_deviation_plus_epsilon);
    tcase_add_test(c, min_max_fills_the_unit_interval);
    tcase_add_test(c, binary_marks_what_is_positive);
    tcase_add_test(c, a_constant_column_becomes_zero);
    tcase_add_loop_test(c, degrees_are_coded_as_published, 0, 2);
    tcase_add_test(c, constant_features_are_a_one_that_all_nodes_share);
    tcase_add_test(c, relations_are_forgotten_on_request);
    tcase_add_test(c, rows_have_no_graph_to_change);
    suite_add_tcase(s, c);
    return s;
}
