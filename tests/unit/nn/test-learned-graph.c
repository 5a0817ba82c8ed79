// SPDX-License-Identifier: Apache-2.0
/* Graphs whose weights are learned: against the whole matrix, written out, and against differences. */
#include <crucible/learned-graph.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

enum { N = 4, ENTRIES = 6, IN = 3, OUT = 2 };

static const int64_t offsets[N + 1] = {0, 2, 3, 4, 6};
static const int32_t ids[ENTRIES] = {0, 1, 1, 2, 0, 3};
static const cru_csr pattern = {.rows = N, .cols = N, .offsets = offsets, .ids = ids};
static const int32_t rows[] = {0, 2}, cols[] = {2, 3};

typedef struct scene {
    cru_sparse *pattern;
    cru_gcn_stack convs;
    bool block;
} scene;

/* x: entries x 1 weights, n x c features, then with `block` 2 x 2 weights. */
static cru_learned_graph graph_of(const scene *s, cru_tape *t, operands x)
{
    cru_learned_graph g = {.pattern = s->pattern, .weights = x[0]};
    if (s->block) {
        g.dense = x[2];
        g.rows = cru_index_step(t, rows, 2);
        g.cols = cru_index_step(t, cols, 2);
    }
    return cru_learned_graph_normalise(t, &g);
}

static cru_tensor *spread(void *user, cru_tape *t, operands x)
{
    const cru_learned_graph g = graph_of(user, t, x);
    return cru_learned_graph_spread(t, &g, x[1]);
}

static cru_tensor *convolve(void *user, cru_tape *t, operands x)
{
    const scene *s = user;
    const cru_learned_graph g = graph_of(s, t, x);
    const cru_input in = cru_input_of(x[1]);
    return cru_learned_graph_convolve(t, &g, &s->convs, &in);
}

static scene open_scene(op_bench *b, bool block, cru_tensor **x)
{
    x[0] = op_matrix(b, ENTRIES, 1, 0.5, 2);
    x[1] = op_matrix(b, N, IN, -1, 1);
    x[2] = op_matrix(b, 2, 2, 0.5, 2);
    return (scene){.pattern = cru_sparse_create(b->ctx, &pattern), .block = block};
}

START_TEST(spreads_over_the_normalised_matrix)
{
    op_bench b = op_bench_open();
    cru_tensor *x[3];
    scene s = open_scene(&b, _i, x);
    double whole[N][N] = {{0}}, degree[N] = {0};
    for (int v = 0; v < N; v++)
        for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) whole[v][ids[e]] += op_at(x[0], e, 0);
    for (int i = 0; i < 4 && s.block; i++) whole[rows[i / 2]][cols[i % 2]] += op_at(x[2], i / 2, i % 2);
    for (int i = 0; i < N * N; i++) degree[i / N] += whole[i / N][i % N];
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_tensor *y = spread(&s, b.tape, x);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < IN; k++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += whole[i][j] / sqrt(degree[i] * degree[j]) * op_at(x[1], j, k);
            ck_assert_double_eq_tol(op_at(y, i, k), sum, 1e-5);
        }
    op_bench_close(&b);
}
END_TEST

START_TEST(gradients_reach_weights_and_features)
{
    op_bench b = op_bench_open();
    cru_tensor *x[3];
    scene s = open_scene(&b, _i, x);
    op_check(&b, spread, &s, x, s.block ? 3 : 2);
    /* one layer: no relu, whose kink differences do not like */
    const cru_gcn_shape shape = {.in = IN, .out = OUT, .layers = 1, .draw = CRU_DRAW_FAN_IN};
    s.convs = cru_gcn_stack_create(cru_net_create(b.ctx, "net"), "conv", &shape);
    op_check(&b, convolve, &s, x, s.block ? 3 : 2);
    op_bench_close(&b);
}
END_TEST

/* Over weights that are the values of a matrix, a stack is the stack over that matrix normalised by its rows. */
START_TEST(convolves_as_a_stack_does)
{
    static const float ones[] = {1, 1, 1, 1, 1, 1, 1, 1};
    static const int64_t ring_offsets[] = {0, 2, 4, 6, 8};
    static const int32_t ring_ids[] = {0, 1, 1, 2, 2, 3, 0, 3}; /* all degrees are 2, in and out */
    const cru_csr ring = {.rows = N, .cols = N, .offsets = ring_offsets, .ids = ring_ids};
    op_bench b = op_bench_open();
    const cru_gcn_shape shape = {.in = IN, .hidden = 5, .out = OUT, .layers = 2, .draw = CRU_DRAW_FAN_IN};
    const cru_gcn_stack convs = cru_gcn_stack_create(cru_net_create(b.ctx, "net"), "conv", &shape);
    const cru_csr halved = cru_graph_normalise(cru_ctx_pool(b.ctx), &ring, CRU_NORM_SYM);
    cru_sparse *adj = cru_sparse_create(b.ctx, &halved);
    cru_tensor *x = op_matrix(&b, N, IN, -1, 1);
    const cru_input in = cru_input_of(x);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_learned_graph g = {.pattern = cru_sparse_create(b.ctx, &ring),
                           .weights = cru_tensor_upload(b.tape, cru_2d(8, 1), ones)};
    g = cru_learned_graph_normalise(b.tape, &g);
    const cru_tensor *y = cru_learned_graph_convolve(b.tape, &g, &convs, &in);
    const cru_tensor *z = cru_gcn_stack_input(b.tape, &convs, adj, &in);
    for (int i = 0; i < N * OUT; i++) ck_assert_float_eq_tol(test_value(y, i), test_value(z, i), 1e-5f);
    op_bench_close(&b);
}
END_TEST

START_TEST(marks_are_the_values_of_the_part)
{
    static const int64_t part_offsets[] = {0, 1, 1, 1, 2};
    static const int32_t part_ids[] = {1, 3};
    static const float values[] = {0.5f, 7}, expected[2][ENTRIES] = {{0, 0.5f, 0, 0, 0, 7}, {0, 1, 0, 0, 0, 1}};
    const cru_csr part = {N, N, part_offsets, part_ids, _i ? NULL : values};
    op_bench b = op_bench_open();
    const cru_tensor *marks = cru_learned_graph_marks(b.ctx, &pattern, &part);
    ck_assert_int_eq(cru_tensor_rows(marks), ENTRIES);
    for (int e = 0; e < ENTRIES; e++) ck_assert_float_eq(test_value(marks, e), expected[_i][e]);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("learned-graph");
    TCase *c = tcase_create("learned-graph");
    tcase_add_loop_test(c, spreads_over_the_normalised_matrix, 0, 2);
    tcase_add_loop_test(c, gradients_reach_weights_and_features, 0, 2);
    tcase_add_test(c, convolves_as_a_stack_does);
    tcase_add_loop_test(c, marks_are_the_values_of_the_part, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
