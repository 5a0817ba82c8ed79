// SPDX-License-Identifier: Apache-2.0
/* md5.h: MD5, only because published experiments derive their seeds from it. */
#ifndef SDK_RANDOM_MD5_H
#define SDK_RANDOM_MD5_H

#include <stddef.h>
#include <stdint.h>

#define MD5_BYTES 16

void md5_bytes(const void *bytes, size_t size, uint8_t sum[MD5_BYTES]);

#endif
