// SPDX-License-Identifier: Apache-2.0
/* The detectors of xgbod against those of the real libraries. */
#include "methods/method-bench.h"
#include "outliers.h"

static const outlier_detector detectors[] = {
    {OUTLIER_KNN, 1}, {OUTLIER_LOF, 1},  {OUTLIER_KNN, 3},   {OUTLIER_LOF, 3},     {OUTLIER_KNN, 5},
    {OUTLIER_LOF, 5}, {OUTLIER_HBOS, 5}, {OUTLIER_HBOS, 10}, {OUTLIER_OCSVM, 0.1}, {OUTLIER_OCSVM, 0.5},
};
static const char *const names[] = {"knn1", "lof1",  "knn3",   "lof3",     "knn5",
                                    "lof5", "hbos5", "hbos10", "ocsvm0.1", "ocsvm0.5"};
enum { COUNT = 10 };

static cru_dense rows(cru_ctx *ctx, const cJSON *list)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(list, numbers), n = cJSON_GetArraySize(list);
    float *x = cru_ctx_alloc(ctx, count, sizeof *x);
    for (int64_t i = 0; i < count; i++) x[i] = (float)numbers[i];
    return (cru_dense){n, count / n, x};
}

START_TEST(detectors_score_as_the_libraries)
{
    static double score[BENCH_MOST], expected[BENCH_MOST];
    cJSON *root = fixture_open("gad/xgbod.json");
    const cJSON *item = fixture_case(root, "detectors");
    cru_ctx *ctx = cru_ctx_create(NULL);
    const cru_dense train = rows(ctx, fixture_input(item, "x_train")), new = rows(ctx, fixture_input(item, "x_new"));
    cru_rng rng = cru_rng_stream(0, "isolation", 0);
    const outliers *o = outliers_create(ctx, &train, detectors, COUNT, &rng);
    for (int part = 0; part < 2; part++) {
        outliers_score(o, part ? &new : &train, !part, score);
        for (int w = 0; w < COUNT; w++) {
            const cJSON *values = cJSON_GetObjectItem(fixture_expected(item, names[w]), part ? "new" : "train");
            const double tolerance = detectors[w].kind == OUTLIER_OCSVM ? 2e-3 : 1e-5;
            const int64_t count = fixture_numbers(values, expected);
            for (int64_t i = 0; i < count; i++)
                ck_assert_msg(fabs(score[i * COUNT + w] - expected[i]) <= tolerance * fmax(1, fabs(expected[i])),
                              "%s, part %d, row %d: %g for %g", names[w], part, (int)i, score[i * COUNT + w],
                              expected[i]);
        }
    }
    cru_ctx_destroy(ctx);
    cJSON_Delete(root);
}
END_TEST

START_TEST(depths_of_failed_searches)
{
    double m[8], c[8];
    cJSON *root = fixture_open("gad/xgbod.json");
    const cJSON *item = fixture_case(root, "iforest_c");
    const int64_t count = fixture_numbers(fixture_input(item, "m"), m);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "c"), c), count);
    for (int64_t i = 0; i < count; i++) ck_assert_double_eq_tol(outliers_mean_depth((int64_t)m[i]), c[i], 1e-5);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("outlier detectors");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, detectors_score_as_the_libraries);
    tcase_add_test(c, depths_of_failed_searches);
    suite_add_tcase(s, c);
    return s;
}
