// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <crucible/task.h>

#include "task/memory.h"

task_memory *task_memory_create(void)
{
    task_memory *memory = calloc(1, sizeof *memory);
    if (!memory) return NULL;
    memory->arena = cru_arena_create();
    if (memory->arena) return memory;
    free(memory);
    return NULL;
}

void task_memory_destroy(task_memory *memory)
{
    if (!memory) return;
    image_unmap(&memory->image);
    cru_arena_destroy(memory->arena);
    free(memory);
}

cru_data *cru_data_create(void)
{
    task_memory *memory = task_memory_create();
    if (!memory) return NULL;
    cru_data *data = cru_arena_try_zeroed(memory->arena, 1, sizeof *data);
    if (!data) {
        task_memory_destroy(memory);
        return NULL;
    }
    data->size = sizeof *data;
    data->memory = memory;
    return data;
}

void cru_data_destroy(cru_data *data)
{
    if (data) task_memory_destroy(data->memory);
}

void *cru_data_alloc(cru_data *data, int64_t count, size_t size)
{
    return cru_arena_try_zeroed(((task_memory *)data->memory)->arena, count, size);
}
