// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <unistd.h>

#include "csv-table.h"
#include "formats/load-format.h"

/* ---- tables ---- */

static csv_table t;
static cru_error err;
static cru_data *data;
static char nodes_path[64], edges_path[64];

static void start(void)
{
    t = (csv_table){0};
    err = (cru_error){0};
    data = NULL;
    nodes_path[0] = edges_path[0] = 0;
}

static void stop(void)
{
    csv_free(&t);
    cru_data_destroy(data);
    if (*nodes_path) unlink(nodes_path);
    if (*edges_path) unlink(edges_path);
}

static cru_status parse(const char *text)
{
    csv_free(&t);
    err = (cru_error){0};
    return csv_parse(text, strlen(text), "t.csv", &t, &err);
}

static void cell(int64_t row, int64_t col, const char *expected)
{
    ck_assert_str_eq(csv_field(&t, row, col), expected);
}

START_TEST(fields_are_cut)
{
    ck_assert_int_eq(parse("a,b,c\r\n1,,3\n\n# note\nx y,\"q,\"\"z\"\"\",\n"), CRU_OK);
    ck_assert_int_eq(t.rows, 3);
    ck_assert_int_eq(t.cols, 3);
    cell(0, 2, "c");
    cell(1, 1, "");
    cell(2, 0, "x y");
    cell(2, 1, "q,\"z\"");
    cell(2, 2, "");
    ck_assert_int_eq(t.line[2], 5);
    ck_assert_int_eq(csv_column(&t, "b"), 1);
    ck_assert_int_eq(csv_column(&t, "d"), -1);
}
END_TEST

START_TEST(the_first_line_chooses_the_delimiter)
{
    static const char *const texts[] = {"a\tb, c\n1\t2\n", "a;b\n1;2\n", "a b\n1 2", "a,b\n1,2"};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(parse(texts[i]), CRU_OK);
        ck_assert_int_eq(t.cols, 2);
        cell(1, 1, "2");
    }
}
END_TEST

START_TEST(an_empty_text_is_an_empty_table)
{
    ck_assert_int_eq(parse(""), CRU_OK);
    ck_assert_int_eq(t.rows, 0);
    ck_assert_int_eq(csv_column(&t, "a"), -1);
}
END_TEST

static void refuses(const char *text, size_t size, const char *message)
{
    err = (cru_error){0};
    ck_assert_int_eq(csv_parse(text, size, "t.csv", &t, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, message);
}

START_TEST(ragged_and_broken_lines_are_named)
{
    refuses("a,b\n1\n", 6, "t.csv:2: fewer fields than in the first line");
    refuses("a,b\n1,2,3\n", 10, "t.csv:2: more fields than in the first line");
    refuses("a,b\n\"1,2\n", 9, "t.csv:2: a quoted field does not end on its line");
    refuses("a,b\n\"1\"2,3\n", 11, "t.csv:2: text follows a closing quote");
    refuses("a,b\n\0,2\n", 8, "t.csv:2: a NUL byte in a text file");
}
END_TEST

/* ---- the format ---- */

static void put(char path[64], const char *text)
{
    strcpy(path, "/tmp/crucible-csv-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static cru_status load(const char *nodes, const char *edges, const char *key, const char *value)
{
    format_run run = {.name = "csv", .settings = {key, value}};
    put(nodes_path, nodes);
    run.files[0] = (cru_file){"nodes", nodes_path};
    if (edges) {
        put(edges_path, edges);
        run.files[1] = (cru_file){"edges", edges_path};
    }
    return format_load(&run, &data, &err);
}

static const char nodes[] = "id,label,a,split\nx,red,1,train\ny,blue,-2.5,val\nz,,3e2,test\nw,red,4,\n";

START_TEST(a_graph_is_read)
{
    ck_assert_int_eq(load(nodes, "source,target\nx,y\ny,z\ny,x\n", NULL, NULL), CRU_OK);
    ck_assert_int_eq(data->problem, CRU_NODES);
    ck_assert_int_eq(data->nodes, 4);
    ck_assert_int_eq(data->classes, 2);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4);
    ck_assert_ptr_null(data->graph.values);
    ck_assert_int_eq(data->x.cols, 1);
    ck_assert_float_eq(data->x.dense[1], -2.5f);
    ck_assert_float_eq(data->x.dense[2], 300);
    ck_assert_int_eq(data->truth[0], 1);
    ck_assert_int_eq(data->truth[2], CRU_UNLABELLED);
    ck_assert_int_eq(data->labels[1], 0);
    ck_assert_int_eq(data->official_count, 1);
    ck_assert_int_eq(data->official[0].val.ids[0], 1);
    ck_assert_int_eq(data->official[0].test.count, 1);
}
END_TEST

START_TEST(directed_edges_feed_the_second_from_the_first)
{
    ck_assert_int_eq(load(nodes, "x,y,0.5\nz,w,2\n", "directed", "true"), CRU_OK);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2);
    ck_assert_int_eq(data->graph.offsets[2] - data->graph.offsets[1], 1); /* y aggregates from x */
    ck_assert_int_eq(data->graph.ids[0], 0);
    ck_assert_float_eq(data->graph.values[0], 0.5f);
    ck_assert_float_eq(data->graph.values[1], 2);
}
END_TEST

START_TEST(without_edges_rows_are_classified)
{
    ck_assert_int_eq(load("label,a\n10,1\n9,2\n10,3\n", NULL, NULL, NULL), CRU_OK);
    ck_assert_int_eq(data->problem, CRU_ROWS);
    ck_assert_int_eq(data->truth[0], 1); /* numbers sort by value: 9 before 10 */
    ck_assert_str_eq(data->class_names[0], "9");
}
END_TEST

START_TEST(rows_without_ids_are_numbered)
{
    ck_assert_int_eq(load("label,a\nu,1\nv,2\nu,3\n", "0 2\n1 2\n", NULL, NULL), CRU_OK);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4);
}
END_TEST

START_TEST(ignored_columns_may_hold_anything)
{
    ck_assert_int_eq(load("label,a,note,b\nu,1,hello,2\nv,2,bye,3\n", NULL, "ignore", "note, other"), CRU_OK);
    ck_assert_int_eq(data->x.cols, 2);
    ck_assert_float_eq(data->x.dense[3], 3);
}
END_TEST

static const struct {
    const char *nodes, *edges, *message;
} mistakes[] = {
    {"id,kind,a\nx,u,1\n", NULL, ":1: there is no column 'label'"},
    {"id,label,a\nx,u,1\nx,v,2\n", NULL, ":3: 'x' is the id of an earlier row"},
    {"id,label,a\n,u,1\n", NULL, ":2: '' is not an id"},
    {"label,a\nu,one\n", NULL, ":2: 'one' in column 'a' is not a number"},
    {"label,a\nu,nan\n", NULL, ":2: 'nan' in column 'a' is not a number"},
    {"label,a\nu,1x\n", NULL, ":2: '1x' in column 'a' is not a number"},
    {"label,a\n,1\n", NULL, "holds 0 classes"},
    {"label\nu\n", NULL, "no column is left for features"},
    {"label,a\n", NULL, "needs a header and at least one row"},
    {"", NULL, "needs a header and at least one row"},
    {"label,split,a\nu,dev,1\n", NULL, ":2: 'dev' is none of train, val and test"},
    {"label,a\nu,1\nv,2\n", "0,1\n0,2\n", ":2: '2' is not the id of a node"},
    {"label,a\nu,1\nv,2\n", "0,1\n-1,0\n", ":2: '-1' is not the id of a node"},
    {"label,a\nu,1\nv,2\n", "0,1,heavy\n", ":1: 'heavy' is not a weight"},
    {"label,a\nu,1\nv,2\n", "0\n", "needs two columns of ids"},
    {"label,a\nu,1\nv,2\n", "0,1,2,3\n", "needs two columns of ids"},
};

START_TEST(mistakes_are_named_with_their_line)
{
    cru_status status = load(mistakes[_i].nodes, mistakes[_i].edges, NULL, NULL);
    ck_assert_int_eq(status, CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, mistakes[_i].message) != NULL, "'%s' does not say '%s'", err.text,
                  mistakes[_i].message);
}
END_TEST

START_TEST(missing_files_are_said)
{
    format_run run = {.name = "csv"};
    ck_assert_int_eq(format_load(&run, &data, &err), CRU_BAD_INPUT);
    err = (cru_error){0};
    run.files[0] = (cru_file){"nodes", "/nowhere/nodes.csv"};
    ck_assert_int_eq(format_load(&run, &data, &err), CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere/nodes.csv"));
}
END_TEST

START_TEST(anomaly_needs_two_classes)
{
    ck_assert_int_eq(load("label,a\n0,1\n1,2\n0,3\n", "0,1\n", "task", "anomaly"), CRU_OK);
    ck_assert_int_eq(data->problem, CRU_ANOMALY);
    cru_data_destroy(data);
    data = NULL;
    stop();
    ck_assert_int_eq(load("label,a\n0,1\n1,2\n2,3\n", "0,1\n", "task", "anomaly"), CRU_BAD_INPUT);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("csv");
    TCase *c = tcase_create("csv");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, fields_are_cut);
    tcase_add_test(c, the_first_line_chooses_the_delimiter);
    tcase_add_test(c, an_empty_text_is_an_empty_table);
    tcase_add_test(c, ragged_and_broken_lines_are_named);
    tcase_add_test(c, a_graph_is_read);
    tcase_add_test(c, directed_edges_feed_the_second_from_the_first);
    tcase_add_test(c, without_edges_rows_are_classified);
    tcase_add_test(c, rows_without_ids_are_numbered);
    tcase_add_test(c, ignored_columns_may_hold_anything);
    tcase_add_loop_test(c, mistakes_are_named_with_their_line, 0, sizeof mistakes / sizeof *mistakes);
    tcase_add_test(c, missing_files_are_said);
    tcase_add_test(c, anomaly_needs_two_classes);
    suite_add_tcase(s, c);
    return s;
}
