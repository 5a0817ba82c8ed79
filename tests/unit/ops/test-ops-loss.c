/* Every loss against its formula in double precision, and its gradient against differences. */
#include <string.h>

#include "ops/gradients.h"

/* ---- the items --------------------------------------------------------------------------------------------------- */

enum { N = 5, C = 4, CHOSEN = 3 };

static const int32_t all_labels[N] = {1, 3, 0, 2, 1};
static const int32_t chosen_rows[CHOSEN] = {4, 1, 3}, chosen_labels[CHOSEN] = {2, 0, 2};
static const float item_weights[CHOSEN] = {0.5f, 2, 1.5f}, class_weights[C] = {1, 0.5f, 2, 3};

static const cru_index chosen = {chosen_rows, CHOSEN};
static const cru_targets all = {.labels = {all_labels, N}};
static const cru_targets some = {.rows = &chosen, .labels = {chosen_labels, CHOSEN}};
static const cru_targets by_item = {.rows = &chosen, .labels = {chosen_labels, CHOSEN}, .weights = item_weights};
static const cru_targets by_class = {
    .rows = &chosen, .labels = {chosen_labels, CHOSEN}, .class_weights = class_weights};
static const cru_targets by_both = {
    .rows = &chosen, .labels = {chosen_labels, CHOSEN}, .weights = item_weights, .class_weights = class_weights};

/* ---- formulas -------------------------------------------------------------------------------------------------------
 */

static double at(const cru_tensor *x, int64_t i, int64_t k)
{
    return (double)x->data[i * cru_tensor_cols(x) + k];
}

static double log_softmax(const cru_tensor *z, int64_t i, int64_t k)
{
    double sum = 0;
    for (int64_t j = 0; j < cru_tensor_cols(z); j++) sum += exp(at(z, i, j));
    return at(z, i, k) - log(sum);
}

static double weight_of(const cru_targets *y, int64_t i)
{
    double w = y->weights ? (double)y->weights[i] : 1;
    return y->class_weights ? w * (double)y->class_weights[y->labels.ids[i]] : w;
}

typedef double item_loss(const cru_tensor *z, int64_t row, int32_t label);

static double mean_over(const cru_tensor *z, const cru_targets *y, item_loss *loss)
{
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < y->labels.count; i++) {
        sum += weight_of(y, i) * loss(z, y->rows ? y->rows->ids[i] : i, y->labels.ids[i]);
        weights += weight_of(y, i);
    }
    return sum / (y->class_weights ? weights : (double)y->labels.count);
}

static double xent_item(const cru_tensor *z, int64_t row, int32_t label)
{
    return -log_softmax(z, row, label);
}
static double nll_item(const cru_tensor *z, int64_t row, int32_t label)
{
    return -at(z, row, label);
}
static double gce_item(const cru_tensor *z, int64_t row, int32_t label)
{
    return (1 - pow(exp(log_softmax(z, row, label)), 0.7)) / 0.7;
}
static double focal_item(const cru_tensor *z, int64_t row, int32_t label)
{
    double log_p = log_softmax(z, row, label);
    return -pow(1 - exp(log_p), 2) * log_p;
}

/* ---- classification losses -------------------------------------------------------------------------------------- */

static cru_tensor *gce(cru_tape *t, cru_tensor *z, const cru_targets *y)
{
    return cru_gce(t, z, y, 0.7f);
}
static cru_tensor *focal(cru_tape *t, cru_tensor *z, const cru_targets *y)
{
    return cru_focal(t, z, y, 2);
}

typedef struct class_case {
    const char *name;
    cru_tensor *(*loss)(cru_tape *t, cru_tensor *z, const cru_targets *y);
    item_loss *item;
    const cru_targets *targets;
} class_case;

static const class_case class_cases[] = {
    {"cross-entropy", cru_cross_entropy, xent_item, &all},
    {"cross-entropy of some rows", cru_cross_entropy, xent_item, &some},
    {"cross-entropy by item", cru_cross_entropy, xent_item, &by_item},
    {"cross-entropy by class", cru_cross_entropy, xent_item, &by_class},
    {"cross-entropy by both", cru_cross_entropy, xent_item, &by_both},
    {"nll", cru_nll, nll_item, &all},
    {"nll of some rows", cru_nll, nll_item, &some},
    {"nll by item", cru_nll, nll_item, &by_item},
    {"nll by class", cru_nll, nll_item, &by_class},
    {"nll by both", cru_nll, nll_item, &by_both},
    {"gce", gce, gce_item, &all},
    {"gce of some rows", gce, gce_item, &some},
    {"focal", focal, focal_item, &all},
    {"focal of some rows", focal, focal_item, &some},
};

static cru_tensor *class_loss(void *user, cru_tape *t, cru_tensor *const *x)
{
    const class_case *c = user;
    return c->loss(t, x[0], c->targets);
}

START_TEST(a_classification_loss_follows_its_formula)
{
    op_bench b = op_bench_open();
    class_case c = class_cases[_i];
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    double value = (double)cru_tensor_item(b.tape, c.loss(b.tape, z, c.targets));
    double expected = mean_over(z, c.targets, c.item);
    ck_assert_msg(fabs(value - expected) < 1e-5, "%s: %g, not %g", c.name, value, expected);
    op_check(&b, class_loss, &c, &z, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(each_item_gets_its_own_weighted_loss)
{
    op_bench b = op_bench_open();
    class_case c = {"each", cru_cross_entropy_each, xent_item, &by_both};
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_cross_entropy_each(b.tape, z, &by_both);
    ck_assert_int_eq(cru_tensor_count(y), CHOSEN);
    for (int64_t i = 0; i < CHOSEN; i++)
        ck_assert_double_eq_tol((double)y->data[i],
                                weight_of(&by_both, i) * xent_item(z, chosen_rows[i], chosen_labels[i]), 1e-5);
    op_check(&b, class_loss, &c, &z, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(limits_of_robust_losses_are_the_plain_ones)
{
    op_bench b = op_bench_open();
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    double mae = 0;
    for (int64_t i = 0; i < N; i++) mae += (1 - exp(log_softmax(z, i, all_labels[i]))) / N;
    ck_assert_double_eq_tol((double)cru_gce(b.tape, z, &all, 1)->data[0], mae, 1e-5);
    ck_assert_double_eq_tol((double)cru_focal(b.tape, z, &all, 0)->data[0], mean_over(z, &all, xent_item), 1e-5);
    op_bench_close(&b);
}
END_TEST

START_TEST(large_logits_neither_overflow_nor_lose_the_gradient)
{
    op_bench b = op_bench_open();
    cru_tensor *z = cru_tensor_from(b.ctx, 2, (const int64_t[]){2, 2}, (const float[]){500, -500, -500, 500});
    const int32_t labels[] = {1, 1};
    cru_targets y = {.labels = {labels, 2}};
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(z);
    cru_tensor *loss = cru_cross_entropy(b.tape, z, &y);
    ck_assert_float_eq(cru_tensor_item(b.tape, loss), 500);
    cru_backward(b.tape, loss);
    const float expected[] = {0.5f, -0.5f, 0, 0};
    const float *grad = cru_grad_of(b.tape, z)->data;
    for (int i = 0; i < 4; i++) ck_assert_float_eq_tol(grad[i], expected[i], 1e-6f);
    op_bench_close(&b);
}
END_TEST

/* ---- losses of two tensors ------------------------------------------------------------------------------------------
 */

typedef cru_tensor *const *operands;

static double xlogx(double p, double log_q)
{
    return p > 0 ? p * (log(p) - log_q) : 0;
}

static double ref_soft(operands x, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < C; k++) sum -= at(x[1], i, k) * log_softmax(x[0], i, k);
    return sum;
}
static double ref_kl(operands x, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < C; k++) sum += xlogx(at(x[0], i, k), at(x[1], i, k));
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
    double z = x[0]->data[i];
    return bce_of(-log1p(exp(-z)), -log1p(exp(z)), x[1]->data[i], 3);
}
static double ref_bce_logits_weighted(operands x, int64_t i)
{
    return (double)x[2]->data[i] * ref_bce_logits(x, i);
}
static double ref_bce(operands x, int64_t i)
{
    double p = x[0]->data[i];
    return bce_of(log(p), log(1 - p), x[1]->data[i], 1);
}
static double ref_mse(operands x, int64_t i)
{
    return pow((double)x[0]->data[i] - (double)x[1]->data[i], 2);
}
static double ref_mae(operands x, int64_t i)
{
    return fabs((double)x[0]->data[i] - (double)x[1]->data[i]);
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
        float swap = x[1]->data[k];
        x[1]->data[k] = x[1]->data[N * C - 1 - k];
        x[1]->data[N * C - 1 - k] = swap;
    }
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = pair_cases[_i].loss(NULL, b.tape, x);
    double mean = 0;
    for (int64_t i = 0; i < pair_cases[_i].parts; i++) {
        double part = pair_cases[_i].part(x, i);
        mean += part / (double)pair_cases[_i].parts;
        if (cru_tensor_count(y) > 1) ck_assert_double_eq_tol((double)y->data[i], part, 1e-5);
    }
    if (cru_tensor_count(y) == 1)
        ck_assert_msg(fabs((double)y->data[0] - mean) < 1e-5, "%s: %g, not %g", pair_cases[_i].name, (double)y->data[0],
                      mean);
    op_check(&b, pair_cases[_i].loss, NULL, x, pair_cases[_i].operands);
    op_bench_close(&b);
}
END_TEST

START_TEST(binary_cross_entropy_of_certain_answers_is_bounded_as_in_pytorch)
{
    op_bench b = op_bench_open();
    const int64_t four = 4;
    cru_tensor *p = cru_tensor_from(b.ctx, 1, &four, (const float[]){0, 1, 0, 1});
    cru_tensor *y = cru_tensor_from(b.ctx, 1, &four, (const float[]){1, 0, 0, 1});
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(p);
    cru_tensor *loss = cru_bce(b.tape, p, y);
    ck_assert_float_eq_tol(cru_tensor_item(b.tape, loss), 50, 1e-4f); /* two of four are wrong by 100 */
    cru_backward(b.tape, loss);
    const float *grad = cru_grad_of(b.tape, p)->data;
    const float expected[] = {-0.25e12f, 0.25e12f, 0, 0}; /* (p - y) / max(p (1 - p), 1e-12) / 4 */
    for (int i = 0; i < 4; i++) ck_assert_float_eq_tol(grad[i], expected[i], 1e6f);
    op_bench_close(&b);
}
END_TEST

START_TEST(divergence_of_a_zero_probability_is_finite)
{
    op_bench b = op_bench_open();
    const int64_t dim[] = {1, 2};
    cru_tensor *p = cru_tensor_from(b.ctx, 2, dim, (const float[]){0, 1});
    cru_tensor *log_q = cru_tensor_from(b.ctx, 2, dim, (const float[]){-1, -2});
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(p);
    cru_tensor *loss = cru_kl(b.tape, p, log_q);
    ck_assert_float_eq(cru_tensor_item(b.tape, loss), 2);
    cru_backward(b.tape, loss);
    for (int i = 0; i < 2; i++) ck_assert(isfinite(cru_grad_of(b.tape, p)->data[i]));
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
    cru_tensor *sign = cru_tensor_from(b.ctx, 1, &n, (const float[]){1, -1, 1, 1, -1, -1, 1});
    cru_tape_begin(b.tape, CRU_EVAL);
    double mean = 0;
    for (int i = 0; i < n; i++)
        mean += fmax(0, 0.4 - (double)(sign->data[i] * (x[0]->data[i] - x[1]->data[i]))) / (double)n;
    ck_assert_double_eq_tol((double)ranking(sign, b.tape, x)->data[0], mean, 1e-6);
    op_check(&b, ranking, sign, x, 2);
    op_bench_close(&b);
}
END_TEST

/* ---- contrastive ----------------------------------------------------------------------------------------------------
 */

static double cosine(const cru_tensor *a, int64_t i, const cru_tensor *b, int64_t j)
{
    double dot = 0, aa = 0, bb = 0;
    for (int64_t k = 0; k < cru_tensor_cols(a); k++) {
        dot += at(a, i, k) * at(b, j, k);
        aa += at(a, i, k) * at(a, i, k);
        bb += at(b, j, k) * at(b, j, k);
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
    cru_index labels = {all_labels, N};
    cru_tape_begin(b.tape, CRU_EVAL);
    ck_assert_double_eq_tol((double)info_nce(NULL, b.tape, x)->data[0], ref_info_nce(x), 1e-5);
    ck_assert_double_eq_tol((double)nt_xent(NULL, b.tape, x)->data[0], ref_nt_xent(x), 1e-5);
    ck_assert_double_eq_tol((double)sup_con(&labels, b.tape, x)->data[0], ref_sup_con(x), 1e-5);
    op_check(&b, info_nce, NULL, x, 2);
    op_check(&b, nt_xent, NULL, x, 2);
    op_check(&b, sup_con, &labels, x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- nothing to average ---------------------------------------------------------------------------------------------
 */

static const cru_index no_rows = {chosen_rows, 0};
static const cru_targets nothing = {.rows = &no_rows, .labels = {chosen_labels, 0}};
static const cru_targets nothing_by_class = {
    .rows = &no_rows, .labels = {chosen_labels, 0}, .class_weights = class_weights};

static void check_empty(op_bench *b, cru_tensor *loss, cru_tensor *z)
{
    ck_assert(isnan(cru_tensor_item(b->tape, loss)));
    cru_backward(b->tape, loss);
    const cru_tensor *grad = cru_grad_of(b->tape, z);
    for (int64_t i = 0; i < cru_tensor_count(z); i++) ck_assert_float_eq(grad->data[i], 0);
}

START_TEST(a_classification_loss_of_no_items_is_nan_and_moves_nothing)
{
    op_bench b = op_bench_open();
    cru_tensor *z = op_matrix(&b, N, C, -2, 2);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(z);
    const class_case *c = &class_cases[_i];
    bool weighted = c->targets->class_weights;
    check_empty(&b, c->loss(b.tape, z, weighted ? &nothing_by_class : &nothing), z);
    op_bench_close(&b);
}
END_TEST

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
    check_empty(&b, cru_sup_con(b.tape, z, (cru_index){labels, 3}, 0.5f), z);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("losses");
    TCase *c = tcase_create("losses");
    const int classes = (int)(sizeof class_cases / sizeof *class_cases);
    tcase_add_loop_test(c, a_classification_loss_follows_its_formula, 0, classes);
    tcase_add_test(c, each_item_gets_its_own_weighted_loss);
    tcase_add_test(c, limits_of_robust_losses_are_the_plain_ones);
    tcase_add_test(c, large_logits_neither_overflow_nor_lose_the_gradient);
    tcase_add_loop_test(c, a_loss_of_two_tensors_follows_its_formula, 0, (int)(sizeof pair_cases / sizeof *pair_cases));
    tcase_add_test(c, binary_cross_entropy_of_certain_answers_is_bounded_as_in_pytorch);
    tcase_add_test(c, divergence_of_a_zero_probability_is_finite);
    tcase_add_test(c, margin_ranking_punishes_pairs_in_the_wrong_order);
    tcase_add_test(c, contrastive_losses_follow_their_formulas);
    tcase_add_loop_test(c, a_classification_loss_of_no_items_is_nan_and_moves_nothing, 0, classes);
    tcase_add_loop_test(c, a_loss_of_no_rows_is_nan_and_moves_nothing, 0, 9);
    tcase_add_test(c, supervised_contrast_without_a_pair_is_nan_and_moves_nothing);
    suite_add_tcase(s, c);
    return s;
}
