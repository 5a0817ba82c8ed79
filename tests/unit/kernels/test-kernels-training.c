// SPDX-License-Identifier: Apache-2.0
/* Dropout and optimiser steps. */
#include <crucible/draft/random.h>

#include "kernels.h"

static void call_dropout(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_dropout_args d = *(const cru_dropout_args *)args;
    d.y = out;
    b->dropout(device, &d);
}

/* Number i of a stream is word i % 4 of block i / 4; a float of its upper 24 bits. */
static double uniform_at(const cru_dropout_args *d, int64_t i)
{
    const uint64_t block = (uint64_t)i / 4;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), d->stream, 0};
    uint32_t words[4];
    cru_philox(d->key, counter, words);
    return (double)(words[i % 4] >> 8) / (1 << 24);
}

static void check_dropout(int64_t n, float p)
{
    float *x = random_floats(n, -1, 1), *before = random_floats(n, -1, 1);
    double *want = doubles(n);
    cru_dropout_args d = {.n = n, .x = x, .p = p, .key = {12345, 0xdeadbeef}, .stream = 42};
    for (int64_t i = 0; i < n; i++) want[i] = uniform_at(&d, i) >= (double)p ? (double)x[i] / (1 - (double)p) : 0;
    check_kernel(&(kernel_check){"dropout", call_dropout, &d, n, NULL, want, 1e-6});
    d.accumulate = true;
    for (int64_t i = 0; i < n; i++) want[i] += (double)before[i];
    check_kernel(&(kernel_check){"dropout, added", call_dropout, &d, n, before, want, 1e-6});
    free(x), free(before), free(want);
}

START_TEST(dropout_keeps_what_the_stream_says)
{
    static const float rates[] = {0.0f, 0.3f, 0.5f, 1.0f};
    for (int64_t r = 0; r < COUNT(rates); r++) {
        for (int64_t i = 0; i < COUNT(odd_sizes); i++) check_dropout(odd_sizes[i], rates[r]);
        check_dropout(100003, rates[r]);
    }
}
END_TEST

/* Large results take a way of their own past the caches. */
START_TEST(large_dropout_keeps_what_the_stream_says)
{
    check_dropout((4 << 20) + 5, 0.5f);
}
END_TEST

START_TEST(dropped_values_are_zero_even_when_not_finite)
{
    const float x[] = {NAN, INFINITY, NAN, INFINITY};
    const double want[4] = {0};
    cru_dropout_args d = {.n = 4, .x = x, .p = 1.0f};
    check_kernel(&(kernel_check){"dropout", call_dropout, &d, 4, NULL, want, 0});
}
END_TEST

/* Runs three steps; w, m, v, vmax one after the other in the output. */
static void call_adam(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_adam_args a = *(const cru_adam_args *)args;
    a.w = out;
    a.m = out + a.n;
    a.v = out + 2 * a.n;
    a.vmax = out + 3 * a.n;
    for (a.step = 1; a.step <= 3; a.step++) b->adam(device, &a);
}

/* torch.optim.Adam and AdamW as documented. */
static void adam_oracle(const cru_adam_args *a, double *s, int64_t step)
{
    const double beta1 = (double)a->beta1, beta2 = (double)a->beta2, lr = (double)a->lr, decay = (double)a->decay;
    for (int64_t i = 0; i < a->n; i++) {
        double *w = s + i, *m = w + a->n, *v = m + a->n, *vmax = v + a->n, g = (double)a->g[i];
        if (a->decoupled)
            *w -= lr * decay * *w;
        else
            g += decay * *w;
        *m = beta1 * *m + (1 - beta1) * g;
        *v = beta2 * *v + (1 - beta2) * g * g;
        if (a->amsgrad) *vmax = fmax(*vmax, *v);
        const double unbiased = (a->amsgrad ? *vmax : *v) / (1 - pow(beta2, (double)step));
        *w -= lr * (*m / (1 - pow(beta1, (double)step))) / (sqrt(unbiased) + (double)a->eps);
    }
}

START_TEST(adam_follows_pytorch)
{
    static const int64_t sizes[] = {0, 1, 17, 1000, 40001};
    for (int64_t i = 0; i < COUNT(sizes); i++) {
        const int64_t n = sizes[i];
        float *start = floats(4 * n), *w = random_floats(n, -1, 1), *g = random_floats(n, -1, 1);
        double *want = doubles(4 * n);
        memcpy(start, w, sizeof(float) * (size_t)n);
        for (int64_t k = 0; k < n; k++) want[k] = (double)w[k];
        cru_adam_args a = {.n = n, .g = g, .lr = 0.01f, .beta1 = 0.9f, .beta2 = 0.999f, .eps = 1e-8f, .decay = 0.05f};
        a.decoupled = _i & 1;
        a.amsgrad = _i & 2;
        for (int64_t step = 1; step <= 3; step++) adam_oracle(&a, want, step);
        check_kernel(&(kernel_check){"adam", call_adam, &a, 4 * n, start, want, 1e-6});
        free(start), free(w), free(g), free(want);
    }
}
END_TEST

static void call_sgd(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_sgd_args a = *(const cru_sgd_args *)args;
    a.w = out;
    a.velocity = a.momentum != 0 ? out + a.n : NULL;
    for (a.step = 1; a.step <= 3; a.step++) b->sgd(device, &a);
}

static void sgd_oracle(const cru_sgd_args *a, double *s, int64_t step)
{
    for (int64_t i = 0; i < a->n; i++) {
        double *w = s + i, *v = w + a->n, g = (double)a->g[i] + (double)a->decay * *w;
        if (a->momentum != 0) {
            *v = step == 1 ? g : (double)a->momentum * *v + (1 - (double)a->dampening) * g;
            g = a->nesterov ? g + (double)a->momentum * *v : *v;
        }
        *w -= (double)a->lr * g;
    }
}

START_TEST(sgd_follows_pytorch)
{
    static const struct {
        float momentum, dampening;
        bool nesterov;
    } kinds[] = {{0, 0, false}, {0.9f, 0, false}, {0.9f, 0.3f, false}, {0.9f, 0, true}};
    static const int64_t sizes[] = {0, 1, 17, 1000, 300001};
    for (int64_t i = 0; i < COUNT(sizes); i++) {
        const int64_t n = sizes[i];
        float *start = floats(2 * n), *w = random_floats(n, -1, 1), *g = random_floats(n, -1, 1);
        double *want = doubles(2 * n);
        memcpy(start, w, sizeof(float) * (size_t)n);
        for (int64_t k = 0; k < n; k++) want[k] = (double)w[k];
        cru_sgd_args a = {.n = n,
                          .g = g,
                          .lr = 0.1f,
                          .decay = 0.05f,
                          .momentum = kinds[_i].momentum,
                          .dampening = kinds[_i].dampening,
                          .nesterov = kinds[_i].nesterov};
        for (int64_t step = 1; step <= 3; step++) sgd_oracle(&a, want, step);
        check_kernel(&(kernel_check){"sgd", call_sgd, &a, 2 * n, start, want, 1e-6});
        free(start), free(w), free(g), free(want);
    }
}
END_TEST

/* Of the CPU; what a card refuses is in the tests of its backend. */
START_TEST(a_device_is_refused_with_one_clear_line)
{
    cru_device device;
    cru_error err = {0};
    ck_assert_int_eq(cru_backend_cpu()->open(&device, 1, 1, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "cpu: no device 1, there is only device 0");
    err = (cru_error){0};
    ck_assert_int_eq(cru_backend_cpu()->open(&device, 0, -2, &err), CRU_BAD_INPUT);
}
END_TEST

/* Else kernels that call others would be tested in the best variant only. */
START_TEST(a_device_runs_the_table_that_opened_it)
{
    for (int isa = 0; isa < CPU_ISA_COUNT; isa++) {
        const cru_backend *table = cru_cpu_backend_for((cpu_isa)isa);
        cru_device device;
        if (!table) continue;
        ck_assert_int_eq(table->open(&device, 0, 1, NULL), CRU_OK);
        ck_assert_ptr_eq(device.backend, table);
        table->close(&device);
    }
}
END_TEST

START_TEST(memory_is_aligned_and_moves_both_ways)
{
    const cru_backend *b = default_backend();
    cru_device device;
    ck_assert_int_eq(b->open(&device, test_device_card(), 0, NULL), CRU_OK);
    ck_assert_int_ge(device.threads, 1);
    const float from[3] = {1, 2, 3};
    float to[3] = {0};
    float *memory = b->alloc(&device, sizeof from);
    ck_assert_uint_eq((uintptr_t)memory % 64, 0);
    b->upload(&device, memory, from, sizeof from);
    b->download(&device, to, memory, sizeof to);
    ck_assert_mem_eq(to, from, sizeof to);
    b->release(&device, memory);
    ck_assert_ptr_null(b->alloc(&device, SIZE_MAX));
    b->close(&device);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("training kernels");
    TCase *c = tcase_create("training");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, dropout_keeps_what_the_stream_says);
    tcase_add_test(c, large_dropout_keeps_what_the_stream_says);
    tcase_add_test(c, dropped_values_are_zero_even_when_not_finite);
    tcase_add_loop_test(c, adam_follows_pytorch, 0, 4);
    tcase_add_loop_test(c, sgd_follows_pytorch, 0, 4);
    tcase_add_test(c, a_device_is_refused_with_one_clear_line);
    tcase_add_test(c, a_device_runs_the_table_that_opened_it);
    tcase_add_test(c, memory_is_aligned_and_moves_both_ways);
    suite_add_tcase(s, c);
    return s;
}
