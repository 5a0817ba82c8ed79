// SPDX-License-Identifier: Apache-2.0
/* Operators on graphs, against loops over a dense matrix. */
#include <crucible/draft/ops-sparse.h>
#include <crucible/draft/tensor.h>

#include "ops/small-graph.h"

static int64_t row_of(int64_t e)
{
    int64_t v = 0;
    while (offsets[v + 1] <= e) v++;
    return v;
}

typedef double formula(const cru_csr *a, operands x, int64_t row, int64_t col);

typedef struct sparse_case {
    cru_sparse *a;
    cru_tensor *(*op)(cru_tape *t, cru_sparse *a, operands x);
} sparse_case;

static cru_tensor *apply(void *user, cru_tape *t, operands x)
{
    const sparse_case *c = user;
    return c->op(t, c->a, x);
}

static void check_values(const cru_csr *a, const cru_tensor *y, operands x, formula *expected)
{
    for (int64_t i = 0; i < cru_tensor_rows(y); i++)
        for (int64_t k = 0; k < cru_tensor_cols(y); k++)
            ck_assert_double_eq_tol(op_at(y, i, k), expected(a, x, i, k), 1e-5);
}

/* ---- propagation ----------------------------------------------------------------------------------------- */

static cru_tensor *spmm(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_spmm(t, a, x[0]);
}
static cru_tensor *transposed(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_spmm_transposed(t, a, x[0]);
}
static double ref_transposed(const cru_csr *a, operands x, int64_t u, int64_t k)
{
    double sum = 0;
    for (int64_t v = 0; v < N; v++) sum += value_of(a, v, u) * op_at(x[0], v, k);
    return sum;
}

/* The weights of head h are column h; two columns of x each. */
static cru_tensor *learned(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_spmm_weighted(t, a, x[1], x[0]);
}
static double ref_learned(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    (void)a;
    int64_t width = cru_tensor_cols(x[0]) / cru_tensor_cols(x[1]);
    double sum = 0;
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) sum += op_at(x[1], e, k / width) * op_at(x[0], ids[e], k);
    return sum;
}

static cru_tensor *mean(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_aggregate(t, a, x[0], CRU_REDUCE_MEAN);
}
static double ref_mean(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    int64_t degree = offsets[v + 1] - offsets[v];
    cru_csr bare = {.rows = a->rows};
    return degree ? ref_spmm(&bare, x, v, k) / (double)degree : 0;
}

static cru_tensor *total(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_aggregate(t, a, x[0], CRU_REDUCE_SUM);
}
static double ref_total(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    cru_csr bare = {.rows = a->rows};
    return ref_spmm(&bare, x, v, k);
}

static cru_tensor *largest(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_aggregate(t, a, x[0], CRU_REDUCE_MAX);
}
static double ref_largest(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    (void)a;
    double best = -INFINITY;
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) best = fmax(best, op_at(x[0], ids[e], k));
    return isfinite(best) ? best : 0;
}

static cru_tensor *smallest(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_aggregate(t, a, x[0], CRU_REDUCE_MIN);
}
static double ref_smallest(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    (void)a;
    double best = INFINITY;
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) best = fmin(best, op_at(x[0], ids[e], k));
    return isfinite(best) ? best : 0;
}

/* ---- edges ----------------------------------------------------------------------------------------------- */

static cru_tensor *one_product(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_sddmm(t, a, x[0], x[1], 1);
}
static cru_tensor *two_products(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_sddmm(t, a, x[0], x[1], 2);
}
static double product(operands x, int64_t e, int64_t from, int64_t to)
{
    double sum = 0;
    for (int64_t k = from; k < to; k++) sum += op_at(x[0], row_of(e), k) * op_at(x[1], ids[e], k);
    return sum;
}
static double ref_one_product(const cru_csr *a, operands x, int64_t e, int64_t h)
{
    (void)a, (void)h;
    return product(x, e, 0, cru_tensor_cols(x[0]));
}
static double ref_two_products(const cru_csr *a, operands x, int64_t e, int64_t h)
{
    (void)a;
    int64_t width = cru_tensor_cols(x[0]) / 2;
    return product(x, e, h * width, (h + 1) * width);
}

static cru_tensor *edge_add(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_add(t, a, x[0], x[1]);
}
static double ref_edge_add(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    return op_at(x[0], row_of(e), k) + op_at(x[1], ids[e], k);
}
static cru_tensor *edge_mul(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_mul(t, a, x[0], x[1]);
}
static double ref_edge_mul(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    return op_at(x[0], row_of(e), k) * op_at(x[1], ids[e], k);
}
static cru_tensor *edge_concat(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_concat(t, a, x[0], x[1]);
}
static double ref_edge_concat(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    int64_t left = cru_tensor_cols(x[0]);
    return k < left ? op_at(x[0], row_of(e), k) : op_at(x[1], ids[e], k - left);
}
static cru_tensor *edge_dst(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_dst(t, a, x[0]);
}
static double ref_edge_dst(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    return op_at(x[0], row_of(e), k);
}
static cru_tensor *edge_src(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_src(t, a, x[0]);
}
static double ref_edge_src(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    return op_at(x[0], ids[e], k);
}
static cru_tensor *edge_sum(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_sum(t, a, x[0]);
}
static double ref_edge_sum(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    (void)a;
    double sum = 0;
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) sum += op_at(x[0], e, k);
    return sum;
}
static cru_tensor *edge_softmax(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_softmax(t, a, x[0]);
}
static double ref_edge_softmax(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    double sum = 0;
    int64_t v = row_of(e);
    for (int64_t i = offsets[v]; i < offsets[v + 1]; i++) sum += exp(op_at(x[0], i, k));
    return exp(op_at(x[0], e, k)) / sum;
}

static const struct {
    const char *name;
    cru_tensor *(*op)(cru_tape *t, cru_sparse *a, operands x);
    formula *expected;
    const cru_csr *a;
    int64_t count, shape[2][2];
} graph_cases[] = {
    {"spmm", spmm, ref_spmm, &weighted, 1, {{N, 3}}},
    {"spmm without values", spmm, ref_spmm, &plain, 1, {{N, 17}}},
    {"transposed", transposed, ref_transposed, &weighted, 1, {{N, 3}}},
    {"transposed without values", transposed, ref_transposed, &plain, 1, {{N, 1}}},
    {"learned", learned, ref_learned, &weighted, 2, {{N, 5}, {E, 1}}},
    {"learned heads", learned, ref_learned, &plain, 2, {{N, 6}, {E, 3}}},
    {"mean", mean, ref_mean, &weighted, 1, {{N, 3}}},
    {"sum", total, ref_total, &weighted, 1, {{N, 3}}},
    {"max", largest, ref_largest, &weighted, 1, {{N, 3}}},
    {"min", smallest, ref_smallest, &plain, 1, {{N, 17}}},
    {"sddmm", one_product, ref_one_product, &weighted, 2, {{N, 5}, {N, 5}}},
    {"sddmm of two heads", two_products, ref_two_products, &plain, 2, {{N, 6}, {N, 6}}},
    {"edge_add", edge_add, ref_edge_add, &plain, 2, {{N, 3}, {N, 3}}},
    {"edge_mul", edge_mul, ref_edge_mul, &plain, 2, {{N, 3}, {N, 3}}},
    {"edge_concat", edge_concat, ref_edge_concat, &plain, 2, {{N, 2}, {N, 3}}},
    {"edge_dst", edge_dst, ref_edge_dst, &plain, 1, {{N, 3}}},
    {"edge_src", edge_src, ref_edge_src, &plain, 1, {{N, 3}}},
    {"edge_sum", edge_sum, ref_edge_sum, &plain, 1, {{E, 3}}},
    {"edge_softmax", edge_softmax, ref_edge_softmax, &plain, 1, {{E, 3}}},
};

START_TEST(an_operator_on_a_graph_follows_its_formula)
{
    op_bench b = op_bench_open();
    sparse_case c = {.a = cru_sparse_create(b.ctx, graph_cases[_i].a), .op = graph_cases[_i].op};
    cru_tensor *x[2] = {0};
    for (int64_t i = 0; i < graph_cases[_i].count; i++)
        x[i] = op_matrix(&b, graph_cases[_i].shape[i][0], graph_cases[_i].shape[i][1], -1, 1 + 0.2 * (double)i);
    cru_tape_begin(b.tape, CRU_EVAL);
    check_values(graph_cases[_i].a, c.op(b.tape, c.a, x), x, graph_cases[_i].expected);
    op_check(&b, apply, &c, x, graph_cases[_i].count);
    op_bench_close(&b);
}
END_TEST

START_TEST(one_tensor_at_both_ends_of_an_edge_gets_both_gradients)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, N, 2, 0.5, 1.5);
    cru_sparse *a = cru_sparse_create(b.ctx, &plain);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_backward(b.tape, cru_sum(b.tape, cru_edge_add(b.tape, a, x, x), CRU_ALL));
    const cru_tensor *grad = cru_grad_of(b.tape, x);
    for (int64_t v = 0; v < N; v++) {
        int64_t degree = offsets[v + 1] - offsets[v];
        for (int64_t e = 0; e < E; e++) degree += ids[e] == v;
        ck_assert_double_eq_tol(op_at(grad, v, 1), (double)degree, 1e-6);
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(a_rectangular_matrix_joins_two_sets_of_nodes)
{
    op_bench b = op_bench_open();
    const int64_t two_rows[] = {0, 2, 3};
    const int32_t of_four[] = {0, 3, 1};
    cru_csr csr = {.rows = 2, .cols = 4, .offsets = two_rows, .ids = of_four};
    sparse_case c = {.a = cru_sparse_create(b.ctx, &csr), .op = edge_mul};
    cru_tensor *x[] = {op_matrix(&b, 2, 3, -1, 1), op_matrix(&b, 4, 3, -1, 1)};
    op_check(&b, apply, &c, x, 2);
    c.op = spmm;
    op_check(&b, apply, &c, x + 1, 1);
    c.op = transposed;
    op_check(&b, apply, &c, x, 1);
    c.op = largest;
    op_check(&b, apply, &c, x + 1, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_graph_without_edges_gives_zeros_and_empty_edge_tensors)
{
    op_bench b = op_bench_open();
    const int64_t none[N + 1] = {0};
    cru_sparse *a = cru_sparse_create(b.ctx, &(cru_csr){.rows = N, .cols = N, .offsets = none, .ids = ids});
    cru_tensor *x = op_matrix(&b, N, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_tensor *y = cru_add(b.tape, cru_spmm(b.tape, a, x), cru_aggregate(b.tape, a, x, CRU_REDUCE_MAX));
    cru_tensor *e = cru_edge_softmax(b.tape, a, cru_edge_add(b.tape, a, x, x));
    ck_assert_int_eq(cru_tensor_count(e), 0);
    cru_backward(b.tape, cru_sum(b.tape, cru_add(b.tape, y, cru_edge_sum(b.tape, a, e)), CRU_ALL));
    for (int64_t i = 0; i < 3 * N; i++) {
        ck_assert_float_eq(test_value(y, i), 0);
        ck_assert_float_eq(test_value(cru_grad_of(b.tape, x), i), 0);
    }
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("sparse operators");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, an_operator_on_a_graph_follows_its_formula, 0,
                        (int)(sizeof graph_cases / sizeof *graph_cases));
    tcase_add_test(c, one_tensor_at_both_ends_of_an_edge_gets_both_gradients);
    tcase_add_test(c, a_rectangular_matrix_joins_two_sets_of_nodes);
    tcase_add_test(c, a_graph_without_edges_gives_zeros_and_empty_edge_tensors);
    suite_add_tcase(s, c);
    return s;
}
