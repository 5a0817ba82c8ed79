// SPDX-License-Identifier: Apache-2.0
/* Where training nodes sit in a graph: degrees, and the reach of the others. */
#include <math.h>

#include <crucible/context.h>
#include <crucible/curvature.h>
#include <crucible/draft/curvature.h>
#include <crucible/draft/imbalance.h>
#include <crucible/graph.h>
#include <crucible/imbalance.h>

#include "corruptors/damage.h"
#include "random/statistics.h"

/* n nodes in four classes; hubs 0 .. n / 10 - 1 are linked to many, all others to few. Undirected, one self-loop. */
static cru_data *hubs(int32_t n)
{
    cru_data *data = damage_data(n, 4);
    const int64_t most = 4 * (int64_t)n;
    int32_t *row = cru_data_alloc(data, 2 * most, sizeof *row), *col = cru_data_alloc(data, 2 * most, sizeof *col);
    cru_rng rng = cru_rng_stream(11, "hubs", 0);
    int64_t count = 0;
    row[count++] = 0; /* 0 -> 0 */
    for (int32_t v = 1; v < n; v++) {
        for (int k = 0; k < 2; k++) {
            const int32_t u = (int32_t)(k ? cru_rng_below(&rng, n) : cru_rng_below(&rng, n / 10));
            if (u == v) continue;
            row[count] = col[count + 1] = v;
            col[count] = row[count + 1] = u;
            count += 2;
        }
    }
    const cru_coo coo = {.rows = n, .cols = n, .count = count, .row = row, .col = col};
    data->problem = CRU_NODES;
    data->graph = cru_csr_from_coo(cru_data_pool(data), &coo, CRU_DUP_FIRST);
    return data;
}

static void count_sides(const cru_data *data, double head, int64_t count[2])
{
    count[0] = count[1] = 0;
    for (int64_t i = 0; i < data->split.train.count; i++) {
        const int32_t v = data->split.train.ids[i];
        count[(double)(data->graph.offsets[v + 1] - data->graph.offsets[v]) >= head]++;
    }
}

/* 400 nodes, 10 of each class train: 1, 2 or 3 of them heads. */
START_TEST(levels_differ_in_the_share_of_heads)
{
    static const char *const levels[] = {"low", "mid", "high"};
    cru_data *data = hubs(400);
    damage_report report;
    int64_t count[2];
    damage_apply(&(damage){.name = "local-topology", .settings = {"level", levels[_i]}, .seed = 2}, data, &report);
    count_sides(data, *damage_reported(&report, "head_degree"), count);
    ck_assert_int_eq(count[1], 4 * (_i + 1));
    ck_assert_int_eq(count[0], 40 - count[1]);
    ck_assert_double_eq(*damage_reported(&report, "heads_per_class"), (double)count[1] / 4);
    ck_assert_double_eq(*damage_reported(&report, "tails_per_class"), (double)count[0] / 4);
    ck_assert_double_eq_tol(*damage_reported(&report, "mean_of_heads") / *damage_reported(&report, "mean_of_tails"),
                            *damage_reported(&report, "degree_imbalance_ratio"), 1e-12);
    ck_assert_int_eq(data->split.val.count, 40);
    ck_assert_int_eq(data->split.test.count, 320);
    cru_data_destroy(data);
}
END_TEST

START_TEST(a_target_ratio_is_met)
{
    static const char *const targets[] = {"4", "5.5", "7"};
    cru_data *data = hubs(2000);
    damage_report report;
    const damage d = {.name = "local-topology", .settings = {"mode", "target", "target", targets[_i]}, .seed = 3};
    damage_apply(&d, data, &report);
    ck_assert_double_eq_tol(*damage_reported(&report, "degree_imbalance_ratio"), atof(targets[_i]), 0.1);
    cru_data_destroy(data);
}
END_TEST

/* The ratio is met with a tenth of the training nodes for heads at every level, and validation nodes are chosen likewise. */
START_TEST(files_keep_the_number_of_heads)
{
    static const char *const levels[] = {"low", "mid", "high"};
    cru_data *data = hubs(2000);
    damage_report report;
    const damage d = {
        .name = "local-topology", .settings = {"mode", "files", "target", "5.5", "level", levels[_i]}, .seed = 3};
    damage_apply(&d, data, &report);
    const double heads = *damage_reported(&report, "heads_per_class"),
                 all = *damage_reported(&report, "train_per_class");
    ck_assert_double_eq(heads, nearbyint(all / 10));
    ck_assert_double_eq_tol(*damage_reported(&report, "degree_imbalance_ratio"), 5.5, 0.1);
    int64_t *degree = calloc((size_t)data->items, sizeof *degree), val_heads = 0;
    const cru_csr both = cru_graph_symmetrise(cru_data_pool(data), &data->graph, CRU_SYM_OR);
    cru_graph_out_degrees(&both, degree);
    const double head = cru_head_degree(degree, data->items);
    for (int64_t i = 0; i < data->split.val.count; i++) val_heads += (double)degree[data->split.val.ids[i]] >= head;
    ck_assert_int_eq(val_heads, (int64_t)(heads * data->classes));
    free(degree);
    cru_data_destroy(data);
}
END_TEST

START_TEST(a_target_must_be_known_or_given)
{
    cru_data *data = hubs(400);
    damage_report report = {0};
    cru_error err = {0};
    ck_assert_int_eq(
        damage_try(&(damage){.name = "local-topology", .settings = {"mode", "target"}}, data, &report, &err),
        CRU_BAD_INPUT);
    cru_data_destroy(data);
}
END_TEST

/* A directed path: node v has one outgoing edge but for the last; heads are counted by what goes out. */
START_TEST(degrees_count_outgoing_edges)
{
    enum { N = 100 };
    cru_data *data = damage_data(N, 2);
    int32_t row[N], col[N] = {0};
    damage_report report;
    for (int32_t v = 0; v < N; v++) row[v] = v; /* 0 -> v for all v: only node 0 sends */
    const cru_coo coo = {.rows = N, .cols = N, .count = N, .row = row, .col = col};
    data->problem = CRU_NODES;
    data->graph = cru_csr_from_coo(cru_data_pool(data), &coo, CRU_DUP_FIRST);
    damage_apply(&(damage){.name = "local-topology"}, data, &report);
    ck_assert_double_eq(*damage_reported(&report, "head_degree"), 0);
    cru_data_destroy(data);
}
END_TEST

/* The coefficients of the split that came out, computed from the definition. */
static double ratio_of(cru_data *data)
{
    cru_csr g = cru_graph_loops(cru_data_pool(data), &data->graph, CRU_LOOPS_REMOVE);
    float *curvature = cru_data_alloc(data, cru_csr_nnz(&g), sizeof *curvature);
    const cru_placement place = {&g, data->truth, data->split.train};
    cru_graph_ricci(&g, 0.5, curvature);
    return cru_imbalance_of_places(cru_reaching_coefficient(&place, 1), cru_squashing_coefficient(&place, curvature));
}

START_TEST(levels_order_the_places_of_training_nodes)
{
    static const char *const indices[] = {"1", "4", "7", "10"};
    double last = -INFINITY;
    for (int i = 0; i < 4; i++) {
        cru_data *data = hubs(200);
        damage_report report;
        const damage d = {.name = "global-topology", .settings = {"index", indices[i], "draws", "30"}, .seed = 6};
        damage_apply(&d, data, &report);
        const double ratio = *damage_reported(&report, "place_imbalance_ratio");
        ck_assert_double_eq_tol(ratio, ratio_of(data), 1e-9);
        ck_assert_double_gt(ratio, last);
        ck_assert_int_eq(data->split.train.count, 20);
        ck_assert_int_eq(data->split.val.count, 20);
        last = ratio;
        cru_data_destroy(data);
    }
}
END_TEST

/* Class 3 has 6 nodes of 200, fewer than twice the quota of 5: every class gets a tenth of its own at most. */
START_TEST(small_classes_give_a_tenth)
{
    cru_data *data = hubs(200);
    damage_report report;
    int64_t left = 0;
    for (int32_t v = 0; v < 200; v++) {
        if (data->truth[v] != 3) continue;
        if (left++ >= 6) data->truth[v] = data->labels[v] = v % 3;
    }
    damage_apply(&(damage){.name = "global-topology", .settings = {"draws", "5"}}, data, &report);
    const double *counts = damage_reported(&report, "train_counts");
    ck_assert_double_eq(counts[3], 0);
    for (int c = 0; c < 3; c++) ck_assert_double_eq(counts[c], 5);
    cru_data_destroy(data);
}
END_TEST

START_TEST(one_seed_one_place)
{
    static const char *const names[] = {"local-topology", "global-topology"};
    cru_data *a = hubs(200), *b = hubs(200);
    damage_report report;
    damage d = {.name = names[_i], .seed = 8};
    if (_i) d.settings[0] = "draws", d.settings[1] = "10";
    damage_apply(&d, a, &report);
    damage_apply(&d, b, &report);
    ck_assert_int_eq(a->split.train.count, b->split.train.count);
    ck_assert_mem_eq(a->split.train.ids, b->split.train.ids, (size_t)a->split.train.count * sizeof(int32_t));
    cru_data_destroy(a);
    cru_data_destroy(b);
}
END_TEST

START_TEST(the_study_kept_no_other_splits)
{
    cru_data *data = hubs(200);
    damage_report report = {0};
    cru_error err = {0};
    const damage d = {.name = "global-topology", .settings = {"selection", "seeds"}};
    ck_assert_int_eq(damage_try(&d, data, &report, &err), CRU_UNSUPPORTED);
    cru_data_destroy(data);
}
END_TEST

/* Two items of class 0, none of class 1, five of class 2, in the order of the split; one has no label. */
START_TEST(members_of_classes_repeat_to_the_largest)
{
    static const int32_t labels[] = {2, 0, 2, CRU_UNLABELLED, 2, 0, 2, 2, 1}, train[] = {7, 5, 3, 4, 2, 1, 0, 6};
    static const int32_t expected[] = {5, 1, 7, 4, 2, 0, 6}, counts[] = {2, 0, 5};
    cru_task task = {.size = sizeof task, .items = 9, .classes = 3, .labels = labels, .split.train = {train, 8}};
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_rng rng = cru_rng_stream(5, "repeats", 0);
    const cru_ids *members = cru_class_members(cru_ctx_pool(ctx), &task);
    for (int c = 0, k = 0; c < 3; c++) {
        ck_assert_int_eq(members[c].count, counts[c]);
        for (int64_t i = 0; i < members[c].count; i++) ck_assert_int_eq(members[c].ids[i], expected[k++]);
    }
    const cru_ids repeated = cru_class_repeat(cru_ctx_pool(ctx), members, 3, &rng);
    ck_assert_int_eq(repeated.count, 10);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(repeated.ids[i], expected[i % 2]);
    ck_assert(repeated.ids[4] == 5 || repeated.ids[4] == 1);
    for (int i = 5; i < 10; i++) ck_assert_int_eq(repeated.ids[i], expected[i - 3]);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(the_largest_come_first_and_equals_by_number)
{
    static const int64_t size[] = {3, 7, 3, 0, 7, 3};
    int32_t ids[] = {5, 3, 0, 4, 2, 1}, none = 0;
    cru_largest_first(ids, 6, size);
    ck_assert_mem_eq(ids, ((int32_t[]){1, 4, 0, 2, 5, 3}), sizeof ids);
    cru_largest_first(&none, 0, size);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("node topology");
    TCase *c = tcase_create("topology");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, levels_differ_in_the_share_of_heads, 0, 3);
    tcase_add_loop_test(c, a_target_ratio_is_met, 0, 3);
    tcase_add_loop_test(c, files_keep_the_number_of_heads, 0, 3);
    tcase_add_test(c, a_target_must_be_known_or_given);
    tcase_add_test(c, degrees_count_outgoing_edges);
    tcase_add_test(c, levels_order_the_places_of_training_nodes);
    tcase_add_test(c, small_classes_give_a_tenth);
    tcase_add_loop_test(c, one_seed_one_place, 0, 2);
    tcase_add_test(c, the_study_kept_no_other_splits);
    tcase_add_test(c, members_of_classes_repeat_to_the_largest);
    tcase_add_test(c, the_largest_come_first_and_equals_by_number);
    suite_add_tcase(s, c);
    return s;
}
