// SPDX-License-Identifier: Apache-2.0
/* gradients.h: finite-difference checks as one-line tests.
 *
 * A case is a function from inputs to a tensor of any shape; the check reduces it to a scalar with fixed irregular
 * weights, so that no gradient error can cancel. */
#ifndef TESTS_OPS_GRADIENTS_H
#define TESTS_OPS_GRADIENTS_H

#include <check.h>
#include <math.h>

#include <crucible/crucible.h>

#include "on-device.h"

typedef cru_tensor *op_case(void *user, cru_tape *t, cru_tensor *const *x);

typedef struct op_bench {
    cru_ctx *ctx;
    cru_tape *tape;
} op_bench;

static inline op_bench op_bench_open(void)
{
    op_bench b = {.ctx = test_ctx(&(cru_ctx_options){.seed = 7, .threads = 1})};
    b.tape = cru_tape_create(b.ctx);
    return b;
}

static inline void op_bench_close(op_bench *b)
{
    cru_ctx_destroy(b->ctx);
}

/* Values in [lo, hi] in no order, no two equal, the same in every run. */
static inline cru_tensor *op_values(op_bench *b, int32_t rank, const int64_t *dim, double lo, double hi)
{
    int64_t n = 1;
    for (int32_t axis = 0; axis < rank; axis++) n *= dim[axis];
    float *values = cru_ctx_alloc(b->ctx, n, sizeof *values);
    for (int64_t i = 0; i < n; i++) {
        double u = fmod(0.6180339887498949 * (double)(i + 1) + 0.37 * (double)n, 1.0);
        values[i] = (float)(lo + (hi - lo) * u);
    }
    return cru_tensor_from(b->ctx, cru_nd(rank, dim), values);
}

static inline cru_tensor *op_matrix(op_bench *b, int64_t rows, int64_t cols, double lo, double hi)
{
    return op_values(b, 2, (const int64_t[]){rows, cols}, lo, hi);
}

/* x seen as a matrix, at row i and column k. */
static inline double op_at(const cru_tensor *x, int64_t i, int64_t k)
{
    return (double)test_value(x, i * cru_tensor_cols(x) + k);
}

/* Targets in host memory, where operators read them, for the step. */
static inline const cru_targets *step_targets(cru_tape *t, const cru_targets *y)
{
    cru_targets *out = cru_tape_alloc(t, 1, sizeof *out);
    cru_index *rows = cru_tape_alloc(t, 1, sizeof *rows);
    *out = *y;
    if (y->rows) {
        *rows = cru_index_step(t, y->rows->ids, y->rows->count);
        out->rows = rows;
    }
    out->labels = cru_index_step(t, y->labels.ids, y->labels.count);
    if (y->weights) out->weights = cru_tensor_upload(t, cru_1d(y->labels.count), y->weights)->data;
    return out;
}

typedef struct op_probe {
    op_case *f;
    void *user;
} op_probe;

static inline cru_tensor *op_weigh(void *user, cru_tape *t, cru_tensor *const *x)
{
    const op_probe *p = user;
    cru_tensor *y = p->f(p->user, t, x);
    int64_t n = cru_tensor_count(y);
    float *weights = cru_tape_alloc(t, n, sizeof *weights);
    for (int64_t i = 0; i < n; i++) weights[i] = (float)(0.3 + fmod(0.7548776662466927 * (double)(i + 1), 1.0));
    return cru_sum(t, cru_mul(t, y, cru_tensor_upload(t, cru_shape_of(y), weights)), CRU_ALL);
}

static inline void op_check(op_bench *b, op_case *f, void *user, cru_tensor *const *x, int64_t count)
{
    op_probe p = {.f = f, .user = user};
    double worst = cru_gradcheck(b->tape, op_weigh, &p, x, count);
    ck_assert_msg(worst < 4e-3, "gradient off by %g", worst);
}

#endif
