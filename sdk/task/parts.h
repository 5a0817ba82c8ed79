// SPDX-License-Identifier: Apache-2.0
/* What the images of a task and of data have in common. */
#ifndef CRU_TASK_PARTS_H
#define CRU_TASK_PARTS_H

#include <crucible/task.h>

#include "task/image.h"

/* What a task has of its data as it is, borrowed: all but labels, candidates and what is its own. */
cru_task task_common(const cru_data *data);

/* ---- writing: arrays are borrowed until the image is written ---- */

void put_task(image_writer *w, const cru_task *task);
void put_split(image_writer *w, const char *prefix, const cru_split *split);

/* `count` strings as one array. */
void put_names(image_writer *w, const char *name, const char *const *names, int64_t count);

/* ---- reading: the first fault stays in `status`, later calls return harmless values ---- */

typedef struct image_reader {
    const image *img;
    cru_arena *arena; /* for what is not an array in the file: relations, lists of names */
    cru_error *err;
    cru_status status;
} image_reader;

/* The array `name` with elements of `size` bytes and `count` of them; NULL when it is absent or wrong. */
const void *take(image_reader *r, const char *name, size_t size, int64_t count);

/* As take, but its absence is a fault. */
const void *need(image_reader *r, const char *name, size_t size, int64_t count);

/* Zeroed memory of the reader's arena. */
void *take_memory(image_reader *r, int64_t count, size_t size);

void take_task(image_reader *r, cru_task *task);
cru_split take_split(image_reader *r, const char *prefix, int64_t items);
const char *const *take_names(image_reader *r, const char *name, int64_t count);

#endif
