// SPDX-License-Identifier: Apache-2.0
/* meta-tail2vec: adaptation against the numbers of a reference, tasks and training by their rules. */
#include "maml.h"
#include "methods/method-bench.h"
#include "tail-tasks.h"

static double numbers[BENCH_MOST];

static cru_tensor *upload(cru_tape *t, const cJSON *values, int64_t rows)
{
    static float floats[BENCH_MOST];
    const int64_t count = fixture_numbers(values, numbers);
    for (int64_t i = 0; i < count; i++) floats[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, rows ? cru_2d(rows, count / rows) : cru_1d(count), floats);
    cru_tensor_watch(x);
    return x;
}

typedef struct scene {
    cJSON *root;
    const cJSON *item;
    bench b;
    cru_tape *t;
    cru_fc layer[2];
    maml_tasks tasks;
    cru_tensor *truth;
} scene;

/* `times` copies of the fixture's task. */
static scene open_scene(int times)
{
    scene s = {.root = fixture_open("igl/meta-tail2vec.json"), .b = bench_create()};
    s.item = fixture_case(s.root, "maml");
    s.t = cru_tape_create(s.b.ctx);
    cru_tape_begin(s.t, CRU_TRAIN);
    s.layer[0] = (cru_fc){upload(s.t, fixture_input(s.item, "w1"), 3), upload(s.t, fixture_input(s.item, "b1"), 0)};
    s.layer[1] = (cru_fc){upload(s.t, fixture_input(s.item, "w2"), 4), upload(s.t, fixture_input(s.item, "b2"), 0)};
    cru_tensor *x[2], *y[2], *q[2];
    x[0] = x[1] = upload(s.t, fixture_input(s.item, "support_x"), 5);
    y[0] = y[1] = upload(s.t, fixture_input(s.item, "support_y"), 5);
    q[0] = q[1] = upload(s.t, fixture_input(s.item, "query_x"), 1);
    s.tasks = (maml_tasks){.count = times, .shots = 5};
    s.tasks.x = cru_concat_rows(s.t, x, times);
    s.tasks.y = cru_concat_rows(s.t, y, times);
    s.tasks.query = cru_concat_rows(s.t, q, times);
    s.tasks.share = cru_tensor_filled(s.t, cru_2d(5 * times, 1), 0.2);
    s.truth = upload(s.t, fixture_input(s.item, "query_y"), 1);
    return s;
}

static void close_scene(scene *s)
{
    bench_destroy(&s->b);
    cJSON_Delete(s->root);
}

START_TEST(maml_steps_lower_the_query_loss_as_the_reference)
{
    scene s = open_scene(1);
    const int64_t count = fixture_numbers(fixture_expected(s.item, "query_losses"), numbers);
    double expected[8];
    for (int64_t i = 0; i < count; i++) expected[i] = numbers[i];
    for (int64_t i = 0; i < count; i++) {
        cru_tensor *f = maml_predict(s.t, s.layer, &s.tasks, &(maml_rule){0.01, i + 1});
        bench_check_number(&s.b, (double)cru_tensor_item(s.t, cru_mse(s.t, f, s.truth)), expected[i]);
        if (i == count - 1) bench_check(&s.b, f, fixture_expected(s.item, "query_pred_last"));
    }
    close_scene(&s);
}
END_TEST

START_TEST(maml_gradients_are_of_second_order)
{
    scene s = open_scene(1);
    cru_tensor *f = maml_predict(s.t, s.layer, &s.tasks, &(maml_rule){0.01, 5});
    cru_backward(s.t, cru_mse(s.t, f, s.truth));
    bench_check(&s.b, cru_grad_of(s.t, s.layer[0].w), fixture_expected(s.item, "dw1"));
    bench_check(&s.b, cru_grad_of(s.t, s.layer[0].b), fixture_expected(s.item, "db1"));
    bench_check(&s.b, cru_grad_of(s.t, s.layer[1].w), fixture_expected(s.item, "dw2"));
    bench_check(&s.b, cru_grad_of(s.t, s.layer[1].b), fixture_expected(s.item, "db2"));
    close_scene(&s);
}
END_TEST

START_TEST(maml_adapts_every_task_by_itself)
{
    scene s = open_scene(2);
    cru_tensor *f = maml_predict(s.t, s.layer, &s.tasks, &(maml_rule){0.01, 5});
    fixture_numbers(fixture_expected(s.item, "query_pred_last"), numbers);
    for (int i = 0; i < 6; i++) bench_check_number(&s.b, (double)f->data[i], numbers[i % 3]);
    close_scene(&s);
}
END_TEST

START_TEST(maml_does_not_move_on_rows_without_a_share)
{
    scene s = open_scene(1);
    s.tasks.share = cru_tensor_filled(s.t, cru_2d(5, 1), 0);
    cru_tensor *f = maml_predict(s.t, s.layer, &s.tasks, &(maml_rule){0.01, 5});
    cru_tensor *plain = cru_fc_apply(s.t, &s.layer[1], cru_relu(s.t, cru_fc_apply(s.t, &s.layer[0], s.tasks.query)));
    for (int i = 0; i < 3; i++) ck_assert_float_eq_tol(f->data[i], plain->data[i], 1e-6f);
    close_scene(&s);
}
END_TEST

/* ---- tasks -------------------------------------------------------------------------------------------------- */

/* Nodes 0, 1 and 2 know each other, 3 knows 0 and 1: with sparse_degree 1 all have more than one neighbour that has
 * more than one. Node 4 knows 3 alone. X = I. */
static bench kite(void)
{
    cJSON *graph = cJSON_Parse("{\"n\": 5, \"edges\": [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [3, 4]]}");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    cJSON_Delete(graph);
    return b;
}

static cru_task task_of(bench *b)
{
    return (cru_task){.nodes = 5, .items = 5, .graph = b->data->graph, .x = b->data->x};
}

START_TEST(a_task_describes_nodes_by_the_mean_around_them)
{
    static const float around_1[] = {0.25f, 0, 0.25f, 0.25f, 0.25f}; /* 0, 2, 3 at one hop, 4 at two */
    static const int32_t two = 2;
    bench b = kite();
    const cru_task task = task_of(&b);
    tail_source source = tail_source_create(b.ctx, &task, 1, 3);
    cru_rng rng = cru_rng_stream(1, "test", 0);
    const tail_tasks e = tail_tasks_draw(cru_ctx_pool(b.ctx), &source, (cru_ids){&two, 1}, TAIL_COUNT_REAL, &rng);
    /* the support of 2 is 0 and 1, and a row of padding */
    ck_assert_float_eq_tol(e.share[0], 0.5f, 1e-6f);
    ck_assert_float_eq_tol(e.share[1], 0.5f, 1e-6f);
    ck_assert_float_eq_tol(e.share[2], 0, 1e-6f);
    for (int c = 0; c < 5; c++) {
        ck_assert_float_eq_tol(e.y[5 + c], c == 1, 1e-6f);
        ck_assert_float_eq_tol(e.x[5 + c], around_1[c], 1e-6f);
        ck_assert_float_eq_tol(e.x[10 + c], 0, 1e-6f);
        ck_assert_float_eq_tol(e.truth[c], c == 2, 1e-6f);
        ck_assert_float_eq_tol(e.query[c], c == 0 || c == 1 || c == 3 ? 1.0f / 3 : 0, 1e-6f);
    }
    bench_destroy(&b);
}
END_TEST

START_TEST(padding_and_node_0_count_as_the_rule_says)
{
    static const float expected[3][3] = {{1.0f / 3, 1.0f / 3, 1.0f / 3}, {0.5f, 0.5f, 0}, {0, 1, 0}};
    static const int32_t two = 2;
    bench b = kite();
    const cru_task task = task_of(&b);
    tail_source source = tail_source_create(b.ctx, &task, 1, 3);
    cru_rng rng = cru_rng_stream(1, "test", 0);
    const tail_tasks e = tail_tasks_draw(cru_ctx_pool(b.ctx), &source, (cru_ids){&two, 1}, (tail_count)_i, &rng);
    for (int k = 0; k < 3; k++) ck_assert_float_eq_tol(e.share[k], expected[_i][k], 1e-6f);
    bench_destroy(&b);
}
END_TEST

START_TEST(a_node_without_dense_neighbours_has_nothing_to_adapt_to)
{
    static const int32_t last = 4;
    bench b = kite();
    const cru_task task = task_of(&b);
    tail_source source = tail_source_create(b.ctx, &task, 2, 2); /* now only 0, 1 and 3 have more than two neighbours */
    cru_rng rng = cru_rng_stream(1, "test", 0);
    const tail_tasks e = tail_tasks_draw(cru_ctx_pool(b.ctx), &source, (cru_ids){&last, 1}, TAIL_COUNT_REAL, &rng);
    for (int k = 0; k < 2; k++) ck_assert_float_eq(e.share[k], 0);
    for (int c = 0; c < 5; c++) ck_assert_float_eq(e.query[c], 0);
    bench_destroy(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("tails of the degrees");
    TCase *c = tcase_create("meta-tail2vec");
    tcase_add_test(c, maml_steps_lower_the_query_loss_as_the_reference);
    tcase_add_test(c, maml_gradients_are_of_second_order);
    tcase_add_test(c, maml_adapts_every_task_by_itself);
    tcase_add_test(c, maml_does_not_move_on_rows_without_a_share);
    tcase_add_test(c, a_task_describes_nodes_by_the_mean_around_them);
    tcase_add_loop_test(c, padding_and_node_0_count_as_the_rule_says, 0, 3);
    tcase_add_test(c, a_node_without_dense_neighbours_has_nothing_to_adapt_to);
    suite_add_tcase(s, c);
    return s;
}
