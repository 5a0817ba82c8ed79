// SPDX-License-Identifier: Apache-2.0
/* Inputs that a plugin can read and not write. For case processes. */
#ifndef CORE_CHECK_PROTECT_H
#define CORE_CHECK_PROTECT_H

#include <crucible/task.h>

typedef struct protected_inputs {
    const cru_task *task;
    const void *settings;
    void *pages;
    size_t size;
} protected_inputs;

/* Copies the task, with all its arrays, and the settings struct into pages of their own and makes these read-only.
 * Panics with CRU_NO_MEMORY when there are none. Undo with protect_free. */
protected_inputs protect_inputs(const cru_task *task, const void *settings, size_t settings_size);
void protect_free(protected_inputs *inputs);

/* From now on a write into protected pages ends the process with the verdict "writes to its inputs" on `fd`, instead of
 * a bare SIGSEGV. */
void protect_report_to(int fd);

#endif
