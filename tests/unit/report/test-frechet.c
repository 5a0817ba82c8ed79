// SPDX-License-Identifier: Apache-2.0
/* Distances between curves, against a published re-derivation and cases known by hand. */
#include <math.h>

#include "json-fixture.h"
#include "report/demo.h"
#include "report/table/frechet.h"
#include "report/table/stats.h"

enum { MOST = 64 };

static curve read_curve(const cJSON *pairs, curve_point *points)
{
    return (curve){points, fixture_numbers(pairs, (double *)(void *)points) / 2};
}

START_TEST(distances_of_points_are_those_of_the_fixture)
{
    static const char *const names[] = {"known_2", "known_0", "unequal_length", "single_points"};
    cJSON *root = fixture_open("report/frechet.json");
    const cJSON *item = fixture_case(root, names[_i]);
    curve_point p[MOST], q[MOST];
    curve a = read_curve(fixture_input(item, "P"), p), b = read_curve(fixture_input(item, "Q"), q);
    double expected = fixture_expected(item, "distance")->valuedouble;
    ck_assert_double_eq_tol(frechet_distance(a, b), expected, 1e-8);
    ck_assert_double_eq_tol(frechet_distance(b, a), expected, 1e-8);
    cJSON_Delete(root);
}
END_TEST

START_TEST(no_points_have_no_distance)
{
    curve_point one = {1, 2};
    ck_assert(isnan(frechet_distance((curve){&one, 1}, (curve){&one, 0})));
    ck_assert(isnan(frechet_distance((curve){&one, 0}, (curve){&one, 1})));
}
END_TEST

static double compare(const cJSON *item, frechet_scale scale)
{
    double x[MOST], metric[MOST], performance[MOST];
    int64_t count = fixture_numbers(fixture_input(item, "x"), x);
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "metric"), metric), count);
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "performance"), performance), count);
    return frechet_compare(&(curve_pair){x, performance, metric, count, scale});
}

START_TEST(curves_are_scaled_as_the_study_does)
{
    static const char *const names[] = {"curve_h_edge", "curve_h_adj", "curve_h_class", "curve_one_minus_h_neighbor"};
    cJSON *root = fixture_open("report/frechet.json");
    const cJSON *item = fixture_case(root, names[_i]);
    ck_assert_double_eq_tol(compare(item, FRECHET_VALUES), fixture_expected(item, "minmax")->valuedouble, 1e-8);
    ck_assert_double_eq_tol(compare(item, FRECHET_BOTH), fixture_expected(item, "minmax_with_x_minmax")->valuedouble,
                            1e-8);
    ck_assert_double_eq_tol(compare(item, FRECHET_NONE), fixture_expected(item, "raw")->valuedouble, 1e-8);
    cJSON_Delete(root);
}
END_TEST

/* A constant becomes 0, so the distance is that of the other curve's height; a level without a value is left out. */
START_TEST(constant_curves_and_missing_levels)
{
    const double x[] = {0, 0.1, 0.2}, flat[] = {5, 5, 5}, rising[] = {1, 2, 3}, gap[] = {1, NAN, 3};
    ck_assert_double_eq_tol(frechet_compare(&(curve_pair){x, flat, rising, 3, FRECHET_VALUES}), 1, 1e-12);
    ck_assert_double_eq_tol(frechet_compare(&(curve_pair){x, flat, flat, 3, FRECHET_VALUES}), 0, 1e-12);
    ck_assert_double_eq_tol(frechet_compare(&(curve_pair){x, gap, rising, 3, FRECHET_VALUES}), 0, 1e-12);
    const double single[] = {NAN, 2, NAN}; /* one level in common is no curve */
    ck_assert(isnan(frechet_compare(&(curve_pair){x, single, rising, 3, FRECHET_VALUES})));
}
END_TEST

START_TEST(small_distances_rank_first)
{
    cJSON *root = fixture_open("report/frechet.json");
    const cJSON *item = fixture_case(root, "ranks"), *ranks = fixture_expected(item, "rank"), *distance;
    double values[MOST], found[MOST];
    int64_t count = 0;
    cJSON_ArrayForEach(distance, fixture_input(item, "distances")) values[count++] = distance->valuedouble;
    stats_ranks(values, count, true, found);
    count = 0;
    cJSON_ArrayForEach(distance, fixture_input(item, "distances"))
    {
        const cJSON *expected = cJSON_GetObjectItem(ranks, distance->string);
        ck_assert_double_eq_tol(found[count++], expected->valuedouble, 1e-12);
    }
    cJSON_Delete(root);
}
END_TEST

/* ---- the table ------------------------------------------------------------------------------------------- */

static const char *methods[] = {"gcn", "mlp", NULL}, *datasets[] = {"cora", "citeseer", NULL};
static const char *rates[] = {"0", "0.5", "1", NULL}, *one_rate[] = {"0.5", NULL};

/* The second method bends; loss is 1 - accuracy, so its curve is the mirrored mean of both methods. */
static double bent(demo_trial t, store_outcome *outcome)
{
    (void)outcome;
    static const double straight[] = {0.9, 0.6, 0.3}, curved[] = {0.9, 0.8, 0.3};
    return t.method ? curved[t.rate] : straight[t.rate];
}

/* Mean over the methods at the levels: 0.9, 0.7, 0.3, scaled 1, 2/3, 0. Scaled curves of the methods: 1, 1/2, 0 and
 * 1, 5/6, 0. With levels 0.5 apart the best coupling is level by level, so the distance is 1/6 for both. */
START_TEST(the_table_compares_every_method_with_every_other_metric)
{
    store *s = demo_make(&(demo){methods, datasets, rates, 2, "", bent});
    report *r;
    ok(report_make(s, &(report_request){.curves = "accuracy", .digits = -1}, &r, &err));
    ck_assert_int_eq(r->count, 1);
    const table *t = r->tables[0];
    ck_assert_int_eq(t->row_count, 1);
    ck_assert_str_eq(t->rows[0].label, "loss");
    ck_assert_int_eq(t->col_count, 4);
    ck_assert_str_eq(t->cols[0].label, "gcn cora");
    ck_assert_str_eq(t->cols[3].label, "mlp citeseer");
    for (int64_t c = 0; c < 4; c++) ck_assert_double_eq_tol(table_at(t, 0, c)->mean, 1.0 / 6, 1e-12);
    ck_assert_double_eq(t->average_ranks[0], 1);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(curves_need_a_sweep_and_another_metric)
{
    store *s = demo_make(&(demo){methods, datasets, one_rate, 2, "", bent});
    report *r;
    ck_assert_int_eq(report_make(s, &(report_request){.curves = "accuracy", .digits = -1}, &r, &err), CRU_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "sweeps no number"));
    ck_assert_int_eq(report_make(s, &(report_request){.curves = "height", .digits = -1}, &r, NULL), CRU_BAD_INPUT);
    ck_assert_int_eq(report_make(s, &(report_request){.curves = "loss", .metrics = "loss", .digits = -1}, &r, NULL),
                     CRU_BAD_INPUT);
    ck_assert_int_eq(report_make(s, &(report_request){.curves = "loss", .curve_scale = "log", .digits = -1}, &r, NULL),
                     CRU_BAD_INPUT);
    ok(store_close(s, &err));
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("frechet");
    TCase *tc = tcase_create("distances");
    tcase_add_loop_test(tc, distances_of_points_are_those_of_the_fixture, 0, 4);
    tcase_add_test(tc, no_points_have_no_distance);
    tcase_add_loop_test(tc, curves_are_scaled_as_the_study_does, 0, 4);
    tcase_add_test(tc, constant_curves_and_missing_levels);
    tcase_add_test(tc, small_distances_rank_first);
    suite_add_tcase(suite, tc);
    TCase *tables = tcase_create("table");
    tcase_add_checked_fixture(tables, make_folder, remove_folder);
    tcase_add_test(tables, the_table_compares_every_method_with_every_other_metric);
    tcase_add_test(tables, curves_need_a_sweep_and_another_metric);
    suite_add_tcase(suite, tables);
    return suite;
}
