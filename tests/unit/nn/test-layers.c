// SPDX-License-Identifier: Apache-2.0
/* Layers that PyTorch's fixtures do not cover: against their formulas, or against each other where they must agree. */
#include <string.h>

#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>
#include <crucible/graph.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

enum { N = 5, IN = 4, OUT = 6 };

static const int64_t some_offsets[N + 1] = {0, 2, 3, 3, 5, 6};
static const int32_t some_ids[] = {1, 3, 0, 0, 4, 2};
static const float some_values[] = {0.5f, 2, -1, 0.75f, 1, 0.25f};
static const cru_csr some_edges = {N, N, some_offsets, some_ids, some_values};
static const int64_t other_offsets[N + 1] = {0, 1, 2, 3, 4, 4};
static const int32_t other_ids[] = {2, 2, 0, 1};
static const cru_csr other_edges = {N, N, other_offsets, other_ids, NULL};

static cru_csr all_edges(cru_ctx *ctx)
{
    int64_t *offsets = cru_ctx_alloc(ctx, N + 1, sizeof *offsets);
    int32_t *ids = cru_ctx_alloc(ctx, N * N, sizeof *ids);
    for (int i = 0; i <= N; i++) offsets[i] = N * i;
    for (int i = 0; i < N * N; i++) ids[i] = i % N;
    return (cru_csr){.rows = N, .cols = N, .offsets = offsets, .ids = ids};
}

static double value_of(const cru_csr *a, int64_t v, int64_t u)
{
    for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++)
        if (a->ids[e] == u) return a->values ? (double)a->values[e] : 1;
    return 0;
}

static void check_same(const cru_tensor *a, const cru_tensor *b)
{
    ck_assert_int_eq(cru_tensor_rows(a), cru_tensor_rows(b));
    ck_assert_int_eq(cru_tensor_cols(a), cru_tensor_cols(b));
    for (int64_t i = 0; i < cru_tensor_count(a); i++) ck_assert_float_eq_tol(test_value(a, i), test_value(b, i), 2e-5f);
}

/* ---- attention ---------------------------------------------------------------------------------------- */

typedef struct attention_case {
    cru_attention layer;
    cru_sparse *adj;
} attention_case;

static cru_tensor *attention(void *user, cru_tape *t, operands x)
{
    const attention_case *c = user;
    return cru_attention_apply(t, &c->layer, c->adj, x[0]);
}

START_TEST(attention_over_a_complete_graph_is_attention_over_all_rows)
{
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_csr complete = all_edges(b.ctx);
    attention_case dense = {.layer = cru_attention_create(net, "attention", IN, OUT, 2)};
    attention_case sparse = {.layer = dense.layer, .adj = cru_sparse_create(b.ctx, &complete)};
    cru_tensor *x = op_matrix(&b, N, IN, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    check_same(attention(&dense, b.tape, &x), attention(&sparse, b.tape, &x));
    op_check(&b, attention, &dense, &x, 1);
    op_check(&b, attention, &sparse, &x, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(attention_weighs_values_by_scaled_products)
{
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    attention_case c = {.layer = cru_attention_create(net, "attention", IN, OUT, 1)};
    cru_tensor *x = op_matrix(&b, N, IN, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *q = cru_fc_apply(b.tape, &c.layer.query, x), *k = cru_fc_apply(b.tape, &c.layer.key, x);
    cru_tensor *v = cru_fc_apply(b.tape, &c.layer.value, x), *mixed = cru_tensor_matrix(b.tape, N, OUT);
    for (int64_t i = 0; i < N; i++) {
        double share[N], sum = 0;
        for (int64_t j = 0; j < N; j++) {
            double dot = 0;
            for (int64_t d = 0; d < OUT; d++) dot += op_at(q, i, d) * op_at(k, j, d);
            sum += share[j] = exp(dot / sqrt(OUT));
        }
        for (int64_t d = 0; d < OUT; d++) {
            double y = 0;
            for (int64_t j = 0; j < N; j++) y += share[j] / sum * op_at(v, j, d);
            test_put(mixed, i * OUT + d, (float)y);
        }
    }
    check_same(attention(&c, b.tape, &x), cru_fc_apply(b.tape, &c.layer.out, mixed));
    op_bench_close(&b);
}
END_TEST

/* ---- relations ---------------------------------------------------------------------------------------- */

/* The matrix of relation r, in x out: its own, or the mixture of the bases. */
static double relation_weight(const cru_rgcn *layer, int64_t r, int64_t place)
{
    if (!layer->coefficient) return op_at(layer->basis, r, place);
    double sum = 0;
    for (int64_t k = 0; k < cru_tensor_rows(layer->basis); k++)
        sum += op_at(layer->coefficient, r, k) * op_at(layer->basis, k, place);
    return sum;
}

static double ref_rgcn(const cru_rgcn *layer, const cru_csr *const *graphs, const cru_tensor *x, const int64_t where[2])
{
    int64_t v = where[0], o = where[1];
    double sum = (double)test_value(layer->b, o);
    for (int64_t i = 0; i < IN; i++) {
        sum += op_at(x, v, i) * op_at(layer->self, i, o);
        for (int64_t r = 0; r < layer->relations; r++)
            for (int64_t u = 0; u < N; u++)
                sum += value_of(graphs[r], v, u) * op_at(x, u, i) * relation_weight(layer, r, i * OUT + o);
    }
    return sum;
}

START_TEST(relations_have_own_or_shared_matrices)
{
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    const cru_csr *graphs[] = {&some_edges, &other_edges, &some_edges};
    cru_sparse *adj[3];
    for (int r = 0; r < 3; r++) adj[r] = cru_sparse_create(b.ctx, graphs[r]);
    cru_rgcn layer =
        cru_rgcn_create(net, "rgcn", &(cru_rgcn_shape){.in = IN, .out = OUT, .relations = 3, .bases = _i ? 2 : 0});
    ck_assert((layer.coefficient != NULL) == (_i == 1));
    cru_tensor *x = op_matrix(&b, N, IN, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_rgcn_apply(b.tape, &layer, adj, x);
    for (int64_t v = 0; v < N; v++)
        for (int64_t o = 0; o < OUT; o++)
            ck_assert_double_eq_tol(op_at(y, v, o), ref_rgcn(&layer, graphs, x, (const int64_t[]){v, o}), 1e-5);
    op_bench_close(&b);
}
END_TEST

/* ---- propagation -------------------------------------------------------------------------------------- */

START_TEST(propagation_repeats_the_product)
{
    op_bench b = op_bench_open();
    cru_sparse *adj = cru_sparse_create(b.ctx, &some_edges);
    cru_tensor *x = op_matrix(&b, N, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    ck_assert_ptr_eq(cru_propagate(b.tape, adj, x, 0), x);
    check_same(cru_propagate(b.tape, adj, x, 2), cru_spmm(b.tape, adj, cru_spmm(b.tape, adj, x)));
    double z[N * 3], next[N * 3];
    for (int i = 0; i < N * 3; i++) z[i] = (double)test_value(x, i);
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < N * 3; i++) {
            double sum = 0;
            for (int64_t u = 0; u < N; u++) sum += value_of(&some_edges, i / 3, u) * z[u * 3 + i % 3];
            next[i] = 0.8 * sum + 0.2 * (double)test_value(x, i);
        }
        memcpy(z, next, sizeof z);
    }
    cru_tensor *y = cru_appnp(b.tape, adj, x, 0.2f, 3);
    for (int i = 0; i < N * 3; i++) ck_assert_double_eq_tol((double)test_value(y, i), z[i], 1e-5);
    op_bench_close(&b);
}
END_TEST

/* [x, A x] W, its matrix in one piece. */
START_TEST(own_and_others_are_one_product)
{
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    const cru_csr mean = cru_graph_mean_with_self(cru_ctx_pool(b.ctx), &other_edges);
    cru_sparse *adj = cru_sparse_create(b.ctx, &mean);
    const cru_sage_cat layer = cru_sage_cat_create(net, "sage", IN, OUT);
    cru_tensor *x = op_matrix(&b, N, IN, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    for (int64_t v = 0; v < N; v++)
        for (int64_t u = 0; u < N; u++) {
            const double degree = (double)(other_offsets[v + 1] - other_offsets[v]);
            ck_assert_double_eq_tol(value_of(&mean, v, u), value_of(&other_edges, v, u) / (degree + 1), 1e-7);
        }
    cru_tensor *both = cru_concat_cols(b.tape, (cru_tensor *[]){x, cru_spmm(b.tape, adj, x)}, 2);
    cru_tensor *w = cru_concat_rows(b.tape, (cru_tensor *[]){layer.own.w, layer.others.w}, 2);
    const cru_input in = cru_input_of(x);
    check_same(cru_sage_cat_input(b.tape, &layer, adj, &in), cru_matmul(b.tape, both, w));
    op_bench_close(&b);
}
END_TEST

START_TEST(powers_and_hops_stand_side_by_side)
{
    op_bench b = op_bench_open();
    cru_sparse *adj = cru_sparse_create(b.ctx, &some_edges);
    cru_tensor *x = op_matrix(&b, N, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    check_same(cru_powers(b.tape, adj, x, 0), x);
    cru_tensor *once = cru_spmm(b.tape, adj, x), *twice = cru_spmm(b.tape, adj, once);
    check_same(cru_powers(b.tape, adj, x, 2), cru_concat_cols(b.tape, (cru_tensor *[]){x, once, twice}, 3));
    for (cru_reduce op = CRU_REDUCE_SUM; op <= CRU_REDUCE_MIN; op++) {
        once = cru_aggregate(b.tape, adj, x, op), twice = cru_aggregate(b.tape, adj, once, op);
        check_same(cru_hop_features(b.tape, adj, x, 2, op),
                   cru_concat_cols(b.tape, (cru_tensor *[]){x, once, twice}, 3));
    }
    op_bench_close(&b);
}
END_TEST

/* y = (I +- A) x / 2, in place. */
static void half_step(const cru_csr *a, double sign, double *x)
{
    double y[N];
    for (int64_t v = 0; v < N; v++) {
        y[v] = x[v] / 2;
        for (int64_t u = 0; u < N; u++) y[v] += sign * value_of(a, v, u) * x[u] / 2;
    }
    memcpy(x, y, sizeof y);
}

/* W_i = (L/2)^i (I - L/2)^(C-i) / B(i+1, C-i+1) with L = I - A, so L/2 = (I - A)/2 and I - L/2 = (I + A)/2 */
START_TEST(wavelets_filter_as_their_formula_says)
{
    const int64_t order = _i, cols = 2 * (order + 1);
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_wavelets layer = cru_wavelets_create(net, "waves", 2, cols, order);
    for (int64_t i = 0; i < cols * cols; i++) test_put(layer.fc.w, i, i % (cols + 1) == 0);
    for (int64_t i = 0; i < cols; i++) test_put(layer.fc.b, i, 0);
    cru_tensor *x = op_matrix(&b, N, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_wavelets_apply(b.tape, &layer, cru_sparse_create(b.ctx, &some_edges), x);
    for (int64_t col = 0; col < cols; col++) {
        const int64_t i = col / 2;
        double z[N];
        for (int64_t v = 0; v < N; v++) z[v] = op_at(x, v, col % 2);
        for (int64_t k = 0; k < order; k++) half_step(&some_edges, k < i ? -1 : 1, z);
        const double beta = tgamma((double)i + 1) * tgamma((double)(order - i) + 1) / tgamma((double)order + 2);
        for (int64_t v = 0; v < N; v++) ck_assert_double_eq_tol(op_at(y, v, col), z[v] / beta, 1e-4);
    }
    op_bench_close(&b);
}
END_TEST

typedef struct filtered {
    cru_wavelets layer;
    cru_sparse *adj;
} filtered;

static cru_tensor *filter(void *user, cru_tape *t, operands x)
{
    const filtered *f = user;
    cru_wavelets layer = f->layer;
    layer.fc = (cru_fc){.w = x[1], .b = x[2]};
    return cru_wavelets_apply(t, &layer, f->adj, x[0]);
}

START_TEST(wavelets_have_the_gradient_of_differences)
{
    op_bench b = op_bench_open();
    filtered f = {.layer = cru_wavelets_create(cru_net_create(b.ctx, "net"), "waves", 2, 3, 3),
                  .adj = cru_sparse_create(b.ctx, &some_edges)};
    cru_tensor *x[] = {op_matrix(&b, N, 2, -1, 1), op_matrix(&b, 8, 3, -1, 1),
                       op_values(&b, 1, (const int64_t[]){3}, -1, 1)};
    op_check(&b, filter, &f, x, 3);
    op_bench_close(&b);
}
END_TEST

/* ---- linear layers of several matrices ---------------------------------------------------------------- */

static cru_tensor *of_parts(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_fc_apply_parts(t, &(cru_fc){.w = x[3], .b = x[4]}, x, 3);
}

START_TEST(a_layer_of_parts_is_that_of_the_matrices_side_by_side)
{
    op_bench b = op_bench_open();
    cru_tensor *x[] = {op_matrix(&b, N, 2, -1, 1), op_matrix(&b, N, 1, -1, 1), op_matrix(&b, N, 4, -1, 1),
                       op_matrix(&b, 7, 3, -1, 1), op_values(&b, 1, (const int64_t[]){3}, -1, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *whole = cru_concat_cols(b.tape, x, 3);
    for (int bias = 0; bias < 2; bias++) {
        cru_fc layer = {.w = x[3], .b = bias ? x[4] : NULL};
        check_same(cru_fc_apply_parts(b.tape, &layer, x, 3), cru_fc_apply(b.tape, &layer, whole));
        check_same(cru_fc_apply_parts(b.tape, &layer, &whole, 1), cru_fc_apply(b.tape, &layer, whole));
    }
    op_check(&b, of_parts, NULL, x, 5);
    op_bench_close(&b);
}
END_TEST

/* ---- sparse features ---------------------------------------------------------------------------------- */

START_TEST(layers_agree_on_sparse_and_dense_features)
{
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_sparse *adj = cru_sparse_create(b.ctx, &other_edges);
    cru_input sparse = cru_input_create(b.ctx, &(cru_features){.rows = N, .cols = N, .sparse = some_edges});
    cru_gcn narrow = cru_gcn_create(net, "narrow", N, 2), wide = cru_gcn_create(net, "wide", N, 9);
    cru_gat gat = cru_gat_create(net, "gat", &(cru_gat_shape){.in = N, .out = 2, .heads = 3});
    cru_mlp mlp = cru_mlp_create(net, "mlp", &(cru_mlp_shape){.in = N, .hidden = 7, .out = 3, .layers = 3});
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *x = cru_input_dense(b.tape, &sparse);
    check_same(cru_gcn_input(b.tape, &narrow, adj, &sparse), cru_gcn_apply(b.tape, &narrow, adj, x));
    check_same(cru_gcn_input(b.tape, &wide, adj, &sparse), cru_gcn_apply(b.tape, &wide, adj, x));
    check_same(cru_gat_input(b.tape, &gat, adj, &sparse), cru_gat_apply(b.tape, &gat, adj, x));
    check_same(cru_mlp_input(b.tape, &mlp, &sparse), cru_mlp_apply(b.tape, &mlp, x));
    op_bench_close(&b);
}
END_TEST

/* ---- perceptrons -------------------------------------------------------------------------------------- */

START_TEST(a_perceptron_of_one_layer_is_linear)
{
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_mlp mlp = cru_mlp_create(net, "mlp", &(cru_mlp_shape){.in = IN, .hidden = 99, .out = 3, .layers = 1});
    cru_tensor *x = op_matrix(&b, N, IN, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    check_same(cru_mlp_apply(b.tape, &mlp, x), cru_linear(b.tape, x, mlp.layer[0].w, mlp.layer[0].b));
    op_bench_close(&b);
}
END_TEST

START_TEST(dropout_acts_in_training_only_and_on_the_input_only_when_asked)
{
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_mlp_shape shape = {.in = IN, .hidden = 8, .out = 3, .layers = 1, .dropout = 0.5f};
    cru_mlp without = cru_mlp_create(net, "without", &shape);
    shape.input_dropout = true;
    cru_mlp with = cru_mlp_create(net, "with", &shape);
    cru_tensor *x = op_matrix(&b, N, IN, 0.5, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *quiet = cru_mlp_apply(b.tape, &with, x);
    check_same(quiet, cru_linear(b.tape, x, with.layer[0].w, with.layer[0].b));
    float before[N * 3];
    memcpy(before, test_values(quiet), sizeof before);
    cru_tape_begin(b.tape, CRU_TRAIN);
    ck_assert(memcmp(before, test_values(cru_mlp_apply(b.tape, &with, x)), sizeof before) != 0);
    check_same(cru_mlp_apply(b.tape, &without, x), cru_linear(b.tape, x, without.layer[0].w, without.layer[0].b));
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("layers");
    TCase *c = tcase_create("layers");
    tcase_add_test(c, attention_over_a_complete_graph_is_attention_over_all_rows);
    tcase_add_test(c, attention_weighs_values_by_scaled_products);
    tcase_add_loop_test(c, relations_have_own_or_shared_matrices, 0, 2);
    tcase_add_test(c, propagation_repeats_the_product);
    tcase_add_test(c, own_and_others_are_one_product);
    tcase_add_test(c, powers_and_hops_stand_side_by_side);
    tcase_add_loop_test(c, wavelets_filter_as_their_formula_says, 0, 5);
    tcase_add_test(c, wavelets_have_the_gradient_of_differences);
    tcase_add_test(c, a_layer_of_parts_is_that_of_the_matrices_side_by_side);
    tcase_add_test(c, layers_agree_on_sparse_and_dense_features);
    tcase_add_test(c, a_perceptron_of_one_layer_is_linear);
    tcase_add_test(c, dropout_acts_in_training_only_and_on_the_input_only_when_asked);
    suite_add_tcase(s, c);
    return s;
}
