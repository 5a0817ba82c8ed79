// SPDX-License-Identifier: Apache-2.0
/* What `memory` of a cru_data, and the mapping of a cru_task, point to. */
#ifndef CRU_TASK_MEMORY_H
#define CRU_TASK_MEMORY_H

#include "task/image.h"

typedef struct task_memory {
    cru_arena *arena;
    image image; /* zero unless mapped */
} task_memory;

/* NULL when there is none. */
task_memory *task_memory_create(void);
void task_memory_destroy(task_memory *memory);

#endif
