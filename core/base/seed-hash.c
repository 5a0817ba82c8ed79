// SPDX-License-Identifier: Apache-2.0
#include "base/seed-hash.h"

#include <string.h>

#include "base/md5.h"

uint32_t seed_hash(const char *text)
{
    uint8_t sum[MD5_BYTES];
    md5_bytes(text, strlen(text), sum);
    uint32_t last = (uint32_t)sum[12] << 24 | (uint32_t)sum[13] << 16 | (uint32_t)sum[14] << 8 | sum[15];
    return last & 0x7fffffffu;
}
