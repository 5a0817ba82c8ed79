// SPDX-License-Identifier: Apache-2.0
/* Sparse matrices on the device and their transposes. */
#include "tensor/sparse.h"

#include <stddef.h>
#include <string.h>

#include <crucible/draft/tensor.h>

#include "autograd/tape.h"
#include "tensor/device-memory.h"

typedef struct sparse_memory {
    cru_ctx *ctx;
    cru_tape *tape;
} sparse_memory;

static void *host_memory(sparse_memory m, int64_t count, size_t size)
{
    return m.tape ? tape_scratch(m.tape, count, size) : cru_ctx_alloc(m.ctx, count, size);
}

/* Counting sort by column; entries of a column keep the order of their rows. */
static void transpose(const cru_csr *a, sparse_memory memory, cru_csr *out, const int64_t **entry_out)
{
    int64_t nnz = cru_csr_nnz(a);
    int64_t *offsets = host_memory(memory, a->cols + 1, sizeof *offsets);
    int32_t *ids = host_memory(memory, nnz, sizeof *ids);
    int64_t *entry = host_memory(memory, nnz, sizeof *entry);
    float *values = a->values ? host_memory(memory, nnz, sizeof *values) : NULL;
    for (int64_t e = 0; e < nnz; e++) offsets[a->ids[e] + 1]++;
    for (int64_t c = 0; c < a->cols; c++) offsets[c + 1] += offsets[c];
    int64_t *next = host_memory(memory, a->cols, sizeof *next);
    memcpy(next, offsets, (size_t)a->cols * sizeof *next);
    for (int64_t v = 0; v < a->rows; v++)
        for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++) {
            int64_t to = next[a->ids[e]]++;
            ids[to] = (int32_t)v;
            entry[to] = e;
            if (values) values[to] = a->values[e];
        }
    *out = (cru_csr){.rows = a->cols, .cols = a->rows, .offsets = offsets, .ids = ids, .values = values};
    *entry_out = entry;
}

cru_sparse *cru_sparse_create(cru_ctx *ctx, const cru_csr *csr)
{
    cru_sparse *a = cru_ctx_alloc(ctx, 1, sizeof *a);
    *a = (cru_sparse){.csr = *csr, .ctx = ctx};
    return a;
}

cru_sparse *cru_sparse_step(cru_tape *tape, const cru_csr *csr)
{
    cru_sparse *a = tape_scratch(tape, 1, sizeof *a);
    *a = (cru_sparse){.csr = *csr, .ctx = tape->ctx, .tape = tape};
    return a;
}

cru_tensor *cru_sparse_values(cru_sparse *a)
{
    const cru_dims entries = cru_1d(cru_csr_nnz(&a->csr));
    return a->csr.values ? cru_tensor_from(a->ctx, entries, a->csr.values)
                         : cru_tensor_create_filled(a->ctx, entries, 1);
}

const cru_csr *cru_sparse_transpose(cru_sparse *a)
{
    if (!a->transposed.offsets)
        transpose(&a->csr, (sparse_memory){.ctx = a->ctx, .tape = a->tape}, &a->transposed, &a->entry);
    return &a->transposed;
}

/* Visits the entries row by row; the entry that mirrors (v, u) must be the next one of row u. */
static bool equals_transpose(const cru_csr *a, sparse_memory memory)
{
    if (a->rows != a->cols) return false;
    int64_t *next = host_memory(memory, a->rows, sizeof *next);
    memcpy(next, a->offsets, (size_t)a->rows * sizeof *next);
    for (int64_t v = 0; v < a->rows; v++)
        for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++) {
            int64_t mirror = next[a->ids[e]]++;
            if (mirror >= a->offsets[a->ids[e] + 1] || a->ids[mirror] != v) return false;
            if (a->values && a->values[mirror] != a->values[e]) return false;
        }
    return true;
}

enum { SYMMETRY_UNKNOWN = 0, SYMMETRY_NONE, SYMMETRY_FULL };

static bool is_symmetric(cru_sparse *a)
{
    if (a->symmetry == SYMMETRY_UNKNOWN) {
        bool equal = equals_transpose(&a->csr, (sparse_memory){.ctx = a->ctx, .tape = a->tape});
        a->symmetry = equal ? SYMMETRY_FULL : SYMMETRY_NONE;
    }
    return a->symmetry == SYMMETRY_FULL;
}

const cru_csr *cru_sparse_mirrored(cru_sparse *a)
{
    if (a->transposed.offsets) return &a->transposed;
    return is_symmetric(a) ? &a->csr : cru_sparse_transpose(a);
}

/* ---- on the device ------------------------------------------------------------------------------------------- */

/* Device memory that lives as long as the matrix. */
static void *memory_for(const cru_sparse *a, size_t bytes)
{
    return a->tape ? (void *)tape_floats(a->tape, (int64_t)((bytes + sizeof(float) - 1) / sizeof(float)))
                   : device_memory(a->ctx, bytes);
}

static const void *uploaded(const cru_sparse *a, const void *host, size_t bytes)
{
    cru_device *device = cru_ctx_device(a->ctx);
    void *memory = memory_for(a, bytes);
    device->backend->upload(device, memory, host, bytes);
    return memory;
}

static cru_csr csr_uploaded(const cru_sparse *a, const cru_csr *host)
{
    const size_t nnz = (size_t)cru_csr_nnz(host);
    cru_csr copy = *host;
    if (!host->offsets) return copy;
    copy.offsets = uploaded(a, host->offsets, (size_t)(host->rows + 1) * sizeof *copy.offsets);
    copy.ids = uploaded(a, host->ids, nnz * sizeof *copy.ids);
    if (host->values) copy.values = uploaded(a, host->values, nnz * sizeof *copy.values);
    return copy;
}

static bool device_transposes(const cru_device *device)
{
    const size_t end = offsetof(cru_backend, transpose) + sizeof device->backend->transpose;
    return device->backend->size >= end && device->backend->transpose;
}

/* By the device, from its copy of the matrix. */
static void transpose_there(cru_sparse *a)
{
    cru_device *device = cru_ctx_device(a->ctx);
    const cru_csr from = sparse_csr(a);
    const size_t nnz = (size_t)cru_csr_nnz(&a->csr);
    cru_transpose_args args = {.a = from, .entries = (int64_t)nnz};
    args.offsets = memory_for(a, (size_t)(from.cols + 1) * sizeof *args.offsets);
    args.ids = memory_for(a, nnz * sizeof *args.ids);
    args.entry = memory_for(a, nnz * sizeof *args.entry);
    if (from.values) args.values = memory_for(a, nnz * sizeof *args.values);
    device->backend->transpose(device, &args);
    a->transposed_on_device = (cru_csr){from.cols, from.rows, args.offsets, args.ids, args.values};
    a->entry_on_device = args.entry;
}

cru_csr sparse_csr(cru_sparse *a)
{
    if (device_is_host(cru_ctx_device(a->ctx))) return a->csr;
    if (!a->on_device.offsets) a->on_device = csr_uploaded(a, &a->csr);
    return a->on_device;
}

/* The transpose and its entries, where kernels can read them. */
static void transpose_for_device(cru_sparse *a)
{
    if (a->transposed_on_device.offsets) return;
    if (device_transposes(cru_ctx_device(a->ctx))) {
        transpose_there(a);
        return;
    }
    const cru_csr *host = cru_sparse_transpose(a);
    a->transposed_on_device = csr_uploaded(a, host);
    a->entry_on_device = uploaded(a, a->entry, (size_t)cru_csr_nnz(host) * sizeof *a->entry);
}

cru_csr sparse_transposed(cru_sparse *a)
{
    if (device_is_host(cru_ctx_device(a->ctx))) return *cru_sparse_transpose(a);
    transpose_for_device(a);
    return a->transposed_on_device;
}

cru_csr sparse_mirrored(cru_sparse *a)
{
    if (device_is_host(cru_ctx_device(a->ctx))) return *cru_sparse_mirrored(a);
    return !a->transposed_on_device.offsets && is_symmetric(a) ? sparse_csr(a) : sparse_transposed(a);
}

const int64_t *sparse_entry(cru_sparse *a)
{
    if (device_is_host(cru_ctx_device(a->ctx))) {
        cru_sparse_transpose(a);
        return a->entry;
    }
    transpose_for_device(a);
    return a->entry_on_device;
}
