// SPDX-License-Identifier: Apache-2.0
/* Named arrays in a file that is mapped, not read.
 *
 *     header   64 bytes: magic, version, byte order, kind, file size, number of arrays, two checksums
 *     table    64 bytes an array: name, element size, count, offset
 *     payload  the arrays, each at a multiple of 64, gaps zero
 *
 * The header's checksum covers header and table, is always verified, and is written last: a file that was cut, was not
 * finished or is something else is found out without touching the payload. The payload has a checksum of its own, for
 * files that have lived on a disk. Numbers are in the machine's byte order, which the header states. */
#ifndef CRU_TASK_IMAGE_H
#define CRU_TASK_IMAGE_H

#include <stdbool.h>

#include <crucible/arena.h>

enum { IMAGE_NAME = 40, IMAGE_KIND = 8 };

typedef struct image_entry {
    char name[IMAGE_NAME];
    uint64_t size; /* of an element */
    uint64_t count;
    uint64_t offset; /* from the start of the file */
} image_entry;

/* ---- writing ---- */

/* Arrays are borrowed until image_write. Zero it, give it an arena, put arrays, write. */
typedef struct image_writer {
    cru_arena *arena;
    image_entry *entries;
    const void **arrays;
    int64_t count, capacity;
    bool failed; /* out of memory; image_write reports it */
} image_writer;

typedef struct image_array {
    const void *at; /* NULL: the array is absent and nothing is put */
    int64_t count;
    size_t size; /* of an element */
} image_array;

/* `name` is copied; shorter than IMAGE_NAME. */
void image_put(image_writer *w, const char *name, image_array array);

/* Replaces the content of `fd`, a file that can be written at any position. `kind` is shorter than IMAGE_KIND. */
cru_status image_write(const image_writer *w, const char *kind, int fd, cru_error *err);

/* ---- reading ---- */

typedef struct image {
    void *base;
    size_t size;
    const image_entry *entries; /* checked: inside the file, aligned, not overflowing */
    uint64_t count;
} image;

typedef enum image_access {
    IMAGE_SHARED,           /* read-only pages; the payload is trusted */
    IMAGE_PRIVATE,          /* writes stay in this process; the payload's checksum is verified */
    IMAGE_PRIVATE_VERIFIED, /* the same, but the payload is trusted */
} image_access;

cru_status image_map(image *img, int fd, const char *kind, image_access access, cru_error *err);
void image_unmap(image *img);

/* NULL when there is no such array. */
const image_entry *image_find(const image *img, const char *name);

#endif
