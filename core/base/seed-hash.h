// SPDX-License-Identifier: Apache-2.0
/* seed-hash.h: how the partial-label benchmark PLENCH makes a seed of several things. */
#ifndef CORE_HASH_SEED_HASH_H
#define CORE_HASH_SEED_HASH_H

#include <stdint.h>

/* The MD5 of a Python tuple's text, such as "(3, 1)", as a big-endian number modulo 2^31. */
uint32_t seed_hash(const char *text);

#endif
