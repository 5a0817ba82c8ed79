// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

typedef struct unary_case {
    cru_unary op;
    float lo, hi, a, b;
    double (*f)(double x, double a, double b), (*slope)(double x, double a, double b);
} unary_case;

static double copy(double x, double a, double b)
{
    return (void)a, (void)b, x;
}
static double unit(double x, double a, double b)
{
    return (void)x, (void)a, (void)b, 1;
}
static double scale(double x, double a, double b)
{
    return a * x + b;
}
static double scale_slope(double x, double a, double b)
{
    return (void)x, (void)b, a;
}
static double relu(double x, double a, double b)
{
    return (void)a, (void)b, x > 0 ? x : 0;
}
static double relu_slope(double x, double a, double b)
{
    return (void)a, (void)b, x > 0 ? 1 : 0;
}
static double leaky(double x, double a, double b)
{
    return (void)b, x > 0 ? x : a * x;
}
static double leaky_slope(double x, double a, double b)
{
    return (void)b, x > 0 ? 1 : a;
}
static double elu(double x, double a, double b)
{
    return (void)b, x > 0 ? x : a * expm1(x);
}
static double elu_slope(double x, double a, double b)
{
    return (void)b, x > 0 ? 1 : a * exp(x);
}
static const double selu_scale = 1.0507009873554804934193349852946, selu_alpha = 1.6732632423543772848170429916717;
static double selu(double x, double a, double b)
{
    return (void)a, selu_scale * elu(x, selu_alpha, b);
}
static double selu_slope(double x, double a, double b)
{
    return (void)a, selu_scale * elu_slope(x, selu_alpha, b);
}
static double gelu(double x, double a, double b)
{
    return (void)a, (void)b, x * 0.5 * erfc(-x / sqrt(2));
}
static double gelu_slope(double x, double a, double b)
{
    (void)a, (void)b;
    return 0.5 * erfc(-x / sqrt(2)) + x * exp(-x * x / 2) / sqrt(2 * M_PI);
}
static double hyperbolic(double x, double a, double b)
{
    return (void)a, (void)b, tanh(x);
}
static double tanh_slope(double x, double a, double b)
{
    return (void)a, (void)b, 1 - tanh(x) * tanh(x);
}
static double sigmoid(double x, double a, double b)
{
    return (void)a, (void)b, 1 / (1 + exp(-x));
}
static double sigmoid_slope(double x, double a, double b)
{
    return sigmoid(x, a, b) * sigmoid(-x, a, b);
}
static double softplus(double x, double a, double b)
{
    return (void)a, (void)b, log1p(exp(-fabs(x))) + fmax(x, 0);
}
static double logsigmoid(double x, double a, double b)
{
    return -softplus(-x, a, b);
}
static double logsigmoid_slope(double x, double a, double b)
{
    return sigmoid(-x, a, b);
}
static double power_e(double x, double a, double b)
{
    return (void)a, (void)b, exp(x);
}
static double natural_log(double x, double a, double b)
{
    return (void)a, (void)b, log(x);
}
static double inverse(double x, double a, double b)
{
    return (void)a, (void)b, 1 / x;
}
static double absolute(double x, double a, double b)
{
    return (void)a, (void)b, fabs(x);
}
static double sign(double x, double a, double b)
{
    return (void)a, (void)b, x > 0 ? 1 : x < 0 ? -1 : 0;
}
static double zero(double x, double a, double b)
{
    return (void)x, (void)a, (void)b, 0;
}
static double power(double x, double a, double b)
{
    return (void)b, pow(x, a);
}
static double power_slope(double x, double a, double b)
{
    return (void)b, a * pow(x, a - 1);
}
static double root(double x, double a, double b)
{
    return (void)a, (void)b, sqrt(x);
}
static double root_slope(double x, double a, double b)
{
    return (void)a, (void)b, 0.5 / sqrt(x);
}
static double clamp(double x, double a, double b)
{
    return fmin(fmax(x, a), b);
}
static double clamp_slope(double x, double a, double b)
{
    return x >= a && x <= b ? 1 : 0;
}
static double inverse_slope(double x, double a, double b)
{
    return (void)a, (void)b, -1 / (x * x);
}
static double log_gamma(double x, double a, double b)
{
    return (void)a, (void)b, lgamma(x);
}
/* From the definition: the derivative of ln Gamma by central differences in long double. */
static double digamma(double x, double a, double b)
{
    (void)a, (void)b;
    const long double h = 1e-5L;
    return (double)((lgammal((long double)x + h) - lgammal((long double)x - h)) / (2 * h));
}
static double trigamma(double x, double a, double b)
{
    (void)a, (void)b;
    const long double h = 1e-4L, y = (long double)x;
    return (double)((lgammal(y + h) - 2 * lgammal(y) + lgammal(y - h)) / (h * h));
}
static double sine(double x, double a, double b)
{
    return (void)a, (void)b, sin(x);
}
static double cosine(double x, double a, double b)
{
    return (void)a, (void)b, cos(x);
}
static double minus_sine(double x, double a, double b)
{
    return -sine(x, a, b);
}
static double log_plus(double x, double a, double b)
{
    return (void)a, (void)b, log1p(x);
}
static double log_plus_slope(double x, double a, double b)
{
    return (void)a, (void)b, 1 / (1 + x);
}

static const unary_case unary_cases[] = {
    {CRU_UNARY_COPY, -5, 5, 0, 0, copy, unit},
    {CRU_UNARY_SCALE, -5, 5, 1.5f, -2, scale, scale_slope},
    {CRU_UNARY_RELU, -5, 5, 0, 0, relu, relu_slope},
    {CRU_UNARY_LEAKY, -5, 5, 0.2f, 0, leaky, leaky_slope},
    {CRU_UNARY_ELU, -20, 5, 1.3f, 0, elu, elu_slope},
    {CRU_UNARY_SELU, -20, 5, 0, 0, selu, selu_slope},
    {CRU_UNARY_GELU, -6, 6, 0, 0, gelu, gelu_slope},
    {CRU_UNARY_TANH, -12, 12, 0, 0, hyperbolic, tanh_slope},
    {CRU_UNARY_SIGMOID, -30, 30, 0, 0, sigmoid, sigmoid_slope},
    {CRU_UNARY_SOFTPLUS, -30, 30, 0, 0, softplus, sigmoid},
    {CRU_UNARY_LOGSIGMOID, -30, 30, 0, 0, logsigmoid, logsigmoid_slope},
    {CRU_UNARY_EXP, -20, 20, 0, 0, power_e, power_e},
    {CRU_UNARY_LOG, 1e-3f, 50, 0, 0, natural_log, inverse},
    {CRU_UNARY_ABS, -5, 5, 0, 0, absolute, sign},
    {CRU_UNARY_POW, 0.1f, 3, 2.5f, 0, power, power_slope},
    {CRU_UNARY_POW, -3, 3, 2, 0, power, power_slope},
    {CRU_UNARY_SQRT, 0.01f, 9, 0, 0, root, root_slope},
    {CRU_UNARY_CLAMP, -5, 5, -1, 2, clamp, clamp_slope},
    {CRU_UNARY_RECIPROCAL, 0.1f, 5, 0, 0, inverse, inverse_slope},
    {CRU_UNARY_SIGN, -5, 5, 0, 0, sign, zero},
    {CRU_UNARY_LGAMMA, 0.1f, 20, 0, 0, log_gamma, digamma},
    {CRU_UNARY_DIGAMMA, 0.1f, 20, 0, 0, digamma, trigamma},
    {CRU_UNARY_SIN, -9, 9, 0, 0, sine, cosine},
    {CRU_UNARY_COS, -9, 9, 0, 0, cosine, minus_sine},
    {CRU_UNARY_LOG1P, -0.9f, 9, 0, 0, log_plus, log_plus_slope},
};

typedef struct unary_call {
    cru_unary op;
    cru_unary_args args;
    cru_unary_grad_args grad;
} unary_call;

static void call_unary(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const unary_call *c = args;
    cru_unary_args u = c->args;
    u.y = out;
    b->unary(device, c->op, &u);
}

static void call_unary_in_place(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const unary_call *c = args;
    cru_unary_args u = c->args;
    u.x = u.y = out;
    b->unary(device, c->op, &u);
}

static void call_unary_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const unary_call *c = args;
    cru_unary_grad_args g = c->grad;
    g.dx = out;
    b->unary_grad(device, c->op, &g);
}

static void check_unary(const unary_case *u, int64_t n)
{
    float *x = random_floats(n, u->lo, u->hi), *y = floats(n), *dy = random_floats(n, -1, 1);
    float *before = random_floats(n, -1, 1);
    double *want = doubles(n);
    for (int64_t i = 0; i < n; i++) {
        want[i] = u->f((double)x[i], (double)u->a, (double)u->b);
        y[i] = (float)want[i];
    }
    unary_call c = {u->op, {n, x, NULL, u->a, u->b}, {n, x, y, dy, NULL, u->a, u->b, false}};
    char name[40];
    snprintf(name, sizeof name, "unary %d", u->op);
    kernel_check k = {.name = name, .call = call_unary, .args = &c, .n = n, .want = want, .tolerance = 1e-6};
    check_kernel(&k);
    k.call = call_unary_in_place;
    k.start = x;
    check_kernel(&k);
    for (int64_t i = 0; i < n; i++) want[i] = (double)dy[i] * u->slope((double)x[i], (double)u->a, (double)u->b);
    k.call = call_unary_grad;
    k.start = NULL;
    k.tolerance = 2e-6;
    check_kernel(&k);
    for (int64_t i = 0; i < n; i++) want[i] += (double)before[i];
    c.grad.accumulate = true;
    k.start = before;
    check_kernel(&k);
    free(x), free(y), free(dy), free(before), free(want);
}

START_TEST(unary_functions_and_their_slopes_match_libm)
{
    for (int64_t i = 0; i < COUNT(odd_sizes); i++) check_unary(&unary_cases[_i], odd_sizes[i]);
    check_unary(&unary_cases[_i], 70001);
}
END_TEST

/* Distance in units in the last place of the true value. */
static double ulps(float got, double want)
{
    if (isnan(want) || isinf((float)want))
        return isnan(got) == isnan(want) && (isnan(got) || got == (float)want) ? 0 : 1e9;
    float f = fabsf((float)want);
    double unit_in_last = (double)(nextafterf(f, INFINITY) - f);
    return fabs((double)got - want) / unit_in_last;
}

static void check_ulps(cru_unary op, double (*f)(double), double limit)
{
    static const float special[] = {0.0f,  -0.0f, INFINITY, -INFINITY, NAN,     1e-45f, 1e-40f,  1.0f,
                                    -1.0f, 88.7f, 88.8f,    -87.4f,    -103.9f, -104.f, 3.4e38f, 1e-7f};
    enum { N = 1 << 16 };
    float *x = floats(N), *y = floats(N);
    for (int index = 0; index < TEST_BACKENDS_COUNT; index++) {
        const cru_backend *b = test_backend(index);
        cru_device device;
        if (!b) continue;
        ck_assert_int_eq(b->open(&device, test_device_card(), 1, NULL), CRU_OK);
        /* Every 2^16th bit pattern, then the special ones. */
        for (uint32_t i = 0; i < N; i++) {
            uint32_t bits = i << 16 | (i * 2654435761u & 0xffff);
            memcpy(&x[i], &bits, sizeof bits);
        }
        memcpy(x, special, sizeof special);
        b->unary(&device, op, &(cru_unary_args){.n = N, .x = x, .y = y});
        for (int64_t i = 0; i < N; i++)
            if (ulps(y[i], f((double)x[i])) > limit)
                ck_abort_msg("function %d of %.9g: %.9g, want %.9g", op, (double)x[i], (double)y[i], f((double)x[i]));
        b->close(&device);
    }
    free(x), free(y);
}

START_TEST(exp_is_within_two_ulps_everywhere)
{
    check_ulps(CRU_UNARY_EXP, exp, 2);
}
END_TEST

START_TEST(log_is_within_two_ulps_everywhere)
{
    check_ulps(CRU_UNARY_LOG, log, 2);
}
END_TEST

START_TEST(tanh_is_within_three_ulps_everywhere)
{
    check_ulps(CRU_UNARY_TANH, tanh, 3);
}
END_TEST

typedef struct pair {
    cru_binary op;
    cru_binary_args args;
    cru_binary_grad_args grad;
} pair;

static void call_binary(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const pair *p = args;
    cru_binary_args a = p->args;
    a.y = out;
    b->binary(device, p->op, &a);
}

static void call_binary_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const pair *p = args;
    cru_binary_grad_args g = p->grad;
    g.dx = out;
    b->binary_grad(device, p->op, &g);
}

static double pair_value(cru_binary op, double a, double b)
{
    const double values[] = {a + b, a - b, a * b, a / b, a >= b ? a : b, a <= b ? a : b};
    return values[op];
}

static double pair_slope(cru_binary op, double a, double b, bool to_b)
{
    const double to_first[] = {1, 1, b, 1 / b, a >= b, a <= b};
    const double to_second[] = {1, -1, a, -a / (b * b), a<b, a> b};
    return to_b ? to_second[op] : to_first[op];
}

/* How an operand repeats: neither axis, rows, columns, both. */
static cru_operand operand(const float *x, int64_t cols, int repeat)
{
    const cru_operand kinds[] = {{x, cols, 1}, {x, 0, 1}, {x, 1, 0}, {x, 0, 0}};
    return kinds[repeat];
}

static void check_binary_grad(pair *p, bool to_b, bool accumulate)
{
    cru_binary_grad_args *g = &p->grad;
    const cru_operand own = to_b ? g->b : g->a;
    const int64_t n = (own.row ? g->rows : 1) * (own.col ? g->cols : 1);
    float *before = random_floats(n, -1, 1);
    double *want = doubles(n);
    for (int64_t i = 0; accumulate && i < n; i++) want[i] = (double)before[i];
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t j = 0; j < g->cols; j++)
            want[i * own.row + j * own.col] +=
                (double)g->dy[i * g->cols + j] * pair_slope(p->op, (double)g->a.x[i * g->a.row + j * g->a.col],
                                                            (double)g->b.x[i * g->b.row + j * g->b.col], to_b);
    g->to_b = to_b;
    g->accumulate = accumulate;
    check_kernel(&(kernel_check){"binary grad", call_binary_grad, p, n, accumulate ? before : NULL, want, 3e-6});
    free(before), free(want);
}

static void check_binary(cru_binary op, int64_t rows, int64_t cols, int repeats)
{
    float *a = random_floats(rows * cols + 1, -2, 2), *b = random_floats(rows * cols + 1, 0.5f, 2);
    float *dy = random_floats(rows * cols, -1, 1);
    double *want = doubles(rows * cols);
    cru_operand left = operand(a, cols, repeats % 4), right = operand(b, cols, repeats / 4);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            want[i * cols + j] =
                pair_value(op, (double)a[i * left.row + j * left.col], (double)b[i * right.row + j * right.col]);
    pair p = {op, {rows, cols, left, right, NULL}, {rows, cols, left, right, dy, NULL, false, false}};
    check_kernel(&(kernel_check){"binary", call_binary, &p, rows * cols, NULL, want, 1e-6});
    for (int mode = 0; mode < 4; mode++) check_binary_grad(&p, mode & 1, mode & 2);
    free(a), free(b), free(dy), free(want);
}

START_TEST(binary_functions_broadcast_and_sum_their_gradients)
{
    static const int64_t sides[] = {0, 1, 3, 17, 1000};
    for (int repeats = 0; repeats < 16; repeats++)
        for (int64_t i = 0; i < COUNT(sides); i++)
            for (int64_t j = 0; j < COUNT(sides) - 1; j++) check_binary((cru_binary)_i, sides[i], sides[j], repeats);
    check_binary((cru_binary)_i, 1, 300007, 0);
    check_binary((cru_binary)_i, 20000, 20, 4);
    check_binary((cru_binary)_i, 300007, 1, 4);
}
END_TEST

START_TEST(fill_sets_every_element)
{
    const cru_backend *b = default_backend();
    cru_device device;
    ck_assert_int_eq(b->open(&device, test_device_card(), 2, NULL), CRU_OK);
    enum { N = 300001 };
    float *x = floats(N + 1);
    b->fill(&device, x, N, 2.5f);
    for (int64_t i = 0; i < N; i++) ck_assert(x[i] == 2.5f);
    ck_assert(x[N] == 0.0f);
    b->close(&device);
    free(x);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("elementwise kernels");
    TCase *c = tcase_create("elementwise");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, unary_functions_and_their_slopes_match_libm, 0, (int)COUNT(unary_cases));
    tcase_add_test(c, exp_is_within_two_ulps_everywhere);
    tcase_add_test(c, log_is_within_two_ulps_everywhere);
    tcase_add_test(c, tanh_is_within_three_ulps_everywhere);
    tcase_add_loop_test(c, binary_functions_broadcast_and_sum_their_gradients, 0, CRU_BINARY_COUNT);
    tcase_add_test(c, fill_sets_every_element);
    suite_add_tcase(s, c);
    return s;
}
