// SPDX-License-Identifier: Apache-2.0
/* device-memory.h: memory of the device that lives as long as the context. */
#ifndef SDK_TENSOR_DEVICE_MEMORY_H
#define SDK_TENSOR_DEVICE_MEMORY_H

#include <crucible/context.h>

/* Uninitialised; never NULL: running out of memory panics. */
void *device_memory(cru_ctx *ctx, size_t bytes);

/* Whether the host can read and write the device's memory. */
bool device_is_host(const cru_device *device);

#endif
