// SPDX-License-Identifier: Apache-2.0
#include "corruptors/real-data.h"
#include "data/data.h"
#include "json-fixture.h"
#include "loader/loader.h"

static cru_data *data;
static cru_error err;

static void start(void)
{
    data = cru_data_create();
    err = (cru_error){0};
}

static void stop(void)
{
    cru_data_destroy(data);
}

/* Items with the given labels; classes is one more than the largest. */
static void fill(cru_problem problem, const int32_t *labels, int64_t count)
{
    data->problem = problem;
    data->items = data->nodes = count;
    data->truth = cru_data_alloc(data, count, sizeof *data->truth);
    for (int64_t i = 0; i < count; i++) {
        data->truth[i] = labels[i];
        if (labels[i] >= data->classes) data->classes = labels[i] + 1;
    }
}

static void fill_json(cru_problem problem, const cJSON *labels)
{
    int count = cJSON_GetArraySize(labels);
    int32_t *values = calloc((size_t)count, sizeof *values);
    for (int i = 0; i < count; i++) values[i] = cJSON_GetArrayItem(labels, i)->valueint;
    fill(problem, values, count);
    free(values);
}

/* A split plugin of the build tree with some settings. */
typedef struct wanted {
    const char *scheme;
    const char *settings[12]; /* key, text, key, text, ... NULL */
} wanted;

static cru_status try_split(const wanted *w, uint64_t seed)
{
    char path[500];
    const cru_plugin *plugin = NULL;
    cru_error why = {0};
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/splits/%s.so", w->scheme);
    ck_assert_msg(plugin_open(path, CRU_KIND_SPLIT, w->scheme, &plugin, &why) == CRU_OK, "%s: %s", path, why.text);
    cru_settings *settings = cru_settings_create(plugin->params, plugin->settings_size);
    for (int i = 0; w->settings[i]; i += 2)
        ck_assert_msg(cru_settings_set(settings, w->settings[i], w->settings[i + 1], &why) == CRU_OK, "%s", why.text);
    cru_rng rng = cru_rng_stream(seed, "split", 0);
    data->seed = seed;
    const cru_dividing dividing = {
        .size = sizeof dividing, .settings = cru_settings_struct(settings), .data = data, .rng = &rng, .err = &err};
    cru_status status = ((const cru_splitter *)plugin->vtable)->divide(&dividing);
    cru_settings_destroy(settings);
    return status;
}

static void must_split(const wanted *w, uint64_t seed)
{
    cru_status status = try_split(w, seed);
    ck_assert_msg(status == CRU_OK, "%s", err.text);
}

static void same_ids(cru_ids got, const cJSON *expected)
{
    ck_assert_int_eq(got.count, cJSON_GetArraySize(expected));
    for (int64_t i = 0; i < got.count; i++)
        ck_assert_int_eq(got.ids[i], cJSON_GetArrayItem(expected, (int)i)->valueint);
}

/* The first ids of a part. */
static void same_head(cru_ids got, const cJSON *expected)
{
    ck_assert_int_ge(got.count, cJSON_GetArraySize(expected));
    same_ids((cru_ids){got.ids, cJSON_GetArraySize(expected)}, expected);
}

/* Every labelled item is in exactly one part, or in none when `partial`; the others are in none. */
static void parts_are_disjoint(bool partial)
{
    int *times = calloc((size_t)data->items, sizeof *times);
    const cru_ids parts[] = {data->split.train, data->split.val, data->split.test};
    for (int p = 0; p < 3; p++)
        for (int64_t k = 0; k < parts[p].count; k++) times[parts[p].ids[k]]++;
    for (int64_t i = 0; i < data->items; i++) {
        int most = data->truth[i] != CRU_UNLABELLED;
        ck_assert_int_le(times[i], most);
        if (!partial) ck_assert_int_eq(times[i], most);
    }
    free(times);
}

/* ---- against values drawn with the real libraries ---- */

START_TEST(stratified_redraws_scikit_learn)
{
    cJSON *root = fixture_open("gad/splits.json");
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), _i);
    fill_json(CRU_ANOMALY, fixture_input(item, "y"));
    must_split(&(wanted){"stratified", {"rng", "study"}},
               (uint64_t)((int)fixture_input(item, "seed")->valuedouble - 3407) / 10);
    same_ids(data->split.train, fixture_expected(item, "train_in_order"));
    same_ids(data->split.val, fixture_expected(item, "val_in_order"));
    same_ids(data->split.test, fixture_expected(item, "test_in_order"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(gad_semi_redraws_successive_splits)
{
    cJSON *root = fixture_open("gad/splits.json");
    const cJSON *item = fixture_case(root, "semi_supervised_samples2");
    fill_json(CRU_ANOMALY, fixture_input(item, "y"));
    const cJSON *draw = cJSON_GetArrayItem(fixture_expected(item, "draws"), _i);
    must_split(&(wanted){"gad-semi", {"rng", "study", "train_size", "2"}}, (uint64_t)_i);
    same_ids(data->split.train, cJSON_GetObjectItem(draw, "train"));
    same_ids(data->split.val, cJSON_GetObjectItem(draw, "val"));
    parts_are_disjoint(false);
    cJSON_Delete(root);
}
END_TEST

START_TEST(gad_official_keeps_head_middle_and_tail)
{
    cJSON *root = fixture_open("gad/splits.json");
    const cJSON *item = fixture_case(root, "official_fraud_split");
    int32_t labels[45];
    for (int i = 0; i < 45; i++) labels[i] = i < 5 ? CRU_UNLABELLED : i % 2;
    fill(CRU_ANOMALY, labels, 45);
    must_split(&(wanted){"gad-official", {"rng", "study"}}, 3);
    same_ids(data->split.train, fixture_expected(item, "train"));
    same_ids(data->split.val, fixture_expected(item, "val"));
    same_ids(data->split.test, fixture_expected(item, "test"));
    cJSON_Delete(root);
}
END_TEST

/* What a fixture says of a part: ids in full, or their number, sum and sum of squares with the first ten. */
static void same_part(cru_ids sorted, const cJSON *listed, const cJSON *summed)
{
    int64_t sum = 0, squares = 0;
    if (listed) same_ids(sorted, listed);
    if (!summed) return;
    for (int64_t i = 0; i < sorted.count; i++) {
        sum += sorted.ids[i];
        squares = (squares + (int64_t)sorted.ids[i] * sorted.ids[i]) % 1000003;
    }
    ck_assert_int_eq(sorted.count, (int64_t)cJSON_GetObjectItem(summed, "count")->valuedouble);
    ck_assert_int_eq(sum, (int64_t)cJSON_GetObjectItem(summed, "sum")->valuedouble);
    ck_assert_int_eq(squares, (int64_t)cJSON_GetObjectItem(summed, "sum_sq_mod_1000003")->valuedouble);
    same_head(sorted, cJSON_GetObjectItem(summed, "first10"));
}

static int by_id(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static cru_ids ascending(cru_ids part)
{
    int32_t *ids = cru_data_alloc(data, part.count, sizeof *ids);
    memcpy(ids, part.ids, (size_t)part.count * sizeof *ids);
    qsort(ids, (size_t)part.count, sizeof *ids, by_id);
    return (cru_ids){ids, part.count};
}

static void check_trials(const cJSON *item, const char *kind, const wanted *w)
{
    char trials[20];
    snprintf(trials, sizeof trials, "%s_trials", kind);
    const cJSON *trial, *part = fixture_expected(item, kind)->child;
    cJSON_ArrayForEach(trial, fixture_expected(item, trials))
    {
        must_split(w, (uint64_t)trial->valueint);
        same_part(ascending(data->split.train), cJSON_GetObjectItem(part, "train_ids"),
                  cJSON_GetObjectItem(part, "train"));
        same_part(ascending(data->split.val), cJSON_GetObjectItem(part, "val_ids"), cJSON_GetObjectItem(part, "val"));
        same_part(ascending(data->split.test), NULL, cJSON_GetObjectItem(part, "test"));
        part = part->next;
    }
}

START_TEST(the_anomaly_studys_splits_of_its_own_graphs)
{
    static const char *const names[] = {"tolokers-gad", "reddit-gad"}, *const cases[] = {"tolokers_checksums",
                                                                                         "reddit_checksums"};
    const wanted full[] = {{"stratified", {"rng", "study", "train", "0.5", "val", "0.25"}},
                           {"stratified", {"rng", "study", "train", "0.4", "val", "0.2"}}};
    cru_data *real = real_data(names[_i]);
    if (!real) return;
    cJSON *root = fixture_open("gad/splits.json");
    const cJSON *item = fixture_case(root, cases[_i]);
    fill(CRU_ANOMALY, real->truth, real->items);
    check_trials(item, "full", &full[_i]);
    check_trials(item, "semi", &(wanted){"gad-semi", {"rng", "study"}});
    cJSON_Delete(root);
    cru_data_destroy(real);
}
END_TEST

START_TEST(noisygl_splits_are_redrawn)
{
    cJSON *root = fixture_open("noisygl/splits.json");
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), _i);
    fill_json(CRU_NODES, fixture_input(item, "labels"));
    char base[32];
    snprintf(base, sizeof base, "%d", (int)fixture_input(item, "seed")->valuedouble);
    wanted shares = {"percent", {"rng", "numpy", "base", base}};
    wanted counts = {"per-class",
                     {"rng", "numpy", "base", base, "train_size", "3", "val_size", "10", "test_size", "20"}};
    const bool percent = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), "train_percent");
    must_split(percent ? &shares : &counts, 5);
    same_ids(data->split.train, fixture_expected(item, "train"));
    same_ids(data->split.val, fixture_expected(item, "val"));
    same_ids(data->split.test, fixture_expected(item, "test"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(pll_carves_as_published)
{
    static const char *const names[] = {"split_Lost_trial0",   "split_Lost_trial1",   "split_Lost_trial3",
                                        "split_Lost_trial4",   "split_MSRCv2_trial0", "split_MSRCv2_trial1",
                                        "split_MSRCv2_trial3", "split_MSRCv2_trial4"};
    cJSON *root = fixture_open("pll/protocol.json");
    const cJSON *item = fixture_case(root, names[_i]);
    int64_t n = (int64_t)fixture_input(item, "N")->valuedouble;
    int32_t *labels = calloc((size_t)n, sizeof *labels);
    fill(CRU_ROWS, labels, n);
    free(labels);
    must_split(&(wanted){"pll", {"rng", "study"}}, (uint64_t)fixture_input(item, "trial")->valuedouble);
    ck_assert_int_eq(data->split.test.count, (int64_t)fixture_expected(item, "test_size")->valuedouble);
    ck_assert_int_eq(data->split.val.count, (int64_t)fixture_expected(item, "val_size")->valuedouble);
    ck_assert_int_eq(data->split.train.count, (int64_t)fixture_expected(item, "train_size")->valuedouble);
    same_head(data->split.test, fixture_expected(item, "test_rows_head"));
    same_head(data->split.val, fixture_expected(item, "val_rows_in_full_data_head"));
    same_head(data->split.train, fixture_expected(item, "train_rows_in_full_data_head"));
    parts_are_disjoint(false);
    cJSON_Delete(root);
}
END_TEST

START_TEST(pll_leaves_the_test_set_of_images_alone)
{
    static const char *const names[] = {"split_PLCIFAR10_trial0", "split_PLCIFAR10_trial1"};
    enum { TEST = 10 };
    cJSON *root = fixture_open("pll/protocol.json");
    const cJSON *item = fixture_case(root, names[_i]);
    const int64_t n = (int64_t)fixture_input(item, "N")->valuedouble;
    int32_t *labels = calloc((size_t)n + TEST, sizeof *labels), test[TEST];
    fill(CRU_ROWS, labels, n + TEST);
    free(labels);
    for (int32_t i = 0; i < TEST; i++) test[i] = (int32_t)n + i;
    data->official = &(cru_split){.test = {test, TEST}};
    data->official_count = 1;
    must_split(&(wanted){"pll", {"rng", "study"}}, (uint64_t)fixture_input(item, "trial")->valuedouble);
    ck_assert_int_eq(data->split.val.count, (int64_t)fixture_expected(item, "val_size")->valuedouble);
    ck_assert_int_eq(data->split.train.count, n - data->split.val.count);
    ck_assert_int_eq(data->split.test.count, TEST);
    ck_assert_int_eq(data->split.test.ids[0], n);
    same_head(data->split.val, fixture_expected(item, "val_rows_head"));
    same_head(data->split.train, fixture_expected(item, "train_rows_head"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(gpr_takes_equal_shares_of_each_class)
{
    static const char *const names[] = {"gpr_split_N183", "gpr_split_N2277", "gpr_split_N2708"};
    cJSON *root = fixture_open("heterophily/protocol.json");
    const cJSON *item = fixture_case(root, names[_i]), *counts = fixture_input(item, "class_counts");
    int32_t labels[3000];
    int64_t n = 0;
    for (int32_t c = 0; c < cJSON_GetArraySize(counts); c++)
        for (int k = 0; k < cJSON_GetArrayItem(counts, c)->valueint; k++) labels[n++] = c;
    fill(CRU_NODES, labels, n);
    must_split(&(wanted){"gpr", {NULL}}, 1);
    ck_assert_int_eq(data->split.train.count, fixture_expected(item, "n_train")->valueint);
    ck_assert_int_eq(data->split.val.count, fixture_expected(item, "n_val")->valueint);
    ck_assert_int_eq(data->split.test.count, fixture_expected(item, "n_test")->valueint);
    int64_t most = fixture_expected(item, "per_class_train")->valueint;
    for (int32_t c = 0; c < data->classes; c++) {
        int64_t there = cJSON_GetArrayItem(counts, c)->valueint, got = 0;
        for (int64_t k = 0; k < data->split.train.count; k++) got += data->truth[data->split.train.ids[k]] == c;
        ck_assert_int_eq(got, there < most ? there : most);
    }
    parts_are_disjoint(false);
    cJSON_Delete(root);
}
END_TEST

/* random.seed(1234568), random.shuffle(list(range(183))) of Python's library, cut at int(0.6 n) and int(0.2 n) */
START_TEST(uniform_redraws_the_splits_of_the_heterophily_study)
{
    static const int32_t train[] = {16, 107, 148, 12, 19, 101}, val[] = {48, 165, 128, 67, 55, 110},
                         test[] = {34, 75, 82, 141, 0};
    int32_t labels[183] = {0};
    fill(CRU_NODES, labels, 183);
    must_split(&(wanted){"uniform", {"rng", "python", "base", "1234567", "step", "1"}}, 1);
    ck_assert_int_eq(data->split.train.count, 109);
    ck_assert_int_eq(data->split.val.count, 36);
    ck_assert_int_eq(data->split.test.count, 38);
    ck_assert_mem_eq(data->split.train.ids, train, sizeof train);
    ck_assert_mem_eq(data->split.val.ids, val, sizeof val);
    ck_assert_mem_eq(data->split.test.ids, test, sizeof test);
}
END_TEST

START_TEST(igl_follows_one_python_shuffle)
{
    /* "pyshuffle_seed10_n12": the whole order is known, so the split can be written down */
    cJSON *root = fixture_open("igl/rng.json");
    const cJSON *order = fixture_expected(fixture_case(root, "pyshuffle_seed10_n12"), "first");
    int32_t labels[12];
    for (int i = 0; i < 12; i++) labels[i] = i % 2;
    fill(CRU_NODES, labels, 12);
    /* floor(0.34 * 12) = 4: two of each class to train; 3 to validate: two of class 0, one of class 1 */
    must_split(&(wanted){"igl", {"rng", "study", "train", "0.34", "val", "0.25"}}, 9);
    int32_t by_class[2][12], count[2] = {0};
    for (int k = 0; k < 12; k++) {
        int32_t id = cJSON_GetArrayItem(order, k)->valueint;
        by_class[id % 2][count[id % 2]++] = id;
    }
    const int32_t train[] = {by_class[0][0], by_class[0][1], by_class[1][0], by_class[1][1]};
    const int32_t val[] = {by_class[0][2], by_class[0][3], by_class[1][2]};
    ck_assert_int_eq(data->split.train.count, 4);
    ck_assert_int_eq(data->split.val.count, 3);
    ck_assert_mem_eq(data->split.train.ids, train, sizeof train);
    ck_assert_mem_eq(data->split.val.ids, val, sizeof val);
    parts_are_disjoint(false);
    cJSON_Delete(root);
}
END_TEST

START_TEST(igl_quota_serves_first_come)
{
    /* seed 25, n = 20; every item of its own parity class, quota floor(0.2 * 20 / 2) = 2 */
    cJSON *root = fixture_open("igl/rng.json");
    const cJSON *order = fixture_expected(fixture_case(root, "pyshuffle_seed25_n20"), "first");
    int32_t labels[20], train[4], given[2] = {0}, count = 0;
    for (int i = 0; i < 20; i++) labels[i] = i % 2;
    fill(CRU_NODES, labels, 20);
    for (int k = 0; k < 20; k++) {
        int32_t id = cJSON_GetArrayItem(order, k)->valueint;
        if (given[id % 2]++ < 2) train[count++] = id;
    }
    must_split(&(wanted){"igl-quota", {"rng", "study", "base", "25", "train", "0.2", "val", "0.2"}}, 0);
    ck_assert_int_eq(data->split.train.count, 4);
    ck_assert_mem_eq(data->split.train.ids, train, sizeof train);
    ck_assert_int_eq(data->split.val.count, 4);
    parts_are_disjoint(false);
    cJSON_Delete(root);
}
END_TEST

START_TEST(torch_permutes_as_torch)
{
    /* uniform with torch: the parts are randperm(9) cut at 0.6 and 0.2 */
    cJSON *root = fixture_open("igl/rng.json");
    const cJSON *perm = cJSON_GetArrayItem(fixture_expected(fixture_case(root, "torch_randperm_seed10"), "perms"), 0);
    int32_t labels[9] = {0};
    fill(CRU_NODES, labels, 9);
    must_split(&(wanted){"uniform", {"rng", "torch", "base", "10"}}, 0);
    ck_assert_int_eq(data->split.train.count, 5);
    ck_assert_int_eq(data->split.val.count, 1);
    for (int k = 0; k < 5; k++) ck_assert_int_eq(data->split.train.ids[k], cJSON_GetArrayItem(perm, k)->valueint);
    ck_assert_int_eq(data->split.val.ids[0], cJSON_GetArrayItem(perm, 5)->valueint);
    cJSON_Delete(root);
}
END_TEST

/* ---- behaviour of all schemes ---- */

static const wanted random_schemes[] = {
    {"per-class", {"train_size", "5", "val_size", "20", "test_size", "30"}},
    {"percent", {NULL}},
    {"uniform", {NULL}},
    {"gpr", {NULL}},
    {"stratified", {NULL}},
    {"gad-semi", {"train_size", "5"}},
    {"gad-official", {NULL}},
    {"pll", {NULL}},
    {"igl", {NULL}},
    {"igl-quota", {NULL}},
    {"auto", {NULL}},
    {"k-fold", {NULL}},
};

static void fill_two_thirds(void)
{
    int32_t labels[300];
    for (int i = 0; i < 300; i++) labels[i] = i % 7 == 0 ? CRU_UNLABELLED : i % 3 == 0;
    fill(CRU_ANOMALY, labels, 300);
}

START_TEST(the_seed_decides_the_split)
{
    fill_two_thirds();
    const wanted *s = &random_schemes[_i];
    must_split(s, 1);
    parts_are_disjoint(strcmp(s->scheme, "per-class") == 0);
    cru_ids first = data->split.train;
    ck_assert_int_gt(first.count, 0);
    must_split(s, 1);
    ck_assert_int_eq(data->split.train.count, first.count);
    ck_assert_mem_eq(data->split.train.ids, first.ids, (size_t)first.count * sizeof *first.ids);
    must_split(s, 2);
    ck_assert_int_eq(data->split.train.count, first.count);
    ck_assert_mem_ne(data->split.train.ids, first.ids, (size_t)first.count * sizeof *first.ids);
}
END_TEST

START_TEST(official_splits_go_round)
{
    fill_two_thirds();
    int32_t ids[6] = {1, 2, 3, 4, 5, 6};
    cru_split official[3] = {{.train = {ids, 1}}, {.train = {ids + 1, 1}}, {.train = {ids + 2, 1}}};
    data->official = official;
    data->official_count = 3;
    must_split(&(wanted){"auto", {NULL}}, 4);
    ck_assert_int_eq(data->split.train.ids[0], 2);
    must_split(&(wanted){"official", {"index", "2"}}, 4);
    ck_assert_int_eq(data->split.train.ids[0], 3);
    ck_assert_int_eq(try_split(&(wanted){"official", {"index", "3"}}, 0), CRU_BAD_INPUT);
}
END_TEST

START_TEST(a_given_test_set_is_kept)
{
    int32_t labels[10] = {0}, test[] = {7, 2};
    fill(CRU_ROWS, labels, 10);
    cru_split official = {.test = {test, 2}};
    data->official = &official;
    data->official_count = 1;
    must_split(&(wanted){"pll", {"val", "0.25"}}, 0);
    ck_assert_int_eq(data->split.test.count, 2);
    ck_assert_mem_eq(data->split.test.ids, test, sizeof test);
    ck_assert_int_eq(data->split.val.count, 2);
    parts_are_disjoint(false);
}
END_TEST

START_TEST(what_cannot_be_split_is_said)
{
    int32_t labels[] = {0, 1, 1};
    fill(CRU_NODES, labels, 3);
    ck_assert_int_eq(try_split(&(wanted){"per-class", {NULL}}, 0), CRU_UNSUPPORTED);
    ck_assert_str_eq(err.text, "class 0 has 1 items, train_size = 20");
    static const char *const hopeless[] = {"official", "gad-semi", "igl"};
    for (int i = 0; i < 3; i++) {
        err = (cru_error){0};
        ck_assert_int_eq(try_split(&(wanted){hopeless[i], {NULL}}, 0), CRU_UNSUPPORTED);
    }
    err = (cru_error){0};
    ck_assert_int_eq(try_split(&(wanted){"uniform", {"train", "0.9", "val", "0.2"}}, 0), CRU_BAD_INPUT);
    err = (cru_error){0};
    ck_assert_int_eq(try_split(&(wanted){"gpr", {"rng", "study"}}, 0), CRU_UNSUPPORTED);
    err = (cru_error){0};
    ck_assert_int_eq(try_split(&(wanted){"uniform", {"rng", "numpy", "base", "7", "step", "1000000"}}, 1 << 20),
                     CRU_BAD_INPUT);
}
END_TEST

/* 300 items of which every seventh has no label: 257 are tested, each in one fold of the three. */
START_TEST(folds_test_every_labelled_item_once)
{
    static const char *const folds[] = {"0", "1", "2"};
    int times[300] = {0};
    fill_two_thirds();
    for (int k = 0; k < 3; k++) {
        must_split(&(wanted){"k-fold", {"folds", "3", "fold", folds[k]}}, 5);
        parts_are_disjoint(false);
        for (int64_t i = 0; i < data->split.test.count; i++) times[data->split.test.ids[i]]++;
    }
    for (int i = 0; i < 300; i++) ck_assert_int_eq(times[i], i % 7 != 0);
    ck_assert_int_eq(try_split(&(wanted){"k-fold", {"folds", "3", "fold", "3"}}, 5), CRU_BAD_INPUT);
}
END_TEST

START_TEST(the_table_is_sound)
{
    ck_assert_int_eq(cru_params_check(preprocess_params, sizeof(preprocess_settings), &err), CRU_OK);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("split");
    TCase *c = tcase_create("split");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_loop_test(c, stratified_redraws_scikit_learn, 0, 3);
    tcase_add_loop_test(c, gad_semi_redraws_successive_splits, 0, 2);
    tcase_add_test(c, gad_official_keeps_head_middle_and_tail);
    tcase_add_loop_test(c, the_anomaly_studys_splits_of_its_own_graphs, 0, 2);
    tcase_add_loop_test(c, noisygl_splits_are_redrawn, 0, 3);
    tcase_add_loop_test(c, pll_carves_as_published, 0, 8);
    tcase_add_loop_test(c, pll_leaves_the_test_set_of_images_alone, 0, 2);
    tcase_add_loop_test(c, gpr_takes_equal_shares_of_each_class, 0, 3);
    tcase_add_test(c, uniform_redraws_the_splits_of_the_heterophily_study);
    tcase_add_test(c, igl_follows_one_python_shuffle);
    tcase_add_test(c, igl_quota_serves_first_come);
    tcase_add_test(c, torch_permutes_as_torch);
    tcase_add_loop_test(c, the_seed_decides_the_split, 0, sizeof random_schemes / sizeof *random_schemes);
    tcase_add_test(c, official_splits_go_round);
    tcase_add_test(c, a_given_test_set_is_kept);
    tcase_add_test(c, what_cannot_be_split_is_said);
    tcase_add_test(c, folds_test_every_labelled_item_once);
    tcase_add_test(c, the_table_is_sound);
    suite_add_tcase(s, c);
    return s;
}
