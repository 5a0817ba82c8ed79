// SPDX-License-Identifier: Apache-2.0
/* Each format: hostile names stay text, numbers are right, pictures are drawn or refused. */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "report/demo.h"
#include "report/format/escape.h"
#include "report/plot/panel.h"

static const char *hostile[] = {"<script>x</script>", "a,b \"c\"", "50% & _under_ | {x} $y$ #1 \\z ~^", NULL};
static const char *sets[] = {"cora", "citeseer", "pubmed", NULL}, *rates[] = {"0.1", "0.3", NULL};
static const char *one[] = {"only", NULL};

static double rule(demo_trial t, store_outcome *outcome_of)
{
    (void)outcome_of;
    return 0.9 - 0.1 * t.method - 0.01 * t.dataset - 0.02 * t.rate + 0.001 * t.seed;
}

static store *hostile_store(void)
{
    return demo_make(&(demo){hostile, sets, rates, 3, "[experiment]\n; <b>", rule});
}

static char *written(report_format format)
{
    store *s = hostile_store();
    report *r = demo_report(s, (report_request){0});
    char *text = demo_write(r, format);
    report_destroy(r);
    ok(store_close(s, &err));
    return text;
}

#define has(text, piece)   ck_assert_msg(strstr(text, piece) != NULL, "no '%s' in\n%s", piece, text)
#define lacks(text, piece) ck_assert_msg(strstr(text, piece) == NULL, "'%s' in\n%s", piece, text)

START_TEST(html_takes_names_for_text)
{
    char *text = written(REPORT_HTML);
    has(text, "&lt;script&gt;x&lt;/script&gt;");
    lacks(text, "<script>x");
    lacks(text, "<b>");
    has(text, "a,b &quot;c&quot;");
    has(text, "<strong>90.10<span class=\"spread\"> ± 0.10</span></strong>");
    lacks(text, "src=");
    free(text);
}
END_TEST

START_TEST(latex_takes_names_for_text)
{
    char *text = written(REPORT_LATEX);
    has(text, "50\\% \\& \\_under\\_ \\textbar{} \\{x\\} \\$y\\$ \\#1 \\textbackslash{}z "
              "\\textasciitilde{}\\textasciicircum{}");
    has(text, "\\textbf{90.10 $\\pm$ 0.10}");
    has(text, "\\underline{80.10 $\\pm$ 0.10}");
    has(text, "\\multicolumn{2}{c}{cora} & \\multicolumn{2}{c}{citeseer}");
    has(text, "\\toprule");
    free(text);
}
END_TEST

START_TEST(markdown_takes_names_for_text)
{
    char *text = written(REPORT_MARKDOWN);
    has(text, "&lt;script&gt;");
    has(text, "\\_under\\_ \\| ");
    has(text, "| **90.10 ± 0.10** |");
    free(text);
}
END_TEST

START_TEST(csv_quotes_and_keeps_all_digits)
{
    char *text = written(REPORT_CSV);
    has(text, ",\"a,b \"\"c\"\"\",");
    char number[64];
    snprintf(number, sizeof number, ",%.17g,", (0.9 + (0.9 + 0.001) + (0.9 + 0.002)) / 3 * 100);
    has(text, number);
    int64_t lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')); p++) lines++;
    ck_assert_int_eq(lines, 1 + 2 * 3 * 6);
    free(text);
}
END_TEST

START_TEST(json_reads_back)
{
    char *text = written(REPORT_JSON);
    cJSON *list = cJSON_Parse(text);
    ck_assert_int_eq(cJSON_GetArraySize(list), 2);
    const cJSON *cells = cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "cells");
    ck_assert_int_eq(cJSON_GetArraySize(cells), 18);
    const cJSON *cell = cJSON_GetArrayItem(cells, 0);
    ck_assert_str_eq(cJSON_GetObjectItem(cell, "row")->valuestring, hostile[0]);
    ck_assert_double_eq_tol(cJSON_GetObjectItem(cell, "mean")->valuedouble, 90.1, 1e-9);
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(cell, "values")), 3);
    cJSON_Delete(list);
    free(text);
}
END_TEST

/* Of the first line that starts so. */
static int64_t line_width(const char *text, const char *start)
{
    char line[1000];
    while (strncmp(text, start, strlen(start)) != 0) {
        text = strchr(text, '\n');
        ck_assert_ptr_nonnull(text);
        text++;
    }
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    return escape_width(line);
}

START_TEST(text_lines_up_and_has_no_escapes_in_a_file)
{
    static const char *names[] = {"gcn", "m\xc3\xa9thode", "e\033[31mvil", NULL};
    store *s = demo_make(&(demo){names, sets, rates, 3, NULL, rule});
    report *r = demo_report(s, (report_request){.metrics = "accuracy"});
    char *text = demo_write(r, REPORT_TEXT);
    lacks(text, "\033");
    has(text, "90.10 ± 0.10¹");
    ck_assert_int_eq(line_width(text, "gcn"), line_width(text, "m\xc3\xa9"));
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(the_compact_report_is_the_text_one)
{
    store *s = hostile_store();
    char *text;
    size_t size;
    int64_t id;
    ok(store_find_experiment(s, "demo", &id, &err));
    FILE *out = open_memstream(&text, &size);
    ok(report_print_compact(s, id, out, &err));
    fclose(out);
    has(text, "demo: accuracy in %: mean ± std of 3 runs, higher is better");
    free(text);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(width_counts_columns_not_bytes)
{
    ck_assert_int_eq(escape_width("81.2 ± 0.3"), 10);
    ck_assert_int_eq(escape_width("e\xcc\x81"), 1);
    ck_assert_int_eq(escape_width("\xe4\xb8\xad"), 2);
    ck_assert_int_eq(escape_width(""), 0);
    ck_assert_int_eq(escape_width("\xf0\x9f"), 1); /* cut off in the middle */
}
END_TEST

/* ---- pictures -------------------------------------------------------------------------------------------- */

static int64_t count_pieces(const char *text, const char *piece)
{
    int64_t count = 0;
    for (const char *p = text; (p = strstr(p, piece)); p++) count++;
    return count;
}

static char *drawn(store *s, const char *kind)
{
    report *r = demo_report(s, (report_request){0});
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ok(report_plot(r, kind, out, &err));
    fclose(out);
    report_destroy(r);
    return text;
}

START_TEST(plots_show_every_cell)
{
    static const struct {
        const char *kind, *piece;
        int64_t count;
    } cases[] = {{"bars", "<rect class=\"fill", 18},
                 {"box", "<rect class=\"box", 18},
                 {"curve", "<polyline class=\"line", 9}, /* three datasets, three methods */
                 {"scatter", "<circle class=\"bubble", 18},
                 {"ranks", "<text class=\"entry\"", 5}, /* three methods, Friedman's test and a warning */
                 {"drop", "<rect class=\"fill", 18},
                 {"methods", "<g><title>mean", 3},
                 {"histogram", "<text class=\"title\"", 3},
                 {"heat", "<text class=\"cell", 18},
                 {"slope", "<polyline class=\"line", 9},
                 {"profile", "<polygon class=\"band", 3},
                 {"improvement", "<text class=\"cell", 9}};
    store *s = hostile_store();
    char *text = drawn(s, cases[_i].kind);
    ck_assert_int_eq(count_pieces(text, cases[_i].piece), cases[_i].count);
    lacks(text, "<script>");
    lacks(text, "nan");
    has(text, "<title>demo");
    has(text, "role=\"img\"");
    free(text);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(plots_that_the_data_does_not_allow_say_why)
{
    static const char *const kinds[] = {"curve", "ranks", "flower"};
    store *s = demo_make(&(demo){one, one, one, 1, NULL, rule});
    report *r = demo_report(s, (report_request){0});
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_ne(report_plot(r, kinds[_i], out, &err), CRU_OK);
    ck_assert_int_ne(err.text[0], '\0');
    fclose(out);
    ck_assert_uint_eq(size, 0);
    free(text);
    report_destroy(r);
    ok(store_close(s, &(cru_error){0}));
}
END_TEST

START_TEST(an_axis_has_round_ticks_that_cover_the_data)
{
    static const struct {
        double low, high;
        bool log;
        double first, last;
        int count;
    } cases[] = {{0.13, 0.87, false, 0.1, 0.9, 9},
                 {49, 87, false, 45, 90, 10},
                 {0, 0, false, -1, 1, 5},
                 {3, 3, false, 2.7, 3.3, 7},
                 {0.02, 7, true, 0.01, 10, 4},
                 {5, 5, true, 1, 10, 2},
                 {INFINITY, -INFINITY, false, 0, 1, 6},
                 {INFINITY, -INFINITY, true, 1, 10, 2}};
    axis a = {.low = cases[_i].low, .high = cases[_i].high, .log = cases[_i].log, .to = 100};
    double ticks[AXIS_TICKS];
    axis_round(&a);
    int count = axis_ticks(&a, ticks);
    ck_assert_double_eq_tol(ticks[0], cases[_i].first, 1e-9);
    ck_assert_double_eq_tol(ticks[count - 1], cases[_i].last, 1e-9);
    ck_assert_int_eq(count, cases[_i].count);
    ck_assert_double_eq_tol(axis_at(&a, a.low), 0, 1e-9);
    ck_assert_double_eq_tol(axis_at(&a, a.high), 100, 1e-9);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("formats");
    TCase *tc = tcase_create("formats");
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, html_takes_names_for_text);
    tcase_add_test(tc, latex_takes_names_for_text);
    tcase_add_test(tc, markdown_takes_names_for_text);
    tcase_add_test(tc, csv_quotes_and_keeps_all_digits);
    tcase_add_test(tc, json_reads_back);
    tcase_add_test(tc, text_lines_up_and_has_no_escapes_in_a_file);
    tcase_add_test(tc, the_compact_report_is_the_text_one);
    tcase_add_test(tc, width_counts_columns_not_bytes);
    tcase_add_loop_test(tc, plots_show_every_cell, 0, 12);
    tcase_add_loop_test(tc, plots_that_the_data_does_not_allow_say_why, 0, 3);
    tcase_add_loop_test(tc, an_axis_has_round_ticks_that_cover_the_data, 0, 8);
    suite_add_tcase(suite, tc);
    return suite;
}
