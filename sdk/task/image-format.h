// SPDX-License-Identifier: Apache-2.0
/* The header of an image, shared by its writer and its reader. */
#ifndef CRU_TASK_IMAGE_FORMAT_H
#define CRU_TASK_IMAGE_FORMAT_H

#include <string.h>

#include "task/image-hash.h"
#include "task/image.h"

enum { IMAGE_ALIGNMENT = 64, IMAGE_VERSION = 1 };

#define IMAGE_MAGIC "\211CRUCIB\n" /* eight bytes, none of them text's first, as PNG's */

typedef struct image_header {
    char magic[8];
    uint32_t version;
    uint32_t order; /* 0x01020304 as the writing machine stores it */
    char kind[IMAGE_KIND];
    uint64_t file_size;
    uint64_t entries;
    uint64_t payload_sum;
    uint64_t head_sum; /* of this header with a zero here, then the table */
    uint64_t reserved;
} image_header;

_Static_assert(sizeof(image_header) == IMAGE_ALIGNMENT, "the header fills one alignment unit");
_Static_assert(sizeof(image_entry) == IMAGE_ALIGNMENT, "and so does an entry of the table");

static inline uint64_t image_head_sum(image_header header, const image_entry *entries)
{
    image_hash h = image_hash_start();
    header.head_sum = 0;
    image_hash_add(&h, &header, sizeof header);
    image_hash_add(&h, entries, header.entries * sizeof *entries);
    return image_hash_end(&h);
}

#endif
