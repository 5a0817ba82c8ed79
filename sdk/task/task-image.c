// SPDX-License-Identifier: Apache-2.0
#include <crucible/task.h>

#include "task/memory.h"
#include "task/parts.h"

static const char kind[] = "task";

cru_status cru_task_write(const cru_task *task, int fd, cru_error *err)
{
    image_writer w = {.arena = cru_arena_create()};
    if (!w.arena) return cru_fail(err, CRU_NO_MEMORY, "image: out of memory");
    put_task(&w, task);
    cru_status status = image_write(&w, kind, fd, err);
    cru_arena_destroy(w.arena);
    return status;
}

cru_status cru_task_map(int fd, cru_task *task, void **mapping, cru_error *err)
{
    *mapping = NULL;
    task_memory *memory = task_memory_create();
    if (!memory) return cru_fail(err, CRU_NO_MEMORY, "image: out of memory");
    image_reader r = {.img = &memory->image, .arena = memory->arena, .err = err};
    r.status = image_map(&memory->image, fd, kind, IMAGE_SHARED, err);
    take_task(&r, task);
    if (r.status) {
        task_memory_destroy(memory);
        *task = (cru_task){0};
        return r.status;
    }
    *mapping = memory;
    return CRU_OK;
}

void cru_task_unmap(void *mapping)
{
    task_memory_destroy(mapping);
}
