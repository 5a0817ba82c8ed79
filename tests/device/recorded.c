// SPDX-License-Identifier: Apache-2.0
/* A backend that notes which of its kernels were called. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel-list.h"
#include "on-device.h"

static struct record {
    const cru_backend *inner;
    char path[4096];
    bool noted[sizeof(cru_backend) / sizeof(void *)];
} record;

static void note(const char *kernel, size_t at)
{
    bool *noted = &record.noted[at / sizeof(void *)];
    if (*noted) return;
    *noted = true;
    char line[80];
    const int length = snprintf(line, sizeof line, "%s\n", kernel);
    const int fd = open(record.path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    ck_assert_msg(fd >= 0 && write(fd, line, (size_t)length) == length, "%s: %s", record.path, strerror(errno));
    close(fd);
}

#define NOTE(kernel) note(#kernel, offsetof(cru_backend, kernel))
#define RECORD(kernel, args_type)                                                                                      \
    static void record_##kernel(cru_device *device, const args_type *args)                                             \
    {                                                                                                                  \
        NOTE(kernel);                                                                                                  \
        record.inner->kernel(device, args);                                                                            \
    }
#define RECORD_CHOOSING(kernel, op_type, args_type)                                                                    \
    static void record_##kernel(cru_device *device, op_type op, const args_type *args)                                 \
    {                                                                                                                  \
        NOTE(kernel);                                                                                                  \
        record.inner->kernel(device, op, args);                                                                        \
    }
KERNELS(RECORD, RECORD_CHOOSING)

static void record_fill(cru_device *device, float *x, int64_t n, float value)
{
    NOTE(fill);
    record.inner->fill(device, x, n, value);
}

const cru_backend *recorded_backend(const cru_backend *inner, const char *folder)
{
    static cru_backend table;
#define ONE(...) +1
    _Static_assert(offsetof(cru_backend, fill) + (1 KERNELS(ONE, ONE)) * sizeof(void *) == offsetof(cru_backend, limit),
                   "a kernel of the table is missing in KERNELS");
    record.inner = inner;
    snprintf(record.path, sizeof record.path, "%s/%s", folder, program_invocation_short_name);
    table = *inner;
    table.fill = record_fill;
#define TAKE(kernel, ...) table.kernel = record_##kernel;
    KERNELS(TAKE, TAKE)
    return &table;
}
