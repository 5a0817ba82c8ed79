// SPDX-License-Identifier: Apache-2.0
#include "conv-cache.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST, SECOND, RESULT, TENSORS, BIAS = TENSORS, SCRATCH, MEMORIES };

/* What a thread needs to execute a plan: oneDNN's handles of memory, set anew for each call. */
typedef struct lane {
    dnnl_stream_t stream;
    dnnl_memory_t plain[TENSORS]; /* the SDK's layout */
    dnnl_memory_t inner[MEMORIES];
} lane;

struct cpu_conv_plan {
    cpu_conv_shape shape;
    cpu_conv_plan *next;
    dnnl_primitive_t primitive;
    int argument[MEMORIES];
    dnnl_memory_desc_t plain[TENSORS], inner[MEMORIES];
    dnnl_primitive_t reorder[TENSORS]; /* NULL: the layouts agree */
    lane *lanes;
    int32_t lane_count;
};

struct cpu_conv_cache {
    dnnl_engine_t engine;
    cpu_conv_plan *plans;
};

static void check(dnnl_status_t status)
{
    if (status == dnnl_out_of_memory) cru_panic(CRU_NO_MEMORY, "conv: no memory");
    cru_assert(status == dnnl_success, "conv: oneDNN failed with status %d", (int)status);
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) cru_panic(CRU_NO_MEMORY, "conv: no memory");
    return memory;
}

typedef struct layouts {
    dnnl_memory_desc_t x, weight, y, bias;
} layouts;

/* Row-major descriptions, or (`any`) ones that leave the layout to oneDNN. */
static layouts describe(const cpu_conv_shape *s, bool any)
{
    const int64_t oh = cpu_conv_output(s->height, s->kernel_h, s->stride, s->pad);
    const int64_t ow = cpu_conv_output(s->width, s->kernel_w, s->stride, s->pad);
    const dnnl_dims_t x = {s->batch, s->in, s->height, s->width}, y = {s->batch, s->out, oh, ow}, bias = {s->out};
    const dnnl_dims_t plain_weight = {s->out, s->in, s->kernel_h, s->kernel_w};
    const dnnl_dims_t grouped = {s->groups, s->out / s->groups, s->in / s->groups, s->kernel_h, s->kernel_w};
    const bool groups = s->groups > 1;
    layouts l;
    check(dnnl_memory_desc_init_by_tag(&l.x, 4, x, dnnl_f32, any ? dnnl_format_tag_any : dnnl_nchw));
    check(dnnl_memory_desc_init_by_tag(&l.y, 4, y, dnnl_f32, any ? dnnl_format_tag_any : dnnl_nchw));
    check(dnnl_memory_desc_init_by_tag(&l.weight, groups ? 5 : 4, groups ? grouped : plain_weight, dnnl_f32,
                                       any      ? dnnl_format_tag_any
                                       : groups ? dnnl_goihw
                                                : dnnl_oihw));
    check(dnnl_memory_desc_init_by_tag(&l.bias, 1, bias, dnnl_f32, dnnl_x));
    return l;
}

static dnnl_primitive_desc_t describe_forward(dnnl_engine_t engine, const cpu_conv_shape *s, dnnl_primitive_attr_t attr)
{
    const layouts any = describe(s, true);
    const dnnl_dims_t strides = {s->stride, s->stride}, pad = {s->pad, s->pad};
    dnnl_convolution_desc_t desc;
    dnnl_primitive_desc_t pd;
    check(dnnl_convolution_forward_desc_init(&desc, dnnl_forward_training, dnnl_convolution_direct, &any.x, &any.weight,
                                             s->bias ? &any.bias : NULL, &any.y, strides, pad, pad));
    check(dnnl_primitive_desc_create(&pd, &desc, attr, engine, NULL));
    return pd;
}

/* The gradients are described with the forward product as a hint. */
static dnnl_primitive_desc_t describe_plan(dnnl_engine_t engine, const cpu_conv_shape *s)
{
    dnnl_primitive_attr_t attr;
    check(dnnl_primitive_attr_create(&attr));
    /* With working space from the caller a primitive can run in several threads at a time. */
    check(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user));
    dnnl_primitive_desc_t pd = describe_forward(engine, s, attr);
    if (s->kind != CPU_CONV_FORWARD) {
        const layouts any = describe(s, true);
        const dnnl_dims_t strides = {s->stride, s->stride}, pad = {s->pad, s->pad};
        dnnl_primitive_desc_t hint = pd;
        dnnl_convolution_desc_t desc;
        if (s->kind == CPU_CONV_DATA)
            check(dnnl_convolution_backward_data_desc_init(&desc, dnnl_convolution_direct, &any.x, &any.weight, &any.y,
                                                           strides, pad, pad));
        else
            check(dnnl_convolution_backward_weights_desc_init(&desc, dnnl_convolution_direct, &any.x, &any.weight, NULL,
                                                              &any.y, strides, pad, pad));
        check(dnnl_primitive_desc_create(&pd, &desc, attr, engine, hint));
        dnnl_primitive_desc_destroy(hint);
    }
    dnnl_primitive_attr_destroy(attr);
    return pd;
}

/* Which tensor of oneDNN's stands for the plan's first, second and result. */
static void choose_tensors(cpu_conv_plan *plan, dnnl_primitive_desc_t pd)
{
    static const struct {
        dnnl_query_t query[TENSORS];
        int argument[TENSORS];
    } roles[] = {
        [CPU_CONV_FORWARD] = {{dnnl_query_src_md, dnnl_query_weights_md, dnnl_query_dst_md},
                              {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST}},
        [CPU_CONV_DATA] = {{dnnl_query_diff_dst_md, dnnl_query_weights_md, dnnl_query_diff_src_md},
                           {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC}},
        [CPU_CONV_WEIGHT] = {{dnnl_query_diff_dst_md, dnnl_query_src_md, dnnl_query_diff_weights_md},
                             {DNNL_ARG_DIFF_DST, DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS}},
    };
    const layouts plain = describe(&plan->shape, false);
    const cpu_conv_kind kind = plan->shape.kind;
    plan->plain[FIRST] = kind == CPU_CONV_FORWARD ? plain.x : plain.y;
    plan->plain[SECOND] = kind == CPU_CONV_WEIGHT ? plain.x : plain.weight;
    plan->plain[RESULT] = kind == CPU_CONV_FORWARD ? plain.y : kind == CPU_CONV_DATA ? plain.x : plain.weight;
    for (int i = 0; i < TENSORS; i++) {
        plan->inner[i] = *dnnl_primitive_desc_query_md(pd, roles[kind].query[i], 0);
        plan->argument[i] = roles[kind].argument[i];
    }
    plan->inner[BIAS] = plain.bias;
    plan->argument[BIAS] = DNNL_ARG_BIAS;
    plan->inner[SCRATCH] = *dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
    plan->argument[SCRATCH] = DNNL_ARG_SCRATCHPAD;
}

static void make_reorders(cpu_conv_plan *plan, dnnl_engine_t engine)
{
    for (int i = 0; i < TENSORS; i++) {
        if (dnnl_memory_desc_equal(&plan->plain[i], &plan->inner[i])) continue;
        const dnnl_memory_desc_t *from = i == RESULT ? &plan->inner[i] : &plan->plain[i];
        const dnnl_memory_desc_t *to = i == RESULT ? &plan->plain[i] : &plan->inner[i];
        dnnl_primitive_desc_t pd;
        check(dnnl_reorder_primitive_desc_create(&pd, from, engine, to, engine, NULL));
        check(dnnl_primitive_create(&plan->reorder[i], pd));
        dnnl_primitive_desc_destroy(pd);
    }
}

static void make_lanes(cpu_conv_plan *plan, dnnl_engine_t engine, int32_t count)
{
    plan->lane_count = count;
    plan->lanes = zeroed((size_t)count, sizeof *plan->lanes);
    for (int32_t t = 0; t < count; t++) {
        lane *l = &plan->lanes[t];
        check(dnnl_stream_create(&l->stream, engine, dnnl_stream_default_flags));
        for (int i = 0; i < TENSORS; i++)
            check(dnnl_memory_create(&l->plain[i], &plan->plain[i], engine, DNNL_MEMORY_NONE));
        for (int i = 0; i < MEMORIES; i++)
            check(dnnl_memory_create(&l->inner[i], &plan->inner[i], engine, DNNL_MEMORY_NONE));
    }
}

typedef struct plan_job {
    cru_device *device;
    cpu_conv_plan *plan;
    dnnl_engine_t engine;
} plan_job;

/* Runs as a job so that oneDNN plans for one thread. */
static void make_plan(const void *task, int64_t job, int32_t thread)
{
    (void)job, (void)thread;
    const plan_job *t = task;
    dnnl_primitive_desc_t pd = describe_plan(t->engine, &t->plan->shape);
    check(dnnl_primitive_create(&t->plan->primitive, pd));
    choose_tensors(t->plan, pd);
    dnnl_primitive_desc_destroy(pd);
    make_reorders(t->plan, t->engine);
    make_lanes(t->plan, t->engine, t->device->threads);
}

static bool same_shape(const cpu_conv_shape *a, const cpu_conv_shape *b)
{
    return a->kind == b->kind && a->bias == b->bias && a->batch == b->batch && a->in == b->in && a->out == b->out &&
           a->height == b->height && a->width == b->width && a->kernel_h == b->kernel_h && a->kernel_w == b->kernel_w &&
           a->stride == b->stride && a->pad == b->pad && a->groups == b->groups;
}

const cpu_conv_plan *cpu_conv_plan_for(cru_device *device, const cpu_conv_shape *shape)
{
    cpu_conv_cache **cache = cpu_conv_cache_of(device);
    if (!*cache) {
        *cache = zeroed(1, sizeof **cache);
        check(dnnl_engine_create(&(*cache)->engine, dnnl_cpu, 0));
    }
    for (cpu_conv_plan *p = (*cache)->plans; p; p = p->next)
        if (same_shape(&p->shape, shape)) return p;
    cpu_conv_plan *plan = zeroed(1, sizeof *plan);
    plan->shape = *shape;
    plan_job job = {device, plan, (*cache)->engine};
    cpu_each(device, &(cpu_jobs){.jobs = 1, .run = make_plan, .task = &job});
    plan->next = (*cache)->plans;
    (*cache)->plans = plan;
    return plan;
}

static size_t bytes_of(const dnnl_memory_desc_t *desc)
{
    return (dnnl_memory_desc_get_size(desc) + 63) & ~(size_t)63;
}

static bool has_weights(const cpu_conv_plan *plan)
{
    return plan->shape.kind != CPU_CONV_WEIGHT;
}

size_t cpu_conv_space(const cpu_conv_plan *plan)
{
    size_t bytes = bytes_of(&plan->inner[SCRATCH]);
    for (int i = 0; i < TENSORS; i++)
        if (plan->reorder[i] && !(i == SECOND && has_weights(plan))) bytes += bytes_of(&plan->inner[i]);
    return bytes;
}

size_t cpu_conv_weight_space(const cpu_conv_plan *plan)
{
    return plan->reorder[SECOND] ? bytes_of(&plan->inner[SECOND]) : 0;
}

static void set(dnnl_memory_t memory, const void *data)
{
    check(dnnl_memory_set_data_handle(memory, (void *)data));
}

static void run_reorder(const cpu_conv_plan *plan, const lane *l, int tensor)
{
    dnnl_memory_t from = tensor == RESULT ? l->inner[tensor] : l->plain[tensor];
    dnnl_memory_t to = tensor == RESULT ? l->plain[tensor] : l->inner[tensor];
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    check(dnnl_primitive_execute(plan->reorder[tensor], l->stream, 2, args));
}

const float *cpu_conv_prepare(const cpu_conv_plan *plan, const float *weight, void *space)
{
    if (!plan->reorder[SECOND]) return weight;
    const lane *l = &plan->lanes[0];
    set(l->plain[SECOND], weight);
    set(l->inner[SECOND], space);
    run_reorder(plan, l, SECOND);
    return space;
}

void cpu_conv_run(const cpu_conv_plan *plan, const cpu_conv_call *call)
{
    const lane *l = &plan->lanes[call->thread];
    const void *data[TENSORS] = {call->first, call->second, call->result};
    char *space = call->space;
    set(l->inner[SCRATCH], space);
    space += bytes_of(&plan->inner[SCRATCH]);
    for (int i = 0; i < TENSORS; i++) {
        if (!plan->reorder[i] || (i == SECOND && has_weights(plan))) {
            set(l->inner[i], data[i]);
            continue;
        }
        set(l->plain[i], data[i]);
        set(l->inner[i], space);
        space += bytes_of(&plan->inner[i]);
        if (i != RESULT) run_reorder(plan, l, i);
    }
    dnnl_exec_arg_t args[MEMORIES];
    int count = 0;
    for (int i = 0; i < MEMORIES; i++)
        if (i != BIAS || call->bias) args[count++] = (dnnl_exec_arg_t){plan->argument[i], l->inner[i]};
    if (call->bias) set(l->inner[BIAS], call->bias);
    check(dnnl_primitive_execute(plan->primitive, l->stream, count, args));
    if (plan->reorder[RESULT]) run_reorder(plan, l, RESULT);
}

static void destroy_plan(cpu_conv_plan *plan)
{
    for (int32_t t = 0; t < plan->lane_count; t++) {
        lane *l = &plan->lanes[t];
        for (int i = 0; i < TENSORS; i++) dnnl_memory_destroy(l->plain[i]);
        for (int i = 0; i < MEMORIES; i++) dnnl_memory_destroy(l->inner[i]);
        dnnl_stream_destroy(l->stream);
    }
    for (int i = 0; i < TENSORS; i++)
        if (plan->reorder[i]) dnnl_primitive_destroy(plan->reorder[i]);
    dnnl_primitive_destroy(plan->primitive);
    free(plan->lanes);
    free(plan);
}

void cpu_conv_cache_destroy(cpu_conv_cache *cache)
{
    if (!cache) return;
    for (cpu_conv_plan *p = cache->plans, *next; p; p = next) {
        next = p->next;
        destroy_plan(p);
    }
    dnnl_engine_destroy(cache->engine);
    free(cache);
}
