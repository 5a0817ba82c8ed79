// SPDX-License-Identifier: Apache-2.0
/* Elements, axes and optimisers with any number of threads: see threads.h. */
#include "threads.h"

/* ---- elements ------------------------------------------------------------------------------------------------ */

static void call_fill(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    b->fill(device, out, *(const int64_t *)args, 1.5f);
}
static work fill(cru_arena *a)
{
    return (work){call_fill, ARGS(int64_t, N), N};
}

static void call_unary(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_unary_args u = *(const cru_unary_args *)args;
    u.y = out;
    b->unary(device, CRU_UNARY_GELU, &u);
}
static work unary(cru_arena *a)
{
    return (work){call_unary, ARGS(cru_unary_args, .n = N, .x = values(a, N)), N};
}

static void call_unary_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_unary_grad_args u = *(const cru_unary_grad_args *)args;
    u.dx = out;
    b->unary_grad(device, CRU_UNARY_TANH, &u);
}
static work unary_grad(cru_arena *a)
{
    const float *x = values(a, N);
    return (work){call_unary_grad, ARGS(cru_unary_grad_args, .n = N, .x = x, .y = x, .dy = x, .accumulate = true), N};
}

static void call_binary(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_binary_args p = *(const cru_binary_args *)args;
    p.y = out;
    b->binary(device, CRU_BINARY_MUL, &p);
}
static work binary(cru_arena *a)
{
    const float *x = values(a, ROWS * COLS), *row = values(a, COLS);
    return (work){call_binary, ARGS(cru_binary_args, ROWS, COLS, {x, COLS, 1}, {row, 0, 1}, NULL), ROWS * COLS};
}

static void call_binary_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_binary_grad_args p = *(const cru_binary_grad_args *)args;
    p.dx = out;
    b->binary_grad(device, CRU_BINARY_MUL, &p);
}
/* The operand that gets the gradient repeats along rows, columns, both or neither. */
static work binary_grad(cru_arena *a, int64_t row, int64_t col)
{
    const float *x = values(a, ROWS * COLS);
    const void *args = ARGS(cru_binary_grad_args, .rows = ROWS, .cols = COLS, .a = {x, row, col}, .b = {x, COLS, 1},
                            .dy = x, .accumulate = true);
    return (work){call_binary_grad, args, (row ? ROWS : 1) * (col ? COLS : 1)};
}
static work whole_grad(cru_arena *a)
{
    return binary_grad(a, COLS, 1);
}
static work row_grad(cru_arena *a)
{
    return binary_grad(a, 0, 1);
}
static work column_grad(cru_arena *a)
{
    return binary_grad(a, 1, 0);
}
static work scalar_grad(cru_arena *a)
{
    return binary_grad(a, 0, 0);
}

CALL(dropout, cru_dropout_args, y)
static work dropout(cru_arena *a)
{
    return (work){call_dropout,
                  ARGS(cru_dropout_args, .n = N, .x = values(a, N), .p = 0.3f, .key = {1, 2}, .accumulate = true), N};
}
/* Past the caches. */
static work large_dropout(cru_arena *a)
{
    enum { MANY = 5000003 };
    return (work){call_dropout, ARGS(cru_dropout_args, .n = MANY, .x = values(a, MANY), .p = 0.3f, .key = {1, 2}),
                  MANY};
}

CALL(finish, cru_finish_args, y)
static work finish(cru_arena *a)
{
    const cru_finish *f = ARGS(cru_finish, values(a, COLS), CRU_UNARY_ELU, 1, 0.4f, {3, 4}, 5);
    return (work){call_finish, ARGS(cru_finish_args, f, 0, ROWS, COLS, NULL), ROWS * COLS};
}

static void call_finish_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_finish_grad_args g = *(const cru_finish_grad_args *)args;
    g.dy = out;
    if (g.accumulate) g.dbias = out + g.rows * g.cols;
    b->finish_grad(device, &g);
}
static work finish_grad(cru_arena *a)
{
    const cru_finish *f = ARGS(cru_finish, NULL, CRU_UNARY_TANH, 1, 0.4f, {3, 4}, 5);
    const float *y = values(a, ROWS * COLS);
    return (work){call_finish_grad,
                  ARGS(cru_finish_grad_args, .finish = f, .rows = ROWS, .cols = COLS, .y = y, .accumulate = true),
                  (ROWS + 1) * COLS};
}
static work finish_grad_without_bias(cru_arena *a)
{
    const cru_finish *f = ARGS(cru_finish, NULL, CRU_UNARY_TANH, 1, 0.4f, {3, 4}, 5);
    const float *y = values(a, ROWS * COLS);
    return (work){call_finish_grad, ARGS(cru_finish_grad_args, .finish = f, .rows = ROWS, .cols = COLS, .y = y),
                  ROWS * COLS};
}

/* ---- axes ---------------------------------------------------------------------------------------------------- */

static void call_sum(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_reduce_args r = *(const cru_reduce_args *)args;
    r.y = out;
    b->reduce(device, CRU_REDUCE_SUM, &r);
}
static void call_max(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_reduce_args r = *(const cru_reduce_args *)args;
    int32_t *where = calloc((size_t)(r.outer * r.inner), sizeof *where);
    r.y = out;
    r.where = where;
    b->reduce(device, CRU_REDUCE_MAX, &r);
    for (int64_t i = 0; i < r.outer * r.inner; i++) out[r.outer * r.inner + i] = (float)where[i];
    free(where);
}
static work sum_of_rows(cru_arena *a)
{
    return (work){call_sum, ARGS(cru_reduce_args, ROWS, COLS, 1, values(a, ROWS * COLS), NULL, NULL), ROWS};
}
static work sum_of_columns(cru_arena *a)
{
    return (work){call_sum, ARGS(cru_reduce_args, 1, ROWS, COLS, values(a, ROWS * COLS), NULL, NULL), COLS};
}
static work sum_of_all(cru_arena *a)
{
    return (work){call_sum, ARGS(cru_reduce_args, 1, N, 1, values(a, N), NULL, NULL), 1};
}
static work max_of_rows(cru_arena *a)
{
    return (work){call_max, ARGS(cru_reduce_args, ROWS, COLS, 1, values(a, ROWS * COLS), NULL, NULL), 2 * ROWS};
}
static work max_of_columns(cru_arena *a)
{
    return (work){call_max, ARGS(cru_reduce_args, 1, ROWS, COLS, values(a, ROWS * COLS), NULL, NULL), 2 * COLS};
}

CALL(spread, cru_spread_args, dx)
static work spread(cru_arena *a)
{
    return (work){call_spread,
                  ARGS(cru_spread_args, .outer = ROWS, .count = COLS, .inner = 1, .dy = values(a, ROWS), .scale = 0.5f,
                       .accumulate = true),
                  ROWS * COLS};
}

CALL(softmax, cru_softmax_args, y)
static work softmax(cru_arena *a)
{
    return (work){call_softmax, ARGS(cru_softmax_args, ROWS, COLS, 1, values(a, ROWS * COLS), NULL, false),
                  ROWS * COLS};
}
static work log_softmax_of_columns(cru_arena *a)
{
    enum { OUTER = 40, COUNT = 700, INNER = 20 };
    return (work){call_softmax,
                  ARGS(cru_softmax_args, OUTER, COUNT, INNER, values(a, OUTER * COUNT * INNER), NULL, true),
                  OUTER * COUNT * INNER};
}

CALL(softmax_grad, cru_softmax_grad_args, dx)
static work softmax_grad(cru_arena *a)
{
    const float *x = values(a, ROWS * COLS);
    return (work){call_softmax_grad, ARGS(cru_softmax_grad_args, ROWS, COLS, 1, x, x, NULL, true, true), ROWS * COLS};
}

static void call_norm(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_norm_args n = *(const cru_norm_args *)args;
    n.y = out;
    n.mean = out + n.outer * n.channels * n.inner;
    n.var = n.mean + n.channels;
    b->norm_stats(device, &n);
    b->norm(device, &n);
}
static work norm_of(cru_arena *a, int64_t outer, int64_t channels, int64_t inner)
{
    const int64_t n = outer * channels * inner;
    return (work){call_norm,
                  ARGS(cru_norm_args, .outer = outer, .channels = channels, .inner = inner, .x = values(a, n),
                       .gain = values(a, channels), .shift = values(a, channels), .eps = 1e-5f),
                  n + 2 * channels};
}
static work norm_of_rows(cru_arena *a)
{
    return norm_of(a, ROWS, COLS, 1);
}
static work norm_of_images(cru_arena *a)
{
    return norm_of(a, 32, 16, 1024);
}

static void call_norm_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_norm_grad_args g = *(const cru_norm_grad_args *)args;
    g.dx = out;
    g.dgain = out + g.outer * g.channels * g.inner;
    g.dshift = g.dgain + g.channels;
    b->norm_grad(device, &g);
}
static work norm_grad_of(cru_arena *a, int64_t outer, int64_t channels, int64_t inner)
{
    const int64_t n = outer * channels * inner;
    float *var = values(a, channels);
    for (int64_t c = 0; c < channels; c++) var[c] += 1;
    return (work){call_norm_grad,
                  ARGS(cru_norm_grad_args, .outer = outer, .channels = channels, .inner = inner, .x = values(a, n),
                       .mean = values(a, channels), .var = var, .gain = values(a, channels), .dy = values(a, n),
                       .eps = 1e-5f, .batch_stats = true, .accumulate = true),
                  n + 2 * channels};
}
static work norm_grad_of_rows(cru_arena *a)
{
    return norm_grad_of(a, ROWS, COLS, 1);
}
static work norm_grad_of_images(cru_arena *a)
{
    return norm_grad_of(a, 32, 16, 1024);
}

static void call_xent(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_xent_args x = *(const cru_xent_args *)args;
    x.loss = out;
    x.prob = out + x.count;
    b->xent(device, &x);
}
static work xent(cru_arena *a)
{
    return (work){call_xent,
                  ARGS(cru_xent_args, .count = ROWS, .classes = COLS, .logits = values(a, ROWS * COLS),
                       .labels = numbers(a, ROWS, COLS)),
                  ROWS * (COLS + 1)};
}

CALL(xent_grad, cru_xent_grad_args, dlogits)
static work xent_grad(cru_arena *a)
{
    return (work){call_xent_grad,
                  ARGS(cru_xent_grad_args, .count = ROWS, .classes = COLS, .labels = numbers(a, ROWS, COLS),
                       .prob = values(a, ROWS * COLS), .dloss = values(a, ROWS)),
                  ROWS * COLS};
}

/* ---- optimisers ---------------------------------------------------------------------------------------------- */

static void call_adam(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_adam_args s = *(const cru_adam_args *)args;
    s.w = out;
    s.m = out + s.n;
    s.v = out + 2 * s.n;
    for (int64_t i = 0; i < s.n; i++) s.v[i] = fabsf(s.v[i]);
    b->adam(device, &s);
}
static work adam(cru_arena *a)
{
    enum { WEIGHTS = 200003 };
    return (work){call_adam,
                  ARGS(cru_adam_args, .n = WEIGHTS, .g = values(a, WEIGHTS), .lr = 0.01f, .beta1 = 0.9f, .beta2 = 0.99f,
                       .eps = 1e-8f, .decay = 1e-3f, .step = 3),
                  3 * WEIGHTS};
}

static void call_sgd(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_sgd_args s = *(const cru_sgd_args *)args;
    s.w = out;
    s.velocity = out + s.n;
    b->sgd(device, &s);
}
static work sgd(cru_arena *a)
{
    return (work){call_sgd,
                  ARGS(cru_sgd_args, .n = N, .g = values(a, N), .lr = 0.01f, .momentum = 0.9f, .decay = 1e-3f,
                       .nesterov = true, .step = 3),
                  2 * N};
}

/* ---- the comparison ------------------------------------------------------------------------------------------ */

static const shared_case cases[] = {
    {"fill", fill},
    {"unary", unary},
    {"unary_grad", unary_grad},
    {"binary", binary},
    {"binary_grad", whole_grad},
    {"binary_grad to a row", row_grad},
    {"binary_grad to a column", column_grad},
    {"binary_grad to a scalar", scalar_grad},
    {"dropout", dropout},
    {"dropout past the caches", large_dropout},
    {"finish", finish},
    {"finish_grad", finish_grad},
    {"finish_grad without bias", finish_grad_without_bias},
    {"reduce: sums of rows", sum_of_rows},
    {"reduce: sums of columns", sum_of_columns},
    {"reduce: the sum of all", sum_of_all},
    {"reduce: largest of rows", max_of_rows},
    {"reduce: largest of columns", max_of_columns},
    {"spread", spread},
    {"softmax", softmax},
    {"log-softmax of columns", log_softmax_of_columns},
    {"softmax_grad", softmax_grad},
    {"norm of rows", norm_of_rows},
    {"norm of images", norm_of_images},
    {"norm_grad of rows", norm_grad_of_rows},
    {"norm_grad of images", norm_grad_of_images},
    {"xent", xent},
    {"xent_grad", xent_grad},
    {"adam", adam},
    {"sgd", sgd},
};

START_TEST(a_kernel_gives_the_same_bits_with_any_number_of_threads)
{
    check_threads(&cases[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("threads of elementwise kernels");
    TCase *c = tcase_create("threads");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, a_kernel_gives_the_same_bits_with_any_number_of_threads, 0, (int)COUNT(cases));
    suite_add_tcase(s, c);
    return s;
}
