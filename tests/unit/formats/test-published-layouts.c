// SPDX-License-Identifier: Apache-2.0
/* Layouts in which single studies publish their graphs and images: the small files are those of the fuzz corpora, and
 * what they mean stands beside the checks. */
#include <math.h>
#include <matio.h>

#include "json-fixture.h"
#include "tiny-files.h"

/* Nodes 0, 1, 2; edges 0 -> 1 and 1 -> 2. */
static void check_path(void)
{
    ck_assert_int_eq(data->nodes, 3);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2);
    ck_assert(has_edge(1, 0) && has_edge(2, 1));
}

static void check_truth(const int32_t *expected, size_t size)
{
    ck_assert_mem_eq(data->truth, expected, size);
}

/* ---- pyg ------------------------------------------------------------------------------------------------- */

static const char *const graph_role[] = {"graph", NULL};

/* In a zip; x is stored column by column, y as floats. */
START_TEST(pyg_reads_an_object_of_version_2)
{
    format_run run = {.name = "pyg", .settings = {"directed", "yes", "task", "anomaly"}};
    const float x[] = {1, 2, 3, 4, 5, 6};
    corpus("version-2", graph_role, &run);
    must_load(&run);
    check_path();
    ck_assert_int_eq(data->problem, CRU_ANOMALY);
    check_truth((const int32_t[]){0, 1, 0}, 3 * sizeof(int32_t));
    ck_assert_mem_eq(data->x.dense, x, sizeof x);
}
END_TEST

START_TEST(pyg_reads_an_object_of_version_1_with_masks)
{
    format_run run = {.name = "pyg", .settings = {"directed", "yes"}};
    corpus("version-1", graph_role, &run);
    must_load(&run);
    check_path();
    ck_assert_int_eq(data->official_count, 2);
    check_ids(data->official[0].train, "0 ");
    check_ids(data->official[0].val, "1 ");
    check_ids(data->official[1].train, "1 ");
    check_ids(data->official[1].test, "2 ");
}
END_TEST

START_TEST(pyg_reads_a_dictionary)
{
    format_run run = {.name = "pyg"};
    corpus("dictionary", graph_role, &run);
    must_load(&run);
    ck_assert_int_eq(data->classes, 3);
    check_truth((const int32_t[]){2, 0, 1}, 3 * sizeof(int32_t));
    ck_assert(has_edge(0, 1) && has_edge(1, 0));
}
END_TEST

/* A published file and the same arrays saved by numpy. */
START_TEST(pyg_agrees_with_numpy_about_reddit)
{
    const char *mirror = getenv("CRUCIBLE_MIRROR");
    static char pt[500], npz[500];
    snprintf(pt, sizeof pt, "%s/reddit-gad/reddit.pt.zip", mirror ? mirror : "");
    snprintf(npz, sizeof npz, "%s/reddit-gad/reddit.npz", mirror ? mirror : "");
    if (!mirror || access(pt, R_OK) != 0 || access(npz, R_OK) != 0) {
        printf("SKIP: reddit-gad is not in the mirror\n");
        fflush(stdout);
        return;
    }
    format_run run = {.name = "pyg", .settings = {"directed", "yes"}, .files = {{"graph", pt}}};
    format_run other = {.name = "npz-graph", .settings = {"directed", "yes"}, .files = {{"graph", npz}}};
    must_load(&run);
    cru_data *same = format_must_load(&other);
    ck_assert_int_eq(data->items, same->items);
    ck_assert_mem_eq(data->truth, same->truth, (size_t)data->items * sizeof *data->truth);
    ck_assert_mem_eq(data->x.dense, same->x.dense, (size_t)(data->x.rows * data->x.cols) * sizeof *data->x.dense);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), cru_csr_nnz(&same->graph));
    ck_assert_mem_eq(data->graph.ids, same->graph.ids, (size_t)cru_csr_nnz(&data->graph) * sizeof *data->graph.ids);
    cru_data_destroy(same);
}
END_TEST

START_TEST(pyg_says_what_is_wrong)
{
    format_run run = {.name = "pyg", .files = {{"graph", text("PK\3\4 but no more")}}};
    must_fail(&run, "zip");
    run.files[0].path = text("no zip at all");
    err = (cru_error){0};
    must_fail(&run, "not a sound zip file");
}
END_TEST

/* ---- npy-graph ------------------------------------------------------------------------------------------- */

static const char *const npy_roles[] = {"y", "x", "edges", "splits", NULL};

START_TEST(npy_graph_takes_three_arrays)
{
    format_run run = {.name = "npy-graph", .settings = {"directed", "yes"}};
    corpus("tiny", npy_roles, &run);
    must_load(&run);
    check_path();
    check_truth((const int32_t[]){1, CRU_UNLABELLED, 0}, 3 * sizeof(int32_t));
    ck_assert_float_eq(data->x.dense[3], 2);
    ck_assert_int_eq(data->official_count, 0);
}
END_TEST

START_TEST(npy_graph_takes_splits)
{
    format_run run = {.name = "npy-graph"};
    corpus("splits", npy_roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->official_count, 1);
    check_ids(data->official[0].val, "1 ");
    ck_assert(has_edge(2, 0) && has_edge(0, 2));
}
END_TEST

START_TEST(npy_graph_names_the_file)
{
    format_run run = {.name = "npy-graph"};
    corpus("tiny", npy_roles, &run);
    run.files[2].path = run.files[1].path; /* numbers of the features are no nodes */
    must_fail(&run, run.files[1].path);
}
END_TEST

/* ---- linkx ----------------------------------------------------------------------------------------------- */

static const char *const linkx_roles[] = {"graph", "splits", NULL};

START_TEST(linkx_reads_labels_and_splits)
{
    format_run run = {.name = "linkx", .settings = {"directed", "yes"}};
    const float x[] = {1, 2, 3, 4, 5, 6};
    corpus("label", linkx_roles, &run);
    must_load(&run);
    check_path();
    check_truth((const int32_t[]){0, 1, CRU_UNLABELLED}, 3 * sizeof(int32_t));
    ck_assert_mem_eq(data->x.dense, x, sizeof x);
    check_ids(data->official[0].test, "2 ");
}
END_TEST

/* Years 1980, 1975, 1990, 1980: the median is 1980, so two classes are {1975} and the rest. */
START_TEST(linkx_cuts_years_into_quantiles)
{
    format_run run = {.name = "linkx", .settings = {"quantiles", "2", "loops", "no"}};
    corpus("years", linkx_roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->nodes, 4);
    check_truth((const int32_t[]){1, 0, 1, 1}, 4 * sizeof(int32_t));
    ck_assert_int_eq(cru_csr_nnz(&data->x.sparse), 3);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4);
}
END_TEST

/* numpy: quantiles 1/5 .. 4/5 of 1..6 are 2, 3, 4, 5. */
START_TEST(linkx_quantiles_are_those_of_numpy)
{
    format_run run = {.name = "ogb-nodes",
                      .settings = {"quantiles", "5"},
                      .files = {{"labels", text("6\n5\n4\n3\n2\n1\n")},
                                {"node-features", text("1\n1\n1\n1\n1\n1\n")},
                                {"edges", text("0,1\n")}}};
    must_load(&run);
    check_truth((const int32_t[]){4, 4, 3, 2, 1, 0}, 6 * sizeof(int32_t));
}
END_TEST

/* Views 10, 20, 30 become -1, 0, 1; life_time is constant; dates 16, 18, 17 of a month; languages 0, 1, 0. */
START_TEST(linkx_standardises_the_columns_of_gamers)
{
    static const char *const roles[] = {"nodes", "edges", NULL};
    const double third = 1 / sqrt(3); /* 0, 1, 0: mean 1/3, sample deviation 1/sqrt(3) */
    const double x[] = {-1, 0, -1, -third, 0, 0, 1, 2 * third, 1, 0, 0, -third};
    format_run run = {.name = "linkx"};
    corpus("gamers", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->x.cols, 4);
    for (int i = 0; i < 12; i++) ck_assert_double_eq_tol((double)data->x.dense[i], x[i], 1e-6);
    check_truth((const int32_t[]){1, 0, 1}, 3 * sizeof(int32_t));
    ck_assert(has_edge(1, 2) && has_edge(0, 1) && !has_edge(0, 2));
}
END_TEST

START_TEST(linkx_names_the_line_of_a_table)
{
    format_run run = {.name = "linkx",
                      .files = {{"nodes", text("numeric_id,mature,views\n0,1,1\n1,0,many\n")}, {"edges", text("h\n")}}};
    must_fail(&run, ":3: expected a number or date");
}
END_TEST

/* ---- ogb-nodes ------------------------------------------------------------------------------------------- */

START_TEST(ogb_nodes_reads_tables_and_the_split)
{
    static const char *const roles[] = {"labels", "node-features", "edges", "train", "val", "test", NULL};
    format_run run = {.name = "ogb-nodes", .settings = {"directed", "yes"}};
    corpus("tiny", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->classes, 3);
    check_truth((const int32_t[]){2, 0, 1, 0}, 4 * sizeof(int32_t));
    ck_assert_float_eq(data->x.dense[3], 0.2f);
    ck_assert(has_edge(0, 3) && has_edge(1, 0) && has_edge(2, 1));
    check_ids(data->official[0].train, "0 2 ");
    check_ids(data->official[0].test, "3 ");
}
END_TEST

START_TEST(ogb_nodes_names_the_line)
{
    format_run run = {
        .name = "ogb-nodes",
        .files = {{"labels", text("0\n1\n")}, {"node-features", text("1\n2\n")}, {"edges", text("0,1\n1,2\n")}}};
    must_fail(&run, ":2: not an edge between two of 2 nodes");
}
END_TEST

START_TEST(splits_name_their_line)
{
    format_run run = {.name = "ogb-nodes",
                      .files = {{"labels", text("0\n1\n")},
                                {"node-features", text("1\n2\n")},
                                {"edges", text("0,1\n")},
                                {"train", text("0\n9\n")}}};
    must_fail(&run, ":2: 9 is not the number of an item");
}
END_TEST

/* ---- plcifar10 ------------------------------------------------------------------------------------------- */

static const char *const plcifar_roles[] = {"annotations", "test", "train-1", NULL};

static void check_candidates(int64_t image, const char *expected)
{
    char found[11] = "";
    for (int c = 0; c < 10; c++) found[c] = data->candidates[image * 10 + c] ? '1' : '0';
    ck_assert_str_eq(found, expected);
}

/* Image 0: {3}, {3, 5}, {1, 2}; image 1: {4}. Classes 3 and 4; the test image is a 7. */
START_TEST(plcifar10_takes_all_candidates_or_the_vaguest)
{
    format_run run = {.name = "plcifar10", .settings = {"rule", "aggregate"}};
    corpus("tiny", plcifar_roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->items, 3);
    ck_assert_int_eq(data->x.channels, 3);
    check_candidates(0, "0111010000");
    check_candidates(1, "0000100000");
    check_candidates(2, "0000000100");
    check_ids(data->official[0].train, "0 1 ");
    cru_data_destroy(data);
    run.settings[1] = "vaguest";
    must_load(&run);
    check_candidates(0, "0001010000"); /* the first of the two longest */
}
END_TEST

/* The annotations are those of the fixture: of equally long lists the first counts, a label twice is two entries. */
START_TEST(plcifar10_makes_sets_as_the_study)
{
    static const char *const rules[] = {"aggregate", "vaguest"};
    format_run run = {.name = "plcifar10", .settings = {"rule", rules[_i]}};
    corpus("study", plcifar_roles, &run);
    must_load(&run);
    cJSON *root = fixture_open("pll/protocol.json");
    const cJSON *sets = fixture_expected(fixture_case(root, "plcifar10_construction"), rules[_i]), *set, *label;
    ck_assert_int_eq(data->items, cJSON_GetArraySize(sets) + 1);
    cJSON_ArrayForEach(set, sets)
    {
        char expected[] = "0000000000";
        cJSON_ArrayForEach(label, set) expected[label->valueint] = '1';
        check_candidates(atoi(set->string), expected);
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(plcifar10_takes_the_first_annotators)
{
    static const char *const most[] = {"1", "2", "9"}, *const sets[] = {"0001000000", "0001010000", "0111010000"};
    format_run run = {.name = "plcifar10", .settings = {"rule", "aggregate", "annotators", most[_i]}};
    corpus("tiny", plcifar_roles, &run);
    must_load(&run);
    check_candidates(0, sets[_i]);
    check_candidates(1, "0000100000");
}
END_TEST

/* Image 1 has a list of no lists: its true class must not be let out in its stead. */
START_TEST(plcifar10_refuses_a_training_image_without_candidates)
{
    format_run run = {.name = "plcifar10", .settings = {"rule", "aggregate"}};
    corpus("no-candidates", plcifar_roles, &run);
    must_fail(&run, "image 1: a training image without any candidate");
    run.settings[1] = "vaguest";
    must_fail(&run, "image 1: a training image without any candidate");
}
END_TEST

START_TEST(plcifar10_reads_tuples_and_newer_pickles)
{
    format_run run = {.name = "plcifar10"};
    corpus("protocol-4", plcifar_roles, &run);
    must_load(&run);
    check_candidates(0, "1100000000");
    check_candidates(1, "0011100000");
}
END_TEST

/* ---- more of other formats ------------------------------------------------------------------------------- */

START_TEST(tu_puts_attributes_before_labels)
{
    format_run run = {.name = "tu",
                      .settings = {"attributes", "yes"},
                      .files = {{"edges", text("1, 2\n")},
                                {"graph-indicator", text("1\n1\n")},
                                {"graph-labels", text("1\n")},
                                {"node-labels", text("4\n9\n")},
                                {"node-attributes", text("0.5, -2\n1.5, 3\n")}}};
    const float x[] = {0.5f, -2, 1, 0, 1.5f, 3, 0, 1};
    must_load(&run);
    ck_assert_int_eq(data->x.cols, 4);
    ck_assert_mem_eq(data->x.dense, x, sizeof x);
}
END_TEST

START_TEST(tu_attributes_without_labels)
{
    format_run run = {.name = "tu",
                      .settings = {"attributes", "yes"},
                      .files = {{"edges", text("1, 2\n")},
                                {"graph-indicator", text("1\n1\n")},
                                {"graph-labels", text("1\n")},
                                {"node-attributes", text("0.5\n1.5\n")}}};
    must_load(&run);
    ck_assert_int_eq(data->x.cols, 1);
    ck_assert_float_eq(data->x.dense[1], 1.5f);
    cru_data_destroy(data);
    run.files[3].path = text("0.5\n");
    must_fail(&run, "rows, expected");
}
END_TEST

/* ---- MATLAB 7.3 ------------------------------------------------------------------------------------------ */

static void put_matrix(mat_t *mat, const char *name, double *numbers, size_t rows, size_t cols)
{
    size_t dims[] = {rows, cols};
    matvar_t *v = Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, numbers, 0);
    ck_assert_ptr_nonnull(v);
    ck_assert_int_eq(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(v);
}

/* The edges 0 - 1 and 1 - 2 as a full matrix, with splits beside the file as AM-GCN has them. */
START_TEST(mat_reads_version_7_3)
{
    char path[] = "/tmp/crucible-mat-XXXXXX";
    int fd = mkstemp(path);
    mat_t *mat = fd >= 0 ? Mat_CreateVer(path, NULL, MAT_FT_MAT73) : NULL;
    ck_assert_msg(mat != NULL, "this matio cannot write version 7.3");
    put_matrix(mat, "A", (double[]){0, 1, 0, 1, 0, 1, 0, 1, 0}, 3, 3);
    put_matrix(mat, "X", (double[]){1, 2, 3, 4, 5, 6}, 3, 2); /* column by column */
    put_matrix(mat, "gnd", (double[]){1, 2, 1}, 3, 1);
    Mat_Close(mat);
    format_run run = {.name = "mat",
                      .files = {{"graph", path},
                                {"train-0", text("0\n")},
                                {"test-0", text("2\n")},
                                {"train-1", text("1\n")},
                                {"test-1", text("2\n0\n")}}};
    const float x[] = {1, 4, 2, 5, 3, 6};
    must_load(&run);
    close(fd);
    unlink(path);
    ck_assert_int_eq(data->nodes, 3);
    check_truth((const int32_t[]){0, 1, 0}, 3 * sizeof(int32_t));
    ck_assert_mem_eq(data->x.dense, x, sizeof x);
    ck_assert(has_edge(0, 1) && has_edge(2, 1) && !has_edge(0, 2));
    ck_assert_int_eq(data->official_count, 2);
    ck_assert_int_eq(data->official[0].val.count, 0);
    check_ids(data->official[1].test, "2 0 ");
}
END_TEST

/* Two columns with an entry each, in the first and in the third row. */
static void put_sparse(mat_t *mat, const char *name, size_t rows)
{
    mat_uint32_t row[] = {0, 2}, start_of[] = {0, 1, 2};
    double ones[] = {1, 1};
    mat_sparse_t s = {.nzmax = 2, .ir = row, .nir = 2, .jc = start_of, .njc = 3, .ndata = 2, .data = ones};
    matvar_t *v = Mat_VarCreate(name, MAT_C_SPARSE, MAT_T_DOUBLE, 2, (size_t[]){rows, 2}, &s, MAT_F_DONT_COPY_DATA);
    ck_assert_ptr_nonnull(v);
    ck_assert_int_eq(Mat_VarWrite(mat, v, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(v);
}

/* Features of two items and their classes, which are the first and the third, in the layout of mat-pll. */
static void load_sparse_labels(size_t classes, void (*must)(const format_run *run))
{
    char path[] = "/tmp/crucible-mat-XXXXXX";
    int fd = mkstemp(path);
    mat_t *mat = fd >= 0 ? Mat_CreateVer(path, NULL, MAT_FT_MAT73) : NULL;
    ck_assert_msg(mat != NULL, "this matio cannot write version 7.3");
    put_matrix(mat, "data", (double[]){1, 2}, 2, 1);
    put_sparse(mat, "target", classes);
    put_sparse(mat, "partial_target", classes);
    Mat_Close(mat);
    format_run run = {.name = "mat-pll", .files = {{"rows", path}}};
    must(&run);
    close(fd);
    unlink(path);
}

static void succeed(const format_run *run)
{
    must_load(run);
}

static void refuse(const format_run *run)
{
    must_fail(run, "target: 1000000 x 2 labels for 2 rows");
}

START_TEST(mat_pll_reads_sparse_tables_of_version_7_3)
{
    load_sparse_labels(3, succeed);
    check_truth((const int32_t[]){0, 2}, 2 * sizeof(int32_t));
    ck_assert_mem_eq(data->candidates, ((const uint8_t[]){1, 0, 0, 0, 0, 1}), 6);
    stop();
    start();
    load_sparse_labels(1000000, refuse);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("published layouts");
    TCase *c = tcase_create("layouts");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, pyg_reads_an_object_of_version_2);
    tcase_add_test(c, pyg_reads_an_object_of_version_1_with_masks);
    tcase_add_test(c, pyg_reads_a_dictionary);
    tcase_add_test(c, pyg_agrees_with_numpy_about_reddit);
    tcase_add_test(c, pyg_says_what_is_wrong);
    tcase_add_test(c, npy_graph_takes_three_arrays);
    tcase_add_test(c, npy_graph_takes_splits);
    tcase_add_test(c, npy_graph_names_the_file);
    tcase_add_test(c, linkx_reads_labels_and_splits);
    tcase_add_test(c, linkx_cuts_years_into_quantiles);
    tcase_add_test(c, linkx_quantiles_are_those_of_numpy);
    tcase_add_test(c, linkx_standardises_the_columns_of_gamers);
    tcase_add_test(c, linkx_names_the_line_of_a_table);
    tcase_add_test(c, ogb_nodes_reads_tables_and_the_split);
    tcase_add_test(c, ogb_nodes_names_the_line);
    tcase_add_test(c, splits_name_their_line);
    tcase_add_test(c, plcifar10_takes_all_candidates_or_the_vaguest);
    tcase_add_loop_test(c, plcifar10_makes_sets_as_the_study, 0, 2);
    tcase_add_loop_test(c, plcifar10_takes_the_first_annotators, 0, 3);
    tcase_add_test(c, plcifar10_refuses_a_training_image_without_candidates);
    tcase_add_test(c, plcifar10_reads_tuples_and_newer_pickles);
    tcase_add_test(c, tu_puts_attributes_before_labels);
    tcase_add_test(c, tu_attributes_without_labels);
    tcase_add_test(c, mat_reads_version_7_3);
    tcase_add_test(c, mat_pll_reads_sparse_tables_of_version_7_3);
    suite_add_tcase(s, c);
    return s;
}
