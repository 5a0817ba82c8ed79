// SPDX-License-Identifier: Apache-2.0
/* Convolutions of oneDNN, made once per shape and kept.
 *
 * oneDNN is fastest in memory layouts of its own, so a plan knows, for each of its three tensors, whether it must be
 * reordered from or to the row-major layout of the SDK. A plan is made for one thread and may be run by several at
 * the same time, each on its own part of a batch. */
#ifndef CRUCIBLE_CPU_CONV_CACHE_H
#define CRUCIBLE_CPU_CONV_CACHE_H

#include "cpu.h"

typedef enum cpu_conv_kind {
    CPU_CONV_FORWARD, /* x, weight -> y */
    CPU_CONV_DATA,    /* dy, weight -> dx */
    CPU_CONV_WEIGHT,  /* dy, x -> dweight */
} cpu_conv_kind;

typedef struct cpu_conv_shape {
    cpu_conv_kind kind;
    bool bias; /* forward only */
    int64_t batch, in, out, height, width, kernel_h, kernel_w, stride, pad, groups;
} cpu_conv_shape;

typedef struct cpu_conv_plan cpu_conv_plan;

/* The plan for a shape, from the cache of the device. Panics when memory runs out. */
const cpu_conv_plan *cpu_conv_plan_for(cru_device *device, const cpu_conv_shape *shape);

/* Working space for one thread, and for the shared weights, in bytes. */
size_t cpu_conv_space(const cpu_conv_plan *plan);
size_t cpu_conv_weight_space(const cpu_conv_plan *plan);

/* Brings the weights into the plan's layout, in `space`; returns what cpu_conv_run takes as weights, which is `weight`
 * itself when the layouts agree. */
const float *cpu_conv_prepare(const cpu_conv_plan *plan, const float *weight, void *space);

typedef struct cpu_conv_call {
    const float *first;  /* x, or dy of the gradients */
    const float *second; /* prepared weights, or x of the weight gradient */
    const float *bias;
    float *result;
    void *space;
    int32_t thread;
} cpu_conv_call;
void cpu_conv_run(const cpu_conv_plan *plan, const cpu_conv_call *call);

/* Lengths of the result's sides; not positive when the kernel does not fit. */
static inline int64_t cpu_conv_output(int64_t length, int64_t kernel, int64_t stride, int64_t pad)
{
    return length + 2 * pad >= kernel ? (length + 2 * pad - kernel) / stride + 1 : 0;
}

#endif
