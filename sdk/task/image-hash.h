// SPDX-License-Identifier: Apache-2.0
/* The checksum of images: 64 bits, about as fast as memory. Not cryptographic: it finds accidents. */
#ifndef CRU_TASK_IMAGE_HASH_H
#define CRU_TASK_IMAGE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_STRIPE = 32 };

typedef struct image_hash {
    uint64_t lane[HASH_STRIPE / 8];
    uint64_t bytes;
} image_hash;

image_hash image_hash_start(void);

/* Any bytes; they are taken as if followed by zeros up to a multiple of `HASH_STRIPE`. */
void image_hash_add(image_hash *h, const void *bytes, size_t count);
uint64_t image_hash_end(const image_hash *h);

#endif
