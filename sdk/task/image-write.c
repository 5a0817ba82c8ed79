// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <unistd.h>

#include "task/image-format.h"

static bool grow(image_writer *w)
{
    int64_t capacity = w->capacity ? 2 * w->capacity : 32;
    image_entry *entries = cru_arena_try_zeroed(w->arena, capacity, sizeof *entries);
    const void **arrays = cru_arena_try_zeroed(w->arena, capacity, sizeof *arrays);
    if (!entries || !arrays) return false;
    if (w->count > 0) {
        memcpy(entries, w->entries, (size_t)w->count * sizeof *entries);
        memcpy(arrays, w->arrays, (size_t)w->count * sizeof *arrays);
    }
    w->entries = entries;
    w->arrays = arrays;
    w->capacity = capacity;
    return true;
}

void image_put(image_writer *w, const char *name, image_array array)
{
    if (!array.at) return;
    if (w->count == w->capacity && !grow(w)) {
        w->failed = true;
        return;
    }
    cru_assert(strlen(name) < IMAGE_NAME && array.count >= 0, "image_put: %s", name);
    image_entry *entry = &w->entries[w->count];
    *entry = (image_entry){.size = array.size, .count = (uint64_t)array.count};
    memcpy(entry->name, name, strlen(name));
    w->arrays[w->count++] = array.at;
}

static size_t entry_bytes(const image_entry *entry)
{
    return entry->size * entry->count;
}

static uint64_t align(uint64_t offset)
{
    return (offset + IMAGE_ALIGNMENT - 1) / IMAGE_ALIGNMENT * IMAGE_ALIGNMENT;
}

/* Gives every array its place and returns the size of the file. */
static uint64_t lay_out(const image_writer *w)
{
    uint64_t end = sizeof(image_header) + (uint64_t)w->count * sizeof(image_entry);
    for (int64_t i = 0; i < w->count; i++) {
        w->entries[i].offset = align(end);
        end = w->entries[i].offset + entry_bytes(&w->entries[i]);
    }
    return align(end);
}

/* Array by array, as the reader does: the gaps are not covered. */
static uint64_t payload_sum(const image_writer *w)
{
    image_hash h = image_hash_start();
    for (int64_t i = 0; i < w->count; i++) image_hash_add(&h, w->arrays[i], entry_bytes(&w->entries[i]));
    return image_hash_end(&h);
}

static cru_status write_all(int fd, const void *bytes, size_t count, uint64_t at)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t done = pwrite(fd, from, count, (off_t)at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return CRU_IO;
        from += done;
        at += (uint64_t)done;
        count -= (size_t)done;
    }
    return CRU_OK;
}

static cru_status write_parts(const image_writer *w, const image_header *header, int fd)
{
    /* emptied first, so that what is not written below reads as zero */
    if (ftruncate(fd, 0) || ftruncate(fd, (off_t)header->file_size)) return CRU_IO;
    for (int64_t i = 0; i < w->count; i++)
        if (write_all(fd, w->arrays[i], entry_bytes(&w->entries[i]), w->entries[i].offset)) return CRU_IO;
    if (write_all(fd, w->entries, (size_t)w->count * sizeof *w->entries, sizeof *header)) return CRU_IO;
    return write_all(fd, header, sizeof *header, 0);
}

cru_status image_write(const image_writer *w, const char *kind, int fd, cru_error *err)
{
    if (w->failed) return cru_fail(err, CRU_NO_MEMORY, "image: out of memory");
    cru_assert(strlen(kind) < IMAGE_KIND, "image_write: %s", kind);
    image_header header = {.version = IMAGE_VERSION, .order = 0x01020304, .entries = (uint64_t)w->count};
    memcpy(header.magic, IMAGE_MAGIC, sizeof header.magic);
    memcpy(header.kind, kind, strlen(kind));
    header.file_size = lay_out(w);
    header.payload_sum = payload_sum(w);
    header.head_sum = image_head_sum(header, w->entries);
    if (write_parts(w, &header, fd)) return cru_fail(err, CRU_IO, "image: cannot be written: %s", strerror(errno));
    return CRU_OK;
}
