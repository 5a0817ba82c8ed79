// SPDX-License-Identifier: Apache-2.0
/* Graphs without labels: WebGraph's code, encoded here the plain way, and link property sets of OGB. */
#include "tiny-files.h"

/* ---- a writer of bits: the definitions of the codes ------------------------------------------------------------- */

static uint8_t bits[200];
static int bit_count;

static void put_bit(int bit)
{
    ck_assert_int_lt(bit_count, 8 * (int)sizeof bits);
    if (bit) bits[bit_count / 8] |= (uint8_t)(0x80 >> bit_count % 8);
    bit_count++;
}

static void put_binary(int value, int width)
{
    while (width-- > 0) put_bit(value >> width & 1);
}

static void put_unary(int value)
{
    while (value-- > 0) put_bit(0);
    put_bit(1);
}

static int log2_of(int n)
{
    int log = 0;
    while (n >> (log + 1)) log++;
    return log;
}

/* n = value + 1 in its width, the width before it in unary. */
static void put_gamma(int value)
{
    const int width = log2_of(value + 1);
    put_unary(width);
    put_binary(value + 1 - (1 << width), width);
}

/* zeta_3: the width in steps of three; within a step the smaller half takes a bit less. */
static void put_zeta(int value)
{
    const int n = value + 1, h = log2_of(n) / 3, left = 1 << 3 * h;
    put_unary(h);
    if (n < 2 * left)
        put_binary(n - left, 3 * h + 2);
    else
        put_binary(n, 3 * h + 3);
}

static void put_all(void (*code)(int), const int *values, int count)
{
    for (int i = 0; i < count; i++) code(values[i]);
}

/* 0 -> 1 2 3 4 5 9;  1 -> 0 2 3 9;  2 -> 2 8;  nobody else links. */
static void write_graph(void)
{
    memset(bits, 0, sizeof bits);
    bit_count = 0;
    put_gamma(6);                                  /* node 0: six links, */
    put_unary(0);                                  /* copied from nobody, */
    put_all(put_gamma, (const int[]){1, 2, 1}, 3); /* one run: from 0 + 1, of 4 + 1, */
    put_zeta(18);                                  /* and 0 + 9 */
    put_gamma(4);                                  /* node 1: four, */
    put_unary(1);                                  /* from the list of node 0: */
    put_all(put_gamma, (const int[]){4, 0, 0, 1, 1},
            5);   /* 4 blocks: 0 taken, 1 left, 2 taken, 2 left, the rest taken */
    put_gamma(0); /* no run, */
    put_zeta(1);  /* and 1 - 1 */
    put_gamma(2); /* node 2: two, */
    put_unary(0);
    put_gamma(0);
    put_zeta(0); /* 2 + 0, */
    put_zeta(5); /* and 2 + 1 + 5 */
    for (int x = 3; x < 10; x++) put_gamma(0);
}

static const char facts[] = "#BVGraph properties\nnodes=10\narcs=12\nwindowsize=7\nminintervallength=4\nzetak=3\n"
                            "compressionflags=\n";

static format_run graph_with(size_t size, const char *properties)
{
    write_graph();
    return (format_run){.name = "webgraph",
                        .settings = {"directed", "yes"},
                        .files = {{"graph", file(bits, size)}, {"properties", text(properties)}}};
}

static size_t all_bytes(void)
{
    write_graph();
    return (size_t)(bit_count + 7) / 8;
}

START_TEST(webgraph_lists_copies_runs_and_gaps)
{
    static const int arcs[][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 9},
                                  {1, 0}, {1, 2}, {1, 3}, {1, 9}, {2, 2}, {2, 8}};
    format_run run = graph_with(all_bytes(), facts);
    must_load(&run);
    ck_assert_int_eq(data->nodes, 10);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 12);
    for (int i = 0; i < 12; i++)
        ck_assert_msg(has_edge(arcs[i][1], arcs[i][0]), "no link %d -> %d", arcs[i][0], arcs[i][1]);
    ck_assert_int_eq(data->x.cols, 0);
    for (int i = 0; i < 10; i++) ck_assert_int_eq(data->truth[i], CRU_UNLABELLED);
}
END_TEST

START_TEST(webgraph_ends_too_soon)
{
    for (size_t size = 2; size < all_bytes(); size++) {
        format_run run = graph_with(size, facts);
        must_fail(&run, "not a list of successors");
        stop();
        start();
    }
}
END_TEST

START_TEST(webgraph_properties_that_lie)
{
    format_run more = graph_with(all_bytes(), "x\nnodes=10\narcs=13\nwindowsize=7\nminintervallength=4\nzetak=3\n");
    must_fail(&more, "12 arcs, the properties promise 13");
    err = (cru_error){0};
    format_run less = graph_with(all_bytes(), "x\nnodes=10\narcs=11\nwindowsize=7\nminintervallength=4\nzetak=3\n");
    must_fail(&less, "node 2: not a list of successors");
    err = (cru_error){0};
    format_run huge = graph_with(all_bytes(), "x\nnodes=99999\narcs=12\nwindowsize=7\nminintervallength=4\nzetak=3\n");
    must_fail(&huge, "promises more than");
    err = (cru_error){0};
    format_run none = graph_with(all_bytes(), "x\nnodes=10\n");
    must_fail(&none, "lacks nodes, arcs");
}
END_TEST

START_TEST(webgraph_other_codes_are_refused)
{
    format_run run = graph_with(
        all_bytes(),
        "x\nnodes=10\narcs=12\nwindowsize=7\nminintervallength=4\nzetak=3\ncompressionflags=RESIDUALS_GAMMA\n");
    ck_assert_int_eq(format_load(&run, &data, &err), CRU_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "compressionflags"));
}
END_TEST

START_TEST(ogb_links_need_no_labels)
{
    format_run run = {.name = "ogb-nodes", .files = {{"edges", text("0,1\n1,2\n")}, {"num-nodes", text("4\n")}}};
    must_load(&run);
    ck_assert_int_eq(data->nodes, 4);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4);
    ck_assert_int_eq(data->x.cols, 0);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(data->truth[i], CRU_UNLABELLED);
}
END_TEST

START_TEST(ogb_without_labels_is_strict)
{
    format_run two = {.name = "ogb-nodes", .files = {{"edges", text("0,1\n")}, {"num-nodes", text("4\n5\n")}}};
    must_fail(&two, "expected one number of nodes");
    err = (cru_error){0};
    format_run none = {.name = "ogb-nodes", .files = {{"edges", text("0,1\n")}}};
    must_fail(&none, "labels");
    err = (cru_error){0};
    format_run anomaly = {.name = "ogb-nodes",
                          .settings = {"task", "anomaly"},
                          .files = {{"edges", text("0,1\n")}, {"num-nodes", text("4\n")}}};
    must_fail(&anomaly, "hold no labels");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("unlabelled");
    TCase *c = tcase_create("unlabelled");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, webgraph_lists_copies_runs_and_gaps);
    tcase_add_test(c, webgraph_ends_too_soon);
    tcase_add_test(c, webgraph_properties_that_lie);
    tcase_add_test(c, webgraph_other_codes_are_refused);
    tcase_add_test(c, ogb_links_need_no_labels);
    tcase_add_test(c, ogb_without_labels_is_strict);
    suite_add_tcase(s, c);
    return s;
}
