// SPDX-License-Identifier: Apache-2.0
/* The results of operators against loops in double; their gradients are compared with differences elsewhere, which does
 * not tell whether the function is the right one. */
#include <crucible/draft/ops-basic.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;
typedef cru_tensor *operator_of(cru_tape *t, operands x);
typedef double formula(operands x, int64_t row, int64_t col);

/* ---- two operands ------------------------------------------------------------------------------------------- */

/* Broadcast as the header says: a scalar, a row, a column or the same shape. */
static double repeated(const cru_tensor *x, int64_t i, int64_t k)
{
    if (x->rank < 2) return (double)test_value(x, cru_tensor_count(x) == 1 ? 0 : k);
    return op_at(x, x->dim[0] == 1 ? 0 : i, x->dim[1] == 1 ? 0 : k);
}

static cru_tensor *sub(cru_tape *t, operands x)
{
    return cru_sub(t, x[0], x[1]);
}
static double ref_sub(operands x, int64_t i, int64_t k)
{
    return repeated(x[0], i, k) - repeated(x[1], i, k);
}
static cru_tensor *add(cru_tape *t, operands x)
{
    return cru_add(t, x[0], x[1]);
}
static double ref_add(operands x, int64_t i, int64_t k)
{
    return repeated(x[0], i, k) + repeated(x[1], i, k);
}
static cru_tensor *mul(cru_tape *t, operands x)
{
    return cru_mul(t, x[0], x[1]);
}
static double ref_mul(operands x, int64_t i, int64_t k)
{
    return repeated(x[0], i, k) * repeated(x[1], i, k);
}
static cru_tensor *divide(cru_tape *t, operands x)
{
    return cru_div(t, x[0], x[1]);
}
static double ref_divide(operands x, int64_t i, int64_t k)
{
    return repeated(x[0], i, k) / repeated(x[1], i, k);
}
static cru_tensor *maximum(cru_tape *t, operands x)
{
    return cru_maximum(t, x[0], x[1]);
}
static double ref_maximum(operands x, int64_t i, int64_t k)
{
    return fmax(repeated(x[0], i, k), repeated(x[1], i, k));
}
static cru_tensor *minimum(cru_tape *t, operands x)
{
    return cru_minimum(t, x[0], x[1]);
}
static double ref_minimum(operands x, int64_t i, int64_t k)
{
    return fmin(repeated(x[0], i, k), repeated(x[1], i, k));
}
static cru_tensor *lerp(cru_tape *t, operands x)
{
    return cru_lerp(t, x[0], x[1], 0.3f);
}
static double ref_lerp(operands x, int64_t i, int64_t k)
{
    return 0.7 * op_at(x[0], i, k) + 0.3 * op_at(x[1], i, k);
}
/* The mask: 1 where the third operand is positive. */
static cru_tensor *where(cru_tape *t, operands x)
{
    return cru_where(t, cru_affine(t, cru_sign(t, x[2]), 0.5f, 0.5f), x[0], x[1]);
}
static double ref_where(operands x, int64_t i, int64_t k)
{
    return op_at(x[op_at(x[2], i, k) > 0 ? 0 : 1], i, k);
}
static cru_tensor *prelu(cru_tape *t, operands x)
{
    return cru_prelu(t, x[0], x[1]);
}
static double ref_prelu(operands x, int64_t i, int64_t k)
{
    double value = op_at(x[0], i, k);
    return value > 0 ? value : value * repeated(x[1], i, k);
}

/* ---- products ------------------------------------------------------------------------------------------------- */

static double product(const cru_tensor *a, const cru_tensor *b, int64_t i, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < cru_tensor_cols(a); j++) sum += op_at(a, i, j) * op_at(b, j, k);
    return sum;
}
static cru_tensor *linear(cru_tape *t, operands x)
{
    return cru_linear(t, x[0], x[1], x[2]);
}
static double ref_linear(operands x, int64_t i, int64_t k)
{
    return product(x[0], x[1], i, k) + (double)test_value(x[2], k);
}
static cru_tensor *linear_act(cru_tape *t, operands x)
{
    return cru_linear_act(t, x[0], x[1], x[2], CRU_UNARY_SIGMOID);
}
static double ref_linear_act(operands x, int64_t i, int64_t k)
{
    return 1 / (1 + exp(-ref_linear(x, i, k)));
}
static cru_tensor *dot_rows(cru_tape *t, operands x)
{
    return cru_dot_rows(t, x[0], x[1]);
}
static double ref_dot_rows(operands x, int64_t i, int64_t k)
{
    (void)k;
    double sum = 0;
    for (int64_t j = 0; j < cru_tensor_cols(x[0]); j++) sum += op_at(x[0], i, j) * op_at(x[1], i, j);
    return sum;
}
static cru_tensor *mix(cru_tape *t, operands x)
{
    return cru_mix(t, x, 2, x[2]);
}
static double ref_mix(operands x, int64_t i, int64_t k)
{
    return (double)test_value(x[2], 0) * op_at(x[0], i, k) + (double)test_value(x[2], 1) * op_at(x[1], i, k);
}

/* ---- shapes --------------------------------------------------------------------------------------------------- */

static cru_tensor *transposed(cru_tape *t, operands x)
{
    return cru_transposed(t, x[0]);
}
static double ref_transposed(operands x, int64_t i, int64_t k)
{
    return op_at(x[0], k, i);
}
static cru_tensor *beside(cru_tape *t, operands x)
{
    return cru_concat_cols(t, x, 3);
}
static double ref_beside(operands x, int64_t i, int64_t k)
{
    int which = 0;
    while (k >= cru_tensor_cols(x[which])) k -= cru_tensor_cols(x[which++]);
    return op_at(x[which], i, k);
}
static cru_tensor *below(cru_tape *t, operands x)
{
    return cru_concat_rows(t, x, 3);
}
static double ref_below(operands x, int64_t i, int64_t k)
{
    int which = 0;
    while (i >= cru_tensor_rows(x[which])) i -= cru_tensor_rows(x[which++]);
    return op_at(x[which], i, k);
}
static cru_tensor *columns(cru_tape *t, operands x)
{
    return cru_slice_cols(t, x[0], 2, 5);
}
static double ref_columns(operands x, int64_t i, int64_t k)
{
    return op_at(x[0], i, 2 + k);
}
static cru_tensor *rows(cru_tape *t, operands x)
{
    return cru_slice_rows(t, x[0], 1, 4);
}
static double ref_rows(operands x, int64_t i, int64_t k)
{
    return op_at(x[0], 1 + i, k);
}
static cru_tensor *broadcast(cru_tape *t, operands x)
{
    return cru_broadcast(t, x[0], 4, 5);
}
static double ref_broadcast(operands x, int64_t i, int64_t k)
{
    return repeated(x[0], i, k);
}

static const int32_t picks[] = {3, 0, 3, 1, 2};

static cru_tensor *gather(cru_tape *t, operands x)
{
    return cru_gather(t, x[0], cru_index_step(t, picks, 5));
}
static double ref_gather(operands x, int64_t i, int64_t k)
{
    return op_at(x[0], picks[i], k);
}
static cru_tensor *pick(cru_tape *t, operands x)
{
    return cru_pick(t, x[0], cru_index_step(t, picks, 5));
}
static double ref_pick(operands x, int64_t i, int64_t k)
{
    (void)k;
    return op_at(x[0], i, picks[i]);
}

/* ---- similarity ----------------------------------------------------------------------------------------------- */

static double inner(const cru_tensor *a, int64_t i, const cru_tensor *b, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < cru_tensor_cols(a); j++) sum += op_at(a, i, j) * op_at(b, k, j);
    return sum;
}
static cru_tensor *cosines(cru_tape *t, operands x)
{
    return cru_cosine_matrix(t, x[0], x[1], 1e-8f);
}
static double ref_cosines(operands x, int64_t i, int64_t k)
{
    return inner(x[0], i, x[1], k) / sqrt(inner(x[0], i, x[0], i) * inner(x[1], k, x[1], k));
}
static cru_tensor *cosine_rows(cru_tape *t, operands x)
{
    return cru_cosine_rows(t, x[0], x[1], 1e-8f);
}
static double ref_cosine_rows(operands x, int64_t i, int64_t k)
{
    (void)k;
    return ref_cosines(x, i, i);
}
static cru_tensor *distances(cru_tape *t, operands x)
{
    return cru_distance_matrix(t, x[0], x[1]);
}
static double ref_distances(operands x, int64_t i, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < cru_tensor_cols(x[0]); j++) sum += pow(op_at(x[0], i, j) - op_at(x[1], k, j), 2);
    return sum;
}
static cru_tensor *normalize_l1(cru_tape *t, operands x)
{
    return cru_normalize_l1(t, x[0], 1e-12f);
}
static double ref_normalize_l1(operands x, int64_t i, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < cru_tensor_cols(x[0]); j++) sum += fabs(op_at(x[0], i, j));
    return op_at(x[0], i, k) / sum;
}
static cru_tensor *normalize_l2(cru_tape *t, operands x)
{
    return cru_normalize_l2(t, x[0], 1e-12f);
}
static double ref_normalize_l2(operands x, int64_t i, int64_t k)
{
    return op_at(x[0], i, k) / sqrt(inner(x[0], i, x[0], i));
}

static const struct {
    const char *name;
    operator_of *op;
    formula *expected;
    int64_t operands, shape[3][2]; /* 0 columns: a vector; 0 rows: a scalar */
} cases[] = {
    {"add", add, ref_add, 2, {{4, 5}, {4, 5}}},
    {"add a row", add, ref_add, 2, {{4, 5}, {5}}},
    {"sub a column", sub, ref_sub, 2, {{4, 5}, {4, 1}}},
    {"sub from a row", sub, ref_sub, 2, {{1, 5}, {4, 5}}},
    {"mul by a column", mul, ref_mul, 2, {{4, 1}, {4, 5}}},
    {"mul by a scalar", mul, ref_mul, 2, {{4, 5}, {0}}},
    {"div by a row", divide, ref_divide, 2, {{4, 5}, {5}}},
    {"div of a scalar", divide, ref_divide, 2, {{0}, {4, 5}}},
    {"maximum", maximum, ref_maximum, 2, {{4, 5}, {4, 5}}},
    {"maximum with a column", maximum, ref_maximum, 2, {{4, 5}, {4, 1}}},
    {"minimum", minimum, ref_minimum, 2, {{4, 5}, {4, 5}}},
    {"minimum with a scalar", minimum, ref_minimum, 2, {{4, 5}, {0}}},
    {"lerp", lerp, ref_lerp, 2, {{4, 5}, {4, 5}}},
    {"where", where, ref_where, 3, {{4, 5}, {4, 5}, {4, 5}}},
    {"prelu of columns", prelu, ref_prelu, 2, {{4, 5}, {5}}},
    {"prelu of all", prelu, ref_prelu, 2, {{4, 5}, {1}}},
    {"linear", linear, ref_linear, 3, {{4, 5}, {5, 3}, {3}}},
    {"linear_act", linear_act, ref_linear_act, 3, {{4, 5}, {5, 3}, {3}}},
    {"dot_rows", dot_rows, ref_dot_rows, 2, {{4, 5}, {4, 5}}},
    {"mix", mix, ref_mix, 3, {{4, 5}, {4, 5}, {2}}},
    {"transposed", transposed, ref_transposed, 1, {{4, 5}}},
    {"concat_cols", beside, ref_beside, 3, {{4, 5}, {4, 1}, {4, 2}}},
    {"concat_rows", below, ref_below, 3, {{4, 5}, {1, 5}, {2, 5}}},
    {"slice_cols", columns, ref_columns, 1, {{4, 6}}},
    {"slice_rows", rows, ref_rows, 1, {{5, 3}}},
    {"broadcast a row", broadcast, ref_broadcast, 1, {{1, 5}}},
    {"broadcast a column", broadcast, ref_broadcast, 1, {{4, 1}}},
    {"broadcast a scalar", broadcast, ref_broadcast, 1, {{0}}},
    {"gather", gather, ref_gather, 1, {{4, 3}}},
    {"pick", pick, ref_pick, 1, {{5, 4}}},
    {"cosine_matrix", cosines, ref_cosines, 2, {{4, 3}, {6, 3}}},
    {"cosine_rows", cosine_rows, ref_cosine_rows, 2, {{4, 3}, {4, 3}}},
    {"distance_matrix", distances, ref_distances, 2, {{4, 3}, {6, 3}}},
    {"normalize_l1", normalize_l1, ref_normalize_l1, 1, {{4, 3}}},
    {"normalize_l2", normalize_l2, ref_normalize_l2, 1, {{4, 3}}},
};

/* Numbers of both signs, none near 0; operands differ in where they are negative. */
static cru_tensor *operand(op_bench *b, const int64_t shape[2], int64_t number)
{
    const int32_t rank = shape[0] ? (shape[1] ? 2 : 1) : 0;
    cru_tensor *x = op_values(b, rank, shape, 0.2 + 0.1 * (double)number, 1.5);
    for (int64_t i = number % 3; i < cru_tensor_count(x); i += 3) test_put(x, i, -test_value(x, i));
    return x;
}

START_TEST(an_operator_follows_its_formula)
{
    op_bench b = op_bench_open();
    cru_tensor *x[3] = {0};
    for (int64_t k = 0; k < cases[_i].operands; k++) x[k] = operand(&b, cases[_i].shape[k], k);
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_tensor *y = cases[_i].op(b.tape, x);
    for (int64_t i = 0; i < cru_tensor_rows(y); i++)
        for (int64_t k = 0; k < cru_tensor_cols(y); k++) {
            const double expected = cases[_i].expected(x, i, k);
            ck_assert_msg(fabs(op_at(y, i, k) - expected) < 5e-6, "%s at %lld, %lld: %g, not %g", cases[_i].name,
                          (long long)i, (long long)k, op_at(y, i, k), expected);
        }
    op_bench_close(&b);
}
END_TEST

START_TEST(batches_of_products_in_every_transposition)
{
    enum { BATCH = 3, M = 2, K = 5, W = 4 };
    op_bench b = op_bench_open();
    const cru_transpose op = (cru_transpose)_i;
    const bool ta = op & CRU_TN, tb = op & CRU_NT;
    cru_tensor *x = op_values(&b, 3, (const int64_t[]){BATCH, ta ? K : M, ta ? M : K}, -1, 1);
    cru_tensor *y = op_values(&b, 3, (const int64_t[]){BATCH, tb ? W : K, tb ? K : W}, -1, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    const float *z = test_values(cru_bmm(b.tape, x, y, op));
    for (int64_t at = 0; at < BATCH * M * W; at++) {
        const int64_t n = at / (M * W), i = at / W % M, k = at % W;
        double sum = 0;
        for (int64_t j = 0; j < K; j++)
            sum += (double)test_value(x, n * M * K + (ta ? j * M + i : i * K + j)) *
                   (double)test_value(y, n * K * W + (tb ? k * K + j : j * W + k));
        ck_assert_double_eq_tol((double)z[at], sum, 1e-5);
    }
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("values of operators");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, an_operator_follows_its_formula, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(c, batches_of_products_in_every_transposition, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
