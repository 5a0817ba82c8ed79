// SPDX-License-Identifier: Apache-2.0
#include "tar.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCK = 512, NAME = 100, MODE_END = 148, SUM_SIZE = 8, SIZE_AT = 124, SIZE_DIGITS = 12, TYPE_AT = 156 };

/* Octal digits with blanks or NULs around them; -1: something else. */
static int64_t octal(const uint8_t *digits, int count)
{
    int64_t value = 0;
    int i = 0;
    while (i < count && digits[i] == ' ') i++;
    if (i == count) return -1;
    for (; i < count && digits[i] >= '0' && digits[i] <= '7'; i++) value = 8 * value + (digits[i] - '0');
    for (; i < count; i++)
        if (digits[i] != ' ' && digits[i] != 0) return -1;
    return value;
}

/* The sum of all bytes with blanks in the place of the sum itself. */
static bool sum_fits(const uint8_t *header)
{
    int64_t sum = SUM_SIZE * ' ';
    for (int i = 0; i < BLOCK; i++)
        if (i < MODE_END || i >= MODE_END + SUM_SIZE) sum += header[i];
    return octal(header + MODE_END, SUM_SIZE) == sum;
}

static bool ends_so(const char *name, const char *ending)
{
    size_t size = strlen(name), tail = strlen(ending);
    return size >= tail && strcmp(name + size - tail, ending) == 0;
}

cru_status tar_member(const blob *tar, const char *ending, cru_arena *arena, blob *out, cru_error *err)
{
    int64_t at = 0;
    while (tar->size - at >= BLOCK && tar->bytes[at] != 0) {
        const uint8_t *header = tar->bytes + at;
        int64_t size = octal(header + SIZE_AT, SIZE_DIGITS);
        if (!sum_fits(header) || size < 0 || size > tar->size - at - BLOCK)
            return cru_fail(err, CRU_BAD_INPUT, "%s: byte %lld: not a sound tar header", tar->name, (long long)at);
        char name[NAME + 1] = "";
        memcpy(name, header, NAME);
        bool regular = header[TYPE_AT] == '0' || header[TYPE_AT] == 0;
        if (regular && ends_so(name, ending)) {
            *out = (blob){blob_name(arena, tar->name, name), header + BLOCK, size};
            return CRU_OK;
        }
        at += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
    }
    return cru_fail(err, CRU_BAD_INPUT, "%s: has no member '%s'", tar->name, ending);
}
