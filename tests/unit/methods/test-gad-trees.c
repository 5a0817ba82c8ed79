// SPDX-License-Identifier: Apache-2.0
/* xgb-graph and rf-graph: what trees learn from, and what they make of it. */
#include <string.h>

#include <crucible/draft/forest.h>

#include "methods/method-bench.h"

static cru_reduce reduce_of(const char *name)
{
    return strcmp(name, "mean") == 0 ? CRU_REDUCE_MEAN : strcmp(name, "sum") == 0 ? CRU_REDUCE_SUM : CRU_REDUCE_MAX;
}

START_TEST(neighbourhoods_stand_beside_the_features)
{
    static const char *const cases[] = {"mean", "sum", "max"};
    cJSON *root = fixture_open("gad/xgb-graph.json");
    const cJSON *item = fixture_case(root, cases[_i]);
    bench b = bench_create();
    bench_graph_as(&b, fixture_input(item, "graph"), true);
    bench_features(&b, fixture_input(item, "x"));
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    cru_input x = cru_input_create(b.ctx, &b.data->x);
    bench_check(&b,
                cru_hop_features(t, cru_sparse_create(b.ctx, &b.data->graph), x.dense,
                                 fixture_input(item, "num_layers")->valueint, reduce_of(cases[_i])),
                fixture_expected(item, "features"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* ---- XGBoost ----------------------------------------------------------------------------------------------------- */

/* The rows to train on and the rows to score become the nodes of a graph without edges. */
static bench with_rows(const cJSON *item)
{
    bench b = bench_create();
    cJSON *rows = cJSON_CreateArray(), *labels = cJSON_CreateArray(), *train = cJSON_CreateArray();
    const cJSON *y = fixture_input(item, "y_train"), *row;
    cJSON_ArrayForEach(row, fixture_input(item, "x_train")) cJSON_AddItemToArray(rows, cJSON_Duplicate(row, true));
    cJSON_ArrayForEach(row, fixture_input(item, "x_test")) cJSON_AddItemToArray(rows, cJSON_Duplicate(row, true));
    const int learn = cJSON_GetArraySize(y), count = cJSON_GetArraySize(rows);
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(labels, cJSON_CreateNumber(i < learn ? cJSON_GetArrayItem(y, i)->valueint : 0));
    for (int i = 0; i < learn; i++) cJSON_AddItemToArray(train, cJSON_CreateNumber(i));
    cJSON *graph = cJSON_CreateObject();
    cJSON_AddNumberToObject(graph, "n", count);
    cJSON_AddItemToObject(graph, "edges", cJSON_CreateArray());
    bench_graph_as(&b, graph, true);
    b.data->problem = CRU_ANOMALY;
    bench_features(&b, rows);
    bench_labels(&b, labels, train);
    cJSON_Delete(rows);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(graph);
    return b;
}

START_TEST(boosting_scores_as_the_reference)
{
    static const char *const cases[] = {"defaults", "depth3_eta01_unweighted"};
    static const char *const settings[][9] = {
        {"layers", "0", NULL},
        {"layers", "0", "depth", "3", "eta", "0.1", "class_weights", "equal", NULL},
    };
    static double train[BENCH_MOST], test[BENCH_MOST];
    static float scores[BENCH_MOST];
    cJSON *root = fixture_open("gad/xgboost.json");
    const cJSON *item = fixture_case(root, cases[_i]);
    bench b = with_rows(item);
    bench_open(&b, "xgb-graph", settings[_i]);
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    const int64_t learned = fixture_numbers(fixture_expected(item, "p_train"), train);
    fixture_numbers(fixture_expected(item, "p_test"), test);
    for (int64_t i = 0; i < b.task.items; i++) {
        const double z = (double)scores[2 * i + 1] - (double)scores[2 * i];
        bench_check_number(&b, 1 / (1 + exp(-z)), i < learned ? train[i] : test[i - learned]);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* ---- both -------------------------------------------------------------------------------------------------------- */

enum { NODES = 60, COLS = 3, CLASSES = 3 };

/* A ring with self-loops. The class of a node shows in the features of the node before it only. */
static bench with_ring(int32_t classes)
{
    static int32_t row[2 * NODES], col[2 * NODES], train[NODES / 2], test[NODES / 2];
    bench b = bench_create();
    cru_data *d = b.data;
    d->items = d->nodes = NODES;
    d->classes = classes;
    float *x = cru_data_alloc(d, NODES * COLS, sizeof *x);
    d->truth = cru_data_alloc(d, NODES, sizeof *d->truth);
    d->labels = cru_data_alloc(d, NODES, sizeof *d->labels);
    for (int32_t v = 0; v < NODES; v++) {
        row[2 * v] = row[2 * v + 1] = col[2 * v] = v;
        col[2 * v + 1] = (v + NODES - 1) % NODES;
        d->truth[v] = d->labels[v] = v * v % 7 % classes;
        for (int32_t c = 0; c < COLS; c++)
            x[(v + NODES - 1) % NODES * COLS + c] = (float)((d->truth[v] == c) * 10 + v % 5);
        *(v % 2 ? &train[v / 2] : &test[v / 2]) = v;
    }
    const cru_coo coo = {.rows = NODES, .cols = NODES, .count = 2 * NODES, .row = row, .col = col};
    d->graph = cru_csr_from_coo(cru_data_pool(d), &coo, CRU_DUP_FIRST);
    d->x = (cru_features){.rows = NODES, .cols = COLS, .dense = x};
    d->split = (cru_split){.train = {train, NODES / 2}, .test = {test, NODES / 2}};
    return b;
}

static const char *const methods[] = {"xgb-graph", "rf-graph"};

START_TEST(neighbours_tell_what_a_node_does_not)
{
    float scores[NODES * CLASSES];
    const int32_t classes = _i / 2 ? CLASSES : 2;
    int64_t right[2];
    for (int layers = 0; layers < 2; layers++) {
        bench b = with_ring(classes);
        bench_open(&b, methods[_i % 2], (const char *[]){"layers", layers ? "1" : "0", NULL});
        ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
        ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
        right[layers] = 0;
        for (int64_t v = 0; v < NODES; v += 2) {
            int32_t best = 0;
            for (int32_t c = 1; c < classes; c++)
                if (scores[v * classes + c] > scores[v * classes + best]) best = c;
            right[layers] += best == b.data->truth[v];
        }
        bench_destroy(&b);
    }
    ck_assert_int_gt(right[1], right[0] + NODES / 10);
}
END_TEST

/* As if the others had no label. */
START_TEST(xgbod_learns_from_the_first_of_too_many_nodes)
{
    enum { FIRST = 12 };
    float scores[2][NODES * 2];
    for (int few = 0; few < 2; few++) {
        bench b = with_ring(2);
        b.data->problem = CRU_ANOMALY;
        int32_t *ids = (int32_t *)b.data->split.train.ids;
        for (int i = 0; !few && i < NODES / 4; i++) { /* their order is no matter */
            const int32_t id = ids[i];
            ids[i] = ids[NODES / 2 - 1 - i];
            ids[NODES / 2 - 1 - i] = id;
        }
        if (few) b.data->split.train.count = FIRST;
        bench_open(&b, "xgbod", (const char *[]){"most", few ? "12" : "29", "first", "12", NULL});
        ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
        ck_assert_int_eq(b.algorithm->predict(b.learner, scores[few]), CRU_OK);
        bench_destroy(&b);
    }
    ck_assert_mem_eq(scores[0], scores[1], sizeof scores[0]);
}
END_TEST

START_TEST(a_wider_task_is_scored_with_its_own_neighbourhoods)
{
    float before[NODES * CLASSES], after[NODES * CLASSES];
    bench b = with_ring(CLASSES), other = with_ring(CLASSES);
    bench_open(&b, methods[_i], (const char *[]){NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    ck_assert_int_eq(b.algorithm->predict(b.learner, before), CRU_OK);
    ck_assert_int_eq(b.algorithm->widen(b.learner, &b.task), CRU_OK);
    ck_assert_int_eq(b.algorithm->predict(b.learner, after), CRU_OK);
    ck_assert_mem_eq(before, after, sizeof before);
    other.data->graph = cru_graph_loops(cru_data_pool(other.data), &other.data->graph, CRU_LOOPS_REMOVE);
    cru_task wider;
    ck_assert_int_eq(cru_data_task(other.data, 0, &wider, NULL), CRU_OK);
    ck_assert_int_eq(b.algorithm->widen(b.learner, &wider), CRU_OK);
    ck_assert_int_eq(b.algorithm->predict(b.learner, after), CRU_OK);
    ck_assert(memcmp(before, after, sizeof before) != 0);
    bench_destroy(&b);
    bench_destroy(&other);
}
END_TEST

START_TEST(a_forest_scores_logarithms_of_its_shares)
{
    float scores[NODES * 2], share[NODES * 2], x[NODES / 2 * COLS];
    int32_t labels[NODES / 2];
    bench b = with_ring(2);
    bench_open(&b, "rf-graph",
               (const char *[]){"layers", "0", "trees", "7", "features", "all", "class_weights", "equal", NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    for (int i = 0; i < NODES / 2; i++) {
        memcpy(x + i * COLS, b.data->x.dense + (2 * i + 1) * COLS, COLS * sizeof *x);
        labels[i] = b.data->truth[2 * i + 1];
    }
    const cru_samples samples = {.x = {NODES / 2, COLS, x}, .labels = labels, .classes = 2};
    const cru_rng rng = cru_ctx_stream(b.ctx, "forest");
    cru_forest *forest =
        cru_forest_grow(&(cru_forest_shape){.trees = 7, .sample = 1, .features = COLS}, &samples, &rng);
    cru_forest_predict(forest, &(cru_dense){NODES, COLS, b.data->x.dense}, share);
    for (int i = 0; i < NODES * 2; i++) ck_assert_double_eq_tol(exp((double)scores[i]), (double)share[i] + 1e-6, 1e-6);
    cru_forest_destroy(forest);
    bench_destroy(&b);
}
END_TEST

START_TEST(tasks_without_features_or_labels_are_refused)
{
    bench b = with_ring(2);
    bench_open(&b, methods[_i], (const char *[]){NULL});
    const uint8_t candidates[NODES * 2] = {0};
    cru_task bare = b.task, partial = b.task, rows = b.task;
    bare.x = (cru_features){.rows = NODES};
    partial.candidates = candidates;
    rows.problem = CRU_ROWS;
    const cru_task *const refused[] = {&bare, &partial, &rows};
    for (int i = 0; i < 3; i++) {
        cru_ctx *ctx = cru_ctx_create(NULL);
        void *self = NULL;
        const void *settings = cru_settings_struct(b.settings);
        ck_assert_int_eq(b.algorithm->create(&self, b.plugin, settings, refused[i], ctx), CRU_UNSUPPORTED);
        ck_assert_ptr_null(self);
        cru_ctx_destroy(ctx);
    }
    bench_destroy(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("trees on graphs");
    TCase *c = tcase_create("trees");
    tcase_add_loop_test(c, neighbourhoods_stand_beside_the_features, 0, 3);
    tcase_add_loop_test(c, boosting_scores_as_the_reference, 0, 2);
    tcase_add_loop_test(c, neighbours_tell_what_a_node_does_not, 0, 4);
    tcase_add_test(c, xgbod_learns_from_the_first_of_too_many_nodes);
    tcase_add_loop_test(c, a_wider_task_is_scored_with_its_own_neighbourhoods, 0, 2);
    tcase_add_test(c, a_forest_scores_logarithms_of_its_shares);
    tcase_add_loop_test(c, tasks_without_features_or_labels_are_refused, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
