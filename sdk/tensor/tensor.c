// SPDX-License-Identifier: Apache-2.0
/* Making tensors, and moving values between host and device. */
#include <string.h>

#include <crucible/draft/tensor.h>

#include "autograd/tape.h"
#include "tensor/device-memory.h"

cru_tensor *cru_tensor_new(cru_tape *tape, cru_dims shape)
{
    const cru_tensor out = tape_shape(shape.rank, shape.dim);
    return tape_emit(tape, NULL, &out, NULL, 0, 0).out;
}

cru_tensor *cru_tensor_matrix(cru_tape *tape, int64_t rows, int64_t cols)
{
    return cru_tensor_new(tape, cru_2d(rows, cols));
}

cru_tensor *cru_tensor_filled(cru_tape *tape, cru_dims shape, double value)
{
    cru_tensor *x = cru_tensor_new(tape, shape);
    tape->device->backend->fill(tape->device, x->data, cru_tensor_count(x), (float)value);
    return x;
}

cru_tensor *cru_tensor_scalar(cru_tape *tape, double value)
{
    return cru_tensor_filled(tape, cru_0d(), value);
}

/* ---- tensors of the context ------------------------------------------------------------------------------------ */

typedef struct owned_memory {
    cru_device *device;
    void *memory;
} owned_memory;

static void owned_release(void *what)
{
    owned_memory *owned = what;
    owned->device->backend->release(owned->device, owned->memory);
}

void *device_memory(cru_ctx *ctx, size_t bytes)
{
    cru_device *device = cru_ctx_device(ctx);
    void *memory = device->backend->alloc(device, bytes ? bytes : 1);
    if (!memory) cru_panic(CRU_NO_MEMORY, "out of memory: %zu bytes for a tensor", bytes);
    owned_memory *owned = cru_ctx_alloc(ctx, 1, sizeof *owned);
    *owned = (owned_memory){.device = device, .memory = memory};
    cru_ctx_defer(ctx, owned_release, owned);
    return memory;
}

static float *zeroed_floats(cru_ctx *ctx, int64_t n)
{
    cru_device *device = cru_ctx_device(ctx);
    float *memory = device_memory(ctx, (size_t)n * sizeof *memory);
    device->backend->fill(device, memory, n, 0);
    return memory;
}

cru_tensor *cru_tensor_create(cru_ctx *ctx, cru_dims shape)
{
    cru_tensor *x = cru_ctx_alloc(ctx, 1, sizeof *x);
    *x = tape_shape(shape.rank, shape.dim);
    x->role = ROLE_CONSTANT;
    x->data = zeroed_floats(ctx, cru_tensor_count(x));
    return x;
}

cru_tensor *cru_tensor_create_filled(cru_ctx *ctx, cru_dims shape, double value)
{
    cru_tensor *x = cru_tensor_create(ctx, shape);
    cru_device *device = cru_ctx_device(ctx);
    device->backend->fill(device, x->data, cru_tensor_count(x), (float)value);
    return x;
}

cru_tensor *cru_tensor_from(cru_ctx *ctx, cru_dims shape, const float *values)
{
    cru_tensor *x = cru_tensor_create(ctx, shape);
    cru_tensor_set(ctx, x, values);
    return x;
}

void cru_tensor_set(cru_ctx *ctx, cru_tensor *x, const float *values)
{
    cru_device *device = cru_ctx_device(ctx);
    device->backend->upload(device, x->data, values, (size_t)cru_tensor_count(x) * sizeof *values);
}

void cru_tensor_keep(cru_tape *tape, cru_tensor *x, const cru_tensor *from)
{
    const int64_t n = cru_tensor_count(x);
    tape_check_alive("tensor_keep", from);
    cru_assert(n == cru_tensor_count(from), "tensor_keep: %s into %s", tape_text(from).text, tape_text(x).text);
    cru_copy_args args = {.rows = 1, .cols = n, .x = from->data, .ldx = n, .y = x->data, .ldy = n, .scale = 1};
    tape->device->backend->copy(tape->device, &args);
}

cru_tensor *cru_tensor_kept(cru_tape *tape, const cru_tensor *x)
{
    cru_tensor *copy = cru_tensor_create(cru_tape_ctx(tape), cru_shape_of(x));
    cru_tensor_keep(tape, copy, x);
    return copy;
}

cru_tensor *cru_weight_create(cru_ctx *ctx, cru_dims shape)
{
    cru_tensor *w = cru_tensor_create(ctx, shape);
    w->role = ROLE_WEIGHT;
    w->needs_grad = true;
    w->grad = zeroed_floats(ctx, cru_tensor_count(w));
    return w;
}

float *cru_weight_grad(const cru_tensor *w)
{
    cru_assert(w->role == ROLE_WEIGHT, "weight_grad: not a weight");
    return w->pass ? w->grad : NULL;
}

void cru_weight_clear(cru_tensor *w)
{
    cru_assert(w->role == ROLE_WEIGHT, "weight_clear: not a weight");
    w->pass = 0;
}

/* ---- host and device ------------------------------------------------------------------------------------- */

cru_tensor *cru_tensor_upload(cru_tape *tape, cru_dims shape, const float *host)
{
    cru_tensor *x = cru_tensor_new(tape, shape);
    tape->device->backend->upload(tape->device, x->data, host, (size_t)cru_tensor_count(x) * sizeof *host);
    return x;
}

void cru_tensor_download(cru_tape *tape, const cru_tensor *x, float *host)
{
    tape_check_alive("tensor_download", x);
    tape->device->backend->download(tape->device, host, x->data, (size_t)cru_tensor_count(x) * sizeof *host);
    trace_leave(tape->tracer); /* what the caller does with the values is not the operator's */
}

const float *cru_tensor_host(cru_tape *tape, const cru_tensor *x)
{
    float *host = tape_scratch(tape, cru_tensor_count(x), sizeof *host);
    cru_tensor_download(tape, x, host);
    return host;
}

float cru_tensor_item(cru_tape *tape, const cru_tensor *x)
{
    cru_assert(cru_tensor_count(x) == 1, "item: %s is not one number", tape_text(x).text);
    float value;
    cru_tensor_download(tape, x, &value);
    return value;
}

void cru_tensor_watch(cru_tensor *x)
{
    if (x->role == ROLE_WEIGHT) return;
    x->role = ROLE_WATCHED;
    x->needs_grad = true;
}

bool device_is_host(const cru_device *device)
{
    return device->backend == cru_backend_cpu();
}

cru_index cru_index_create(cru_ctx *ctx, const int32_t *host, int64_t count)
{
    cru_device *device = cru_ctx_device(ctx);
    if (device_is_host(device)) return (cru_index){.ids = host, .count = count};
    int32_t *ids = device_memory(ctx, (size_t)count * sizeof *ids);
    device->backend->upload(device, ids, host, (size_t)count * sizeof *ids);
    return (cru_index){.ids = ids, .count = count};
}

cru_index cru_index_step(cru_tape *tape, const int32_t *host, int64_t count)
{
    if (device_is_host(tape->device)) return (cru_index){.ids = host, .count = count};
    int32_t *ids = tape_ints(tape, count);
    tape->device->backend->upload(tape->device, ids, host, (size_t)count * sizeof *ids);
    return (cru_index){.ids = ids, .count = count};
}

void cru_index_download(cru_tape *tape, cru_index index, int32_t *host)
{
    tape->device->backend->download(tape->device, host, index.ids, (size_t)index.count * sizeof *host);
}

const int32_t *cru_index_host(cru_tape *tape, cru_index index)
{
    if (device_is_host(tape->device)) return index.ids;
    int32_t *host = tape_scratch(tape, index.count, sizeof *host);
    cru_index_download(tape, index, host);
    return host;
}

cru_input cru_input_of(cru_tensor *dense)
{
    return (cru_input){.rows = cru_tensor_rows(dense), .cols = cru_tensor_cols(dense), .dense = dense};
}

cru_input cru_input_create(cru_ctx *ctx, const cru_features *x)
{
    cru_input in = {.rows = x->rows, .cols = x->cols};
    if (x->sparse.offsets)
        in.sparse = cru_sparse_create(ctx, &x->sparse);
    else if (x->channels > 0)
        in.dense = cru_tensor_from(ctx, cru_4d(x->rows, x->channels, x->height, x->width), x->dense);
    else
        in.dense = cru_tensor_from(ctx, cru_2d(x->rows, x->cols), x->dense);
    if (in.dense) {
        in.kept = cru_ctx_alloc(ctx, 1, sizeof *in.kept);
        in.kept->x = in.dense;
    }
    return in;
}
