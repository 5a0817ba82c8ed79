// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "task/image-format.h"

static cru_status check_header(const image *img, const char *kind, cru_error *err)
{
    const image_header *h = img->base;
    char expected[IMAGE_KIND] = "";
    memcpy(expected, kind, strlen(kind));
    if (memcmp(h->magic, IMAGE_MAGIC, sizeof h->magic) != 0)
        return cru_fail(err, CRU_BAD_INPUT, "image: not an image, or not finished");
    if (h->order != 0x01020304) return cru_fail(err, CRU_BAD_INPUT, "image: written on a machine of other byte order");
    if (h->version != IMAGE_VERSION)
        return cru_fail(err, CRU_BAD_INPUT, "image: version %u, this program reads %d", h->version, IMAGE_VERSION);
    if (h->file_size != img->size)
        return cru_fail(err, CRU_BAD_INPUT, "image: %zu bytes long, should be %llu", img->size,
                        (unsigned long long)h->file_size);
    if (h->entries > (img->size - sizeof *h) / sizeof(image_entry))
        return cru_fail(err, CRU_BAD_INPUT, "image: a table of %llu arrays does not fit",
                        (unsigned long long)h->entries);
    if (h->head_sum != image_head_sum(*h, (const image_entry *)(h + 1)))
        return cru_fail(err, CRU_BAD_INPUT, "image: header or table damaged (checksum)");
    if (memcmp(h->kind, expected, sizeof expected) != 0)
        return cru_fail(err, CRU_BAD_INPUT, "image: holds \"%.*s\", not \"%s\"", IMAGE_KIND, h->kind, kind);
    return CRU_OK;
}

static cru_status check_entry(const image *img, const image_entry *e, cru_error *err)
{
    uint64_t bytes, end, table_end = sizeof(image_header) + img->count * sizeof *e;
    if (!e->name[0] || !memchr(e->name, 0, sizeof e->name))
        return cru_fail(err, CRU_BAD_INPUT, "image: an array without a proper name");
    bool fits = e->size > 0 && e->count <= INT64_MAX && !__builtin_mul_overflow(e->size, e->count, &bytes) &&
                !__builtin_add_overflow(e->offset, bytes, &end) && e->offset >= table_end && end <= img->size;
    if (!fits)
        return cru_fail(err, CRU_BAD_INPUT, "image: array %s (%llu x %llu bytes at %llu) lies outside the file",
                        e->name, (unsigned long long)e->count, (unsigned long long)e->size,
                        (unsigned long long)e->offset);
    if (e->offset % IMAGE_ALIGNMENT) return cru_fail(err, CRU_BAD_INPUT, "image: array %s is not aligned", e->name);
    return CRU_OK;
}

static cru_status check_payload(const image *img, cru_error *err)
{
    const image_header *header = img->base;
    image_hash h = image_hash_start();
    for (uint64_t i = 0; i < img->count; i++) {
        const image_entry *e = &img->entries[i];
        image_hash_add(&h, (const char *)img->base + e->offset, e->size * e->count);
    }
    if (image_hash_end(&h) == header->payload_sum) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "image: an array is damaged (checksum)");
}

static cru_status check_all(image *img, const char *kind, image_access access, cru_error *err)
{
    cru_status status = check_header(img, kind, err);
    if (status) return status;
    img->entries = (const image_entry *)((const image_header *)img->base + 1);
    img->count = ((const image_header *)img->base)->entries;
    for (uint64_t i = 0; i < img->count; i++)
        if ((status = check_entry(img, &img->entries[i], err))) return status;
    return access == IMAGE_PRIVATE ? check_payload(img, err) : CRU_OK;
}

cru_status image_map(image *img, int fd, const char *kind, image_access access, cru_error *err)
{
    struct stat info;
    *img = (image){0};
    if (fstat(fd, &info)) return cru_fail(err, CRU_IO, "image: %s", strerror(errno));
    if (!S_ISREG(info.st_mode)) return cru_fail(err, CRU_BAD_INPUT, "image: not a regular file");
    if (info.st_size < (off_t)sizeof(image_header))
        return cru_fail(err, CRU_BAD_INPUT, "image: %lld bytes, too short for a header", (long long)info.st_size);
    int protection = access == IMAGE_SHARED ? PROT_READ : PROT_READ | PROT_WRITE;
    int sharing = access == IMAGE_SHARED ? MAP_SHARED : MAP_PRIVATE;
    void *base = mmap(NULL, (size_t)info.st_size, protection, sharing, fd, 0);
    if (base == MAP_FAILED) return cru_fail(err, CRU_IO, "image: cannot be mapped: %s", strerror(errno));
    img->base = base;
    img->size = (size_t)info.st_size;
    cru_status status = check_all(img, kind, access, err);
    if (status) image_unmap(img);
    return status;
}

void image_unmap(image *img)
{
    if (img->base) munmap(img->base, img->size);
    *img = (image){0};
}

const image_entry *image_find(const image *img, const char *name)
{
    for (uint64_t i = 0; i < img->count; i++)
        if (strcmp(img->entries[i].name, name) == 0) return &img->entries[i];
    return NULL;
}
