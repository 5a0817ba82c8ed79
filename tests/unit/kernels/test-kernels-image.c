// SPDX-License-Identifier: Apache-2.0
/* Convolution and pooling. */
#include "kernels.h"

static int64_t length_after(int64_t length, int64_t kernel, int64_t stride, int64_t pad)
{
    return (length + 2 * pad - kernel) / stride + 1;
}

static void call_conv(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_conv_args c = *(const cru_conv_args *)args;
    c.y = out;
    b->conv(device, &c);
    b->conv(device, &c); /* the second time from the cache */
}

/* dx, dweight, dbias one after the other. */
static void call_conv_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_conv_grad_args g = *(const cru_conv_grad_args *)args;
    g.dx = out;
    g.dweight = out + g.batch * g.in * g.height * g.width;
    g.dbias = g.dweight + g.out * (g.in / g.groups) * g.kernel_h * g.kernel_w;
    b->conv_grad(device, &g);
}

typedef struct conv_sums {
    double *y, *dx, *dweight, *dbias;
} conv_sums;

/* Visits every product of the convolution once: adds it to y, and its share of dy to the gradients. */
static void conv_oracle(const cru_conv_args *c, const float *dy, conv_sums s)
{
    const int64_t oh = length_after(c->height, c->kernel_h, c->stride, c->pad);
    const int64_t ow = length_after(c->width, c->kernel_w, c->stride, c->pad);
    const int64_t in = c->in / c->groups, out = c->out / c->groups;
    for (int64_t at = 0; at < c->batch * c->out * oh * ow; at++) {
        const int64_t x0 = at % ow, y0 = at / ow % oh, o = at / ow / oh % c->out, n = at / ow / oh / c->out;
        s.y[at] = c->bias ? (double)c->bias[o] : 0;
        s.dbias[o] += (double)dy[at];
        for (int64_t k = 0; k < in * c->kernel_h * c->kernel_w; k++) {
            const int64_t kx = k % c->kernel_w, ky = k / c->kernel_w % c->kernel_h, i = k / c->kernel_w / c->kernel_h;
            const int64_t px = x0 * c->stride - c->pad + kx, py = y0 * c->stride - c->pad + ky;
            if (px < 0 || py < 0 || px >= c->width || py >= c->height) continue;
            const int64_t from = ((n * c->in + o / out * in + i) * c->height + py) * c->width + px;
            const int64_t w = o * in * c->kernel_h * c->kernel_w + k;
            s.y[at] += (double)c->x[from] * (double)c->weight[w];
            s.dx[from] += (double)dy[at] * (double)c->weight[w];
            s.dweight[w] += (double)dy[at] * (double)c->x[from];
        }
    }
}

static void check_conv(cru_conv_args c, bool with_bias, bool add)
{
    const int64_t x_size = c.batch * c.in * c.height * c.width;
    const int64_t w_size = c.out * (c.in / c.groups) * c.kernel_h * c.kernel_w;
    const int64_t y_size = c.batch * c.out * length_after(c.height, c.kernel_h, c.stride, c.pad) *
                           length_after(c.width, c.kernel_w, c.stride, c.pad);
    float *x = random_floats(x_size, -1, 1), *weight = random_floats(w_size, -1, 1);
    float *bias = random_floats(c.out, -1, 1), *dy = random_floats(y_size, -1, 1);
    const int64_t n = x_size + w_size + c.out;
    float *before = random_floats(n, -1, 1);
    double *y = doubles(y_size), *grad = doubles(n);
    c.x = x, c.weight = weight, c.bias = with_bias ? bias : NULL;
    for (int64_t i = 0; add && i < n; i++) grad[i] = (double)before[i];
    conv_oracle(&c, dy, (conv_sums){y, grad, grad + x_size, grad + x_size + w_size});
    check_kernel(&(kernel_check){"conv", call_conv, &c, y_size, NULL, y, 1e-5});
    cru_conv_grad_args g = {c.batch,  c.in, c.out,  c.height, c.width, c.kernel_h, c.kernel_w, c.stride, c.pad,
                            c.groups, x,    weight, dy,       NULL,    NULL,       NULL,       add};
    check_kernel(&(kernel_check){"conv grad", call_conv_grad, &g, n, add ? before : NULL, grad, 3e-5});
    free(x), free(weight), free(bias), free(dy), free(before), free(y), free(grad);
}

START_TEST(convolution_and_its_gradients_match_the_naive_sum)
{
    static const cru_conv_args shapes[] = {
        {.batch = 1,
         .in = 1,
         .out = 1,
         .height = 1,
         .width = 1,
         .kernel_h = 1,
         .kernel_w = 1,
         .stride = 1,
         .groups = 1},
        {.batch = 5,
         .in = 3,
         .out = 16,
         .height = 9,
         .width = 7,
         .kernel_h = 3,
         .kernel_w = 3,
         .stride = 1,
         .pad = 1,
         .groups = 1},
        {.batch = 17,
         .in = 16,
         .out = 32,
         .height = 8,
         .width = 8,
         .kernel_h = 3,
         .kernel_w = 3,
         .stride = 2,
         .pad = 1,
         .groups = 1},
        {.batch = 9,
         .in = 16,
         .out = 24,
         .height = 8,
         .width = 8,
         .kernel_h = 1,
         .kernel_w = 1,
         .stride = 2,
         .groups = 1},
        {.batch = 3,
         .in = 5,
         .out = 7,
         .height = 6,
         .width = 5,
         .kernel_h = 5,
         .kernel_w = 3,
         .stride = 1,
         .pad = 2,
         .groups = 1},
        {.batch = 4,
         .in = 8,
         .out = 16,
         .height = 6,
         .width = 6,
         .kernel_h = 3,
         .kernel_w = 3,
         .stride = 1,
         .pad = 1,
         .groups = 4},
    };
    for (int64_t i = 0; i < COUNT(shapes); i++) check_conv(shapes[i], _i & 1, _i & 2);
}
END_TEST

START_TEST(an_empty_batch_has_zero_weight_gradient)
{
    const cru_conv_grad_args g = {0, 2, 3, 4, 4, 3, 3, 1, 1, 1, NULL, NULL, NULL, NULL, NULL, NULL, false};
    double *want = doubles(57);
    check_kernel(&(kernel_check){"conv grad", call_conv_grad, &g, 57, NULL, want, 0});
    free(want);
}
END_TEST

typedef struct pool_call {
    cru_pool_args args;
    cru_pool_grad_args grad;
    int32_t *where;
} pool_call;

static void call_pool(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    const pool_call *c = args;
    cru_pool_args p = c->args;
    p.y = out;
    p.where = p.max ? c->where : NULL;
    b->pool(device, &p);
}

static void call_pool_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_pool_grad_args g = ((const pool_call *)args)->grad;
    g.dx = out;
    b->pool_grad(device, &g);
}

static void pool_oracle(const cru_pool_args *p, const float *dy, double *y, double *dx)
{
    const int64_t oh = length_after(p->height, p->kernel, p->stride, p->pad);
    const int64_t ow = length_after(p->width, p->kernel, p->stride, p->pad);
    for (int64_t at = 0; at < p->planes * oh * ow; at++) {
        const int64_t x0 = at % ow, y0 = at / ow % oh, plane = at / ow / oh;
        int64_t best = -1;
        for (int64_t k = 0; k < p->kernel * p->kernel; k++) {
            const int64_t px = x0 * p->stride - p->pad + k % p->kernel, py = y0 * p->stride - p->pad + k / p->kernel;
            if (px < 0 || py < 0 || px >= p->width || py >= p->height) continue;
            const int64_t from = (plane * p->height + py) * p->width + px;
            if (best < 0 || p->x[from] > p->x[best]) best = from;
            if (p->max) continue;
            y[at] += (double)p->x[from] / (double)(p->kernel * p->kernel);
            dx[from] += (double)dy[at] / (double)(p->kernel * p->kernel);
        }
        if (!p->max) continue;
        y[at] = (double)p->x[best];
        dx[best] += (double)dy[at];
    }
}

static void check_pool(cru_pool_args p, bool add)
{
    const int64_t n = p.planes * p.height * p.width;
    const int64_t outputs =
        p.planes * length_after(p.height, p.kernel, p.stride, p.pad) * length_after(p.width, p.kernel, p.stride, p.pad);
    float *x = random_floats(n, -1, 1), *dy = random_floats(outputs, -1, 1), *before = random_floats(n, -1, 1);
    double *y = doubles(outputs), *dx = doubles(n);
    p.x = x;
    for (int64_t i = 0; add && i < n; i++) dx[i] = (double)before[i];
    pool_oracle(&p, dy, y, dx);
    pool_call c = {p,
                   {p.max, p.planes, p.height, p.width, p.kernel, p.stride, p.pad, dy, NULL, NULL, add},
                   calloc((size_t)outputs + 1, sizeof(int32_t))};
    check_kernel(&(kernel_check){"pool", call_pool, &c, outputs, NULL, y, 1e-6});
    c.grad.where = c.where;
    check_kernel(&(kernel_check){"pool grad", call_pool_grad, &c, n, add ? before : NULL, dx, 1e-6});
    free(x), free(dy), free(before), free(y), free(dx), free(c.where);
}

START_TEST(pooling_and_its_gradient_match_their_definition)
{
    static const int64_t windows[][3] = {{1, 1, 0}, {2, 2, 0}, {3, 2, 1}, {3, 1, 1}, {4, 4, 0}};
    for (int64_t i = 0; i < COUNT(windows); i++) {
        const int64_t *w = windows[i];
        for (int64_t planes = 0; planes < 1000; planes = 3 * planes + 1)
            check_pool((cru_pool_args){_i & 1, planes, 8, 9, w[0], w[1], w[2], NULL, NULL, NULL}, _i & 2);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("image kernels");
    TCase *c = tcase_create("image");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, convolution_and_its_gradients_match_the_naive_sum, 0, 4);
    tcase_add_test(c, an_empty_batch_has_zero_weight_gradient);
    tcase_add_loop_test(c, pooling_and_its_gradient_match_their_definition, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
