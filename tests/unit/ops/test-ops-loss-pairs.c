// SPDX-License-Identifier: Apache-2.0
/* Losses of two tensors, ranking and contrast: against their formulas in double precision, and their gradients against
 * differences. */
#include <crucible/draft/ops-loss.h>
#include <crucible/draft/tensor.h>

#include "ops/losses.h"

enum { N = 5, C = 4 };

static const int32_t all_labels[N] = {1, 3, 0, 2, 1};

/* ---- losses of two tensors ------------------------------------------------------------------------------- */

typedef cru_tensor *const *operands;

static double xlogx(double p, double log_q)
{
    return p > 0 ? p * (log(p) - log_q) : 0;
}

static double ref_soft(operands x, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < C; k++) sum -= op_at(x[1], i, k) * log_softmax(x[0], i, k);
    return sum;
}
static double ref_kl(operands x, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < C; k++) sum += xlogx(op_at(x[0], i, k), op_at(x[1], i, k));
    return sum;
}
static double ref_js(operands x, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < C; k++) {
        double p = exp(log_softmax(x[0], i, k)), q = exp(log_softmax(x[1], i, k)), log_m = log((p + q) / 2);
        sum += 0.5 * (xlogx(p, log_m) + xlogx(q, log_m));
    }
    return sum;
}
static double bce_of(double log_p, double log_not, double y, double pos)
{
    return -pos * y * log_p - (1 - y) * log_not;
}
static double ref_bce_logits(operands x, int64_t i)
{
    double z = test_value(x[0], i);
    return bce_of(-log1p(exp(-z)), -log1p(exp(z)), test_value(x[1], i), 3);
}
static double ref_bce_logits_weighted(operands x, int64_t i)
{
    return (double)test_value(x[2], i) * ref_bce_logits(x, i);
}
static double ref_bce(operands x, int64_t i)
{
    double p = test_value(x[0], i);
    return bce_of(log(p), log(1 - p), test_value(x[1], i), 1);
}
static double ref_mse(operands x, int64_t i)
{
    return pow((double)test_value(x[0], i) - (double)test_value(x[1], i), 2);
}
static double ref_mae(operands x, int64_t i)
{
    return fabs((double)test_value(x[0], i) - (double)test_value(x[1], i));
}

static cru_tensor *soft(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_soft_cross_entropy(t, x[0], x[1]);
}
static cru_tensor *soft_each(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_soft_cross_entropy_each(t, x[0], x[1]);
}
static cru_tensor *kl(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_kl(t, x[0], x[1]);
}
static cru_tensor *kl_each(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_kl_each(t, x[0], x[1]);
}
static cru_tensor *js(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_js_logits(t, x[0], x[1]);
}
static cru_tensor *bce_logits(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_bce_logits(t, x[0], x[1], 3);
}
static cru_tensor *bce_logits_each(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_bce_logits_each(t, x[0], x[1], x[2], 3);
}
static cru_tensor *bce(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_bce(t, x[0], x[1]);
}
static cru_tensor *mse(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_mse(t, x[0], x[1]);
}
static cru_tensor *mae(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_mae(t, x[0], x[1]);
}

/* `part` gives the loss of a row or of an element; a scalar loss is its mean. */
static const struct {
    const char *name;
    op_case *loss;
    double (*part)(operands x, int64_t i);
    int64_t parts, operands;
    double a[2], b[2]; /* ranges of the first two operands */
} pair_cases[] = {
    {"soft cross-entropy", soft, ref_soft, N, 2, {-2, 2}, {0, 1}},
    {"soft cross-entropy, each", soft_each, ref_soft, N, 2, {-2, 2}, {0, 1}},
    {"kl", kl, ref_kl, N, 2, {0.05, 0.9}, {-3, 0}},
    {"kl, each", kl_each, ref_kl, N, 2, {0.05, 0.9}, {-3, 0}},
    {"js", js, ref_js, N, 2, {-2, 2}, {-1, 3}},
    {"bce with logits", bce_logits, ref_bce_logits, N *C, 2, {-3, 3}, {0, 1}},
    {"bce with logits, each", bce_logits_each, ref_bce_logits_weighted, N *C, 3, {-3, 3}, {0, 1}},
    {"bce", bce, ref_bce, N *C, 2, {0.1, 0.9}, {0, 1}},
    {"mse", mse, ref_mse, N *C, 2, {-1, 1}, {-2, 2}},
    {"mae", mae, ref_mae, N *C, 2, {-1, 1}, {1.2, 2}},
};

START_TEST(a_loss_of_two_tensors_follows_its_formula)
{
    op_bench b = op_bench_open();
    cru_tensor *x[] = {op_matrix(&b, N, C, pair_cases[_i].a[0], pair_cases[_i].a[1]),
                       op_matrix(&b, N, C, pair_cases[_i].b[0], pair_cases[_i].b[1]), op_matrix(&b, N, C, 0.5, 2)};
    for (int64_t k = 0; k < N * C / 2; k++) { /* the second operand must not follow the first */
        float swap = test_value(x[1], k);
        test_put(x[1], k, test_value(x[1], N * C - 1 - k));
        test_put(x[1], N * C - 1 - k, swap);
    }
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = pair_cases[_i].loss(NULL, b.tape, x);
    double mean = 0;
    for (int64_t i = 0; i < pair_cases[_i].parts; i++) {
        double part = pair_cases[_i].part(x, i);
        mean += part / (double)pair_cases[_i].parts;
        if (cru_tensor_count(y) > 1) ck_assert_double_eq_tol((double)test_value(y, i), part, 1e-5);
    }
    if (cru_tensor_count(y) == 1)
        ck_assert_msg(fabs((double)test_value(y, 0) - mean) < 1e-5, "%s: %g, not %g", pair_cases[_i].name,
                      (double)test_value(y, 0), mean);
    op_check(&b, pair_cases[_i].loss, NULL, x, pair_cases[_i].operands);
    op_bench_close(&b);
}
END_TEST

START_TEST(binary_cross_entropy_of_certain_answers_is_bounded_as_in_pytorch)
{
    op_bench b = op_bench_open();
    const int64_t four = 4;
    cru_tensor *p = cru_tensor_from(b.ctx, cru_1d(four), (const float[]){0, 1, 0, 1});
    cru_tensor *y = cru_tensor_from(b.ctx, cru_1d(four), (const float[]){1, 0, 0, 1});
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(p);
    cru_tensor *loss = cru_bce(b.tape, p, y);
    ck_assert_float_eq_tol(cru_tensor_item(b.tape, loss), 50, 1e-4f); /* two of four are wrong by 100 */
    cru_backward(b.tape, loss);
    const float *grad = test_values(cru_grad_of(b.tape, p));
    const float expected[] = {-0.25e12f, 0.25e12f, 0, 0}; /* (p - y) / max(p (1 - p), 1e-12) / 4 */
    for (int i = 0; i < 4; i++) ck_assert_float_eq_tol(grad[i], expected[i], 1e6f);
    op_bench_close(&b);
}
END_TEST

START_TEST(divergence_of_a_zero_probability_is_finite)
{
    op_bench b = op_bench_open();
    const int64_t dim[] = {1, 2};
    cru_tensor *p = cru_tensor_from(b.ctx, cru_nd(2, dim), (const float[]){0, 1});
    cru_tensor *log_q = cru_tensor_from(b.ctx, cru_nd(2, dim), (const float[]){-1, -2});
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(p);
    cru_tensor *loss = cru_kl(b.tape, p, log_q);
    ck_assert_float_eq(cru_tensor_item(b.tape, loss), 2);
    cru_backward(b.tape, loss);
    for (int i = 0; i < 2; i++) ck_assert(isfinite(test_value(cru_grad_of(b.tape, p), i)));
    op_bench_close(&b);
}
END_TEST

static cru_tensor *ranking(void *user, cru_tape *t, operands x)
{
    return cru_margin_ranking(t, x[0], x[1], user, 0.4f);
}

START_TEST(margin_ranking_punishes_pairs_in_the_wrong_order)
{
    op_bench b = op_bench_open();
    const int64_t n = 7;
    cru_tensor *x[] = {op_values(&b, 1, &n, -1, 1), op_values(&b, 1, &n, -0.5, 0.4)};
    cru_tensor *sign = cru_tensor_from(b.ctx, cru_1d(n), (const float[]){1, -1, 1, 1, -1, -1, 1});
    cru_tape_begin(b.tape, CRU_EVAL);
    double mean = 0;
    for (int i = 0; i < n; i++)
        mean += fmax(0, 0.4 - (double)(test_value(sign, i) * (test_value(x[0], i) - test_value(x[1], i)))) / (double)n;
    ck_assert_double_eq_tol((double)test_value(ranking(sign, b.tape, x), 0), mean, 1e-6);
    op_check(&b, ranking, sign, x, 2);
    op_bench_close(&b);
}
END_TEST

/* ---- contrastive ----------------------------------------------------------------------------------------- */

static double cosine(const cru_tensor *a, int64_t i, const cru_tensor *b, int64_t j)
{
    double dot = 0, aa = 0, bb = 0;
    for (int64_t k = 0; k < cru_tensor_cols(a); k++) {
        dot += op_at(a, i, k) * op_at(b, j, k);
        aa += op_at(a, i, k) * op_at(a, i, k);
        bb += op_at(b, j, k) * op_at(b, j, k);
    }
    return dot / sqrt(aa * bb);
}

static cru_tensor *info_nce(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_info_nce(t, x[0], x[1], 0.5f);
}
static cru_tensor *nt_xent(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_nt_xent(t, x[0], x[1], 0.5f);
}
static cru_tensor *sup_con(void *user, cru_tape *t, operands x)
{
    return cru_sup_con(t, x[0], *(cru_index *)user, 0.5f);
}

static cru_tensor *view_contrast(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_view_contrast(t, x[0], x[1], 0.5f, true);
}
static cru_tensor *view_contrast_in_float(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_view_contrast(t, x[0], x[1], 0.5f, false);
}

static double product(const cru_tensor *a, int64_t i, const cru_tensor *b, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < cru_tensor_cols(a); k++) sum += op_at(a, i, k) * op_at(b, j, k);
    return sum;
}
static double ref_view_contrast(operands x)
{
    double sum = 0;
    for (int64_t i = 0; i < N; i++)
        for (int v = 0; v < 2; v++) {
            const double lengths = sqrt(product(x[0], i, x[0], i) * product(x[1], i, x[1], i));
            const double pos = exp(product(x[0], i, x[1], i) / lengths / 0.5);
            double neg = pos;
            for (int64_t j = 0; j < N; j++) neg += exp(product(x[v], i, x[v], j) / 0.5);
            sum -= log(pos / (pos + neg));
        }
    return sum / (2 * N);
}

static double ref_info_nce(operands x)
{
    double mean = 0;
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        for (int64_t j = 0; j < N; j++) sum += exp(2 * cosine(x[0], i, x[1], j));
        mean += (log(sum) - 2 * cosine(x[0], i, x[1], i)) / N;
    }
    return mean;
}

static double ref_nt_xent(operands x)
{
    double mean = 0;
    for (int64_t i = 0; i < 2 * N; i++) {
        double sum = 0, own = 2 * cosine(x[i / N], i % N, x[1 - i / N], i % N);
        for (int64_t j = 0; j < 2 * N; j++)
            if (j != i) sum += exp(2 * cosine(x[i / N], i % N, x[j / N], j % N));
        mean += (log(sum) - own) / (2 * N);
    }
    return mean;
}

/* Items 0 and 4 share label 1; the others are alone. */
static double ref_sup_con(operands x)
{
    double mean = 0;
    for (int64_t i = 0; i < N; i += 4) {
        double sum = 0;
        for (int64_t j = 0; j < N; j++)
            if (j != i) sum += exp(2 * cosine(x[0], i, x[0], j));
        mean += (log(sum) - 2 * cosine(x[0], 0, x[0], 4)) / 2;
    }
    return mean;
}

START_TEST(contrastive_losses_follow_their_formulas)
{
    op_bench b = op_bench_open();
    cru_tensor *x[] = {op_matrix(&b, N, 3, -1, 1), op_matrix(&b, N, 3, -0.7, 1.3)};
    cru_index labels = cru_index_create(b.ctx, all_labels, N);
    cru_tape_begin(b.tape, CRU_EVAL);
    ck_assert_double_eq_tol((double)test_value(info_nce(NULL, b.tape, x), 0), ref_info_nce(x), 1e-5);
    ck_assert_double_eq_tol((double)test_value(nt_xent(NULL, b.tape, x), 0), ref_nt_xent(x), 1e-5);
    ck_assert_double_eq_tol((double)test_value(sup_con(&labels, b.tape, x), 0), ref_sup_con(x), 1e-5);
    ck_assert_double_eq_tol((double)test_value(view_contrast(NULL, b.tape, x), 0), ref_view_contrast(x), 1e-5);
    ck_assert_double_eq_tol((double)test_value(view_contrast_in_float(NULL, b.tape, x), 0), ref_view_contrast(x), 1e-5);
    op_check(&b, view_contrast, NULL, x, 2);
    op_check(&b, view_contrast_in_float, NULL, x, 2);
    op_check(&b, info_nce, NULL, x, 2);
    op_check(&b, nt_xent, NULL, x, 2);
    op_check(&b, sup_con, &labels, x, 1);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *lse_products(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_lse_products(t, x[0], x[1], 0.7f);
}

static cru_tensor *lse_own_products(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_lse_products(t, x[0], x[0], 0.7f);
}

/* <a_i, b_j>, rows of `cols` values */
static double product_of(const float *a, int64_t i, const float *b, int64_t j, int64_t cols)
{
    double sum = 0;
    for (int64_t k = 0; k < cols; k++) sum += (double)a[i * cols + k] * (double)b[j * cols + k];
    return sum;
}

typedef struct lse_pair {
    const float *a, *b;
    int64_t others, cols;
} lse_pair;

static lse_pair lse_pair_of(operands x)
{
    return (lse_pair){test_values(x[0]), test_values(x[1]), cru_tensor_rows(x[1]), cru_tensor_cols(x[0])};
}

static double ref_lse_product(const lse_pair *p, int64_t i)
{
    double sum = 0;
    for (int64_t j = 0; j < p->others; j++) {
        double product = product_of(p->a, i, p->b, j, p->cols);
        sum += exp((double)0.7f * product);
    }
    return log(sum);
}

/* The second size needs several blocks of rows, the last one smaller. */
START_TEST(log_sums_over_all_products)
{
    static const int64_t sizes[][2] = {{5, 7}, {601, 1000}, {1, 1}};
    op_bench b = op_bench_open();
    const int64_t n = sizes[_i][0], m = sizes[_i][1];
    cru_tensor *x[] = {op_matrix(&b, n, 3, -2, 2), op_matrix(&b, m, 3, -1, 3)};
    cru_tape_begin(b.tape, CRU_EVAL);
    const float *y = test_values(lse_products(NULL, b.tape, x));
    const lse_pair p = lse_pair_of(x);
    for (int64_t i = 0; i < n; i++) ck_assert_double_eq_tol((double)y[i], ref_lse_product(&p, i), 1e-5);
    if (n < 10) op_check(&b, lse_products, NULL, x, 2);
    if (n < 10) op_check(&b, lse_own_products, NULL, x, 1);
    op_bench_close(&b);
}
END_TEST

/* Over several blocks: the gradient of the sum with respect to b_j is scale sum_i P_ij a_i. */
START_TEST(gradients_of_log_sums_add_up_over_blocks)
{
    enum { ROWS = 601, OTHERS = 1000 };
    op_bench b = op_bench_open();
    cru_tensor *x[] = {op_matrix(&b, ROWS, 1, -2, 2), op_matrix(&b, OTHERS, 1, -1, 3)};
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x[0]);
    cru_tensor_watch(x[1]);
    cru_backward(b.tape, cru_sum(b.tape, lse_products(NULL, b.tape, x), CRU_ALL));
    const cru_tensor *da = cru_grad_of(b.tape, x[0]), *db = cru_grad_of(b.tape, x[1]);
    const lse_pair p = lse_pair_of(x);
    const double of_last = ref_lse_product(&p, ROWS - 1);
    double first = 0, last = 0; /* of b_0 and of the last row of a */
    for (int64_t i = 0; i < ROWS; i++)
        first += 0.7 * exp(0.7 * product_of(p.a, i, p.b, 0, 1) - ref_lse_product(&p, i)) * (double)p.a[i];
    for (int64_t j = 0; j < OTHERS; j++)
        last += 0.7 * exp(0.7 * product_of(p.a, ROWS - 1, p.b, j, 1) - of_last) * (double)p.b[j];
    ck_assert_double_eq_tol((double)test_value(db, 0), first, 1e-4);
    ck_assert_double_eq_tol((double)test_value(da, ROWS - 1), last, 1e-4);
    op_bench_close(&b);
}
END_TEST

/* The gradient of sum_i w_i y_i with respect to column k of row i, given y. */
static double ref_own_gradient(const lse_pair *p, const double *y, const float *w, int64_t i, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < p->others; j++) {
        const double product = (double)0.7f * product_of(p->a, i, p->a, j, p->cols);
        const double share = (double)w[i] * exp(product - y[i]) + (double)w[j] * exp(product - y[j]);
        sum += (double)0.7f * share * (double)p->a[j * p->cols + k];
    }
    return sum;
}

/* One tensor against itself takes half the products, unless they are too large: rows up to 1.7 long, or up to 17. The
 * last size needs three rows of tiles, the last of six rows. */
START_TEST(log_sums_over_own_products)
{
    static const int64_t sizes[] = {1, 2, 15, 17, 1030};
    const int64_t n = sizes[_i / 2], apart = n > 100 ? n / 4 : 1;
    const double most = _i % 2 ? 10 : 1;
    op_bench b = op_bench_open();
    cru_tensor *own = op_matrix(&b, n, 3, -most, most), *x[] = {own, own};
    float *w = cru_ctx_alloc(b.ctx, n, sizeof *w);
    double *expected = cru_ctx_alloc(b.ctx, n, sizeof *expected);
    const lse_pair p = lse_pair_of(x);
    for (int64_t i = 0; i < n; i++) w[i] = 1 + (float)(i % 3), expected[i] = ref_lse_product(&p, i);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(own);
    cru_tensor *y = lse_own_products(NULL, b.tape, x);
    const float *sums = test_values(y);
    for (int64_t i = 0; i < n; i++)
        ck_assert_double_eq_tol((double)sums[i], expected[i], 2e-6 * (1 + fabs(expected[i])));
    cru_backward(b.tape, cru_sum(b.tape, cru_mul(b.tape, y, cru_tensor_upload(b.tape, cru_1d(n), w)), CRU_ALL));
    const cru_tensor *dx = cru_grad_of(b.tape, own);
    for (int64_t i = n - 1; i >= 0; i -= apart)
        for (int64_t k = 0; k < 3; k++) {
            const double slope = ref_own_gradient(&p, expected, w, i, k);
            ck_assert_double_eq_tol(op_at(dx, i, k), slope, 2e-4 * (1 + fabs(slope)));
        }
    op_bench_close(&b);
}
END_TEST

static cru_tensor *sigmoid_products(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_scale(t, cru_square_sigmoid_products(t, x[0]), 0.3f);
}

/* The second size needs several blocks of rows, the last one smaller. */
START_TEST(squares_of_sigmoids_of_all_products)
{
    static const int64_t sizes[] = {7, 601, 1};
    op_bench b = op_bench_open();
    const int64_t n = sizes[_i];
    cru_tensor *x[] = {op_matrix(&b, n, 3, -2, 2)};
    const float *rows = test_values(x[0]);
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) sum += pow(1 / (1 + exp(-product_of(rows, i, rows, j, 3))), 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    ck_assert_double_eq_tol((double)cru_tensor_item(b.tape, sigmoid_products(NULL, b.tape, x)), 0.3 * sum, 1e-5 * sum);
    if (n < 10) op_check(&b, sigmoid_products, NULL, x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- nothing to average ---------------------------------------------------------------------------------------- */

static const cru_index no_rows = {all_labels, 0};

START_TEST(a_loss_of_no_rows_is_nan_and_moves_nothing)
{
    op_bench b = op_bench_open();
    cru_tensor *z = op_matrix(&b, N, C, 0.1, 0.9);
    static op_case *const losses[] = {soft, kl, js, bce_logits, bce, mse, mae, info_nce, nt_xent};
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(z);
    cru_tensor *none = cru_gather(b.tape, z, no_rows);
    cru_tensor *other = cru_tensor_matrix(b.tape, 0, C);
    check_empty(&b, losses[_i](NULL, b.tape, (cru_tensor *[]){none, other}), z);
    op_bench_close(&b);
}
END_TEST

START_TEST(supervised_contrast_without_a_pair_is_nan_and_moves_nothing)
{
    op_bench b = op_bench_open();
    cru_tensor *z = op_matrix(&b, 3, C, 0.1, 0.9);
    const int32_t labels[] = {0, 1, 2};
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(z);
    check_empty(&b, cru_sup_con(b.tape, z, cru_index_step(b.tape, labels, 3), 0.5f), z);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("losses of pairs");
    TCase *c = tcase_create("losses");
    tcase_add_loop_test(c, log_sums_over_all_products, 0, 3);
    tcase_add_loop_test(c, squares_of_sigmoids_of_all_products, 0, 3);
    tcase_add_test(c, gradients_of_log_sums_add_up_over_blocks);
    tcase_add_loop_test(c, log_sums_over_own_products, 0, 10);
    tcase_add_loop_test(c, a_loss_of_two_tensors_follows_its_formula, 0, (int)(sizeof pair_cases / sizeof *pair_cases));
    tcase_add_test(c, binary_cross_entropy_of_certain_answers_is_bounded_as_in_pytorch);
    tcase_add_test(c, divergence_of_a_zero_probability_is_finite);
    tcase_add_test(c, margin_ranking_punishes_pairs_in_the_wrong_order);
    tcase_add_test(c, contrastive_losses_follow_their_formulas);
    tcase_add_loop_test(c, a_loss_of_no_rows_is_nan_and_moves_nothing, 0, 9);
    tcase_add_test(c, supervised_contrast_without_a_pair_is_nan_and_moves_nothing);
    suite_add_tcase(s, c);
    return s;
}
