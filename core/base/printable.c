// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* The bytes of a character in UTF-8; 1 where there is none. */
static size_t length_of(const unsigned char *at, size_t left)
{
    const size_t length = at[0] < 0xc2 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 1;
    if (length > left) return 1;
    for (size_t i = 1; i < length; i++)
        if (at[i] < 0x80 || at[i] > 0xbf) return 1;
    return length;
}

size_t printable_step(const char *text, size_t left, bool lines, bool *control)
{
    const unsigned char *at = (const unsigned char *)text;
    const size_t length = length_of(at, left);
    if (length == 1)
        *control = at[0] < 0x20 ? !lines || (at[0] != '\n' && at[0] != '\t') : at[0] >= 0x7f && at[0] <= 0x9f;
    else if (length == 2)
        *control = at[0] == 0xc2 && at[1] <= 0x9f;
    else
        *control =
            length == 3 && at[0] == 0xe2 &&
            ((at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) || (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
    return length;
}

char *printable(char *text, bool lines)
{
    if (!text) return NULL;
    size_t left = strlen(text);
    char *to = text;
    for (const char *from = text; left;) {
        bool control;
        const size_t length = printable_step(from, left, lines, &control);
        memmove(to, control ? "?" : from, control ? 1 : length);
        to += control ? 1 : length;
        from += length;
        left -= length;
    }
    *to = 0;
    return text;
}

/* How many of the next bytes, at most eight, are of ASCII's printable ones: they lack the highest bit, are not below 0x20
 * and not 0x7f. Most texts have nothing else but ends of lines, and a store of a million trials passes a gigabyte of them
 * here. */
static size_t plain_ahead(const char *text, size_t left)
{
    const uint64_t high = 0x8080808080808080, ones = high / 0x80;
    uint64_t x = 0; /* after the end: not plain */
    memcpy(&x, text, left < sizeof x ? left : sizeof x);
    x = le64toh(x); /* so that sums carry only into bytes that come later */
    const uint64_t other = (x | ~((x | high) - 0x20 * ones) | (x + ones)) & high;
    return other ? (size_t)__builtin_ctzll(other) / 8 : sizeof x;
}

bool printable_is(const char *text, size_t size, bool lines)
{
    bool control = false;
    for (size_t i = 0; i < size && !control;) {
        i += plain_ahead(text + i, size - i);
        if (i < size && (text[i] < 0x20 || text[i] >= 0x7f)) i += printable_step(text + i, size - i, lines, &control);
    }
    return !control;
}
