// SPDX-License-Identifier: Apache-2.0
/* The devices around another one: see staged.h. */
#include "staged.h"

#include <stdlib.h>

static const cru_backend *staged_inner, *checked_inner;

static cru_status open_around(cru_device *device, const cru_backend *inner, int32_t index, cru_error *err)
{
    staged_state *s = device->state = calloc(1, sizeof *s);
    s->backend = inner;
    const cru_status status = inner->open(&s->device, index, device->threads, err);
    s->device.backend = inner;
    device->threads = s->device.threads;
    if (status != CRU_OK) free(s);
    return status;
}

static cru_status staged_open(cru_device *device, int32_t index, int32_t threads, cru_error *err)
{
    *device = (cru_device){.threads = threads};
    return open_around(device, staged_inner, index, err);
}

static cru_status checked_open(cru_device *device, int32_t index, int32_t threads, cru_error *err)
{
    *device = (cru_device){.threads = threads};
    const cru_status status = open_around(device, checked_inner, index, err);
    if (status == CRU_OK) ((staged_state *)device->state)->check = true;
    return status;
}

static void staged_close(cru_device *device)
{
    staged_state *s = device->state;
    s->backend->close(&s->device);
    free(s);
}

static void *staged_alloc(cru_device *device, size_t bytes)
{
    stage s = stage_of(device);
    void *memory = s.backend->alloc(s.device, bytes);
    if (memory && s.check) stage_note_given(memory, bytes);
    return memory;
}
static void staged_release(cru_device *device, void *memory)
{
    stage s = stage_of(device);
    if (s.check) stage_note_returned(memory);
    s.backend->release(s.device, memory);
}
static void staged_upload(cru_device *device, void *to, const void *from, size_t bytes)
{
    stage s = stage_of(device);
    if (s.check) stage_in(&s, to, (int64_t)bytes, 1);
    s.backend->upload(s.device, to, from, bytes);
}
static void staged_download(cru_device *device, void *to, const void *from, size_t bytes)
{
    stage s = stage_of(device);
    if (s.check) stage_in(&s, from, (int64_t)bytes, 1);
    s.backend->download(s.device, to, from, bytes);
}

static const cru_backend staged_table = {.size = sizeof(cru_backend),
                                         .name = "staged",
                                         .open = staged_open,
                                         .close = staged_close,
                                         .alloc = staged_alloc,
                                         .release = staged_release,
                                         .upload = staged_upload,
                                         .download = staged_download,
                                         .fill = staged_fill,
#define MEMBER(kernel, ...) .kernel = staged_##kernel,
                                         KERNELS(MEMBER, MEMBER)};

const cru_backend *staged_backend(const cru_backend *inner)
{
    staged_inner = inner;
    return &staged_table;
}

const cru_backend *checked_backend(const cru_backend *inner)
{
    static cru_backend table;
    table = staged_table;
    table.name = inner->name;
    table.open = checked_open;
    checked_inner = inner;
    return &table;
}
