// SPDX-License-Identifier: Apache-2.0
/* Stacks of layers: what they fuse and keep gives what the layers give one by one. */
#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>

#include "ops/small-graph.h"

enum { HIDDEN = 5, CLASSES = 3 };

static cru_net *fresh_net(op_bench *b)
{
    *b = op_bench_open();
    return cru_net_create(b->ctx, "stack");
}

/* The six features of a node, dense or as the rows of a sparse matrix. */
static cru_input features(op_bench *b, bool sparse)
{
    if (sparse) return cru_input_create(b->ctx, &(cru_features){.rows = N, .cols = N, .sparse = weighted});
    const cru_tensor *x = op_matrix(b, N, N, -1, 1);
    return cru_input_create(b->ctx, &(cru_features){.rows = N, .cols = N, .dense = test_values(x)});
}

static void check_close(const float *a, const float *b, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) ck_assert_double_eq_tol((double)a[i], (double)b[i], tolerance);
}

/* One training step of three convolutions in a fresh context, fused or one operator after the other. */
typedef struct step {
    float logits[N * CLASSES], grad[N * HIDDEN];
} step;

static step gcn_step(bool fused, bool sparse, float input_dropout)
{
    op_bench b;
    cru_net *net = fresh_net(&b);
    cru_gcn_stack stack = cru_gcn_stack_create(
        net, "conv",
        &(cru_gcn_shape){
            .in = N, .hidden = HIDDEN, .out = CLASSES, .layers = 3, .draw = CRU_DRAW_FAN_IN, .dropout = 0.5f});
    cru_sparse *adj = cru_sparse_create(b.ctx, &weighted);
    cru_input all = features(&b, sparse);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_input x = cru_input_dropout(b.tape, &all, input_dropout);
    cru_tensor *z =
        fused ? cru_gcn_stack_input(b.tape, &stack, adj, &x) : cru_gcn_stack_pass(b.tape, &stack, adj, &x).out;
    cru_backward(b.tape, cru_sum(b.tape, cru_square(b.tape, z), CRU_ALL));
    step out;
    cru_tensor_download(b.tape, z, out.logits);
    cru_tensor_download(b.tape, cru_grad_of(b.tape, stack.layer[0].w), out.grad);
    op_bench_close(&b);
    return out;
}

START_TEST(a_gcn_stack_is_its_layers_one_by_one)
{
    const bool sparse = _i & 1;
    const float input_dropout = _i & 2 ? 0.3f : 0;
    const step a = gcn_step(true, sparse, input_dropout), b = gcn_step(false, sparse, input_dropout);
    check_close(a.logits, b.logits, N * CLASSES, 1e-6);
    check_close(a.grad, b.grad, N * HIDDEN, 1e-5);
}
END_TEST

/* A loss over three rows, of all logits or of the logits of those rows alone. */
START_TEST(chosen_rows_of_a_gcn_stack_are_those_of_all_rows)
{
    static const int32_t chosen[] = {4, 0, 2};
    enum { CHOSEN = 3 };
    float grad[2][N * HIDDEN], logits[2][CHOSEN * CLASSES];
    for (int alone = 0; alone < 2; alone++) {
        op_bench b;
        cru_net *net = fresh_net(&b);
        const cru_gcn_shape shape = {
            .in = N, .hidden = HIDDEN, .out = CLASSES, .layers = _i + 1, .draw = CRU_DRAW_FAN_IN, .dropout = 0.5f};
        cru_gcn_stack stack = cru_gcn_stack_create(net, "conv", &shape);
        const cru_csr rows = cru_csr_rows(cru_ctx_pool(b.ctx), &weighted, chosen, CHOSEN);
        cru_sparse *adj = cru_sparse_create(b.ctx, &weighted), *last = cru_sparse_create(b.ctx, &rows);
        const cru_input x = features(&b, false);
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_tensor *z = alone ? cru_gcn_stack_rows(b.tape, &stack, adj, last, &x)
                              : cru_gather(b.tape, cru_gcn_stack_input(b.tape, &stack, adj, &x),
                                           cru_index_create(b.ctx, chosen, CHOSEN));
        ck_assert_int_eq(cru_tensor_rows(z), CHOSEN);
        cru_backward(b.tape, cru_sum(b.tape, cru_square(b.tape, z), CRU_ALL));
        cru_tensor_download(b.tape, z, logits[alone]);
        const cru_tensor *dw = cru_grad_of(b.tape, stack.layer[0].w);
        cru_tensor_download(b.tape, dw, grad[alone]);
        op_bench_close(&b);
    }
    ck_assert_mem_eq(logits[0], logits[1], sizeof logits[0]);
    check_close(grad[0], grad[1], _i ? N * HIDDEN : N * CLASSES, 1e-5);
}
END_TEST

/* A x is kept for constant features; features that are a mere tensor go the other way round, A (x W). */
START_TEST(kept_products_change_nothing_but_rounding)
{
    op_bench b;
    cru_net *net = fresh_net(&b);
    cru_gcn layer = cru_gcn_create(net, "conv", N, CLASSES);
    cru_sparse *adj = cru_sparse_create(b.ctx, &weighted);
    cru_input kept = features(&b, false), plain_tensor = cru_input_of(kept.dense);
    for (int round = 0; round < 2; round++) {
        cru_tape_begin(b.tape, round ? CRU_EVAL : CRU_TRAIN);
        cru_tensor *y = cru_gcn_input(b.tape, &layer, adj, &kept);
        cru_tensor *z = cru_gcn_input(b.tape, &layer, adj, &plain_tensor);
        check_close(test_values(y), test_values(z), N * CLASSES, 1e-5);
    }
    op_bench_close(&b);
}
END_TEST

static const cru_unary acts[] = {CRU_UNARY_RELU, CRU_UNARY_LEAKY, CRU_UNARY_ELU,     CRU_UNARY_SELU,
                                 CRU_UNARY_GELU, CRU_UNARY_TANH,  CRU_UNARY_SIGMOID, CRU_UNARY_RELU};

/* cru_mlp_after_first goes step by step from the first linear layer on; a fused perceptron must not differ. */
static step mlp_step(bool fused, cru_unary act, bool normed)
{
    op_bench b;
    cru_net *net = fresh_net(&b);
    cru_mlp mlp = cru_mlp_create(
        net, "mlp",
        &(cru_mlp_shape){
            .in = N, .hidden = HIDDEN, .out = CLASSES, .layers = 2, .batch_norm = normed, .act = act, .dropout = 0.4f});
    cru_input x = features(&b, false);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *z = fused ? cru_mlp_input(b.tape, &mlp, &x)
                          : cru_mlp_after_first(b.tape, &mlp, cru_fc_input(b.tape, &mlp.layer[0], &x));
    cru_backward(b.tape, cru_sum(b.tape, cru_square(b.tape, z), CRU_ALL));
    step out;
    cru_tensor_download(b.tape, z, out.logits);
    cru_tensor_download(b.tape, cru_grad_of(b.tape, mlp.layer[0].w), out.grad);
    op_bench_close(&b);
    return out;
}

START_TEST(a_perceptron_is_its_layers_one_by_one)
{
    const bool normed = _i == 7;
    const step a = mlp_step(true, acts[_i], normed), b = mlp_step(false, acts[_i], normed);
    check_close(a.logits, b.logits, N * CLASSES, 1e-6);
    check_close(a.grad, b.grad, N * HIDDEN, 1e-5);
}
END_TEST

START_TEST(gin_over_sparse_features_is_gin_over_dense_ones)
{
    op_bench b;
    cru_net *net = fresh_net(&b);
    cru_mlp_shape shape = {.in = N, .hidden = HIDDEN, .out = CLASSES, .layers = 2};
    cru_gin layer = cru_gin_create(net, "gin", &shape, true);
    cru_sparse *adj = cru_sparse_create(b.ctx, &plain);
    cru_input x = features(&b, true);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_gin_input(b.tape, &layer, adj, &x);
    cru_tensor *z = cru_gin_apply(b.tape, &layer, adj, cru_input_dense(b.tape, &x));
    check_close(test_values(y), test_values(z), N * CLASSES, 1e-5);
    op_bench_close(&b);
}
END_TEST

/* The bits of _i: sparse features, outer norm, a bare last layer. The same layers, each by itself. */
START_TEST(a_gin_stack_is_its_layers_one_by_one)
{
    const bool outer = _i & 2, bare = _i & 4;
    enum { LAYERS = 3 };
    float out[2][N * CLASSES], grad[2][N * HIDDEN];
    for (int apart = 0; apart < 2; apart++) {
        op_bench b;
        const cru_gin_stack stack = cru_gin_stack_create(fresh_net(&b), "conv",
                                                         &(cru_gin_shape){.in = N,
                                                                          .hidden = HIDDEN,
                                                                          .out = CLASSES,
                                                                          .layers = LAYERS,
                                                                          .mlp_layers = 2,
                                                                          .learn_eps = true,
                                                                          .outer_norm = outer,
                                                                          .bare_last = bare,
                                                                          .dropout = 0.4f});
        cru_sparse *adj = cru_sparse_create(b.ctx, &plain);
        const cru_input x = features(&b, _i & 1);
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_tensor *h =
            apart ? cru_gin_input(b.tape, &stack.layer[0], adj, &x) : cru_gin_stack_input(b.tape, &stack, adj, &x);
        for (int i = 0; i < LAYERS && apart; i++) {
            if (i) h = cru_gin_apply(b.tape, &stack.layer[i], adj, h);
            if (bare && i == LAYERS - 1) continue;
            h = cru_dropout(b.tape, cru_relu(b.tape, outer ? cru_batch_norm_apply(b.tape, &stack.norm[i], h) : h),
                            0.4f);
        }
        cru_backward(b.tape, cru_sum(b.tape, cru_square(b.tape, h), CRU_ALL));
        cru_tensor_download(b.tape, h, out[apart]);
        cru_tensor_download(b.tape, cru_grad_of(b.tape, stack.layer[0].mlp.layer[0].w), grad[apart]);
        op_bench_close(&b);
    }
    ck_assert_mem_eq(out[0], out[1], sizeof out[0]);
    ck_assert_mem_eq(grad[0], grad[1], sizeof grad[0]);
}
END_TEST

START_TEST(a_gin_stack_names_and_sizes_its_layers)
{
    op_bench b;
    cru_net *net = fresh_net(&b);
    cru_gin_stack_create(net, "conv",
                         &(cru_gin_shape){.in = N,
                                          .hidden = HIDDEN,
                                          .out = CLASSES,
                                          .layers = 2,
                                          .mlp_layers = 1,
                                          .outer_norm = true,
                                          .bare_last = true});
    const cru_tensor *first = cru_net_find(net, "conv0.nn.linear0.weight"),
                     *last = cru_net_find(net, "conv1.nn.linear0.weight");
    ck_assert_int_eq(cru_tensor_rows(first), N);
    ck_assert_int_eq(cru_tensor_cols(first), HIDDEN);
    ck_assert_int_eq(cru_tensor_rows(last), HIDDEN);
    ck_assert_int_eq(cru_tensor_cols(last), CLASSES);
    ck_assert_ptr_nonnull(cru_net_find(net, "conv0.norm.weight"));
    ck_assert_ptr_null(cru_net_find(net, "conv1.norm.weight"));
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("stacks");
    TCase *c = tcase_create("layers");
    tcase_add_loop_test(c, chosen_rows_of_a_gcn_stack_are_those_of_all_rows, 0, 3);
    tcase_add_loop_test(c, a_gcn_stack_is_its_layers_one_by_one, 0, 4);
    tcase_add_test(c, kept_products_change_nothing_but_rounding);
    tcase_add_loop_test(c, a_perceptron_is_its_layers_one_by_one, 0, 8);
    tcase_add_test(c, gin_over_sparse_features_is_gin_over_dense_ones);
    tcase_add_loop_test(c, a_gin_stack_is_its_layers_one_by_one, 0, 8);
    tcase_add_test(c, a_gin_stack_names_and_sizes_its_layers);
    suite_add_tcase(s, c);
    return s;
}
