// SPDX-License-Identifier: Apache-2.0
/* Tiny files of every text and binary layout, written by hand; what they mean stands beside them. The corpora of the
 * fuzz targets hold the same files (tests/fuzz/format.h says how they are joined), so binary ones are read from
 * there. */
#include "tiny-files.h"

/* ---- planetoid: two known nodes, test node 3, node 2 is left out ------------------------------------------------- */

static const char *const planetoid_roles[] = {"y", "ally", "ty", "test-index", "allx", "tx", "graph", "x", NULL};

START_TEST(planetoid_fills_the_gap_of_the_test_index)
{
    format_run run = {.name = "planetoid"};
    corpus("gap", planetoid_roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->nodes, 4);
    const int32_t truth[] = {0, 1, 0, 0};
    ck_assert_mem_eq(data->truth, truth, sizeof truth);
    ck_assert_int_eq(data->x.sparse.offsets[3] - data->x.sparse.offsets[2], 0); /* node 2 has no features */
    ck_assert_int_eq(data->x.sparse.ids[data->x.sparse.offsets[3]], 1);         /* node 3 has the row of tx */
    check_ids(data->official[0].train, "0 ");
    check_ids(data->official[0].val, "1 ");
    check_ids(data->official[0].test, "3 ");
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4); /* 0-1, 1-3 in both directions */
    ck_assert(has_edge(3, 1));
}
END_TEST

START_TEST(planetoid_can_leave_the_gap_unlabelled)
{
    format_run run = {.name = "planetoid", .settings = {"gaps", "unlabelled"}};
    corpus("gap", planetoid_roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->truth[2], CRU_UNLABELLED);
}
END_TEST

/* ---- npz-graph: nodes 0 and 1, edge 0 -> 1, classes 0 and 1 ------------------------------------------------------ */

START_TEST(npz_layouts_agree)
{
    static const char *const names[] = {"heterophilous", "torch-geometric", "gnn-benchmark", "pickled"};
    static const char *const roles[] = {"graph", NULL};
    for (int i = 0; i < 4; i++) {
        format_run run = {.name = "npz-graph", .settings = {"directed", "yes"}};
        corpus(names[i], roles, &run);
        must_load(&run);
        ck_assert_int_eq(data->nodes, 2);
        ck_assert_int_eq(data->classes, 2);
        ck_assert_int_eq(data->truth[1], 1);
        ck_assert_int_eq(cru_csr_nnz(&data->graph), 1);
        ck_assert_msg(has_edge(1, 0), "%s: node 1 aggregates from node 0", names[i]);
        if (i < 2) ck_assert_float_eq(data->x.dense[1], 2);
        if (i == 0) check_ids(data->official[0].test, "1 ");
        stop();
        start();
    }
}
END_TEST

/* ---- text ------------------------------------------------------------------------------------------------ */

static const char geom_nodes[] = "node_id\tfeature\tlabel\n1\t0,1\t1\n0\t1,0\t0\n";

START_TEST(geom_gcn_takes_nodes_in_any_order)
{
    format_run run = {.name = "geom-gcn",
                      .settings = {"directed", "yes"},
                      .files = {{"nodes", text(geom_nodes)}, {"edges", text("a\tb\n0\t1\n1\t1\n")}}};
    must_load(&run);
    ck_assert_int_eq(data->truth[0], 0);
    ck_assert_int_eq(data->x.cols, 2);
    ck_assert_int_eq(data->x.sparse.ids[0], 0);
    ck_assert_int_eq(data->x.sparse.ids[1], 1);
    ck_assert(has_edge(1, 0) && has_edge(1, 1) && !has_edge(0, 1));
}
END_TEST

START_TEST(geom_gcn_features_may_be_indices)
{
    format_run run = {.name = "geom-gcn",
                      .settings = {"features", "indices", "loops", "no"},
                      .files = {{"nodes", text("h\n0\t3,1\t0\n1\t0\t0\n")}, {"edges", text("h\n1\t0\n1\t1\n")}}};
    must_load(&run);
    ck_assert_int_eq(data->x.cols, 4);
    ck_assert_int_eq(data->x.sparse.ids[0], 1);
    ck_assert_int_eq(data->x.sparse.ids[1], 3);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2);
}
END_TEST

START_TEST(geom_gcn_names_the_line)
{
    format_run run = {.name = "geom-gcn", .files = {{"nodes", text(geom_nodes)}, {"edges", text("a\tb\n0\t2\n")}}};
    must_fail(&run, ":2: expected two node numbers");
}
END_TEST

START_TEST(citations_of_unknown_papers_are_left_out)
{
    format_run run = {
        .name = "content-cites",
        .settings = {"directed", "yes"},
        .files = {{"content", text("p1\t0\t1\tml\np2\t1\t0\tdb\n")}, {"cites", text("p1\tp2\np1\tunknown\n")}}};
    must_load(&run);
    ck_assert_int_eq(data->nodes, 2);
    ck_assert_int_eq(data->truth[0], 1); /* db before ml */
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 1);
    ck_assert(has_edge(0, 1)); /* p2 cites p1 */
}
END_TEST

START_TEST(tu_graphs_are_cut_by_the_indicator)
{
    format_run run = {.name = "tu",
                      .files = {{"edges", text("1, 2\n2, 1\n3, 4\n")},
                                {"graph-indicator", text("1\n1\n3\n3\n")},
                                {"graph-labels", text("-1\n1\n-1\n")},
                                {"node-labels", text("0\n4\n4\n9\n")}}};
    must_load(&run);
    ck_assert_int_eq(data->items, 3);
    const int64_t offsets[] = {0, 2, 2, 4}; /* the second graph is empty */
    ck_assert_mem_eq(data->graph_offsets, offsets, sizeof offsets);
    const int32_t truth[] = {0, 1, 0};
    ck_assert_mem_eq(data->truth, truth, sizeof truth);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 4);
    ck_assert_int_eq(data->x.cols, 3);
    ck_assert_int_eq(data->x.sparse.ids[3], 2);
}
END_TEST

START_TEST(tu_edges_stay_in_their_graph)
{
    format_run run = {
        .name = "tu",
        .files = {{"edges", text("1, 2\n")}, {"graph-indicator", text("1\n2\n")}, {"graph-labels", text("0\n1\n")}}};
    must_fail(&run, ":1: not an edge between two nodes of one graph");
}
END_TEST

/* Both formats of many graphs take splits from lists of their numbers. */
START_TEST(splits_are_lists_of_graphs)
{
    static const struct {
        const char *train, *val, *fails;
    } cases[] = {{"2\n0\n", "1\n", NULL},
                 {"2\n0", "", NULL},
                 {"3\n", "1\n", ":1: 3 is not the number of an item"},
                 {"0\n-1\n", "", ":2: -1 is not the number of an item"},
                 {"2\n0\n", "1\n0\n", ":2: item 0 is in this split already"},
                 {"2\n1 0\n", "", ":2: "},
                 {"2\nx\n", "", ":2: "}};
    format_run tu = {.name = "tu",
                     .files = {{"edges", text("1, 2\n2, 1\n")},
                               {"graph-indicator", text("1\n1\n2\n3\n")},
                               {"graph-labels", text("0\n1\n1\n")},
                               {"train", text(cases[_i / 2].train)},
                               {"val", text(cases[_i / 2].val)}}};
    format_run list = {.name = "graph-list",
                       .files = {{"graphs", text("3\n1 0\n0 0\n1 1\n0 0\n1 1\n0 0\n")},
                                 {"train", text(cases[_i / 2].train)},
                                 {"val", text(cases[_i / 2].val)}}};
    const format_run *run = _i % 2 ? &list : &tu;
    if (cases[_i / 2].fails) {
        must_fail(run, cases[_i / 2].fails);
        return;
    }
    must_load(run);
    ck_assert_int_eq(data->official_count, 1);
    ck_assert_int_eq(data->official[0].train.count, 2);
    ck_assert_int_eq(data->official[0].train.ids[0], 2);
    ck_assert_int_eq(data->official[0].train.ids[1], 0);
    ck_assert_int_eq(data->official[0].val.count, cases[_i / 2].val[0] != 0);
    ck_assert_int_eq(data->official[0].test.count, 0);
}
END_TEST

START_TEST(graph_lists_number_nodes_within_a_graph)
{
    format_run run = {.name = "graph-list", .files = {{"graphs", text("2\n1 5\n7 0\n2 3\n7 1 1\n8 1 0\n")}}};
    must_load(&run);
    ck_assert_int_eq(data->items, 2);
    ck_assert_int_eq(data->truth[0], 1); /* labels 3 and 5 */
    ck_assert(has_edge(1, 2) && has_edge(2, 1));
    ck_assert_int_eq(data->x.cols, 2);
}
END_TEST

START_TEST(graph_lists_that_end_early_name_the_line)
{
    format_run run = {.name = "graph-list", .files = {{"graphs", text("2\n1 5\n7 0\n")}}};
    must_fail(&run, ":4: the file ends too early");
}
END_TEST

START_TEST(ogb_edges_are_symmetric)
{
    static const char *const roles[] = {"edges", "num-nodes", "num-edges", "node-features", "labels", "train",
                                        "val",   "test",      NULL};
    format_run run = {.name = "ogb-graphs"};
    corpus("tiny", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->items, 2);
    ck_assert_int_eq(data->nodes, 3);
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2);
    ck_assert_float_eq(data->x.dense[5], 6);
    check_ids(data->official[0].train, "0 ");
    check_ids(data->official[0].test, "1 ");
}
END_TEST

START_TEST(musae_reads_csv_and_json)
{
    static const char *const roles[] = {"edges", "target", "features", "splits", NULL};
    format_run run = {.name = "musae"};
    corpus("tiny", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->truth[0], 1); /* y */
    ck_assert_int_eq(data->x.cols, 3);
    ck_assert_int_eq(data->x.sparse.offsets[1], 2);
    check_ids(data->official[0].train, "0 ");
    check_ids(data->official[0].test, "1 ");
}
END_TEST

START_TEST(musae_refuses_other_json)
{
    format_run run = {.name = "musae",
                      .files = {{"edges", text("a,b\n")},
                                {"target", text("id,target\n0,x\n")},
                                {"features", text("{\"0\": [1,\n2, {}]}")}}};
    must_fail(&run, ":2: expected the number of a feature");
}
END_TEST

/* ---- images and MATLAB ----------------------------------------------------------------------------------- */

START_TEST(idx_images_follow_their_header)
{
    static const char *const roles[] = {"train-images", "train-labels", "test-images", "test-labels", NULL};
    format_run run = {.name = "idx", .settings = {"scale", "2"}};
    corpus("tiny", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->items, 3);
    ck_assert_int_eq(data->x.height, 1);
    ck_assert_int_eq(data->x.width, 2);
    ck_assert_float_eq(data->x.dense[5], 3);
    check_ids(data->official[0].test, "2 ");
}
END_TEST

START_TEST(idx_headers_must_not_lie)
{
    static const char *const roles[] = {"train-images", "train-labels", "test-images", "test-labels", NULL};
    format_run run = {.name = "idx"};
    corpus("tiny", roles, &run);
    run.files[0].path = file("\0\0\x8\3\0\0\0\1\0\0\0\2\0\0\0\2abc", 19);
    must_fail(&run, "3 bytes follow the header, which promises 4");
}
END_TEST

START_TEST(people_make_candidate_sets_of_cifar)
{
    static const char *const roles[] = {"annotations", "counts", "test", "train-1", NULL};
    format_run run = {.name = "cifar", .settings = {"labels", "counts", "least", "8"}};
    corpus("one", roles, &run);
    must_load(&run);
    const uint8_t expected[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}; /* counts are 0..9 */
    ck_assert_mem_eq(data->candidates, expected, sizeof expected);
    ck_assert_int_eq(data->x.channels, 3);
    ck_assert_float_eq(data->x.dense[0], 7 / 255.0F);
}
END_TEST

/* The three people say 3, 5 and 1 of the image. */
START_TEST(the_first_people_of_cifar_are_united)
{
    static const char *const roles[] = {"annotations", "counts", "test", "train-1", NULL};
    static const char *const most[] = {"1", "2", "3", "0"};
    static const char *const sets[] = {"0001000000", "0001010000", "0101010000", "0101010000"};
    format_run run = {.name = "cifar", .settings = {"labels", "union", "annotators", most[_i]}};
    corpus("people", roles, &run);
    must_load(&run);
    for (int c = 0; c < 10; c++) ck_assert_int_eq(data->candidates[c], sets[_i][c] == '1');
}
END_TEST

START_TEST(matlab_networks)
{
    static const char *const roles[] = {"graph", NULL};
    format_run run = {.name = "mat"};
    corpus("network", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->classes, 2); /* labels 1 and 2 */
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2);
    ck_assert_float_eq(data->x.dense[1], 2);
}
END_TEST

START_TEST(matlab_relations_and_their_union)
{
    static const char *const roles[] = {"graph", NULL};
    format_run run = {.name = "mat", .settings = {"task", "anomaly", "directed", "yes", "unlabelled", "1"}};
    corpus("relations", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->relation_count, 2);
    ck_assert_str_eq(data->relations[0].name, "upu");
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2);
    ck_assert_int_eq(data->truth[0], CRU_UNLABELLED);
    ck_assert_int_eq(data->truth[1], 1);
}
END_TEST

/* ---- dgl: edges 0 -> 1 and 1 -> 2, node 2 is not marked -------------------------------------------------- */

START_TEST(dgl_graphs_with_masks)
{
    static const char *const roles[] = {"graph", NULL};
    format_run run = {.name = "dgl", .settings = {"task", "anomaly", "directed", "yes"}};
    corpus("coo", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->nodes, 3);
    ck_assert_int_eq(data->truth[1], 1);
    ck_assert_int_eq(data->truth[2], CRU_UNLABELLED);
    ck_assert(has_edge(1, 0) && has_edge(2, 1));
    ck_assert_int_eq(cru_csr_nnz(&data->graph), 2);
    ck_assert_float_eq(data->x.dense[5], 6);
    ck_assert_int_eq(data->official_count, 2);
    check_ids(data->official[0].train, "0 ");
    check_ids(data->official[1].train, "1 ");
    check_ids(data->official[0].test, "1 ");
}
END_TEST

START_TEST(dgl_relations_in_any_form)
{
    static const char *const roles[] = {"graph", NULL};
    format_run run = {.name = "dgl", .settings = {"task", "anomaly", "directed", "yes"}};
    corpus("csr-csc-relations", roles, &run);
    must_load(&run);
    ck_assert_int_eq(data->relation_count, 2);
    ck_assert_str_eq(data->relations[1].name, "usu");
    ck_assert_int_eq(data->relations[0].graph.ids[0], 0); /* 0 -> 1 */
    ck_assert_int_eq(data->relations[1].graph.ids[0], 1); /* 1 -> 2 */
    ck_assert(has_edge(1, 0) && has_edge(2, 1));
}
END_TEST

START_TEST(dgl_names_the_byte)
{
    format_run run = {.name = "dgl", .files = {{"graph", text("no graph at all")}}};
    must_fail(&run, "byte 8: not a file of dgl.save_graphs");
}
END_TEST

START_TEST(facebook100_columns_are_coded)
{
    static const char *const roles[] = {"graph", NULL};
    format_run run = {.name = "mat"};
    corpus("facebook100", roles, &run);
    must_load(&run);
    const int32_t truth[] = {CRU_UNLABELLED, 0}; /* genders 0 and 1 */
    ck_assert_mem_eq(data->truth, truth, sizeof truth);
    ck_assert_int_eq(data->x.sparse.offsets[2], 12);
}
END_TEST

START_TEST(candidate_sets_of_either_orientation)
{
    static const char *const roles[] = {"rows", NULL}, *const names[] = {"sparse", "renamed"};
    for (int i = 0; i < 2; i++) {
        format_run run = {.name = "mat-pll"};
        corpus(names[i], roles, &run);
        must_load(&run);
        ck_assert_int_eq(data->items, 2);
        ck_assert_int_eq(data->classes, 3);
        const int32_t truth[] = {0, 2};
        const uint8_t candidates[] = {1, 1, 0, 0, 0, 1};
        ck_assert_mem_eq(data->truth, truth, sizeof truth);
        ck_assert_mem_eq(data->candidates, candidates, sizeof candidates);
        stop();
        start();
    }
}
END_TEST

/* Rows of a sparse table cost no byte. In the last two files an entry of the features is out of range: it would be
 * found, were they read before the labels of their rows. In the first it is one of the labels. */
START_TEST(rows_that_are_only_claimed_are_not_read)
{
    static const char *const roles[] = {"rows", NULL};
    static const char *const files[][2] = {{"claimed-labels", "target: 1048579 x 2 labels for 2 rows"},
                                           {"claimed-million", "target: a sparse matrix of nothing but empty rows"},
                                           {"claimed-rows", "target: row 1 has 0 classes"}};
    format_run run = {.name = "mat-pll"};
    corpus(files[_i][0], roles, &run);
    must_fail(&run, files[_i][1]);
}
END_TEST

START_TEST(a_network_of_nothing_but_empty_rows_is_refused)
{
    static const char *const roles[] = {"graph", NULL};
    format_run run = {.name = "mat"};
    corpus("empty-rows", roles, &run);
    must_fail(&run, "nothing but empty rows");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("layouts");
    TCase *c = tcase_create("layouts");
    tcase_set_timeout(c, 60);
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, planetoid_fills_the_gap_of_the_test_index);
    tcase_add_test(c, planetoid_can_leave_the_gap_unlabelled);
    tcase_add_test(c, npz_layouts_agree);
    tcase_add_test(c, geom_gcn_takes_nodes_in_any_order);
    tcase_add_test(c, geom_gcn_features_may_be_indices);
    tcase_add_test(c, geom_gcn_names_the_line);
    tcase_add_test(c, citations_of_unknown_papers_are_left_out);
    tcase_add_test(c, tu_graphs_are_cut_by_the_indicator);
    tcase_add_test(c, tu_edges_stay_in_their_graph);
    tcase_add_loop_test(c, splits_are_lists_of_graphs, 0, 14);
    tcase_add_test(c, graph_lists_number_nodes_within_a_graph);
    tcase_add_test(c, graph_lists_that_end_early_name_the_line);
    tcase_add_test(c, ogb_edges_are_symmetric);
    tcase_add_test(c, musae_reads_csv_and_json);
    tcase_add_test(c, musae_refuses_other_json);
    tcase_add_test(c, idx_images_follow_their_header);
    tcase_add_test(c, idx_headers_must_not_lie);
    tcase_add_test(c, people_make_candidate_sets_of_cifar);
    tcase_add_loop_test(c, the_first_people_of_cifar_are_united, 0, 4);
    tcase_add_test(c, matlab_networks);
    tcase_add_test(c, matlab_relations_and_their_union);
    tcase_add_test(c, dgl_graphs_with_masks);
    tcase_add_test(c, dgl_relations_in_any_form);
    tcase_add_test(c, dgl_names_the_byte);
    tcase_add_test(c, facebook100_columns_are_coded);
    tcase_add_test(c, candidate_sets_of_either_orientation);
    tcase_add_loop_test(c, rows_that_are_only_claimed_are_not_read, 0, 3);
    tcase_add_test(c, a_network_of_nothing_but_empty_rows_is_refused);
    suite_add_tcase(s, c);
    return s;
}
