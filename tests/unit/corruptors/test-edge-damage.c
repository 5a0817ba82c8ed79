// SPDX-License-Identifier: Apache-2.0
/* Edges that are lost, added or moved. */
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

/* Graphs of `size` nodes, each a circle, with weights that tell them apart. */
static cru_data *circles(int32_t graphs, int32_t size)
{
    cru_data *data = damage_data(graphs, 2);
    const int64_t nodes = (int64_t)graphs * size;
    int32_t *row = cru_data_alloc(data, 2 * nodes, sizeof *row), *col = cru_data_alloc(data, 2 * nodes, sizeof *col);
    float *values = cru_data_alloc(data, 2 * nodes, sizeof *values);
    data->graph_offsets = cru_data_alloc(data, graphs + 1, sizeof *data->graph_offsets);
    for (int32_t v = 0; v < nodes; v++) {
        const int32_t first = v / size * size;
        row[2 * v] = col[2 * v + 1] = v;
        col[2 * v] = row[2 * v + 1] = first + (v - first + 1) % size;
        values[2 * v] = values[2 * v + 1] = (float)(v / size + 2);
    }
    for (int32_t g = 0; g < graphs; g++) data->graph_offsets[g + 1] = (int64_t)(g + 1) * size;
    data->problem = CRU_GRAPHS;
    data->nodes = nodes;
    data->x = (cru_features){.rows = nodes, .cols = 1, .dense = cru_data_alloc(data, nodes, sizeof(float))};
    const cru_coo coo = {nodes, nodes, 2 * nodes, row, col, values};
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
    ck_assert_double_eq(*damage_reported(&report, "edges_lost"), (double)(N - left));
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

/* All old edges are there, all new ones are new and stored in both directions; the only loop stays the only one. */
START_TEST(edges_are_added_in_both_directions)
{
    enum { N = 1000 };
    cru_data *data = circle(N);
    const cru_csr before = data->graph;
    damage_report report;
    damage_apply(&(damage){.name = "add-edges", .settings = {"rate", "0.5"}, .seed = 1}, data, &report);
    ck_assert(cru_graph_is_symmetric(&data->graph));
    ck_assert_int_eq(cru_csr_nnz(&data->graph), cru_csr_nnz(&before) + 2 * (N / 2));
    for (int32_t v = 0; v < N; v++) {
        ck_assert_int_ge(cru_csr_find(&data->graph, v, (v + 1) % N), 0);
        ck_assert_int_eq(cru_csr_find(&data->graph, v, v) >= 0, v == 0);
    }
    ck_assert_double_eq(*damage_reported(&report, "edges_added"), N / 2);
    ck_assert_double_eq(*damage_reported(&report, "edge_growth_rate"), 0.5);
    cru_data_destroy(data);
}
END_TEST

/* Every one of the pairs that were free is equally likely: 7 nodes in a circle leave 14. One new edge a graph, on
 * average. */
START_TEST(every_free_pair_is_equally_likely)
{
    enum { GRAPHS = 100000, N = 7, FREE = 14 };
    cru_data *data = circles(GRAPHS, N);
    damage_report report;
    int64_t count[N * N] = {0}, cells[FREE];
    double p[FREE];
    int used = 0;
    damage_apply(&(damage){.name = "add-edges", .settings = {"rate", "0.142857142857"}, .seed = 4}, data, &report);
    for (int32_t v = 0; v < data->nodes; v++)
        for (int64_t e = data->graph.offsets[v]; e < data->graph.offsets[v + 1]; e++)
            count[v % N * N + data->graph.ids[e] % N]++;
    for (int v = 0; v < N; v++)
        for (int u = v + 2; u < N && u - v < N - 1; u++) {
            p[used] = 1. / FREE;
            cells[used++] = count[v * N + u];
        }
    ck_assert_int_eq(used, FREE);
    assert_counts_fit(cells, p, FREE, GRAPHS);
    cru_data_destroy(data);
}
END_TEST

START_TEST(new_edges_may_join_classes_or_not)
{
    static const char *const between[] = {"different", "same"};
    cru_data *data = circle(400); /* classes in turn: all old edges join different ones */
    const cru_csr before = data->graph;
    damage_report report;
    damage_apply(&(damage){.name = "add-edges", .settings = {"rate", "1", "between", between[_i]}}, data, &report);
    for (int32_t v = 0; v < 400; v++)
        for (int64_t e = data->graph.offsets[v]; e < data->graph.offsets[v + 1]; e++) {
            const int32_t u = data->graph.ids[e];
            if (cru_csr_find(&before, v, u) < 0) ck_assert_int_eq(data->truth[u] == data->truth[v], _i);
        }
    cru_data_destroy(data);
}
END_TEST

/* Four nodes have 6 pairs, of which a circle holds 4: not more than 2 can be added. */
START_TEST(a_full_graph_takes_no_more)
{
    cru_data *data = circle(4);
    damage_report report;
    damage_apply(&(damage){.name = "add-edges", .settings = {"rate", "5"}}, data, &report);
    ck_assert_double_eq(*damage_reported(&report, "edges_added"), 2);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4 * 3 + 1);
    cru_data_destroy(data);
}
END_TEST

/* A directed circle stays directed. */
static cru_data *directed_circle(int32_t n)
{
    cru_data *data = damage_data(n, 2);
    int32_t *row = cru_data_alloc(data, n, sizeof *row), *col = cru_data_alloc(data, n, sizeof *col);
    for (int32_t i = 0; i < n; i++) {
        row[i] = i;
        col[i] = (i + 1) % n;
    }
    const cru_coo coo = {.rows = n, .cols = n, .count = n, .row = row, .col = col};
    data->problem = CRU_NODES;
    data->graph = cru_csr_from_coo(cru_data_pool(data), &coo, CRU_DUP_FIRST);
    return data;
}

START_TEST(directed_edges_are_added_and_moved_one_by_one)
{
    cru_data *data = directed_circle(1000);
    damage_report report;
    damage_apply(&(damage){.name = "add-edges", .settings = {"rate", "0.1"}}, data, &report);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 1100);
    ck_assert(!cru_graph_is_symmetric(&data->graph));
    int64_t before[1000], after[1000];
    cru_graph_out_degrees(&data->graph, before);
    damage_apply(&(damage){.name = "rewire-edges", .settings = {"rate", "1"}}, data, &report);
    cru_graph_out_degrees(&data->graph, after);
    ck_assert_mem_eq(before, after, sizeof before); /* senders stay */
    ck_assert_double_eq(*damage_reported(&report, "edges_rewired"), 1100);
    cru_data_destroy(data);
}
END_TEST

START_TEST(edges_are_rewired_at_the_rate)
{
    enum { N = 100000 };
    static const char *const modes[] = {"end", "degrees"};
    cru_data *data = circle(N);
    const cru_csr before = data->graph;
    damage_report report;
    int64_t moved = 0;
    damage_apply(&(damage){.name = "rewire-edges", .settings = {"rate", "0.3", "mode", modes[_i]}, .seed = 2}, data,
                 &report);
    ck_assert(cru_graph_is_symmetric(&data->graph));
    ck_assert_int_eq(cru_csr_nnz(&data->graph), cru_csr_nnz(&before));
    for (int32_t v = 0; v < N; v++) moved += cru_csr_find(&data->graph, v, (v + 1) % N) < 0;
    ck_assert_double_eq(*damage_reported(&report, "edges_rewired"), (double)moved);
    assert_counts_fit((const int64_t[]){moved, N - moved}, (const double[]){0.3, 0.7}, 2, N);
    for (int32_t v = 0; v < N && _i; v++) /* two neighbours each, and the loop */
        ck_assert_int_eq(data->graph.offsets[v + 1] - data->graph.offsets[v], v ? 2 : 3);
    cru_data_destroy(data);
}
END_TEST

START_TEST(edges_stay_in_their_graph_and_keep_their_weight)
{
    enum { GRAPHS = 100, SIZE = 8 };
    static const damage cases[] = {{.name = "rewire-edges", .settings = {"rate", "0.5"}},
                                   {.name = "rewire-edges", .settings = {"rate", "0.5", "mode", "degrees"}},
                                   {.name = "add-edges", .settings = {"rate", "0.5"}}};
    cru_data *data = circles(GRAPHS, SIZE);
    damage_report report;
    damage_apply(&cases[_i], data, &report); /* whose check of the data finds edges between graphs */
    for (int64_t v = 0; v < data->nodes; v++)
        for (int64_t e = data->graph.offsets[v]; e < data->graph.offsets[v + 1]; e++)
            ck_assert(data->graph.values[e] == (float)(v / SIZE + 2) || (_i == 2 && data->graph.values[e] == 1));
    const char *changed = _i == 2 ? "edges_added" : "edges_rewired";
    ck_assert_double_gt(*damage_reported(&report, changed), 0.2 * GRAPHS * SIZE);
    cru_data_destroy(data);
}
END_TEST

START_TEST(relations_are_damaged_each)
{
    static const char *const names[] = {"add-edges", "rewire-edges"};
    cru_data *data = circle(1000);
    damage_report report;
    data->relations = cru_data_alloc(data, 2, sizeof *data->relations);
    data->relations[0] = (cru_relation){.name = "one", .graph = data->graph};
    data->relations[1] = (cru_relation){.name = "two", .graph = data->graph};
    data->relation_count = 2;
    damage_apply(&(damage){.name = names[_i], .settings = {"rate", "0.5"}}, data, &report); /* checks the union */
    ck_assert_int_gt(cru_csr_nnz(&data->graph), cru_csr_nnz(&data->relations[0].graph));
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("edges");
    TCase *c = tcase_create("damage");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, edges_are_lost_in_both_directions);
    tcase_add_test(c, a_relation_loses_what_the_graph_loses);
    tcase_add_loop_test(c, all_or_no_edges, 0, 2);
    tcase_add_test(c, edges_are_added_in_both_directions);
    tcase_add_test(c, every_free_pair_is_equally_likely);
    tcase_add_loop_test(c, new_edges_may_join_classes_or_not, 0, 2);
    tcase_add_test(c, a_full_graph_takes_no_more);
    tcase_add_test(c, directed_edges_are_added_and_moved_one_by_one);
    tcase_add_loop_test(c, edges_are_rewired_at_the_rate, 0, 2);
    tcase_add_loop_test(c, edges_stay_in_their_graph_and_keep_their_weight, 0, 3);
    tcase_add_loop_test(c, relations_are_damaged_each, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
