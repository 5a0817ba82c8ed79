// SPDX-License-Identifier: Apache-2.0
/* Reductions, softmax, normalisation and cross-entropy along an axis. */
#include "kernels.h"

typedef struct axis_shape {
    int64_t outer, count, inner;
} axis_shape;

static const axis_shape shapes[] = {
    {1, 1, 1},  {0, 5, 3},    {3, 0, 2},    {1, 17, 1},    {15, 16, 1},    {16, 17, 1},   {33, 3, 5},
    {4, 33, 7}, {1000, 7, 1}, {2, 1000, 1}, {1, 9000, 40}, {1, 300001, 1}, {2000, 40, 1}, {3, 64, 70},
};

static int64_t at(const axis_shape *s, int64_t o, int64_t i, int64_t k)
{
    return (o * s->count + i) * s->inner + k;
}

typedef struct reduce_call {
    cru_reduce op;
    cru_reduce_args args;
    const int32_t *where;
} reduce_call;

static void call_reduce(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const reduce_call *c = args;
    cru_reduce_args r = c->args;
    int32_t *where = calloc((size_t)(r.outer * r.inner) + 1, sizeof *where);
    r.y = out;
    r.where = c->where ? where : NULL;
    b->reduce(device, c->op, &r);
    if (c->where) ck_assert_mem_eq(where, c->where, sizeof *where * (size_t)(r.outer * r.inner));
    free(where);
}

static bool beats(cru_reduce op, float value, float best)
{
    return op == CRU_REDUCE_MAX ? value > best : value < best;
}

static void check_reduce(cru_reduce op, const axis_shape *s)
{
    const int64_t n = s->outer * s->inner;
    float *x = random_floats(n * s->count, -1, 1);
    double *want = doubles(n);
    int32_t *where = calloc((size_t)n + 1, sizeof *where);
    const bool extreme = op == CRU_REDUCE_MAX || op == CRU_REDUCE_MIN;
    if (s->count > 2)
        for (int64_t i = 0; i < n * s->count; i++) x[i] = rintf(x[i] * 64) / 64; /* ties */
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t k = 0; k < s->inner; k++) {
            double sum = 0;
            int64_t best = s->count ? 0 : -1;
            for (int64_t i = 0; i < s->count; i++) {
                sum += (double)x[at(s, o, i, k)];
                if (beats(op, x[at(s, o, i, k)], x[at(s, o, best, k)])) best = i;
            }
            where[o * s->inner + k] = (int32_t)best;
            want[o * s->inner + k] = op == CRU_REDUCE_SUM    ? sum
                                     : op == CRU_REDUCE_MEAN ? sum / (double)s->count
                                     : best < 0              ? 0
                                                             : (double)x[at(s, o, best, k)];
        }
    reduce_call c = {op, {s->outer, s->count, s->inner, x, NULL, NULL}, extreme ? where : NULL};
    check_kernel(&(kernel_check){"reduce", call_reduce, &c, n, NULL, want, 1e-6});
    free(x), free(want), free(where);
}

START_TEST(reductions_match_their_definition)
{
    for (int64_t i = 0; i < COUNT(shapes); i++) check_reduce((cru_reduce)_i, &shapes[i]);
}
END_TEST

/* Five slices: finite, with infinities, with NaN in two places, NaN only, equal values; along rows and along
 * columns. */
START_TEST(nan_is_the_extreme_and_the_first_of_equals_wins)
{
    enum { SLICES = 5, COUNT = 37 };
    const bool columns = _i & 1, min = _i & 2;
    float x[SLICES][COUNT], laid[SLICES * COUNT];
    static const int32_t at[2][SLICES] = {{9, 20, 8, 0, 0}, {9, 11, 8, 0, 0}};
    double want[SLICES];
    for (int i = 0; i < COUNT; i++) {
        x[0][i] = i == 9 || i == 30 ? (min ? -7.0f : 7.0f) : (float)(i % 5);
        x[1][i] = i == 20 ? INFINITY : i == 11 ? -INFINITY : (float)i;
        x[2][i] = i == 8 || i == 21 ? NAN : (float)i;
        x[3][i] = NAN;
        x[4][i] = i % 2 ? 0.0f : -0.0f;
    }
    for (int k = 0; k < SLICES; k++) {
        want[k] = (double)x[k][at[min][k]];
        for (int i = 0; i < COUNT; i++) laid[columns ? i * SLICES + k : k * COUNT + i] = x[k][i];
    }
    reduce_call c = {.op = min ? CRU_REDUCE_MIN : CRU_REDUCE_MAX, .where = at[min]};
    c.args = (cru_reduce_args){columns ? 1 : SLICES, COUNT, columns ? SLICES : 1, laid, NULL, NULL};
    check_kernel(&(kernel_check){"extreme", call_reduce, &c, SLICES, NULL, want, 0});
}
END_TEST

static void call_spread(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_spread_args s = *(const cru_spread_args *)args;
    s.dx = out;
    b->spread(device, &s);
}

START_TEST(spread_reverses_a_reduction)
{
    const axis_shape *s = &shapes[_i];
    const int64_t n = s->outer * s->inner, size = n * s->count;
    float *dy = random_floats(n, -1, 1), *before = random_floats(size, -1, 1);
    int32_t *where = random_ids(n, s->count ? s->count : 1);
    double *want = doubles(size);
    for (int mode = 0; mode < 4; mode++) {
        const bool add = mode & 1, pick = mode & 2;
        if (pick && !s->count) continue;
        for (int64_t o = 0; o < s->outer; o++)
            for (int64_t i = 0; i < s->count; i++)
                for (int64_t k = 0; k < s->inner; k++) {
                    const int64_t from = o * s->inner + k;
                    const double value = !pick || where[from] == i ? 0.5 * (double)dy[from] : 0;
                    want[at(s, o, i, k)] = value + (add ? (double)before[at(s, o, i, k)] : 0);
                }
        cru_spread_args a = {s->outer, s->count, s->inner, dy, pick ? where : NULL, NULL, 0.5f, add};
        check_kernel(&(kernel_check){"spread", call_spread, &a, size, add ? before : NULL, want, 1e-6});
    }
    free(dy), free(before), free(where), free(want);
}
END_TEST

static void call_softmax(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_softmax_args s = *(const cru_softmax_args *)args;
    s.y = out;
    b->softmax(device, &s);
}

static void call_softmax_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_softmax_grad_args s = *(const cru_softmax_grad_args *)args;
    s.dx = out;
    b->softmax_grad(device, &s);
}

/* Softmax in double, and with y and dy its gradient: dx_i = sum_j dy_j dy_j/dx_i. */
static void softmax_oracle(const axis_shape *s, const float *x, bool log, double *want)
{
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t k = 0; k < s->inner; k++) {
            double sum = 0;
            for (int64_t i = 0; i < s->count; i++) sum += exp((double)x[at(s, o, i, k)]);
            for (int64_t i = 0; i < s->count; i++) {
                double value = (double)x[at(s, o, i, k)];
                want[at(s, o, i, k)] = log ? value - (double)logl((long double)sum) : exp(value) / sum;
            }
        }
}

static void softmax_grad_oracle(const axis_shape *s, const cru_softmax_grad_args *g, double *want)
{
    for (int64_t o = 0; o < s->outer; o++)
        for (int64_t k = 0; k < s->inner; k++) {
            double sum = 0;
            for (int64_t i = 0; i < s->count; i++) {
                const int64_t e = at(s, o, i, k);
                sum += (double)g->dy[e] * (g->log ? 1 : (double)g->y[e]);
            }
            for (int64_t i = 0; i < s->count; i++) {
                const int64_t e = at(s, o, i, k);
                const double y = (double)g->y[e], dy = (double)g->dy[e];
                want[e] = g->log ? dy - exp(y) * sum : y * (dy - sum);
            }
        }
}

START_TEST(softmax_and_its_gradient_match_their_formulas)
{
    const axis_shape *s = &shapes[_i];
    const int64_t n = s->outer * s->count * s->inner;
    float *x = random_floats(n, -9, 9), *y = floats(n), *dy = random_floats(n, -1, 1),
          *before = random_floats(n, -1, 1);
    double *want = doubles(n);
    for (int log = 0; log < 2; log++) {
        softmax_oracle(s, x, log, want);
        cru_softmax_args a = {s->outer, s->count, s->inner, x, NULL, log};
        check_kernel(&(kernel_check){"softmax", call_softmax, &a, n, NULL, want, 2e-6});
        for (int64_t i = 0; i < n; i++) y[i] = (float)want[i];
        cru_softmax_grad_args g = {s->outer, s->count, s->inner, y, dy, NULL, log, false};
        softmax_grad_oracle(s, &g, want);
        check_kernel(&(kernel_check){"softmax grad", call_softmax_grad, &g, n, NULL, want, 3e-5});
        g.accumulate = true;
        for (int64_t i = 0; i < n; i++) want[i] += (double)before[i];
        check_kernel(&(kernel_check){"softmax grad, added", call_softmax_grad, &g, n, before, want, 3e-5});
    }
    free(x), free(y), free(dy), free(before), free(want);
}
END_TEST

/* Three rows of 17, a whole vector and a part: hidden entries and a wide range; one NaN; nothing but hidden entries. */
START_TEST(softmax_hides_minus_infinity_and_passes_nan)
{
    enum { ROWS = 3, COLS = 17 };
    float x[ROWS * COLS];
    double want[ROWS * COLS], sum = 0;
    for (int64_t i = 0; i < COLS; i++) {
        x[i] = i % 3 == 0 ? -INFINITY : (float)(20 * i - 170);
        x[COLS + i] = i == 16 ? NAN : 1;
        x[2 * COLS + i] = -INFINITY;
        sum += exp((double)x[i]);
    }
    for (int64_t i = 0; i < ROWS * COLS; i++) want[i] = i < COLS ? exp((double)x[i]) / sum : (double)NAN;
    cru_softmax_args args = {.outer = ROWS, .count = COLS, .inner = 1, .x = x};
    check_kernel(&(kernel_check){"softmax", call_softmax, &args, ROWS * COLS, NULL, want, 1e-6});
}
END_TEST

START_TEST(softmax_survives_large_values)
{
    const float x[] = {1000, 1001, -1e30f, 1000};
    const double e = exp(-1), sum = 1 + 2 * e, want[] = {e / sum, 1 / sum, 0, e / sum};
    cru_softmax_args a = {1, 4, 1, x, NULL, false};
    check_kernel(&(kernel_check){"softmax", call_softmax, &a, 4, NULL, want, 1e-6});
}
END_TEST

/* loss and prob in one output. */
static void call_xent(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_xent_args a = *(const cru_xent_args *)args;
    a.loss = out;
    a.prob = out + a.count;
    b->xent(device, &a);
}

static void call_xent_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_xent_grad_args a = *(const cru_xent_grad_args *)args;
    a.dlogits = out;
    b->xent_grad(device, &a);
}

static void check_xent(int64_t count, int64_t classes, bool chosen)
{
    const int64_t rows = 2 * count + 1;
    float *logits = random_floats(rows * classes, -5, 5), *weights = random_floats(count, 0, 2),
          *prob = floats(count * classes);
    float *dloss = random_floats(count, -1, 1), *before = random_floats(rows * classes, -1, 1);
    int32_t *labels = random_ids(count, classes), *ids = random_ids(count, 1);
    double *want = doubles(count + count * classes), *grad = doubles(rows * classes);
    for (int64_t i = 0; i < rows * classes; i++) grad[i] = (double)before[i];
    for (int64_t i = 0; i < count; i++) {
        ids[i] = (int32_t)(2 * i + 1);
        const int64_t row = chosen ? ids[i] : i;
        const double w = chosen ? (double)weights[i] : 1;
        double sum = 0;
        for (int64_t j = 0; j < classes; j++) sum += exp((double)logits[row * classes + j]);
        want[i] = -w * log(exp((double)logits[row * classes + labels[i]]) / sum);
        for (int64_t j = 0; j < classes; j++) {
            const double p = exp((double)logits[row * classes + j]) / sum;
            want[count + i * classes + j] = p;
            prob[i * classes + j] = (float)p;
            grad[row * classes + j] += (double)dloss[i] * w * (p - (j == labels[i]));
        }
    }
    cru_xent_args a = {count, classes, logits, chosen ? ids : NULL, labels, chosen ? weights : NULL, NULL, NULL};
    check_kernel(&(kernel_check){"xent", call_xent, &a, count + count * classes, NULL, want, 3e-6});
    cru_xent_grad_args g = {count, classes, a.rows, labels, a.weights, prob, dloss, NULL};
    check_kernel(&(kernel_check){"xent grad", call_xent_grad, &g, rows * classes, before, grad, 3e-6});
    free(logits), free(weights), free(prob), free(dloss), free(before), free(labels), free(ids), free(want), free(grad);
}

START_TEST(cross_entropy_matches_its_formula)
{
    static const int64_t classes[] = {1, 2, 7, 16, 17, 40};
    for (int64_t i = 0; i < COUNT(odd_sizes); i++)
        for (int64_t j = 0; j < COUNT(classes); j++) check_xent(odd_sizes[i], classes[j], _i);
}
END_TEST

/* mean then var, then y */
static void call_norm(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_norm_args a = *(const cru_norm_args *)args;
    a.mean = out;
    a.var = out + a.channels;
    a.y = out + 2 * a.channels;
    b->norm_stats(device, &a);
    b->norm(device, &a);
}

/* dx, dgain, dshift in a row */
static void call_norm_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_norm_grad_args g = *(const cru_norm_grad_args *)args;
    g.dx = out;
    g.dgain = out + g.outer * g.channels * g.inner;
    g.dshift = g.dgain + g.channels;
    b->norm_grad(device, &g);
}

static void norm_oracle(const cru_norm_args *a, double *want)
{
    const axis_shape s = {a->outer, a->channels, a->inner};
    const double n = (double)(a->outer * a->inner);
    for (int64_t c = 0; c < a->channels; c++) {
        double sum = 0, squares = 0;
        for (int64_t o = 0; o < a->outer; o++)
            for (int64_t k = 0; k < a->inner; k++) sum += (double)a->x[at(&s, o, c, k)];
        for (int64_t o = 0; o < a->outer; o++)
            for (int64_t k = 0; k < a->inner; k++) squares += pow((double)a->x[at(&s, o, c, k)] - sum / n, 2);
        /* Kept as floats, so the result follows from their rounded values. */
        want[c] = n > 0 ? (double)(float)(sum / n) : 0;
        want[a->channels + c] = n > 0 ? (double)(float)(squares / n) : 0;
        for (int64_t o = 0; o < a->outer; o++)
            for (int64_t k = 0; k < a->inner; k++)
                want[2 * a->channels + at(&s, o, c, k)] = ((double)a->x[at(&s, o, c, k)] - want[c]) /
                                                              sqrt(want[a->channels + c] + (double)a->eps) *
                                                              (a->gain ? (double)a->gain[c] : 1) +
                                                          (a->shift ? (double)a->shift[c] : 0);
    }
}

static void norm_grad_oracle(const cru_norm_grad_args *g, double *dx, double *dgain, double *dshift)
{
    const axis_shape s = {g->outer, g->channels, g->inner};
    const double n = (double)(g->outer * g->inner);
    for (int64_t c = 0; c < g->channels; c++) {
        const double inverse = 1 / sqrt((double)g->var[c] + (double)g->eps), gain = g->gain ? (double)g->gain[c] : 1;
        double sum = 0, product = 0;
        for (int64_t o = 0; o < g->outer; o++)
            for (int64_t k = 0; k < g->inner; k++) {
                const int64_t e = at(&s, o, c, k);
                sum += (double)g->dy[e];
                product += (double)g->dy[e] * ((double)g->x[e] - (double)g->mean[c]) * inverse;
            }
        for (int64_t o = 0; o < g->outer; o++)
            for (int64_t k = 0; k < g->inner; k++) {
                const int64_t e = at(&s, o, c, k);
                const double h = ((double)g->x[e] - (double)g->mean[c]) * inverse;
                dx[e] = gain * inverse * ((double)g->dy[e] - (g->batch_stats ? sum / n + h * product / n : 0));
            }
        dgain[c] = product;
        dshift[c] = sum;
    }
}

START_TEST(normalisation_and_its_gradient_match_their_formulas)
{
    axis_shape s = shapes[_i];
    const int64_t n = s.outer * s.count * s.inner, all = n + 2 * s.count;
    float *x = random_floats(n, 1, 4), *gain = random_floats(s.count, 0.5f, 2), *shift = random_floats(s.count, -1, 1);
    float *dy = random_floats(n, -1, 1), *stats = floats(2 * s.count), *before = random_floats(all, -1, 1);
    double *want = doubles(all);
    for (int mode = 0; mode < 8; mode++) {
        const bool affine = mode & 1, batch = mode & 2, add = mode & 4;
        cru_norm_args a = {.outer = s.outer, .channels = s.count, .inner = s.inner, .x = x, .eps = 1e-5f};
        a.gain = affine ? gain : NULL;
        a.shift = affine ? shift : NULL;
        norm_oracle(&a, want);
        check_kernel(&(kernel_check){"norm", call_norm, &a, all, NULL, want, 1e-5});
        for (int64_t i = 0; i < 2 * s.count; i++) stats[i] = (float)want[i];
        cru_norm_grad_args g = {.outer = s.outer,
                                .channels = s.count,
                                .inner = s.inner,
                                .x = x,
                                .mean = stats,
                                .var = stats + s.count,
                                .gain = a.gain,
                                .dy = dy,
                                .eps = a.eps,
                                .batch_stats = batch,
                                .accumulate = add};
        norm_grad_oracle(&g, want, want + n, want + n + s.count);
        for (int64_t i = 0; add && i < all; i++) want[i] += (double)before[i];
        check_kernel(&(kernel_check){"norm grad", call_norm_grad, &g, all, add ? before : NULL, want, 1e-4});
    }
    free(x), free(gain), free(shift), free(dy), free(stats), free(before), free(want);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("axis kernels");
    TCase *c = tcase_create("axis");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, reductions_match_their_definition, 0, CRU_REDUCE_COUNT);
    tcase_add_loop_test(c, nan_is_the_extreme_and_the_first_of_equals_wins, 0, 4);
    tcase_add_loop_test(c, spread_reverses_a_reduction, 0, (int)COUNT(shapes));
    tcase_add_test(c, softmax_hides_minus_infinity_and_passes_nan);
    tcase_add_loop_test(c, softmax_and_its_gradient_match_their_formulas, 0, (int)COUNT(shapes));
    tcase_add_test(c, softmax_survives_large_values);
    tcase_add_loop_test(c, cross_entropy_matches_its_formula, 0, 2);
    tcase_add_loop_test(c, normalisation_and_its_gradient_match_their_formulas, 0, (int)COUNT(shapes));
    suite_add_tcase(s, c);
    return s;
}
