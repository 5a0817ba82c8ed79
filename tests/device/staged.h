// SPDX-License-Identifier: Apache-2.0
/* staged.h: two backends around another, which know the arrays of every kernel's arguments and the extents that
 * backend.h promises.
 *
 * Staged, for the tests of kernels: arguments are in host memory. Each array is copied to the device, the kernel
 * called, and the array copied back.
 *
 * Checked, for everything else: arguments must be memory that the device gave out. A card that is handed memory of the
 * host would stop without a word about where it came from. */
#ifndef TESTS_STAGED_H
#define TESTS_STAGED_H

#include "kernel-list.h"
#include "on-device.h"

enum { MOST_PARTS = 16 };

typedef struct part {
    const void *host;
    char *card;
    size_t bytes;
    bool written;
} part;

/* One call of a kernel. */
typedef struct stage {
    cru_device *device; /* the inner one */
    const cru_backend *backend;
    bool check;
    part parts[MOST_PARTS];
    int count;
} stage;

typedef struct staged_state {
    cru_device device;
    const cru_backend *backend;
    bool check;
} staged_state;

static inline stage stage_of(cru_device *device)
{
    staged_state *s = device->state;
    return (stage){.device = &s->device, .backend = s->backend, .check = s->check};
}

/* Brings back what was written and looks at the rest. */
void stage_end(stage *s);

/* The memory that a checked device gave out. */
void stage_note_given(const void *memory, size_t bytes);
void stage_note_returned(const void *memory);

/* One array; arguments that share it share the copy. Under a check a negative count is an unknown one. */
void *stage_send(stage *s, const void *host, int64_t count, size_t size, bool written);

static inline void *stage_in(stage *s, const void *host, int64_t count, size_t size)
{
    return stage_send(s, host, count, size, false);
}
static inline float *stage_in_floats(stage *s, const float *host, int64_t count)
{
    return stage_send(s, host, count, sizeof *host, false);
}
static inline int32_t *stage_in_ids(stage *s, const int32_t *host, int64_t count)
{
    return stage_send(s, host, count, sizeof *host, false);
}
static inline float *stage_out_floats(stage *s, float *host, int64_t count)
{
    return stage_send(s, host, count, sizeof *host, true);
}
static inline int32_t *stage_out_ids(stage *s, int32_t *host, int64_t count)
{
    return stage_send(s, host, count, sizeof *host, true);
}

/* Extents. Under a check what lies on the device cannot be looked up: then they are unknown, and negative. */
int64_t stage_entries(const stage *s, const cru_csr *a);
int64_t stage_rows_reached(const stage *s, const int32_t *ids, int64_t count);
cru_csr stage_in_csr(stage *s, const cru_csr *a);
const cru_finish *stage_in_finish(stage *s, const cru_finish *finish, int64_t cols, cru_finish *copy);

/* rows x cols with `row` and `col` between neighbours */
static inline int64_t stage_extent(int64_t rows, int64_t row, int64_t cols, int64_t col)
{
    return rows > 0 && cols > 0 ? (rows - 1) * row + (cols - 1) * col + 1 : 0;
}

/* The length of an axis after a window went over it. */
static inline int64_t stage_windows(int64_t length, int64_t kernel, int64_t stride, int64_t pad)
{
    return (length + 2 * pad - kernel) / stride + 1;
}

/* The kernels, in staged-*.c. */
#define DECLARE(kernel, args_type) void staged_##kernel(cru_device *device, const args_type *args);
#define DECLARE_CHOOSING(kernel, op_type, args_type)                                                                   \
    void staged_##kernel(cru_device *device, op_type op, const args_type *args);
KERNELS(DECLARE, DECLARE_CHOOSING)
void staged_fill(cru_device *device, float *x, int64_t n, float value);

#endif
