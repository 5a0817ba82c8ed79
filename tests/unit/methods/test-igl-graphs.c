// SPDX-License-Identifier: Apache-2.0
/* Methods against imbalance among graphs: against the numbers of the study's code. */
#include <crucible/draft/graph.h>
#include <crucible/draft/optim.h>
#include <crucible/draft/tensor.h>
#include <crucible/ops-basic.h>

#include "graph-encoder.h"
#include "graph-of-graphs.h"
#include "methods/method-bench.h"
#include "pattern-memory.h"

/* The gradients are those of relevance + lbd dissimilarity. */
START_TEST(solt_gnn_recalls_patterns)
{
    cJSON *root = fixture_open("igl/solt-gnn.json");
    const cJSON *item = fixture_case(root, "memory");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *q = bench_upload(t, fixture_input(item, "q"));
    const pattern_memory memory = {.know = bench_upload(t, fixture_input(item, "know")),
                                   .m = bench_upload(t, fixture_input(item, "M")),
                                   .eta = bench_upload(t, fixture_input(item, "Eta")),
                                   .w_gamma = cru_transposed(t, bench_upload(t, fixture_input(item, "Wgama"))),
                                   .w_beta = cru_transposed(t, bench_upload(t, fixture_input(item, "Wbeta"))),
                                   .u_gamma = bench_upload(t, fixture_input(item, "Ugama")),
                                   .u_beta = bench_upload(t, fixture_input(item, "Ubeta"))};
    cru_tensor *p = pattern_memory_recall(t, &memory, q);
    bench_check(&b, p, fixture_expected(item, "pattern"));
    cru_tensor *relevance = pattern_relevance(t, p, bench_upload(t, fixture_input(item, "pos")),
                                              bench_upload(t, fixture_input(item, "neg")));
    bench_check_number(&b, (double)cru_tensor_item(t, relevance), fixture_expected(item, "relevance")->valuedouble);
    cru_tensor *alike = cru_mean(t, cru_cosine_rows(t, q, p, 1e-7f), CRU_ALL);
    bench_check_number(&b, (double)cru_tensor_item(t, alike), fixture_expected(item, "dissim")->valuedouble);
    const float weight = (float)fixture_input(item, "lbd")->valuedouble;
    cru_backward(t, cru_add(t, relevance, cru_scale(t, alike, weight)));
    bench_check(&b, cru_grad_of(t, q), fixture_expected(item, "dq"));
    bench_check(&b, cru_grad_of(t, memory.know), fixture_expected(item, "dknow"));
    bench_check(&b, cru_grad_of(t, memory.m), fixture_expected(item, "dM"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Three rings of 5, 4 and 3 nodes, two of which are heads. */
static void open_rings(bench *b, const char *heads, const char *backbone)
{
    cJSON *graph = cJSON_Parse("{\"n\": 12, \"edges\": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [5, 6], [6, 7], [7, 8],"
                               " [8, 5], [9, 10], [10, 11], [11, 9]]}");
    cJSON *of = cJSON_Parse("[0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]"), *labels = cJSON_Parse("[0, 1, 0]");
    cJSON *train = cJSON_Parse("[0, 1, 2]");
    bench_graph(b, graph);
    bench_identity_features(b);
    bench_split_graphs(b, of);
    bench_labels(b, labels, train);
    bench_open(
        b, "solt-gnn",
        (const char *[]){"heads", heads, "backbone", backbone, "dropout", "0", "hidden", "4", "memory", "3", NULL});
    cJSON_Delete(graph);
    cJSON_Delete(of);
    cJSON_Delete(labels);
    cJSON_Delete(train);
}

START_TEST(solt_gnn_passes_over_a_batch_without_two_heads_and_a_tail)
{
    static const char *const heads[] = {"1", "3"};
    double loss = 0;
    bench b = bench_create(); /* the learner keeps the address of its task */
    open_rings(&b, heads[_i], "gin");
    const cru_tensor *w = bench_weight(&b, "out.weight");
    const float before = w->data[0];
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    ck_assert_double_nan(loss);
    ck_assert_float_eq(w->data[0], before);
    bench_destroy(&b);
}
END_TEST

START_TEST(solt_gnn_trains_network_and_memory)
{
    double loss = NAN;
    bench b = bench_create();
    open_rings(&b, "2", graph_backbone_names[_i]);
    const cru_tensor *w = bench_weight(&b, "out.weight"), *know = bench_weight(&b, "memory.know");
    const float before[] = {w->data[0], know->data[0]};
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    ck_assert(isfinite(loss));
    ck_assert_float_ne(w->data[0], before[0]);
    ck_assert_float_ne(know->data[0], before[1]);
    bench_destroy(&b);
}
END_TEST

/* ---- g2gnn --------------------------------------------------------------------------------------------------- */

/* The graphs of a kernel fixture side by side, with their labels if it has any. */
static int32_t *read_graphs(bench *b, const cJSON *item, int64_t *offsets)
{
    int32_t row[64], col[64];
    int64_t entries = 0, count = 0;
    int32_t *labels = cru_ctx_alloc(b->ctx, 64, sizeof *labels);
    const cJSON *graph, *edge, *named = fixture_input(item, "node_labels");
    offsets[0] = 0;
    cJSON_ArrayForEach(graph, fixture_input(item, "graphs"))
    {
        const int n = cJSON_GetObjectItem(graph, "n")->valueint, first = (int)offsets[count];
        cJSON_ArrayForEach(edge, cJSON_GetObjectItem(graph, "edges"))
        {
            const int u = first + cJSON_GetArrayItem(edge, 0)->valueint,
                      v = first + cJSON_GetArrayItem(edge, 1)->valueint;
            row[entries] = u, col[entries++] = v;
            row[entries] = v, col[entries++] = u;
        }
        for (int v = 0; cJSON_IsArray(named) && v < n; v++)
            labels[first + v] = cJSON_GetArrayItem(cJSON_GetArrayItem(named, (int)count), v)->valueint;
        offsets[++count] = first + n;
    }
    const cru_coo coo = {.rows = offsets[count], .cols = offsets[count], .count = entries, .row = row, .col = col};
    b->data->graph = cru_csr_from_coo(cru_data_pool(b->data), &coo, CRU_DUP_FIRST);
    return cJSON_IsArray(named) ? labels : NULL;
}

START_TEST(g2gnn_links_graphs_by_their_paths)
{
    static const char *const cases[] = {"sp_kernel_unlabeled", "sp_kernel_labeled"};
    cJSON *root = fixture_open("igl/g2gnn.json");
    const cJSON *item = fixture_case(root, cases[_i]);
    double expected[64];
    int64_t offsets[8];
    bench b = bench_create();
    const int32_t *labels = read_graphs(&b, item, offsets);
    const int32_t *found = gog_neighbours(cru_ctx_pool(b.ctx), (cru_blocks){&b.data->graph, offsets}, 5, labels, 3);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "neighbors_top3_drop_first"), expected), 10);
    for (int i = 0; i < 10; i++) ck_assert_int_eq(found[i], (int)expected[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(g2gnn_spreads_over_the_graph_of_graphs)
{
    cJSON *root = fixture_open("igl/g2gnn.json");
    const cJSON *item = fixture_case(root, "gog_propagation");
    double pairs[64];
    int32_t row[32], col[32];
    float dense[25];
    bench b = bench_create();
    const int64_t count = fixture_numbers(fixture_input(item, "gog_edges_with_duplicates"), pairs) / 2;
    for (int64_t e = 0; e < count; e++) {
        row[e] = (int32_t)pairs[2 * e];
        col[e] = (int32_t)pairs[2 * e + 1];
    }
    const cru_csr p = gog_matrix(cru_ctx_pool(b.ctx), &(cru_coo){5, 5, count, row, col, NULL});
    cru_csr_to_dense(&p, dense);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "matrix_row_is_edge_source"), pairs), 25);
    for (int i = 0; i < 25; i++) bench_check_number(&b, (double)dense[i], pairs[i]);
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_sparse *links = cru_sparse_create(b.ctx, &p);
    cru_tensor *h = bench_upload(t, fixture_input(item, "H"));
    for (int i = 0; i < 3; i++) h = cru_spmm(t, links, h);
    bench_check(&b, h, fixture_expected(item, "H3"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* With one copy and nothing dropped, s is p sharpened. All rings look the same to mean pooling over constant features,
 * and so do the repeated graphs of the rarer class: two of each class stand in the batch. */
START_TEST(g2gnn_repeats_the_rarer_class)
{
    double loss = NAN;
    cJSON *graph = cJSON_Parse("{\"n\": 9, \"edges\": [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [6, 7], [7, 8],"
                               " [8, 6]]}");
    cJSON *of = cJSON_Parse("[0, 0, 0, 1, 1, 1, 2, 2, 2]"), *labels = cJSON_Parse("[0, 1, 0]");
    cJSON *train = cJSON_Parse("[0, 1, 2]"), *x = cJSON_Parse("[[1], [1], [1], [1], [1], [1], [1], [1], [1]]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_features(&b, x);
    bench_split_graphs(&b, of);
    bench_labels(&b, labels, train);
    bench_open(&b, "g2gnn",
               (const char *[]){"hidden", "4", "dropout", "0", "copies", "1", "drop_edges", "0", "hops", "0", NULL});
    bench_run(&b);
    const double p[] = {exp((double)b.logits->data[0]), exp((double)b.logits->data[1])};
    const double norm = p[0] * p[0] + p[1] * p[1];
    double expected = -0.5 * (log(p[0]) + log(p[1]));
    for (int c = 0; c < 2; c++) expected += pow(p[c] - p[c] * p[c] / norm, 2);
    cru_optim_clear(b.learner->optim);
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    bench_check_number(&b, loss, expected);
    bench_destroy(&b);
    cJSON *const all[] = {graph, of, labels, train, x};
    for (int i = 0; i < 5; i++) cJSON_Delete(all[i]);
}
END_TEST

/* `count` triangles, all of which have the second and the third for neighbours. Opens g2gnn on them. */
static void open_triangles(bench *b, int count, const char *batch, const char *readout)
{
    cJSON *graph = cJSON_CreateObject(), *edges = cJSON_AddArrayToObject(graph, "edges"), *of = cJSON_CreateArray();
    cJSON *x = cJSON_CreateArray(), *labels = cJSON_CreateArray(), *train = cJSON_Parse("[0]");
    cJSON_AddNumberToObject(graph, "n", 3 * count);
    for (int v = 0; v < 3 * count; v++) {
        cJSON_AddItemToArray(edges, cJSON_CreateIntArray((const int[]){v, v - v % 3 + (v + 1) % 3}, 2));
        cJSON_AddItemToArray(of, cJSON_CreateNumber(v / 3));
        cJSON_AddItemToArray(x, cJSON_CreateIntArray((const int[]){1}, 1));
    }
    for (int g = 0; g < count; g++) cJSON_AddItemToArray(labels, cJSON_CreateNumber(g % 2));
    *b = bench_create();
    bench_graph(b, graph);
    bench_features(b, x);
    bench_split_graphs(b, of);
    bench_labels(b, labels, train);
    bench_open(b, "g2gnn",
               (const char *[]){"hidden", "4", "drop_edges", "0", "batch", batch, "readout", readout, NULL});
    cJSON *const all[] = {graph, of, x, labels, train};
    for (int i = 0; i < 5; i++) cJSON_Delete(all[i]);
}

/* The second triangle has links to all others, but only those of its batch and their neighbours reach it. */
START_TEST(g2gnn_predicts_in_batches)
{
    bench few, many, joined;
    open_triangles(&few, 3, "1", "mean");
    open_triangles(&many, 40, "1", "mean");
    open_triangles(&joined, 40, "128", "mean");
    bench_run(&few);
    bench_run(&many);
    bench_run(&joined);
    for (int c = 0; c < 2; c++) ck_assert_float_eq_tol(many.logits->data[2 + c], few.logits->data[2 + c], 1e-6f);
    ck_assert_float_gt(fabsf(joined.logits->data[2] - few.logits->data[2]), 1e-3f);
    bench_destroy(&few);
    bench_destroy(&many);
    bench_destroy(&joined);
}
END_TEST

/* The nodes of a triangle are equal, so that their sum is three times their mean. */
START_TEST(g2gnn_reads_out_as_it_is_told)
{
    bench mean, sum;
    open_triangles(&mean, 3, "1", "mean");
    open_triangles(&sum, 3, "1", "sum");
    cru_tensor *w = bench_weight(&sum, "hidden.weight");
    for (int64_t i = 0; i < cru_tensor_count(w); i++) w->data[i] /= 3;
    bench_run(&mean);
    bench_run(&sum);
    for (int i = 0; i < 6; i++) ck_assert_float_eq_tol(sum.logits->data[i], mean.logits->data[i], 1e-5f);
    bench_destroy(&mean);
    bench_destroy(&sum);
}
END_TEST

/* ---- gcn instead of gin -------------------------------------------------------------------------------------- */

/* out = S a W + b, in double; S = D^-1/2 (A + I) D^-1/2 of n nodes. */
static void convolve(const double *s, int n, const double *a, const cru_gcn *layer, double *out)
{
    const int64_t in = cru_tensor_rows(layer->w), width = cru_tensor_cols(layer->w);
    for (int v = 0; v < n; v++)
        for (int64_t c = 0; c < width; c++) {
            double sum = (double)layer->b->data[c];
            for (int u = 0; u < n; u++)
                for (int64_t k = 0; k < in; k++)
                    sum += s[v * n + u] * a[u * in + k] * (double)layer->w->data[k * width + c];
            out[v * width + c] = sum;
        }
}

/* A path of four nodes and one that has no neighbour. */
START_TEST(gcn_represents_nodes_by_its_formula)
{
    enum { COUNT = 5, HIDDEN = 3, OUT = 2 };
    static const int64_t offsets[] = {0, 1, 3, 5, 6, 6};
    static const int32_t ids[] = {1, 0, 2, 1, 3, 2};
    static const double degree[] = {2, 3, 3, 2, 1};
    const cru_csr path = {COUNT, COUNT, offsets, ids, NULL};
    double s[COUNT * COUNT] = {0}, x[COUNT * COUNT] = {0}, h[COUNT * HIDDEN], out[COUNT * OUT];
    float one_hot[COUNT * COUNT] = {0};
    for (int v = 0; v < COUNT; v++) {
        s[v * COUNT + v] = 1 / degree[v];
        x[v * COUNT + v] = one_hot[v * COUNT + v] = 1;
        for (int64_t e = offsets[v]; e < offsets[v + 1]; e++)
            s[v * COUNT + ids[e]] = 1 / sqrt(degree[v] * degree[ids[e]]);
    }
    bench b = bench_create();
    const cru_gin_shape shape = {.in = COUNT, .hidden = HIDDEN, .out = OUT, .layers = 2, .dropout = 0.5f};
    const graph_encoder encoder = graph_encoder_create(cru_net_create(b.ctx, "net"), BACKBONE_GCN, &shape);
    for (int c = 0; c < HIDDEN; c++) encoder.gcn.layer[0].b->data[c] = 0.1f * (float)c;
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    const cru_input in = cru_input_of(cru_tensor_upload(t, cru_2d(COUNT, COUNT), one_hot));
    const cru_tensor *got = graph_encoder_nodes(t, &encoder, &path, &in);
    convolve(s, COUNT, x, &encoder.gcn.layer[0], h);
    for (int i = 0; i < COUNT * HIDDEN; i++) h[i] = fmax(h[i], 0);
    convolve(s, COUNT, h, &encoder.gcn.layer[1], out);
    for (int i = 0; i < COUNT * OUT; i++) bench_check_number(&b, (double)got->data[i], out[i]);
    bench_destroy(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance methods on graphs");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, solt_gnn_recalls_patterns);
    tcase_add_loop_test(c, solt_gnn_passes_over_a_batch_without_two_heads_and_a_tail, 0, 2);
    tcase_add_loop_test(c, solt_gnn_trains_network_and_memory, 0, 2);
    tcase_add_loop_test(c, g2gnn_links_graphs_by_their_paths, 0, 2);
    tcase_add_test(c, g2gnn_spreads_over_the_graph_of_graphs);
    tcase_add_test(c, g2gnn_repeats_the_rarer_class);
    tcase_add_test(c, g2gnn_predicts_in_batches);
    tcase_add_test(c, g2gnn_reads_out_as_it_is_told);
    tcase_add_test(c, gcn_represents_nodes_by_its_formula);
    suite_add_tcase(s, c);
    return s;
}
