// SPDX-License-Identifier: Apache-2.0
#include "config/strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *string_copy_bytes(cru_arena *arena, const char *text, size_t size)
{
    char *out = cru_arena_alloc(arena, (int64_t)size + 1, 1);
    memcpy(out, text, size);
    out[size] = '\0';
    return out;
}

char *string_copy(cru_arena *arena, const char *text)
{
    return string_copy_bytes(arena, text, strlen(text));
}

char *string_format(cru_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    cru_assert(size >= 0, "string_format: bad format %s", format);
    char *out = cru_arena_alloc(arena, (int64_t)size + 1, 1);
    vsnprintf(out, (size_t)size + 1, format, again);
    va_end(again);
    return out;
}

/* How many bytes the character that begins with `first` has, and between which bounds its second byte must lie; 0: no
 * character begins so. The bounds shut out overlong forms, surrogates and what is above U+10FFFF. */
static size_t utf8_length(unsigned char first, unsigned char bounds[2])
{
    bounds[0] = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    bounds[1] = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

bool string_is_utf8(const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char bounds[2];
    for (size_t i = 0, length; i < size; i += length) {
        length = utf8_length(bytes[i], bounds);
        if (length == 0 || length > size - i) return false;
        if (length > 1 && (bytes[i + 1] < bounds[0] || bytes[i + 1] > bounds[1])) return false;
        for (size_t k = 2; k < length; k++)
            if ((bytes[i + k] & 0xc0) != 0x80) return false;
    }
    return true;
}
