// SPDX-License-Identifier: Apache-2.0
/* Convolution and its gradients: a batch is cut into parts that depend on the shape only, each computed by one thread
 * with a plan of oneDNN's. Gradients of the weights of the parts are added in order. */
#include <string.h>

#include "conv-cache.h"

enum { MOST_PARTS = 8, MOST_PARTIAL_FLOATS = 1 << 24 };

typedef struct conv_task {
    const cpu_conv_plan *plan[2];    /* of a whole part; of the last one, which may be shorter */
    const float *weight[2];          /* prepared for the plans; NULL for the gradient of the weights */
    int64_t part, parts, batch;      /* samples in a part, number of parts, samples in all */
    cpu_conv_call call;              /* of sample 0 */
    int64_t first_size, second_size; /* floats a sample */
    int64_t result_size;             /* floats a part */
    char *space;
    size_t space_bytes; /* of a thread */
} conv_task;

static void run_part(const void *task, int64_t job, int32_t thread)
{
    const conv_task *t = task;
    const int last = job == t->parts - 1;
    cpu_conv_call call = t->call;
    call.first += job * t->part * t->first_size;
    call.second = t->weight[last] ? t->weight[last] : call.second + job * t->part * t->second_size;
    call.result += job * t->result_size;
    call.thread = thread;
    call.space = t->space + (size_t)thread * t->space_bytes;
    cpu_conv_run(t->plan[last], &call);
}

/* Plans for parts of the batch, and room for every thread to run them. */
static conv_task start(cru_device *device, cpu_conv_shape shape, int64_t most_parts)
{
    conv_task t = {.batch = shape.batch};
    const int64_t parts = shape.batch < most_parts ? shape.batch : most_parts;
    t.part = (shape.batch + parts - 1) / parts;
    t.parts = (shape.batch + t.part - 1) / t.part;
    const int64_t lengths[2] = {t.part, shape.batch - (t.parts - 1) * t.part};
    for (int i = 0; i < 2; i++) {
        shape.batch = lengths[i];
        t.plan[i] = cpu_conv_plan_for(device, &shape);
        const size_t bytes = cpu_conv_space(t.plan[i]);
        if (bytes > t.space_bytes) t.space_bytes = bytes;
    }
    t.space = cpu_scratch(device, CPU_SCRATCH_CONV, t.space_bytes * (size_t)device->threads);
    return t;
}

typedef struct prepare_task {
    conv_task *t;
    const float *weight;
    char *space;
} prepare_task;

static void prepare_job(const void *task, int64_t job, int32_t thread)
{
    (void)job, (void)thread;
    const prepare_task *p = task;
    conv_task *t = p->t;
    t->weight[0] = t->weight[1] = cpu_conv_prepare(t->plan[0], p->weight, p->space);
    if (t->plan[1] == t->plan[0]) return;
    t->weight[1] = cpu_conv_prepare(t->plan[1], p->weight, p->space + cpu_conv_weight_space(t->plan[0]));
}

static void prepare(cru_device *device, conv_task *t, const float *weight)
{
    const size_t bytes = cpu_conv_weight_space(t->plan[0]) + cpu_conv_weight_space(t->plan[1]);
    prepare_task p = {t, weight, cpu_scratch(device, CPU_SCRATCH_WEIGHT, bytes)};
    cpu_each(device, &(cpu_jobs){.jobs = 1, .run = prepare_job, .task = &p});
}

static void run_parts(cru_device *device, const conv_task *t)
{
    cpu_each(device, &(cpu_jobs){.jobs = t->parts, .parallel = true, .run = run_part, .task = t});
}

void cpu_conv(cru_device *device, const cru_conv_args *args)
{
    const cru_conv_args *a = args;
    const int64_t plane = cpu_conv_output(a->height, a->kernel_h, a->stride, a->pad) *
                          cpu_conv_output(a->width, a->kernel_w, a->stride, a->pad);
    if (a->batch <= 0 || a->out <= 0 || plane <= 0) return;
    conv_task t = start(device,
                        (cpu_conv_shape){CPU_CONV_FORWARD, a->bias != NULL, a->batch, a->in, a->out, a->height,
                                         a->width, a->kernel_h, a->kernel_w, a->stride, a->pad, a->groups},
                        MOST_PARTS);
    prepare(device, &t, a->weight);
    t.call = (cpu_conv_call){.first = a->x, .bias = a->bias, .result = a->y};
    t.first_size = a->in * a->height * a->width;
    t.result_size = t.part * a->out * plane;
    run_parts(device, &t);
}

static cpu_conv_shape grad_shape(const cru_conv_grad_args *a, cpu_conv_kind kind)
{
    return (cpu_conv_shape){kind,     false,       a->batch,    a->in,     a->out, a->height,
                            a->width, a->kernel_h, a->kernel_w, a->stride, a->pad, a->groups};
}

static int64_t grad_plane(const cru_conv_grad_args *a)
{
    return cpu_conv_output(a->height, a->kernel_h, a->stride, a->pad) *
           cpu_conv_output(a->width, a->kernel_w, a->stride, a->pad);
}

static void add(cru_device *device, float *y, const float *x, int64_t n)
{
    cpu_copy(device,
             &(cru_copy_args){
                 .rows = n / 64, .cols = 64, .x = x, .ldx = 64, .y = y, .ldy = 64, .scale = 1, .accumulate = true});
    const int64_t done = n / 64 * 64;
    cpu_copy(device, &(cru_copy_args){
                         .rows = 1, .cols = n - done, .x = x + done, .y = y + done, .scale = 1, .accumulate = true});
}

static void grad_data(cru_device *device, const cru_conv_grad_args *a)
{
    const int64_t sample = a->in * a->height * a->width;
    conv_task t = start(device, grad_shape(a, CPU_CONV_DATA), MOST_PARTS);
    prepare(device, &t, a->weight);
    t.call = (cpu_conv_call){.first = a->dy, .result = a->dx};
    if (a->accumulate)
        t.call.result = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(float) * (size_t)(a->batch * sample));
    t.first_size = a->out * grad_plane(a);
    t.result_size = t.part * sample;
    run_parts(device, &t);
    if (a->accumulate) add(device, a->dx, t.call.result, a->batch * sample);
}

typedef struct part_sum {
    const float *partial;
    int64_t parts, size;
    float *y;
    bool accumulate;
} part_sum;

static void sum_parts(const void *task, int64_t begin, int64_t end)
{
    const part_sum *s = task;
    for (int64_t i = begin; i < end; i++) {
        float sum = 0;
        for (int64_t p = 0; p < s->parts; p++) sum += s->partial[p * s->size + i];
        cpu_store(s->y + i, sum, s->accumulate);
    }
}

static void grad_weight(cru_device *device, const cru_conv_grad_args *a)
{
    const int64_t size = a->out * (a->in / a->groups) * a->kernel_h * a->kernel_w;
    const int64_t room = MOST_PARTIAL_FLOATS / size;
    const int64_t most = room < 1 ? 1 : room < MOST_PARTS ? room : MOST_PARTS;
    conv_task t = start(device, grad_shape(a, CPU_CONV_WEIGHT), most);
    float *partial = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(float) * (size_t)(t.parts * size));
    t.call = (cpu_conv_call){.first = a->dy, .second = a->x, .result = partial};
    t.first_size = a->out * grad_plane(a);
    t.second_size = a->in * a->height * a->width;
    t.result_size = size;
    run_parts(device, &t);
    part_sum sum = {partial, t.parts, size, a->dweight, a->accumulate};
    cpu_for(device, &(cpu_loop){size, CPU_GRAIN_MATH, sum_parts, &sum});
}

static void grad_bias(const void *task, int64_t begin, int64_t end)
{
    const cru_conv_grad_args *a = task;
    const int64_t plane = grad_plane(a);
    for (int64_t c = begin; c < end; c++) {
        double sum = 0;
        for (int64_t b = 0; b < a->batch; b++) {
            const float *dy = a->dy + (b * a->out + c) * plane;
            for (int64_t i = 0; i < plane; i++) sum += (double)dy[i];
        }
        cpu_store(a->dbias + c, (float)sum, a->accumulate);
    }
}

/* Nothing flows through an empty batch or result. */
static void clear(const cru_conv_grad_args *a)
{
    if (a->accumulate) return;
    const int64_t x = a->batch * a->in * a->height * a->width;
    const int64_t weight = a->groups > 0 ? a->out * (a->in / a->groups) * a->kernel_h * a->kernel_w : 0;
    if (a->dx && x > 0) memset(a->dx, 0, sizeof(float) * (size_t)x);
    if (a->dweight && weight > 0) memset(a->dweight, 0, sizeof(float) * (size_t)weight);
    if (a->dbias && a->out > 0) memset(a->dbias, 0, sizeof(float) * (size_t)a->out);
}

void cpu_conv_grad(cru_device *device, const cru_conv_grad_args *args)
{
    const int64_t plane = grad_plane(args);
    if (args->batch <= 0 || args->in <= 0 || args->out <= 0 || plane <= 0) {
        clear(args);
        return;
    }
    if (args->dx) grad_data(device, args);
    if (args->dweight) grad_weight(device, args);
    if (args->dbias)
        cpu_for(device, &(cpu_loop){args->out, cpu_grain(CPU_GRAIN_CHEAP, args->batch * plane), grad_bias, args});
}
