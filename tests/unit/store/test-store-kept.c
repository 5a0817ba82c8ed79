// SPDX-License-Identifier: Apache-2.0
/* Scores in 16 bits, metrics that come later, and stores from before metrics left the keys. */
#include <float.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include <crucible/random.h>
#include <crucible/scoring.h>

#include "base/sha256.h"
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

static void finish_with(store *s, const char *key, const store_judged *metric, const store_kept *kept)
{
    const store_number numbers[] = {{metric->label, 0.5}, {"validation", 0.25}};
    store_result result = {.outcome = STORE_OK,
                           .numbers = numbers,
                           .number_count = 2,
                           .judged = metric,
                           .judged_count = 1,
                           .kept = kept,
                           .kept_count = kept ? 1 : 0};
    ck_assert(claim(s, key));
    ok(store_finish(s, key, &result, &err));
}

static const store_judged accuracy = {"accuracy", "accuracy 1.0\n"}, other = {"accuracy", "accuracy 1.0\nk=2\n"};

START_TEST(a_kept_matrix_is_read_back)
{
    const float values[] = {1, 2, -3, 0.5f, 0, 8};
    store_matrix m;
    bool has;
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "a");
    add_trial(s, id, "b");
    finish_with(s, "a", &accuracy, &(store_kept){STORE_SCORES, values, 3, 2});
    ok(store_close(s, &err));
    s = open_store(&(store_options){.read_only = true});
    ok(store_get_kept(s, "a", STORE_SCORES, &m, &err));
    ck_assert_int_eq(m.rows, 3);
    ck_assert_int_eq(m.cols, 2);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(m.values[i], values[i]);
    free(m.values);
    ok(store_get_kept(s, "a", STORE_EMBEDDING, &m, &err));
    ck_assert_ptr_null(m.values);
    ok(store_has_kept(s, "a", STORE_SCORES, &has, &err));
    ck_assert(has);
    ok(store_has_kept(s, "b", STORE_SCORES, &has, &err));
    ck_assert(!has);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(no_more_is_kept_than_the_limit)
{
    float values[2000];
    bool has;
    cru_rng rng = cru_rng_stream(5, "kept", 0);
    for (int i = 0; i < 2000; i++) values[i] = cru_rng_uniformf(&rng); /* 10 random bits each cannot become fewer */
    store *s = open_store(&(store_options){.keep_bytes = 4900});
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "a");
    add_trial(s, id, "b");
    finish_with(s, "a", &accuracy, &(store_kept){STORE_SCORES, values, 1000, 2});
    ck_assert_int_eq(store_unkept(s), 0);
    finish_with(s, "b", &accuracy, &(store_kept){STORE_SCORES, values, 1000, 2});
    ck_assert_int_eq(store_unkept(s), 1);
    ck_assert_int_eq(outcome(s, "b"), STORE_OK);
    ok(store_has_kept(s, "b", STORE_SCORES, &has, &err));
    ck_assert(!has);
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
    static const char *const damages[] = {"UPDATE kept SET data = x'00'", "UPDATE kept SET rows = 99",
                                          "UPDATE kept SET rows = -1", "UPDATE kept SET rows = 1 << 62"};
    const float values[] = {1, 2};
    store_matrix m;
    store *s = open_store(NULL);
    add_trial(s, add_experiment(s, "e"), "a");
    finish_with(s, "a", &accuracy, &(store_kept){STORE_SCORES, values, 1, 2});
    ok(store_close(s, &err));
    run_sql(damages[_i]);
    s = open_store(NULL);
    ck_assert_int_eq(store_get_kept(s, "a", STORE_SCORES, &m, &err), CRU_BAD_INPUT);
    ck_assert_ptr_null(m.values);
    ok(store_close(s, NULL));
}
END_TEST

/* ---- metrics that come later ----------------------------------------------------------------------------- */

typedef struct seen {
    char text[200];
} seen;

static bool note_number(void *user, int64_t index, const store_number *number)
{
    seen *x = user;
    size_t used = strlen(x->text);
    snprintf(x->text + used, sizeof x->text - used, "%lld %s=%g;", (long long)index, number->name, number->value);
    return true;
}

static bool note_text(void *user, const char *name)
{
    seen *x = user;
    size_t used = strlen(x->text);
    snprintf(x->text + used, sizeof x->text - used, "%s;", name);
    return true;
}

static bool lacks(store *s, const char *key, const store_judged *metric)
{
    bool is;
    ok(store_lacks(s, key, metric, 1, &is, &err));
    return is;
}

START_TEST(two_meanings_of_a_label_live_side_by_side)
{
    store *s = open_store(NULL);
    int64_t first = add_experiment(s, "first"), second = add_experiment(s, "second");
    add_trial(s, first, "k");
    add_trial(s, second, "k");
    ok(store_add_meaning(s, first, &accuracy, &err));
    ok(store_add_meaning(s, second, &other, &err));
    ck_assert(!lacks(s, "k", &other)); /* pending: it will have them all */
    finish_with(s, "k", &accuracy, NULL);
    ck_assert(!lacks(s, "k", &accuracy));
    ck_assert(lacks(s, "k", &other));
    seen x = {0}, y = {0}, later = {0};
    ok(store_each_number(s, second, note_number, &y, &err));
    ck_assert_str_eq(y.text, "0 validation=0.25;");
    const store_number number = {"accuracy", 0.75};
    ok(store_add_verdict(
        s, "k", &(store_verdict){.judged = &other, .judged_count = 1, .numbers = &number, .number_count = 1}, &err));
    ck_assert(!lacks(s, "k", &other));
    y = (seen){0};
    ok(store_each_number(s, first, note_number, &x, &err));
    ok(store_each_number(s, second, note_number, &y, &err));
    ck_assert_str_eq(x.text, "0 accuracy=0.5;0 validation=0.25;");
    ck_assert_str_eq(y.text, "0 accuracy=0.75;0 validation=0.25;");
    ok(store_each_later(s, "k", note_text, &later, &err));
    ck_assert_int_eq(strncmp(later.text, "accuracy#", 9), 0);
    ok(store_close(s, &err));
}
END_TEST

/* Run again without kept scores for the sake of one metric, a trial keeps the numbers of the others. */
START_TEST(a_reopened_trial_keeps_its_numbers)
{
    static const store_judged auroc = {"auroc", "auroc 1.0\n"};
    store *s = open_store(NULL);
    add_trial(s, add_experiment(s, "e"), "k");
    finish_with(s, "k", &accuracy, NULL);
    ok(store_reopen(s, "k", &err));
    ck_assert_int_eq(outcome(s, "k"), STORE_PENDING);
    finish_with(s, "k", &auroc, NULL);
    ck_assert(!lacks(s, "k", &accuracy));
    ck_assert(!lacks(s, "k", &auroc));
    ck_assert_double_eq(number(s, "k", "accuracy"), 0.5);
    ok(store_close(s, &err));
}
END_TEST

/* ---- layout 2 -------------------------------------------------------------------------------------------- */

/* A trial as layout 2 had it, by the text with metrics. */
static void add_old(store *s, int64_t experiment, const char *text, const char *name, double value)
{
    char key[SHA256_HEX];
    sha256_bytes(text, strlen(text), key);
    const store_setting setting = {"algorithm", "gcn"};
    ok(store_add_trial(
        s, experiment,
        &(store_trial){.key = key, .canonical = text, .settings = &setting, .setting_count = 1}, &err));
    if (!name) return;
    const store_number numbers[] = {{name, value}, {"validation", 0.25}};
    ck_assert(claim(s, key));
    ok(store_finish(s, key, &(store_result){.outcome = STORE_OK, .numbers = numbers, .number_count = 2}, &err));
}

static void make_old(void)
{
    run_sql("DROP TABLE judged; DROP TABLE meaning; DROP TABLE kept; DROP TABLE metric; PRAGMA user_version = 2");
}

static const char *new_key(void)
{
    static char key[SHA256_HEX];
    sha256_bytes("seed=1\nalgorithm=gcn 1.0\n", 25, key);
    return key;
}

START_TEST(metrics_leave_the_keys_of_an_old_store)
{
    static const store_judged recall = {"accuracy", "recall 2.0\nk=5\nmode=a\n"};
    store *s = open_store(NULL);
    int64_t first = add_experiment(s, "first"), second = add_experiment(s, "second"), third = add_experiment(s, "third");
    int64_t length;
    add_old(s, first, "seed=1\nalgorithm=gcn 1.0\nmetric=loss 1.0\n", NULL, 0); /* never run */
    add_old(s, second, "seed=1\nalgorithm=gcn 1.0\nmetric=accuracy 1.0\n", "accuracy", 0.5);
    add_old(s, third, "seed=1\nalgorithm=gcn 1.0\nmetric=recall 2.0\nmetric.k=5\nmetric.mode=a\n", "recall(5)", 0.75);
    add_trial(s, first, "a key of its own");
    ok(store_close(s, &err));
    make_old();
    s = open_store(&(store_options){.read_only = true});
    seen x = {0};
    ok(store_each_number(s, second, note_number, &x, &err));
    ck_assert_str_eq(x.text, "0 accuracy=0.5;0 validation=0.25;");
    ok(store_close(s, &err));

    s = open_store(NULL);
    ck_assert_int_eq(outcome(s, new_key()), STORE_OK);
    ck_assert_int_eq(outcome(s, "a key of its own"), STORE_PENDING);
    ck_assert(!lacks(s, new_key(), &accuracy));
    ck_assert(!lacks(s, new_key(), &recall));
    ck_assert(lacks(s, new_key(), &other));
    ck_assert_double_eq(number(s, new_key(), "recall(5)"), 0.75);
    const int64_t ids[] = {first, second, third}, lengths[] = {2, 1, 1};
    for (int i = 0; i < 3; i++) {
        ok(store_length(s, ids[i], &length, &err));
        ck_assert_int_eq(length, lengths[i]);
    }
    ok(store_close(s, &err));
    s = open_store(NULL); /* once is enough */
    ck_assert_int_eq(outcome(s, new_key()), STORE_OK);
    ok(store_close(s, &err));
}
END_TEST

/* The label of [metric X as Y] is not in the text; the only number that is left must be it. */
START_TEST(a_renamed_metric_is_recognised)
{
    static const store_judged renamed = {"accuracy", "share 1.0\n"};
    store *s = open_store(NULL);
    add_old(s, add_experiment(s, "e"), "seed=1\nalgorithm=gcn 1.0\nmetric=share 1.0\n", "accuracy", 0.5);
    ok(store_close(s, &err));
    make_old();
    s = open_store(NULL);
    ck_assert(!lacks(s, new_key(), &renamed));
    ok(store_close(s, &err));
}
END_TEST

START_TEST(an_old_store_in_use_is_left_alone)
{
    static const store_owner someone = {.host = "elsewhere", .boot = "b", .pid = 7, .start = 1};
    store *s = open_store(&(store_options){.owner = &someone});
    add_old(s, add_experiment(s, "e"), "seed=1\nmetric=accuracy 1.0\n", NULL, 0);
    char key[SHA256_HEX];
    sha256_bytes("seed=1\nmetric=accuracy 1.0\n", 27, key);
    ck_assert(claim(s, key));
    ok(store_close(s, &err));
    make_old();
    ck_assert_int_eq(store_open(path, NULL, &s, &err), CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "older version is running trials"));
    err = (cru_error){0};
    s = open_store(&(store_options){.read_only = true});
    ck_assert_int_eq(outcome(s, key), STORE_PENDING);
    ok(store_close(s, &err));
}
END_TEST


Suite *suite(void)
{
    Suite *all = suite_create("store-kept");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, values_of_the_standard);
    tcase_add_test(tc, errors_are_as_small_as_promised);
    tcase_add_test(tc, the_best_class_stays_and_equals_stay_equal);
    tcase_add_test(tc, a_kept_matrix_is_read_back);
    tcase_add_test(tc, no_more_is_kept_than_the_limit);
    tcase_add_loop_test(tc, damaged_scores_are_refused, 0, 4);
    tcase_add_test(tc, two_meanings_of_a_label_live_side_by_side);
    tcase_add_test(tc, a_reopened_trial_keeps_its_numbers);
    tcase_add_test(tc, metrics_leave_the_keys_of_an_old_store);
    tcase_add_test(tc, a_renamed_metric_is_recognised);
    tcase_add_test(tc, an_old_store_in_use_is_left_alone);
    suite_add_tcase(all, tc);
    return all;
}
