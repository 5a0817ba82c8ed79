// SPDX-License-Identifier: Apache-2.0
/* Central differences, the oracle for every backward function. */
#include <math.h>
#include <stdlib.h>

#include <crucible/draft/tensor.h>

#include "autograd/tape.h"

typedef struct probe {
    cru_tape *tape;
    cru_grad_function *f;
    void *user;
    cru_tensor *const *x;
} probe;

static double value_at(const probe *p, cru_tensor *x, int64_t i, float value)
{
    p->tape->device->backend->upload(p->tape->device, x->data + i, &value, sizeof value);
    cru_tape_begin(p->tape, CRU_TRAIN);
    return cru_tensor_item(p->tape, p->f(p->user, p->tape, p->x));
}

/* A step of 2^-8 |x| balances truncation against float rounding of the loss. */
static double numeric(const probe *p, cru_tensor *x, int64_t i)
{
    float at;
    p->tape->device->backend->download(p->tape->device, &at, x->data + i, sizeof at);
    float step = fmaxf(1.0f, fabsf(at)) * 0x1p-8f;
    double up = value_at(p, x, i, at + step), down = value_at(p, x, i, at - step);
    p->tape->device->backend->upload(p->tape->device, x->data + i, &at, sizeof at);
    return (up - down) / ((double)(at + step) - (double)(at - step));
}

static double worst_of(const probe *p, cru_tensor *x, const float *analytic)
{
    double worst = 0;
    for (int64_t i = 0; i < cru_tensor_count(x); i++) {
        double expected = numeric(p, x, i);
        double error = fabs((double)analytic[i] - expected) / fmax(1.0, fabs(expected));
        if (!(error <= worst)) worst = error; /* NaN counts as worst */
    }
    return worst;
}

double cru_gradcheck(cru_tape *tape, cru_grad_function *f, void *user, cru_tensor *const *x, int64_t count)
{
    probe p = {.tape = tape, .f = f, .user = user, .x = x};
    cru_tape_begin(tape, CRU_TRAIN);
    for (int64_t i = 0; i < count; i++) {
        cru_tensor_watch(x[i]);
        if (x[i]->role == ROLE_WEIGHT) cru_weight_clear(x[i]);
    }
    cru_backward(tape, f(user, tape, x));
    float **analytic = calloc((size_t)count, sizeof *analytic);
    if (!analytic) cru_panic(CRU_NO_MEMORY, "gradcheck: out of memory");
    for (int64_t i = 0; i < count; i++) {
        analytic[i] = malloc((size_t)(cru_tensor_count(x[i]) + 1) * sizeof(float));
        if (!analytic[i]) cru_panic(CRU_NO_MEMORY, "gradcheck: out of memory");
        cru_tensor_download(tape, cru_grad_of(tape, x[i]), analytic[i]);
    }
    double worst = 0;
    for (int64_t i = 0; i < count; i++) {
        double error = worst_of(&p, x[i], analytic[i]);
        if (!(error <= worst)) worst = error;
        free(analytic[i]);
    }
    free(analytic);
    return worst;
}
