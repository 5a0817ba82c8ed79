/* Operators on graphs, sparse inputs and segments, against loops over a dense matrix. */
#include "ops/gradients.h"

typedef cru_tensor *const *operands;

/* ---- a directed graph; node 3 has no neighbour in either direction ------------------------------------------------
 */

enum { N = 6, E = 11 };

static const int64_t offsets[N + 1] = {0, 3, 4, 8, 8, 9, 11};
static const int32_t ids[E] = {1, 2, 5, 0, 0, 1, 4, 5, 5, 2, 4};
static const float values[E] = {0.5f, -1, 2, 1.5f, 0.25f, 1, -0.5f, 3, 0.75f, -2, 1.25f};
static const cru_csr weighted = {.rows = N, .cols = N, .offsets = offsets, .ids = ids, .values = values};
static const cru_csr plain = {.rows = N, .cols = N, .offsets = offsets, .ids = ids};

/* The entry (v, u), or -1. */
static int64_t entry(int64_t v, int64_t u)
{
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++)
        if (ids[e] == u) return e;
    return -1;
}

static double value_of(const cru_csr *a, int64_t v, int64_t u)
{
    int64_t e = entry(v, u);
    return e < 0 ? 0 : a->values ? (double)a->values[e] : 1;
}

static int64_t row_of(int64_t e)
{
    int64_t v = 0;
    while (offsets[v + 1] <= e) v++;
    return v;
}

static double at(const cru_tensor *x, int64_t i, int64_t k)
{
    return (double)x->data[i * cru_tensor_cols(x) + k];
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
            ck_assert_double_eq_tol(at(y, i, k), expected(a, x, i, k), 1e-5);
}

/* ---- propagation ----------------------------------------------------------------------------------------------------
 */

static cru_tensor *spmm(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_spmm(t, a, x[0]);
}
static double ref_spmm(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    double sum = 0;
    for (int64_t u = 0; u < N; u++) sum += value_of(a, v, u) * at(x[0], u, k);
    return sum;
}

static cru_tensor *transposed(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_spmm_transposed(t, a, x[0]);
}
static double ref_transposed(const cru_csr *a, operands x, int64_t u, int64_t k)
{
    double sum = 0;
    for (int64_t v = 0; v < N; v++) sum += value_of(a, v, u) * at(x[0], v, k);
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
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) sum += at(x[1], e, k / width) * at(x[0], ids[e], k);
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
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) best = fmax(best, at(x[0], ids[e], k));
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
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) best = fmin(best, at(x[0], ids[e], k));
    return isfinite(best) ? best : 0;
}

/* ---- edges ----------------------------------------------------------------------------------------------------------
 */

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
    for (int64_t k = from; k < to; k++) sum += at(x[0], row_of(e), k) * at(x[1], ids[e], k);
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
    return at(x[0], row_of(e), k) + at(x[1], ids[e], k);
}
static cru_tensor *edge_mul(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_mul(t, a, x[0], x[1]);
}
static double ref_edge_mul(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    return at(x[0], row_of(e), k) * at(x[1], ids[e], k);
}
static cru_tensor *edge_concat(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_concat(t, a, x[0], x[1]);
}
static double ref_edge_concat(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    int64_t left = cru_tensor_cols(x[0]);
    return k < left ? at(x[0], row_of(e), k) : at(x[1], ids[e], k - left);
}
static cru_tensor *edge_dst(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_dst(t, a, x[0]);
}
static double ref_edge_dst(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    return at(x[0], row_of(e), k);
}
static cru_tensor *edge_src(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_src(t, a, x[0]);
}
static double ref_edge_src(const cru_csr *a, operands x, int64_t e, int64_t k)
{
    (void)a;
    return at(x[0], ids[e], k);
}
static cru_tensor *edge_sum(cru_tape *t, cru_sparse *a, operands x)
{
    return cru_edge_sum(t, a, x[0]);
}
static double ref_edge_sum(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    (void)a;
    double sum = 0;
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) sum += at(x[0], e, k);
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
    for (int64_t i = offsets[v]; i < offsets[v + 1]; i++) sum += exp(at(x[0], i, k));
    return exp(at(x[0], e, k)) / sum;
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
        ck_assert_double_eq_tol(at(grad, v, 1), (double)degree, 1e-6);
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
        ck_assert_float_eq(y->data[i], 0);
        ck_assert_float_eq(cru_grad_of(b.tape, x)->data[i], 0);
    }
    op_bench_close(&b);
}
END_TEST

/* ---- segments -------------------------------------------------------------------------------------------------------
 */

enum { SEGMENTS = 5, MEMBERS = 7 };
static const int64_t runs[SEGMENTS + 1] = {0, 2, 2, 6, 7, 7}; /* the second and the last are empty */

static cru_tensor *segment(void *user, cru_tape *t, operands x)
{
    return cru_segment(t, x[0], runs, SEGMENTS, *(cru_reduce *)user);
}

static double ref_segment(const cru_tensor *x, int64_t g, int64_t k, cru_reduce op)
{
    int64_t from = runs[g], to = runs[g + 1];
    if (from == to) return 0;
    double y = op == CRU_REDUCE_MAX ? -INFINITY : op == CRU_REDUCE_MIN ? INFINITY : 0;
    for (int64_t i = from; i < to; i++) {
        if (op == CRU_REDUCE_MAX)
            y = fmax(y, at(x, i, k));
        else if (op == CRU_REDUCE_MIN)
            y = fmin(y, at(x, i, k));
        else
            y += at(x, i, k) / (op == CRU_REDUCE_MEAN ? (double)(to - from) : 1);
    }
    return y;
}

START_TEST(a_segment_is_reduced_and_an_empty_one_is_zero)
{
    op_bench b = op_bench_open();
    cru_reduce op = (cru_reduce)_i;
    cru_tensor *x = op_matrix(&b, MEMBERS, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = segment(&op, b.tape, &x);
    ck_assert_int_eq(cru_tensor_rows(y), SEGMENTS);
    for (int64_t g = 0; g < SEGMENTS; g++)
        for (int64_t k = 0; k < 3; k++) ck_assert_double_eq_tol(at(y, g, k), ref_segment(x, g, k, op), 1e-6);
    op_check(&b, segment, &op, &x, 1);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *segment_softmax(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_segment_softmax(t, x[0], runs, SEGMENTS);
}

START_TEST(softmax_stays_within_its_segment)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, MEMBERS, 2, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = segment_softmax(NULL, b.tape, &x);
    for (int64_t g = 0; g < SEGMENTS; g++)
        for (int64_t i = runs[g]; i < runs[g + 1]; i++) {
            double sum = 0;
            for (int64_t j = runs[g]; j < runs[g + 1]; j++) sum += exp(at(x, j, 1));
            ck_assert_double_eq_tol(at(y, i, 1), exp(at(x, i, 1)) / sum, 1e-6);
        }
    op_check(&b, segment_softmax, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- sparse inputs --------------------------------------------------------------------------------------------------
 */

static cru_input sparse_input(op_bench *b, const cru_csr *csr)
{
    return cru_input_create(b->ctx, &(cru_features){.rows = csr->rows, .cols = csr->cols, .sparse = *csr});
}

static cru_tensor *input_linear(void *user, cru_tape *t, operands x)
{
    return cru_input_linear(t, user, x[0], x[1]);
}
static cru_tensor *input_linear_no_bias(void *user, cru_tape *t, operands x)
{
    return cru_input_linear(t, user, x[0], NULL);
}

START_TEST(a_sparse_input_multiplies_like_a_dense_one)
{
    op_bench b = op_bench_open();
    const cru_csr *csr = _i ? &weighted : &plain;
    cru_input in = sparse_input(&b, csr);
    const int64_t width = 4;
    cru_tensor *x[] = {op_matrix(&b, N, width, -1, 1), op_values(&b, 1, &width, -1, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_input_linear(b.tape, &in, x[0], x[1]), *dense = cru_input_dense(b.tape, &in);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t k = 0; k < width; k++)
            ck_assert_double_eq_tol(at(y, i, k), ref_spmm(csr, x, i, k) + (double)x[1]->data[k], 1e-5);
        for (int64_t u = 0; u < N; u++) ck_assert_double_eq(at(dense, i, u), value_of(csr, i, u));
    }
    op_check(&b, input_linear, &in, x, 2);
    op_check(&b, input_linear_no_bias, &in, x, 1);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *linear_in_values(void *user, cru_tape *t, operands x)
{
    cru_input in = *(const cru_input *)user;
    in.values = x[2];
    return cru_input_linear(t, &in, x[0], x[1]);
}

START_TEST(values_of_a_sparse_input_can_be_learned)
{
    op_bench b = op_bench_open();
    cru_input in = sparse_input(&b, &weighted);
    const int64_t width = 4, entries = E;
    cru_tensor *x[] = {op_matrix(&b, N, width, -1, 1), op_values(&b, 1, &width, -1, 1),
                       op_values(&b, 1, &entries, -1, 1)};
    op_check(&b, linear_in_values, &in, x, 3);
    op_bench_close(&b);
}
END_TEST

START_TEST(dropout_of_a_sparse_input_touches_stored_values_only)
{
    op_bench b = op_bench_open();
    cru_input in = sparse_input(&b, &weighted);
    int64_t kept = 0, steps = 200;
    for (int64_t s = 0; s < steps; s++) {
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_input dropped = cru_input_dropout(b.tape, &in, 0.25f);
        cru_tensor *dense = cru_input_dense(b.tape, &dropped);
        for (int64_t i = 0; i < N; i++)
            for (int64_t u = 0; u < N; u++) {
                double whole = value_of(&weighted, i, u);
                if (at(dense, i, u) == 0) continue;
                ck_assert_double_eq_tol(at(dense, i, u), whole / 0.75, 1e-5);
                kept++;
            }
    }
    /* 2200 draws at 3/4: 1650 with a standard deviation of 20 */
    ck_assert_int_ge(kept, 1550);
    ck_assert_int_le(kept, 1750);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_input same = cru_input_dropout(b.tape, &in, 0.25f);
    ck_assert_ptr_null(same.values);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_dropped_sparse_input_teaches_the_weights_through_what_is_left)
{
    op_bench b = op_bench_open();
    cru_input in = sparse_input(&b, &weighted);
    cru_tensor *w = op_matrix(&b, N, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(w);
    cru_input dropped = cru_input_dropout(b.tape, &in, 0.5f);
    cru_tensor *dense = cru_input_dense(b.tape, &dropped);
    cru_backward(b.tape, cru_sum(b.tape, cru_input_linear(b.tape, &dropped, w, NULL), CRU_ALL));
    for (int64_t u = 0; u < N; u++) {
        double column = 0;
        for (int64_t i = 0; i < N; i++) column += at(dense, i, u);
        ck_assert_double_eq_tol(at(cru_grad_of(b.tape, w), u, 0), column, 1e-5);
    }
    op_bench_close(&b);
}
END_TEST

static cru_tensor *linear_of_rows(void *user, cru_tape *t, operands x)
{
    static const int32_t rows[] = {5, 3, 0, 5};
    cru_input batch = cru_input_rows(t, user, (cru_index){rows, 4});
    return cru_input_linear(t, &batch, x[0], NULL);
}

START_TEST(rows_of_an_input_make_a_batch)
{
    op_bench b = op_bench_open();
    static const int32_t rows[] = {5, 3, 0, 5};
    cru_tensor *w = op_matrix(&b, N, 3, -1, 1);
    cru_input inputs[] = {sparse_input(&b, &weighted), sparse_input(&b, &plain), {0}};
    cru_tape_begin(b.tape, CRU_EVAL);
    inputs[2] = cru_input_of(op_matrix(&b, N, N, -1, 1));
    cru_input *in = &inputs[_i];
    cru_tensor *whole = cru_input_linear(b.tape, in, w, NULL), *y = linear_of_rows(in, b.tape, &w);
    ck_assert_int_eq(cru_tensor_rows(y), 4);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t k = 0; k < 3; k++) ck_assert_double_eq_tol(at(y, i, k), at(whole, rows[i], k), 1e-6);
    op_check(&b, linear_of_rows, in, &w, 1);
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
    tcase_add_loop_test(c, a_segment_is_reduced_and_an_empty_one_is_zero, CRU_REDUCE_SUM, CRU_REDUCE_MIN + 1);
    tcase_add_test(c, softmax_stays_within_its_segment);
    tcase_add_loop_test(c, a_sparse_input_multiplies_like_a_dense_one, 0, 2);
    tcase_add_test(c, values_of_a_sparse_input_can_be_learned);
    tcase_add_test(c, dropout_of_a_sparse_input_touches_stored_values_only);
    tcase_add_test(c, a_dropped_sparse_input_teaches_the_weights_through_what_is_left);
    tcase_add_loop_test(c, rows_of_an_input_make_a_batch, 0, 3);
    suite_add_tcase(s, c);
    return s;
}
