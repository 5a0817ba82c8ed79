// SPDX-License-Identifier: Apache-2.0
/* Optimisers over groups of weights. */
#include <math.h>

#include <crucible/draft/nn.h>
#include <crucible/draft/optim.h>
#include <crucible/draft/tensor.h>
#include <crucible/optim.h>

#include "context/trace.h"

typedef struct slot {
    cru_tensor *w;
    double lr_factor, decay;
    float *first, *second, *largest; /* moments; velocity is `first` */
    int64_t step;                    /* of this weight: it counts only steps in which it had a gradient */
    struct slot *next;
} slot;

struct cru_optim {
    cru_ctx *ctx;
    cru_optim_spec spec;
    slot *first, **end;
    float *norm; /* one number on the device, for clipping */
};

cru_optim *cru_optim_create(cru_ctx *ctx, const cru_optim_spec *spec)
{
    cru_optim *optim = cru_ctx_alloc(ctx, 1, sizeof *optim);
    optim->ctx = ctx;
    optim->spec = *spec;
    if (optim->spec.beta1 == 0) optim->spec.beta1 = 0.9;
    if (optim->spec.beta2 == 0) optim->spec.beta2 = 0.999;
    if (optim->spec.eps == 0) optim->spec.eps = 1e-8;
    optim->end = &optim->first;
    optim->norm = cru_tensor_create(ctx, cru_0d())->data;
    return optim;
}

static bool taken(const cru_optim *optim, const cru_tensor *w)
{
    for (const slot *s = optim->first; s; s = s->next)
        if (s->w == w) return true;
    return false;
}

static float *moments(cru_optim *optim, const cru_tensor *w)
{
    return cru_tensor_create(optim->ctx, cru_shape_of(w))->data;
}

static bool is_spared(const cru_optim *optim, const cru_tensor *w)
{
    return optim->spec.kind == CRU_ADAMW_MATRICES && cru_shape_of(w).rank < 2;
}

void cru_optim_add_weight(cru_optim *optim, cru_tensor *weight, const cru_optim_group *group)
{
    if (taken(optim, weight)) return;
    slot *s = cru_ctx_alloc(optim->ctx, 1, sizeof *s);
    *s = (slot){.w = weight, .lr_factor = 1, .decay = is_spared(optim, weight) ? 0 : optim->spec.decay};
    if (group && group->lr_factor != 0) s->lr_factor = group->lr_factor;
    if (group && group->own_decay) s->decay = group->decay;
    bool adam = optim->spec.kind != CRU_SGD;
    if (adam || optim->spec.momentum != 0) s->first = moments(optim, weight);
    if (adam) s->second = moments(optim, weight);
    if (adam && optim->spec.amsgrad) s->largest = moments(optim, weight);
    *optim->end = s;
    optim->end = &s->next;
}

void cru_optim_add(cru_optim *optim, cru_net *net, const cru_optim_group *group)
{
    for (int64_t i = 0; i < cru_net_weight_count(net); i++)
        if (!group || !group->only || group->only(group->user, cru_net_weight_name(net, i)))
            cru_optim_add_weight(optim, cru_net_weight_at(net, i), group);
}

/* Consecutive elements of a weight, and what its optimiser keeps for them. */
typedef struct span {
    const slot *s;
    const float *grad;
    int64_t first, count;
    double eps;
} span;

static float *part_of(float *x, const span *p)
{
    return x ? x + p->first : NULL;
}

static void step_adam(const cru_optim *optim, const span *p)
{
    const cru_optim_spec *spec = &optim->spec;
    const slot *s = p->s;
    cru_device *device = cru_ctx_device(optim->ctx);
    cru_adam_args args = {.n = p->count,
                          .w = part_of(s->w->data, p),
                          .m = part_of(s->first, p),
                          .v = part_of(s->second, p),
                          .g = p->grad + p->first,
                          .lr = (float)(spec->lr * s->lr_factor),
                          .beta1 = (float)spec->beta1,
                          .beta2 = (float)spec->beta2,
                          .eps = (float)p->eps,
                          .decay = (float)s->decay,
                          .decoupled = spec->kind == CRU_ADAMW || spec->kind == CRU_ADAMW_MATRICES,
                          .amsgrad = spec->amsgrad,
                          .vmax = part_of(s->largest, p),
                          .step = s->step};
    device->backend->adam(device, &args);
}

static void step_sgd(const cru_optim *optim, const span *p)
{
    const cru_optim_spec *spec = &optim->spec;
    const slot *s = p->s;
    cru_device *device = cru_ctx_device(optim->ctx);
    cru_sgd_args args = {.n = p->count,
                         .w = part_of(s->w->data, p),
                         .velocity = part_of(s->first, p),
                         .g = p->grad + p->first,
                         .lr = (float)(spec->lr * s->lr_factor),
                         .momentum = (float)spec->momentum,
                         .dampening = (float)spec->dampening,
                         .decay = (float)s->decay,
                         .nesterov = spec->nesterov,
                         .step = s->step};
    device->backend->sgd(device, &args);
}

static void step_span(const cru_optim *optim, const span *p)
{
    if (optim->spec.kind == CRU_SGD)
        step_sgd(optim, p);
    else
        step_adam(optim, p);
}

static void trace_step(const cru_optim *optim)
{
    static const char *const names[] = {
        [CRU_ADAM] = "adam", [CRU_ADAMW] = "adamw", [CRU_SGD] = "sgd", [CRU_ADAMW_MATRICES] = "adamw"};
    cru_trace_event event = {.op = names[optim->spec.kind]};
    for (const slot *s = optim->first; s; s = s->next) event.bytes += cru_tensor_count(s->w) * (int64_t)sizeof(float);
    trace_enter(ctx_tracer(optim->ctx), &event);
}

void cru_optim_step(cru_optim *optim)
{
    tracer *trace = ctx_tracer(optim->ctx);
    if (trace->sink) trace_step(optim);
    for (slot *s = optim->first; s; s = s->next) {
        const float *grad = cru_weight_grad(s->w);
        if (!grad) continue;
        s->step++;
        step_span(optim, &(span){s, grad, 0, cru_tensor_count(s->w), optim->spec.eps});
    }
    cru_optim_clear(optim);
    trace_leave(trace);
}

/* SparseAdam divides by sqrt(v) + eps before it corrects the bias of v, Adam after it has. */
static double eps_of_rows(const cru_optim *optim, const slot *s)
{
    return optim->spec.eps / sqrt(1 - pow(optim->spec.beta2, (double)s->step));
}

void cru_optim_step_rows(cru_optim *optim, cru_tensor *weight, cru_ids rows)
{
    slot *s = optim->first;
    while (s && s->w != weight) s = s->next;
    cru_assert(s != NULL, "optim_step_rows: a weight that the optimiser does not have");
    const float *grad = cru_weight_grad(weight);
    if (!grad) return;
    tracer *trace = ctx_tracer(optim->ctx);
    if (trace->sink) trace_step(optim);
    s->step++;
    const int64_t cols = cru_tensor_cols(weight);
    const double eps = eps_of_rows(optim, s);
    for (int64_t i = 0; i < rows.count; i++) step_span(optim, &(span){s, grad, rows.ids[i] * cols, cols, eps});
    cru_weight_clear(weight);
    trace_leave(trace);
}

void cru_optim_clear(cru_optim *optim)
{
    for (slot *s = optim->first; s; s = s->next) cru_weight_clear(s->w);
}

void cru_optim_reset(cru_optim *optim)
{
    cru_device *device = cru_ctx_device(optim->ctx);
    for (slot *s = optim->first; s; s = s->next) {
        int64_t n = cru_tensor_count(s->w);
        if (s->first) device->backend->fill(device, s->first, n, 0);
        if (s->second) device->backend->fill(device, s->second, n, 0);
        if (s->largest) device->backend->fill(device, s->largest, n, 0);
        s->step = 0;
    }
    cru_optim_clear(optim);
}

void cru_optim_set_lr(cru_optim *optim, double lr)
{
    optim->spec.lr = lr;
}

double cru_optim_lr(const cru_optim *optim)
{
    return optim->spec.lr;
}

static double squared_norm(cru_device *device, const float *x, int64_t n, float *scratch)
{
    cru_gemm_args dot = {
        .tb = true, .m = 1, .n = 1, .k = n, .alpha = 1, .a = x, .b = x, .c = scratch, .lda = n, .ldb = n, .ldc = 1};
    device->backend->gemm(device, &dot);
    float value;
    device->backend->download(device, &value, scratch, sizeof value);
    return (double)value;
}

/* As clip_grad_norm_: the factor is limit / (norm + 1e-6), never above 1. */
double cru_optim_clip(cru_optim *optim, double limit)
{
    cru_device *device = cru_ctx_device(optim->ctx);
    double total = 0;
    for (slot *s = optim->first; s; s = s->next)
        if (cru_weight_grad(s->w))
            total += squared_norm(device, cru_weight_grad(s->w), cru_tensor_count(s->w), optim->norm);
    double norm = sqrt(total), factor = limit / (norm + 1e-6);
    for (slot *s = optim->first; s && factor < 1; s = s->next) {
        float *grad = cru_weight_grad(s->w);
        cru_unary_args scale = {.n = cru_tensor_count(s->w), .x = grad, .y = grad, .a = (float)factor};
        if (grad) device->backend->unary(device, CRU_UNARY_SCALE, &scale);
    }
    return norm;
}
