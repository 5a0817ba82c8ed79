// SPDX-License-Identifier: Apache-2.0
/* Scores in 16 bits, and trials that are judged from those of another. */
#include <float.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include <crucible/random.h>
#include <crucible/scoring.h>

#include "store/fixture.h"
#include "store/half.h"

/* ---- 16 bits --------------------------------------------------------------------------------------------- */

static float decoded(float value, float largest)
{
    float pair[2] = {largest, value}, out[2];
    uint16_t codes[2];
    half_decode(codes, 2, half_encode(pair, 2, 1, codes), out);
    return out[1];
}

/* With the largest value 2^14 nothing is scaled, so the halves of IEEE 754 come out. */
START_TEST(values_of_the_standard)
{
    static const float exact[] = {0, 1, -1, 0.5f, 1.0009765625f, 2048, 6.103515625e-05f, 5.9604645e-08f, -16383};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (fabsf(exact[i]) != 16383) ck_assert_float_eq(decoded(exact[i], 16384), exact[i]);
    ck_assert_float_eq(decoded(2049, 16384), 2048);   /* half-way: to even */
    ck_assert_float_eq(decoded(2051, 16384), 2052);   /* half-way: to even */
    ck_assert_float_eq(decoded(16383, 16384), 16384); /* carries into the next power */
    ck_assert(isnan(decoded(NAN, 1)));
    ck_assert(isinf(decoded(INFINITY, 1)) && decoded(-INFINITY, 1) < 0);
    ck_assert_float_eq(decoded(FLT_MAX, FLT_MAX), FLT_MAX);
    ck_assert_float_eq(decoded(0, 0), 0);
}
END_TEST

START_TEST(errors_are_as_small_as_promised)
{
    static const float sizes[] = {1e-30f, 1e-3f, 1, 300, 1e30f};
    cru_rng rng = cru_rng_stream(3, "half", 0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int i = 0; i < 2000; i++) {
            double x = sizes[k] * (2 * cru_rng_uniform(&rng) - 1) * pow(2, -40 * cru_rng_uniform(&rng));
            double error = fabs((double)decoded((float)x, sizes[k]) - (double)(float)x);
            ck_assert_double_le(error, fmax(ldexp(fabs(x), -11), ldexp(sizes[k], -39)));
        }
}
END_TEST

/* Rows of values that are so close that rounding makes them equal, in all orders. */
START_TEST(the_best_class_stays_and_equals_stay_equal)
{
    enum { ROWS = 3000, CLASSES = 5 };
    static float values[ROWS * CLASSES], out[ROWS * CLASSES];
    static uint16_t codes[ROWS * CLASSES];
    cru_rng rng = cru_rng_stream(11, "half", 0);
    for (int i = 0; i < ROWS; i++) {
        float middle = i % 3 ? 8 * (float)cru_rng_uniform(&rng) - 4 : 0;
        for (int k = 0; k < CLASSES; k++)
            values[i * CLASSES + k] = middle + 1e-6f * (float)floor(4 * cru_rng_uniform(&rng)) * (i % 2 ? 1 : 1e-30f);
    }
    half_decode(codes, ROWS * CLASSES, half_encode(values, ROWS, CLASSES, codes), out);
    for (int i = 0; i < ROWS; i++) {
        const float *x = values + i * CLASSES, *y = out + i * CLASSES;
        ck_assert_int_eq(cru_best_class(x, CLASSES), cru_best_class(y, CLASSES));
        for (int k = 1; k < CLASSES; k++)
            if (x[k] == x[0]) ck_assert_float_eq(y[k], y[0]);
    }
}
END_TEST

/* ---- keeping --------------------------------------------------------------------------------------------- */

/* Trials whose texts are those of a training and of a metric. */
static void add_text(store *s, int64_t experiment, const char *key, const char *text)
{
    const store_setting setting = {"algorithm", "gcn"};
    store_trial t = {.key = key, .canonical = text, .settings = &setting, .setting_count = 1};
    ok(store_add_trial(s, experiment, &t, &err));
}

static void finish_with(store *s, const char *key, const float *values, int64_t rows, int64_t cols, bool with_parts)
{
    const store_number numbers[] = {{"accuracy", 0.5}, {"validation", 0.25}};
    const store_part parts[] = {{STORE_EMBEDDING, values, 1, rows * cols}, {.name = STORE_WEIGHTS, .rows = rows}};
    const store_kept kept = {.values = values,
                             .rows = rows,
                             .cols = cols,
                             .metrics = "h accuracy\n",
                             .parts = with_parts ? parts : NULL,
                             .part_count = with_parts ? 2 : 0};
    store_result result = {.outcome = STORE_OK,
                           .message = "beware",
                           .seconds_total = 4,
                           .seconds_to_best = 3,
                           .seconds_construct = 1,
                           .seconds_train = 2,
                           .peak_bytes = 5,
                           .best_epoch = 6,
                           .numbers = numbers,
                           .number_count = 2,
                           .log = "said",
                           .kept = values ? &kept : NULL};
    ck_assert(claim(s, key));
    ok(store_finish(s, key, &result, &err));
}

static void finish_kept(store *s, const char *key, const float *values, int64_t rows, int64_t cols)
{
    finish_with(s, key, values, rows, cols, false);
}

static bool has_source(store *s, const char *key)
{
    store_source source;
    ok(store_find_source(s, key, &source, &err));
    bool has = *source.key != 0;
    store_source_clear(&source);
    return has;
}

static const char trained[] = "seed=1\nalgorithm=gcn 1.0\nmonitor.metric=auto\nmetric=accuracy 1.0\n",
                  judged[] = "seed=1\nalgorithm=gcn 1.0\nmonitor.metric=auto\nmetric=brier 1.0\nmetric.k=2\n",
                  stranger[] = "seed=2\nalgorithm=gcn 1.0\nmonitor.metric=auto\nmetric=brier 1.0\nmetric.k=2\n",
                  again[] = "seed=1\nalgorithm=gcn 1.0\nmonitor.metric=auto\nmetric=silhouette 1.0\n",
                  crafted[] = "seed=1\nmetric=x\nalgorithm=gcn 1.0\nmonitor.metric=auto\nmetric=brier 1.0\n";

START_TEST(kept_scores_are_read_back)
{
    const float values[] = {1, 2, -3, 0.5f, 0, 8};
    store_matrix m;
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_text(s, id, "a", trained);
    add_text(s, id, "b", judged);
    finish_kept(s, "a", values, 3, 2);
    ok(store_close(s, &err));
    s = open_store(&(store_options){.read_only = true});
    ok(store_get_kept(s, "a", &m, &err));
    ck_assert_int_eq(m.rows, 3);
    ck_assert_int_eq(m.cols, 2);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(m.values[i], values[i]);
    free(m.values);
    ok(store_get_kept(s, "b", &m, &err));
    ck_assert_ptr_null(m.values);
    ok(store_close(s, &err));
}
END_TEST

/* An embedding is read back, and that there are no weights; of a trial that kept scores alone neither is. */
START_TEST(parts_are_read_back)
{
    const float values[] = {1, 2, -3, 0.5f, 0, 8};
    store_matrix m;
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_text(s, id, "a", trained);
    add_text(s, id, "b", stranger);
    finish_with(s, "a", values, 3, 2, true);
    finish_kept(s, "b", values, 3, 2);
    ok(store_close(s, &err));
    s = open_store(&(store_options){.read_only = true});
    ok(store_get_part(s, "a", STORE_EMBEDDING, &m, &err));
    ck_assert_int_eq(m.rows, 1);
    ck_assert_int_eq(m.cols, 6);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(m.values[i], values[i]);
    free(m.values);
    ok(store_get_part(s, "a", STORE_WEIGHTS, &m, &err));
    ck_assert_ptr_nonnull(m.values);
    ck_assert_int_eq(m.cols, 0);
    free(m.values);
    ok(store_get_part(s, "b", STORE_EMBEDDING, &m, &err));
    ck_assert_ptr_null(m.values);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(the_source_is_the_trial_of_the_same_training)
{
    const float values[] = {1, 2};
    store_source source;
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_text(s, id, "a", trained);
    add_text(s, id, "b", judged);
    add_text(s, id, "c", stranger);
    add_text(s, id, "d", crafted);
    ck_assert(!has_source(s, "b"));
    finish_kept(s, "a", values, 1, 2);
    ok(store_find_source(s, "b", &source, &err));
    ck_assert_str_eq(source.key, "a");
    ck_assert_str_eq(source.metrics, "h accuracy\n");
    ck_assert_str_eq(source.message, "beware");
    ck_assert_double_eq(source.seconds_total, 4);
    ck_assert_double_eq(source.seconds_to_best, 3);
    ck_assert_double_eq(source.seconds_construct, 1);
    ck_assert_double_eq(source.seconds_train, 2);
    ck_assert_int_eq(source.peak_bytes, 5);
    ck_assert_int_eq(source.best_epoch, 6);
    store_source_clear(&source);
    ck_assert(!has_source(s, "c"));
    ck_assert(!has_source(s, "d")); /* only lines at the end are of metrics */
    add_text(s, id, "e", again);
    finish_kept(s, "e", values, 1, 2);
    ok(store_find_source(s, "b", &source, &err));
    ck_assert_str_eq(source.key, "e"); /* the latest */
    store_source_clear(&source);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(no_more_is_kept_than_the_limit)
{
    float values[2000];
    store_matrix m;
    cru_rng rng = cru_rng_stream(5, "kept", 0);
    for (int i = 0; i < 2000; i++)
        values[i] = (float)cru_rng_uniform(&rng); /* 10 random bits each cannot become fewer */
    store *s = open_store(&(store_options){.keep_bytes = 4900});
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "a");
    add_trial(s, id, "b");
    finish_kept(s, "a", values, 1000, 2);
    ck_assert_int_eq(store_unkept(s), 0);
    finish_kept(s, "b", values, 1000, 2);
    ck_assert_int_eq(store_unkept(s), 1);
    ck_assert_int_eq(outcome(s, "b"), STORE_OK);
    ok(store_get_kept(s, "b", &m, &err));
    ck_assert_ptr_null(m.values);
    ok(store_close(s, &err));
}
END_TEST

/* Where the scores fit but not what is kept beside them, nothing is: half of it could be judged by some metrics alone. */
START_TEST(parts_count_for_the_limit)
{
    float values[2000];
    store_matrix m;
    cru_rng rng = cru_rng_stream(5, "kept", 0);
    for (int i = 0; i < 2000; i++) values[i] = (float)cru_rng_uniform(&rng);
    store *s = open_store(&(store_options){.keep_bytes = 4900});
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "a");
    finish_with(s, "a", values, 1000, 2, true);
    ck_assert_int_eq(store_unkept(s), 1);
    ok(store_get_kept(s, "a", &m, &err));
    ck_assert_ptr_null(m.values);
    ok(store_get_part(s, "a", STORE_EMBEDDING, &m, &err));
    ck_assert_ptr_null(m.values);
    ok(store_close(s, &err));
}
END_TEST

static void run_sql(const char *sql)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

START_TEST(damaged_scores_are_refused)
{
    static const char *const damages[] = {"UPDATE kept SET data = x'00'",      "UPDATE kept SET rows = 99",
                                          "UPDATE kept SET rows = -1",         "UPDATE kept SET rows = 1 << 62",
                                          "UPDATE kept_part SET data = x'00'", "UPDATE kept_part SET cols = 1 << 40"};
    const float values[] = {1, 2};
    store_matrix m;
    store *s = open_store(NULL);
    add_trial(s, add_experiment(s, "e"), "a");
    finish_with(s, "a", values, 1, 2, true);
    ok(store_close(s, &err));
    run_sql(damages[_i]);
    s = open_store(NULL);
    const bool of_part = strstr(damages[_i], "kept_part");
    ck_assert_int_eq(of_part ? store_get_part(s, "a", STORE_EMBEDDING, &m, &err) : store_get_kept(s, "a", &m, &err),
                     CRU_BAD_INPUT);
    ck_assert_ptr_null(m.values);
    ok(store_close(s, NULL));
}
END_TEST

/* ---- judged from the scores of another ------------------------------------------------------------------- */

static void finish_judged(store *s, const char *key, const char *source)
{
    const store_number number = {"brier", 0.125};
    store_result result = {
        .outcome = STORE_OK, .seconds_total = 4, .numbers = &number, .number_count = 1, .source = source};
    ck_assert(claim(s, key));
    ok(store_finish(s, key, &result, &err));
}

START_TEST(a_judged_trial_has_the_log_of_its_source)
{
    const float values[] = {1, 2};
    char source[STORE_KEY], *log;
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_text(s, id, "a", trained);
    add_text(s, id, "b", judged);
    finish_kept(s, "a", values, 1, 2);
    finish_judged(s, "b", "a");
    ck_assert_double_eq(number(s, "b", "brier"), 0.125);
    ck_assert(isnan(number(s, "b", "accuracy")));
    ok(store_get_log(s, "b", &log, &err));
    ck_assert_str_eq(log, "said");
    free(log);
    ok(store_get_source(s, "b", source, &err));
    ck_assert_str_eq(source, "a");
    ok(store_get_source(s, "a", source, &err));
    ck_assert_str_eq(source, "");
    ok(store_close(s, &err));
}
END_TEST

/* A failure that is tried again may be judged again; a result that is to be made again must be trained. */
START_TEST(forgotten_results_leave_nothing_to_be_judged)
{
    const float values[] = {1, 2};
    store *s = open_store(NULL);
    int64_t first = add_experiment(s, "first"), second = add_experiment(s, "second");
    add_text(s, first, "a", trained);
    add_text(s, second, "b", judged);
    finish_kept(s, "a", values, 1, 2);
    finish_judged(s, "b", "a");
    ok(store_reset(s, second, 1u << STORE_FAILED, NULL, &err));
    ck_assert(has_source(s, "b"));
    ok(store_reset(s, second, 1u << STORE_OK, NULL, &err));
    ck_assert_int_eq(outcome(s, "b"), STORE_PENDING);
    ck_assert(!has_source(s, "b"));
    ck_assert_int_eq(outcome(s, "a"), STORE_OK);
    ok(store_close(s, &err));
}
END_TEST

/* A file from before there was anything kept: read as it is, and added to when it is opened for writing. */
START_TEST(older_files_are_read_and_added_to)
{
    const float values[] = {1, 2};
    store_matrix m;
    char source[STORE_KEY];
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_text(s, id, "a", trained);
    add_text(s, id, "b", judged);
    ok(store_close(s, &err));
    run_sql("DROP TABLE kept; DROP TABLE kept_part; DROP TABLE judged_from");
    s = open_store(&(store_options){.read_only = true});
    ok(store_get_source(s, "a", source, &err));
    ck_assert_str_eq(source, "");
    ok(store_get_part(s, "a", STORE_EMBEDDING, &m, &err));
    ck_assert_ptr_null(m.values);
    ok(store_close(s, &err));
    s = open_store(NULL);
    finish_with(s, "a", values, 1, 2, true);
    ck_assert(has_source(s, "b"));
    ok(store_close(s, &err));
}
END_TEST

Suite *suite(void)
{
    Suite *all = suite_create("store-kept");
    TCase *halves = tcase_create("halves"), *cases = tcase_create("kept");
    tcase_add_test(halves, values_of_the_standard);
    tcase_add_test(halves, errors_are_as_small_as_promised);
    tcase_add_test(halves, the_best_class_stays_and_equals_stay_equal);
    tcase_add_checked_fixture(cases, make_folder, remove_folder);
    tcase_add_test(cases, kept_scores_are_read_back);
    tcase_add_test(cases, parts_are_read_back);
    tcase_add_test(cases, parts_count_for_the_limit);
    tcase_add_test(cases, the_source_is_the_trial_of_the_same_training);
    tcase_add_test(cases, no_more_is_kept_than_the_limit);
    tcase_add_loop_test(cases, damaged_scores_are_refused, 0, 6);
    tcase_add_test(cases, a_judged_trial_has_the_log_of_its_source);
    tcase_add_test(cases, forgotten_results_leave_nothing_to_be_judged);
    tcase_add_test(cases, older_files_are_read_and_added_to);
    suite_add_tcase(all, halves);
    suite_add_tcase(all, cases);
    return all;
}
