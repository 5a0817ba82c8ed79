// SPDX-License-Identifier: Apache-2.0
/* What pictures are made of: sweeps, labels, files, silhouettes, and the importance of settings. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/demo.h"
#include "report/plot/panel.h"
#include "report/plot/plot.h"
#include "report/plot/silhouette.h"
#include "report/plot/sweep.h"
#include "report/table/importance.h"

/* ---- labels ---------------------------------------------------------------------------------------------- */

START_TEST(labels_move_apart_and_stay_inside)
{
    label_spot spots[] = {{.want = 50, .series = 0},
                          {.want = 50, .series = 1},
                          {.want = 52, .series = 2},
                          {.want = 199, .series = 3},
                          {.want = 200, .series = 4}};
    labels_spread(spots, 5, 0, 200);
    for (int i = 0; i < 5; i++) {
        ck_assert(spots[i].at >= 0 && spots[i].at <= 200);
        if (i) ck_assert_double_ge(spots[i].at - spots[i - 1].at, LABEL_GAP - 1e-9);
    }
    ck_assert_double_eq(spots[0].at, 50);
    ck_assert_double_eq(spots[4].at, 200);
}
END_TEST

START_TEST(long_names_are_cut_between_letters)
{
    char text[64];
    ck_assert_str_eq(svg_short("größer", 3, text, sizeof text), "grö…");
    ck_assert_str_eq(svg_short("gcn", 3, text, sizeof text), "gcn");
}
END_TEST

START_TEST(colours_run_from_dark_to_light)
{
    svg_colour low, high, none;
    svg_heat(0, low);
    svg_heat(1, high);
    svg_heat(NAN, none);
    ck_assert_str_eq(svg_ink_on(low), "ondark");
    ck_assert_str_eq(svg_ink_on(high), "onlight");
    ck_assert_str_eq(none, "#b0b0b0");
    svg_heat(7, none); /* beyond the range: its end */
    ck_assert_str_eq(none, high);
}
END_TEST

/* ---- sweeps ---------------------------------------------------------------------------------------------- */

static const char *methods[] = {"gcn", "mlp", NULL}, *datasets[] = {"cora", "texas", NULL};
static const char *rates[] = {"0.5", "0.1", NULL}, *words[] = {"low", "mid", "high", NULL}, *one[] = {"gcn", NULL};

static double rule(demo_trial t, store_outcome *outcome)
{
    (void)outcome;
    return 0.9 - 0.1 * t.method - 0.05 * t.dataset - 0.02 * t.rate + 0.001 * t.seed;
}

static report *made(const demo *d, store **s, report_request request)
{
    *s = demo_make(d);
    request.rope = -1;
    return demo_report(*s, request);
}

START_TEST(numbers_are_swept_by_value_and_names_by_order)
{
    const char **levels = _i ? words : rates;
    store *s;
    report *r = made(&(demo){methods, datasets, levels, 1, NULL, rule}, &s, (report_request){0});
    sweep_list list;
    ok(sweeps_find(r->tables[0], false, &list, &err));
    ck_assert_int_eq(list.count, 2); /* datasets */
    ck_assert_int_eq(list.numeric, !_i);
    ck_assert_str_eq(list.key, "rate");
    ck_assert_str_eq(list.names[0], _i ? "low" : "0.1");
    ck_assert_double_eq(sweep_place(&list, r->tables[0], &list.items[1], 1), _i ? 1 : 0.5);
    sweeps_clear(&list);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(datasets_are_a_scale_only_on_request)
{
    store *s;
    report *r = made(&(demo){methods, datasets, one, 1, NULL, rule}, &s, (report_request){0});
    sweep_list list;
    ck_assert_int_eq(sweeps_find(r->tables[0], false, &list, NULL), CRU_UNSUPPORTED);
    ok(sweeps_find(r->tables[0], true, &list, &err));
    ck_assert_int_eq(list.items[0].count, 2);
    sweeps_clear(&list);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

static int64_t count_pieces(const char *text, const char *piece)
{
    int64_t count = 0;
    for (const char *p = text; (p = strstr(p, piece)); p++) count++;
    return count;
}

static char *drawn(const report *r, const char *kind)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ok(report_plot(r, kind, out, &err));
    fclose(out);
    return text;
}

/* A graph with a level of its own key. */
static void add_level(store *s, int64_t id, const char *dataset, const char *name, const char *level)
{
    char key[64];
    snprintf(key, sizeof key, "%s-%s", dataset, level);
    const store_setting settings[] = {{"algorithm", "gcn"}, {"dataset", dataset}, {name, level}, {"seed", "0"}};
    const store_number number = {"accuracy", 0.5};
    ok(store_add_trial(s, id, &(store_trial){.key = key, .canonical = "", .settings = settings, .setting_count = 4},
                       &err));
    ck_assert(claim(s, key));
    ok(store_finish(s, key, &(store_result){.outcome = STORE_OK, .numbers = &number, .number_count = 1}, &err));
}

START_TEST(sweeps_of_different_keys_have_panels_with_scales_of_their_own)
{
    static const char *const homophily[] = {"0.1", "0.5", "0.9"}, *const beta[] = {"8", "-1"};
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    for (int i = 0; i < 3; i++) add_level(s, id, "regular", "dataset.homophily", homophily[i]);
    for (int i = 0; i < 2; i++) add_level(s, id, "gencat", "dataset.beta", beta[i]);
    report *r = demo_report(s, (report_request){.rope = -1});
    sweep_list list;
    ok(sweeps_find(r->tables[0], false, &list, &err));
    ck_assert_int_eq(list.count, 2);
    ck_assert(list.numeric && list.mixed);
    const sweep *regular = &list.items[strcmp(list.items[0].key, "homophily") != 0];
    const sweep *gencat = &list.items[regular == list.items];
    ck_assert_str_eq(regular->title, "regular");
    ck_assert_int_eq(regular->count, 3);
    ck_assert_double_eq(sweep_place(&list, r->tables[0], regular, 2), 0.9);
    ck_assert_str_eq(gencat->key, "beta");
    ck_assert_double_eq(sweep_place(&list, r->tables[0], gencat, 0), -1);
    sweeps_clear(&list);
    char *text = drawn(r, "curve");
    ck_assert_int_eq(count_pieces(text, ">regular<"), 1);
    ck_assert_int_eq(count_pieces(text, ">gencat<"), 1);
    ck_assert_int_eq(count_pieces(text, ">homophily<"), 1);
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(several_metrics_share_a_panel)
{
    store *s;
    report *r =
        made(&(demo){methods, datasets, rates, 2, NULL, rule}, &s, (report_request){.metrics = "accuracy,loss"});
    char *text = drawn(r, "curve");
    ck_assert_int_eq(count_pieces(text, "<polyline class=\"line"), 8); /* 2 datasets, 2 methods, 2 metrics */
    ck_assert_int_eq(count_pieces(text, "dash1\" points"), 4);
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(the_diagram_of_ranks_speaks_of_its_columns)
{
    store *s;
    report *r = made(&(demo){methods, datasets, rates, 2, NULL, rule}, &s, (report_request){.cliques = "wilcoxon"});
    char *text = drawn(r, "ranks");
    ck_assert_ptr_nonnull(strstr(text, "The 4 columns are of 2 datasets"));
    ck_assert_ptr_nonnull(strstr(text, "Wilcoxon, Holm"));
    ck_assert_ptr_nonnull(strstr(text, "Friedman"));
    free(text);
    report_destroy(r);
    ck_assert_int_eq(report_make(s, &(report_request){.cliques = "tukey", .digits = -1}, &r, NULL), CRU_BAD_INPUT);
    ok(store_close(s, &err));
}
END_TEST

/* ---- comparisons ----------------------------------------------------------------------------------------- */

START_TEST(rows_are_compared_over_all_columns)
{
    store *s;
    report *r = made(&(demo){methods, datasets, rates, 3, NULL, rule}, &s,
                     (report_request){.metrics = "accuracy", .compare = true});
    ck_assert_int_eq(r->count, 2);
    const table *t = r->tables[1];
    ck_assert_str_eq(t->cols[0].label, "rank");
    ck_assert_double_eq(table_at(t, 0, 0)->mean, 1);
    ck_assert_double_eq(table_at(t, 1, 0)->mean, 2);
    /* 90, 88, 85, 83 per cent and 0, 0.1, 0.2 by seed; ten points less for the second method */
    ck_assert_double_eq_tol(table_at(t, 0, 1)->mean, 86.6, 1e-9);
    ck_assert_double_eq_tol(table_at(t, 1, 1)->mean, 76.6, 1e-9);
    ck_assert(table_at(t, 0, 2)->mean <= 86.6 && table_at(t, 0, 3)->mean >= 86.6);
    ck_assert_str_eq(t->cols[7].label, "against gcn P(better)");
    ck_assert_double_eq(table_at(t, 1, 7)->mean, 0);
    ck_assert_double_eq(table_at(t, 1, 8)->mean, 0.125); /* four columns that agree: 2^-3 */
    ck_assert_double_gt(table_at(t, 1, 9)->mean, 0.9);   /* worse by more than a point */
    ck_assert_int_eq(table_at(t, 0, 8)->mark, TABLE_MISSING);
    ck_assert_ptr_nonnull(strstr(t->caption, "of 2 datasets and not independent"));
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(few_runs_are_told)
{
    store *s;
    report *r = made(&(demo){methods, one, one, 3, NULL, rule}, &s, (report_request){.metrics = "accuracy"});
    char *text = demo_write(r, REPORT_TEXT);
    ck_assert_ptr_nonnull(strstr(text, "3 paired runs cannot show a difference: the smallest p of Wilcoxon's test is "
                                       "0.25; it takes 6"));
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(enough_runs_are_not_told_and_overlap_takes_the_corrected_test)
{
    store *s;
    report *r = made(&(demo){methods, one, one, 8, NULL, rule}, &s,
                     (report_request){.metrics = "accuracy", .overlap = _i ? 0.25 : 0});
    char *text = demo_write(r, REPORT_TEXT);
    ck_assert_ptr_null(strstr(text, "cannot show"));
    ck_assert_ptr_nonnull(strstr(text, _i ? "corrected for overlapping splits, ratio 0.25" : "paired Wilcoxon"));
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* ---- importance ------------------------------------------------------------------------------------------ */

/* A full grid of three settings with scores 3 a + b^2 + a b, c without effect: the shares are those of the analysis of
 * variance, counted here by plain sums. */
enum { A = 4, B = 3, C = 2, CELLS = A * B * C };

static double score(int a, int b)
{
    return 3 * a + b * b + a * b;
}

/* Variance of the means over everything else at the levels of one setting. */
static double effect(int which)
{
    static const int counts[] = {A, B, C};
    double sum[4] = {0}, all = 0, variance = 0;
    for (int i = 0; i < CELLS; i++) {
        const int at[] = {i / (B * C), i / C % B, i % C};
        sum[at[which]] += score(at[0], at[1]) / (CELLS / counts[which]);
        all += score(at[0], at[1]) / CELLS;
    }
    for (int k = 0; k < counts[which]; k++) variance += (sum[k] - all) * (sum[k] - all) / counts[which];
    return variance;
}

START_TEST(importance_of_a_full_grid_is_analysis_of_variance)
{
    int32_t levels[CELLS * 3];
    const int32_t counts[] = {A, B, C};
    double scores[CELLS], shares[3], mean = 0, total = 0;
    for (int i = 0; i < CELLS; i++) {
        levels[3 * i] = i / (B * C);
        levels[3 * i + 1] = i / C % B;
        levels[3 * i + 2] = i % C;
        scores[i] = score(levels[3 * i], levels[3 * i + 1]);
        mean += scores[i] / CELLS;
    }
    for (int i = 0; i < CELLS; i++) total += (scores[i] - mean) * (scores[i] - mean) / CELLS;
    cru_rng rng = cru_rng_stream(1, "importance", 0);
    importance_data data = {CELLS, 3, levels, counts, scores};
    importance_of(&data, &(importance_shape){0}, &rng, shares);
    for (int k = 0; k < 3; k++) ck_assert_double_eq_tol(shares[k], effect(k) / total, 1e-9);
    importance_of(&data, &(importance_shape){.trees = 50, .leaf = 1}, &rng, shares);
    ck_assert(shares[0] > shares[1] && shares[1] > shares[2]);
}
END_TEST

START_TEST(equal_scores_have_no_importance)
{
    const int32_t levels[] = {0, 1, 2}, counts[] = {3};
    const double scores[] = {1, 1, 1};
    double share;
    cru_rng rng = cru_rng_stream(1, "importance", 0);
    importance_of(&(importance_data){3, 1, levels, counts, scores}, &(importance_shape){.trees = 4}, &rng, &share);
    ck_assert(isnan(share));
}
END_TEST

/* ---- files ----------------------------------------------------------------------------------------------- */

START_TEST(silhouette_by_hand)
{
    /* two at distance 1 in one class, one at distance 3 and 4 in the other */
    const float points[] = {0, 0, 1, 0, 4, 0};
    const int32_t classes[] = {0, 0, 1}, same[] = {0, 0, 0};
    double expected = ((4 - 1) / 4.0 + (3 - 1) / 3.0 + 0) / 3;
    ck_assert_double_eq_tol(silhouette_of(points, 3, 2, classes), expected, 1e-12);
    ck_assert(isnan(silhouette_of(points, 3, 2, same)));
}
END_TEST

static char file_name[160];

static const char *write_file(const char *name, const void *bytes, size_t size)
{
    snprintf(file_name, sizeof file_name, "%s/%s", folder, name);
    FILE *file = fopen(file_name, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
    return file_name;
}

static void remove_all(void)
{
    unlink(file_name);
    remove_folder();
}

static const char *write_text(const char *name, const char *text)
{
    return write_file(name, text, strlen(text));
}

START_TEST(a_csv_has_numbers_classes_names_and_predictions)
{
    plot_data *d;
    ok(plot_data_read(write_text("p.csv",
                                 "name,x,class,\"y, z\",predicted gcn\na,1,red,2.5,blue\r\n\"b \"\"q\"\"\",3,blue,-4,"
                                 "blue\n"),
                      NULL, &d, &err));
    ck_assert_int_eq(d->rows, 2);
    ck_assert_int_eq(d->cols, 2);
    ck_assert_str_eq(d->names[1], "y, z");
    ck_assert_str_eq(d->row_names[1], "b \"q\"");
    ck_assert_float_eq(d->values[3], -4);
    ck_assert_int_eq(d->prediction_count, 1);
    ck_assert_str_eq(d->predictions[0].name, "gcn");
    ck_assert_str_eq(d->class_names[d->truth.ids[0]], "red");
    ck_assert_int_eq(d->predictions[0].ids[0], d->truth.ids[1]);
    plot_data_destroy(d);
}
END_TEST

START_TEST(mistakes_in_files_are_one_located_line)
{
    static const struct {
        const char *text, *says;
    } cases[] = {{"x,y\n1,2\n3\n", ":3: fewer values"},    {"x\n1,2\n", ":2: more values"},
                 {"x\nred\n", ":2: a number is expected"}, {"x\nnan\n", ":2: a number is expected"},
                 {"x,\"y\n1,2\n", ":1: a quote"},          {"x,y\n", "no values"},
                 {"{\"a\": 1}", "neither classes"},        {"{\"a\": ", "not the JSON"}};
    plot_data *d;
    ck_assert_int_eq(plot_data_read(write_text("p.csv", cases[_i].text), NULL, &d, &err), CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, cases[_i].says), "%s", err.text);
    ck_assert_ptr_null(strchr(err.text, '\n'));
    ck_assert_ptr_null(d);
}
END_TEST

/* A header as numpy writes it, with two rows of two numbers. */
static size_t npy(char *out, const char *dictionary, const void *numbers, size_t size)
{
    size_t length = strlen(dictionary);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)length;
    out[9] = 0;
    memcpy(out + 10, dictionary, length);
    memcpy(out + 10 + length, numbers, size);
    return 10 + length + size;
}

START_TEST(npy_matrices_are_read_and_cut_ones_refused)
{
    const double numbers[] = {1, 2, 3, -4};
    const int8_t whole[] = {1, -2, 3, 4};
    char bytes[400];
    plot_data *d;
    size_t size = npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", numbers, sizeof numbers);
    ok(plot_data_read(write_file("m.npy", bytes, size), NULL, &d, &err));
    ck_assert_int_eq(d->rows * 10 + d->cols, 22);
    ck_assert_float_eq(d->values[3], -4);
    plot_data_destroy(d);
    for (size_t cut = 0; cut < size; cut++)
        ck_assert_int_eq(plot_data_read(write_file("m.npy", bytes, cut), NULL, &d, NULL), CRU_BAD_INPUT);
    size = npy(bytes, "{'descr': '|i1', 'fortran_order': False, 'shape': (4,), }\n", whole, sizeof whole);
    ok(plot_data_read(write_file("m.npy", bytes, size), NULL, &d, &err));
    ck_assert_int_eq(d->cols, 1);
    ck_assert_float_eq(d->values[1], -2);
    plot_data_destroy(d);
}
END_TEST

static char *drawn_file(const char *kind, const plot_data *d)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ok(plot_find(kind)->draw(&(plot_input){.data = d, .alone = true}, out, &err));
    fclose(out);
    return text;
}

START_TEST(files_are_drawn)
{
    static const struct {
        const char *kind, *text, *piece;
        int64_t count;
    } cases[] = {{"map", "x,y,class\n0,0,a\n1,0,a\n0,5,b\n1,5,<b>\n", "<circle class=\"dot", 4},
                 {"boundary", "x,y,class,predicted m\n0,0,a,a\n1,0,a,a\n0,5,b,b\n1,5,b,a\n", "75.0 % right", 1},
                 {"heat", "name,a,b\nr,0.5,1\ns,0,1\n", "<text class=\"cell", 4},
                 {"counts",
                  "{\"name\":\"cora\",\"classes\":[{\"name\":\"<i>\",\"items\":3},{\"name\":\"b\",\"items\":1}]}",
                  "<rect class=\"fill", 2}};
    plot_data *d;
    ok(plot_data_read(write_text("p.csv", cases[_i].text), NULL, &d, &err));
    char *text = drawn_file(cases[_i].kind, d);
    ck_assert_int_eq(count_pieces(text, cases[_i].piece), cases[_i].count);
    ck_assert_ptr_null(strstr(text, "<b>"));
    ck_assert_ptr_null(strstr(text, "<i>"));
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
    plot_data_destroy(d);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("plots");
    TCase *tc = tcase_create("plots");
    tcase_add_checked_fixture(tc, make_folder, remove_all);
    tcase_add_test(tc, labels_move_apart_and_stay_inside);
    tcase_add_test(tc, long_names_are_cut_between_letters);
    tcase_add_test(tc, colours_run_from_dark_to_light);
    tcase_add_loop_test(tc, numbers_are_swept_by_value_and_names_by_order, 0, 2);
    tcase_add_test(tc, datasets_are_a_scale_only_on_request);
    tcase_add_test(tc, sweeps_of_different_keys_have_panels_with_scales_of_their_own);
    tcase_add_test(tc, several_metrics_share_a_panel);
    tcase_add_test(tc, the_diagram_of_ranks_speaks_of_its_columns);
    tcase_add_test(tc, rows_are_compared_over_all_columns);
    tcase_add_test(tc, few_runs_are_told);
    tcase_add_loop_test(tc, enough_runs_are_not_told_and_overlap_takes_the_corrected_test, 0, 2);
    tcase_add_test(tc, importance_of_a_full_grid_is_analysis_of_variance);
    tcase_add_test(tc, equal_scores_have_no_importance);
    tcase_add_test(tc, silhouette_by_hand);
    tcase_add_test(tc, a_csv_has_numbers_classes_names_and_predictions);
    tcase_add_loop_test(tc, mistakes_in_files_are_one_located_line, 0, 8);
    tcase_add_test(tc, npy_matrices_are_read_and_cut_ones_refused);
    tcase_add_loop_test(tc, files_are_drawn, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
