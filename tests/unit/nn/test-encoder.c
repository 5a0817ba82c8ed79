// SPDX-License-Identifier: Apache-2.0
/* Encoders that a setting chooses: each is the layers of its kind, one after the other. */
#include <crucible/encoder.h>

#include "ops/small-graph.h"

enum { HIDDEN = 8, CLASSES = 3, LAYERS = 2 };

static cru_input features(op_bench *b, bool sparse)
{
    if (sparse) return cru_input_create(b->ctx, &(cru_features){.rows = N, .cols = N, .sparse = weighted});
    const cru_tensor *x = op_matrix(b, N, N, -1, 1);
    return cru_input_create(b->ctx, &(cru_features){.rows = N, .cols = N, .dense = test_values(x)});
}

/* What a layer is by nn.h, on a dense input and the plain pattern. */
static cru_tensor *layer_alone(op_bench *b, cru_encoder_choice kind, const void *layer, cru_tensor *x)
{
    const cru_csr looped = cru_graph_loops(cru_ctx_pool(b->ctx), &plain, CRU_LOOPS_SET);
    const cru_csr gcn = cru_graph_gcn(cru_ctx_pool(b->ctx), &plain, CRU_LOOPS_ADD);
    if (kind == CRU_ENCODER_GCN)
        return cru_relu(b->tape, cru_gcn_apply(b->tape, layer, cru_sparse_create(b->ctx, &gcn), x));
    if (kind == CRU_ENCODER_GAT)
        return cru_elu(b->tape, cru_gat_apply(b->tape, layer, cru_sparse_create(b->ctx, &looped), x), 1);
    cru_sparse *adj = cru_sparse_create(b->ctx, &plain);
    return cru_relu(b->tape, kind == CRU_ENCODER_SAGE ? cru_sage_apply(b->tape, layer, adj, x)
                                                      : cru_gin_apply(b->tape, layer, adj, x));
}

static cru_encoder make(op_bench *b, int kind, int64_t out)
{
    return cru_encoder_create_of(cru_net_create(b->ctx, "net"), "conv", cru_encoder_kind_of((cru_encoder_choice)kind),
                                 &(cru_encoder_shape){.in = N, .hidden = HIDDEN, .layers = LAYERS, .out = out});
}

static cru_sparse *matrix_of(op_bench *b, const cru_encoder *e)
{
    const cru_csr a = cru_encoder_graph(cru_ctx_pool(b->ctx), e, &plain);
    return cru_sparse_create(b->ctx, &a);
}

/* In eval mode, where nothing is dropped. */
START_TEST(an_encoder_is_its_layers_one_by_one)
{
    op_bench b = op_bench_open();
    const int kind = _i / 2;
    const cru_encoder e = make(&b, kind, CLASSES);
    const cru_input x = features(&b, _i % 2);
    cru_sparse *adj = matrix_of(&b, &e);
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_gcn_pass pass = cru_encoder_pass(b.tape, &e, adj, &x);
    cru_tensor *h = cru_input_dense(b.tape, &x);
    for (int i = 0; i < LAYERS; i++) h = layer_alone(&b, (cru_encoder_choice)kind, e.layer[i], h);
    cru_tensor *z = cru_fc_apply(b.tape, &e.head, h), *logits = cru_encoder_logits(b.tape, &e, adj, &x);
    for (int i = 0; i < N * HIDDEN; i++) ck_assert_float_eq_tol(test_values(pass.hidden)[i], test_values(h)[i], 1e-4f);
    for (int i = 0; i < N * CLASSES; i++) {
        ck_assert_float_eq_tol(test_values(pass.out)[i], test_values(z)[i], 1e-4f);
        ck_assert_float_eq(test_values(pass.out)[i], test_values(logits)[i]);
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(an_encoder_without_classes_gives_what_is_hidden)
{
    op_bench b = op_bench_open();
    const cru_encoder e = make(&b, _i, 0);
    const cru_input x = features(&b, false);
    cru_sparse *adj = matrix_of(&b, &e);
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_gcn_pass pass = cru_encoder_pass(b.tape, &e, adj, &x);
    ck_assert_int_eq(cru_tensor_cols(pass.out), HIDDEN);
    for (int i = 0; i < N * HIDDEN; i++) ck_assert_float_eq(test_values(pass.out)[i], test_values(pass.hidden)[i]);
    op_bench_close(&b);
}
END_TEST

/* A kind of somebody's own: x W, whatever the graph. */
static void *own_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_fc *layer = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *layer);
    *layer = cru_fc_create(net, name, in, out);
    return layer;
}

static cru_tensor *own_apply(cru_tape *t, const void *layer, cru_sparse *adj, const cru_input *x)
{
    (void)adj;
    return cru_fc_input(t, layer, x);
}

START_TEST(an_encoder_of_ones_own_kind_is_a_perceptron_here)
{
    static const cru_encoder_kind own = {"own", {CRU_LOOPS_KEEP, CRU_NORM_NONE}, CRU_UNARY_TANH, own_create, own_apply};
    op_bench b = op_bench_open();
    const cru_encoder e = cru_encoder_create_of(cru_net_create(b.ctx, "net"), "conv", &own,
                                                &(cru_encoder_shape){.in = N, .hidden = 4, .layers = 1, .out = 2});
    const cru_input x = features(&b, false);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *z = cru_encoder_logits(b.tape, &e, NULL, &x);
    cru_tensor *h = cru_tanh(b.tape, cru_fc_input(b.tape, e.layer[0], &x));
    h = cru_fc_apply(b.tape, &e.head, h);
    for (int i = 0; i < N * 2; i++) ck_assert_float_eq(test_values(z)[i], test_values(h)[i]);
    op_bench_close(&b);
}
END_TEST

/* Eight heads where eight divide the width, fewer where not. */
START_TEST(a_gat_has_as_many_heads_as_its_width_allows)
{
    static const int64_t width[] = {16, 12, 6, 5}, heads[] = {8, 4, 2, 1};
    op_bench b = op_bench_open();
    const cru_encoder e =
        cru_encoder_create_of(cru_net_create(b.ctx, "net"), "conv", cru_encoder_kind_of(CRU_ENCODER_GAT),
                              &(cru_encoder_shape){.in = N, .hidden = width[_i], .layers = 1});
    const cru_gat *layer = e.layer[0];
    ck_assert_int_eq(layer->heads, heads[_i]);
    ck_assert_int_eq(layer->heads * layer->out, width[_i]);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("encoders");
    TCase *c = tcase_create("encoders");
    tcase_add_loop_test(c, an_encoder_is_its_layers_one_by_one, 0, 8);
    tcase_add_loop_test(c, an_encoder_without_classes_gives_what_is_hidden, 0, 4);
    tcase_add_test(c, an_encoder_of_ones_own_kind_is_a_perceptron_here);
    tcase_add_loop_test(c, a_gat_has_as_many_heads_as_its_width_allows, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
