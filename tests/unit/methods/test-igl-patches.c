// SPDX-License-Identifier: Apache-2.0
/* graphpatcher: its losses against the numbers of the study, its patched nodes against whole graphs. */
#include "methods/method-bench.h"
#include "patch.h"

static cru_tensor *upload(cru_tape *t, const cJSON *rows, int64_t cols)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, cru_2d(count / cols, cols), values);
    cru_tensor_watch(x);
    return x;
}

static void check_kl(const char *targets, int64_t samples, bool by_samples, const char *loss, const char *gradient)
{
    cJSON *root = fixture_open("igl/graphpatcher.json");
    const cJSON *item = fixture_case(root, "kl");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *target = cru_detach(t, upload(t, fixture_input(item, targets), 4));
    cru_tensor *z = upload(t, fixture_input(item, "recon"), 4);
    cru_tensor *value = patch_loss(t, target, z, samples, by_samples);
    bench_check_number(&b, (double)cru_tensor_item(t, value), fixture_expected(item, loss)->valuedouble);
    cru_backward(t, value);
    bench_check(&b, cru_grad_of(t, z), fixture_expected(item, gradient));
    bench_destroy(&b);
    cJSON_Delete(root);
}

START_TEST(losses_of_samples_and_of_the_last_step)
{
    check_kl("target_samples", 3, true, "loss_axis1", "drecon_axis1");
    check_kl("target_samples", 3, false, "loss_class_axis", "drecon_class_axis");
    check_kl("target_final", 1, false, "loss_final", "drecon_final");
}
END_TEST

START_TEST(a_new_neighbour_enters_the_mean)
{
    static const int32_t node[] = {9};
    cJSON *root = fixture_open("igl/graphpatcher.json");
    const cJSON *item = fixture_case(root, "virtual_neighbor");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = upload(t, fixture_input(item, "x"), 5), *added = upload(t, fixture_input(item, "virtual"), 5);
    const cru_fc w = {upload(t, fixture_input(item, "W"), 3), NULL};
    egos e = egos_create(t, &b.data->graph, x, (cru_ids){node, 1}, 0, NULL);
    cru_tensor *others = cru_spmm(t, e.kept, x);
    bench_check(&b, egos_second(t, &e, e.own, others, added, &w), fixture_expected(item, "before"));
    e = egos_patch(t, &e, added);
    bench_check(&b, egos_second(t, &e, e.own, others, added, &w), fixture_expected(item, "after"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The oracle: node 3 of the graph with two nodes more, each with one edge to it, and means over in-neighbours and the
 * node itself; the new ones hear from nobody. */
static cru_tensor *whole_graph(cru_tape *t, const cru_csr *g, cru_tensor *x, cru_tensor *added, const cru_fc *w)
{
    const cru_pool pool = cru_tape_pool(t);
    const int32_t row[] = {3, 3}, col[] = {10, 11};
    const cru_csr loops = cru_graph_loops(pool, g, CRU_LOOPS_SET);
    const cru_coo edges = {.rows = 12, .cols = 12, .count = 2, .row = row, .col = col};
    const cru_csr more = cru_graph_append(pool, &loops, &edges, CRU_DUP_FIRST);
    const cru_csr mean = cru_graph_normalise(pool, &more, CRU_NORM_ROW);
    cru_sparse *a = cru_sparse_step(t, &mean);
    cru_tensor *all = cru_concat_rows(t, (cru_tensor *[]){x, added, added}, 3);
    cru_tensor *mixed = cru_matmul(t, cru_spmm(t, a, all), w[0].w);
    cru_tensor *h = cru_relu(t, cru_add(t, mixed, w[0].b));
    return cru_fc_apply(t, &w[1], cru_spmm(t, a, h));
}

START_TEST(patched_nodes_are_those_of_the_whole_graph)
{
    static const int32_t node[] = {3};
    cJSON *root = fixture_open("igl/graphpatcher.json");
    const cJSON *item = fixture_case(root, "virtual_neighbor");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    static const float bias[] = {0.5f, -1, 0.25f}, out[] = {1, 2, -1, 0.5f, 3, -2};
    cru_tensor *x = upload(t, fixture_input(item, "x"), 5), *added = upload(t, fixture_input(item, "virtual"), 5);
    const cru_fc w[] = {{upload(t, fixture_input(item, "W"), 3), cru_tensor_upload(t, cru_1d(3), bias)},
                        {cru_tensor_upload(t, cru_2d(3, 2), out), NULL}};
    const cru_csr loops = cru_graph_loops(cru_tape_pool(t), &b.data->graph, CRU_LOOPS_SET);
    const cru_csr mean = cru_graph_normalise(cru_tape_pool(t), &loops, CRU_NORM_ROW);
    cru_tensor *mixed = cru_matmul(t, cru_spmm(t, cru_sparse_step(t, &mean), x), w[0].w);
    cru_tensor *hidden = cru_relu(t, cru_add(t, mixed, w[0].b));
    egos e = egos_create(t, &b.data->graph, x, (cru_ids){node, 1}, 0, NULL);
    e = egos_patch(t, &e, added);
    e = egos_patch(t, &e, added);
    cru_tensor *empty = cru_relu(t, cru_as_matrix(t, w[0].b, 1, -1)), *own = egos_first(t, &e, &w[0], 0);
    const cru_tensor *got = egos_second(t, &e, own, cru_spmm(t, e.kept, hidden), empty, &w[1]);
    const cru_tensor *expected = whole_graph(t, &b.data->graph, x, added, w);
    for (int i = 0; i < 2; i++) bench_check_number(&b, (double)got->data[i], (double)expected->data[3 * 2 + i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("igl-patches");
    TCase *c = tcase_create("graphpatcher");
    tcase_add_test(c, losses_of_samples_and_of_the_last_step);
    tcase_add_test(c, a_new_neighbour_enters_the_mean);
    tcase_add_test(c, patched_nodes_are_those_of_the_whole_graph);
    suite_add_tcase(s, c);
    return s;
}
