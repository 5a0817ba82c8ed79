// SPDX-License-Identifier: Apache-2.0
/* The anomaly study's training loop: class weights, Adam, scores before the step, patience, by the host's own
 * monitor. */
#include <string.h>

#include "methods/method-bench.h"
#include "worker/monitor.h"

enum { MOST_EPOCHS = 64 };

typedef struct trace {
    monitor_point points[MOST_EPOCHS];
    int64_t count;
} trace;

static void record(void *user, const monitor_point *point)
{
    trace *t = user;
    ck_assert_int_lt(t->count, MOST_EPOCHS);
    t->points[t->count++] = *point;
}

/* Rows without edges; validation items come off the test part. */
static bench with_rows(const cJSON *item)
{
    static double ids[BENCH_MOST];
    bench b = bench_create();
    const int64_t n = cJSON_GetArraySize(fixture_input(item, "x"));
    b.data->problem = CRU_ANOMALY;
    b.data->items = b.data->nodes = n;
    b.data->graph = (cru_csr){.rows = n, .cols = n, .offsets = cru_data_alloc(b.data, n + 1, sizeof(int64_t))};
    b.data->graph.ids = cru_data_alloc(b.data, 1, sizeof(int32_t));
    bench_features(&b, fixture_input(item, "x"));
    bench_labels(&b, fixture_input(item, "y"), fixture_input(item, "train"));
    cru_ids *parts[] = {&b.data->split.val, &b.data->split.test};
    static const char *const names[] = {"val", "test"};
    for (int p = 0; p < 2; p++) {
        const int64_t count = fixture_numbers(fixture_input(item, names[p]), ids);
        int32_t *list = cru_data_alloc(b.data, count, sizeof *list);
        for (int64_t i = 0; i < count; i++) list[i] = (int32_t)ids[i];
        *parts[p] = (cru_ids){list, count};
    }
    return b;
}

static void put_weights(const bench *b, const cJSON *item)
{
    const cJSON *params = fixture_input(item, "params");
    bench_set(b, "mlp.linear0.weight", cJSON_GetObjectItem(params, "layers.0.weight"), TRANSPOSED);
    bench_set(b, "mlp.linear0.bias", cJSON_GetObjectItem(params, "layers.0.bias"), AS_STORED);
    bench_set(b, "mlp.linear1.weight", cJSON_GetObjectItem(params, "layers.1.weight"), TRANSPOSED);
    bench_set(b, "mlp.linear1.bias", cJSON_GetObjectItem(params, "layers.1.bias"), AS_STORED);
}

START_TEST(training_follows_the_reference_epoch_by_epoch)
{
    cJSON *root = fixture_open("gad/loop-a.json");
    const cJSON *item = fixture_case(root, "trace"), *rows = fixture_expected(item, "trace");
    bench b = with_rows(item);
    bench_open(&b, "mlp",
               (const char *[]){"hidden", "4", "dropout", "0", "lr", "0.05", "weight_decay", "0", "class_weights",
                                "balanced", NULL});
    put_weights(&b, item);
    b.tolerance = 1e-4;
    /* theirs stops when the count of epochs without gain exceeds the patience, ours when it reaches it */
    const monitor_settings settings = {.rule = MONITOR_VALIDATION,
                                       .patience = fixture_input(item, "patience")->valueint + 1,
                                       .every = 1,
                                       .before_step = MONITOR_BEFORE_AUTO,
                                       .restore = true};
    static trace seen;
    monitor m;
    cru_error err = {0};
    ck_assert_int_eq(monitor_open(&m, &settings, &b.task, &err), CRU_OK);
    m.hooks = (monitor_hooks){.record = record, .user = &seen};
    ck_assert_int_eq(b.algorithm->fit(b.learner, &m.face), CRU_OK);
    ck_assert_int_eq(seen.count, fixture_expected(item, "stopped_after_epoch")->valueint + 1);
    ck_assert_int_eq(m.best_epoch, cJSON_GetObjectItem(fixture_expected(item, "result"), "epoch")->valueint);
    for (int64_t e = 0; e < seen.count; e++) {
        const cJSON *row = cJSON_GetArrayItem(rows, (int)e), *before = cJSON_GetArrayItem(rows, (int)e - 1);
        bench_check_number(&b, seen.points[e].value, cJSON_GetArrayItem(row, 1)->valuedouble);
        if (e > 0) bench_check_number(&b, seen.points[e].loss, cJSON_GetArrayItem(before, 0)->valuedouble);
    }
    monitor_close(&m);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("anomaly loop");
    TCase *c = tcase_create("loop");
    tcase_add_test(c, training_follows_the_reference_epoch_by_epoch);
    suite_add_tcase(s, c);
    return s;
}
