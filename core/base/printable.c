// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <string.h>

size_t printable_control(const char *text, size_t left, bool lines)
{
    const unsigned char *at = (const unsigned char *)text;
    if (at[0] < 0x20 || at[0] == 0x7f) return lines && (at[0] == '\n' || at[0] == '\t') ? 0 : 1;
    if (left >= 2 && at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f) return 2;
    if (left < 3 || at[0] != 0xe2) return 0;
    bool turns = (at[1] == 0x80 && at[2] >= 0xaa && at[2] <= 0xae) || (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
    return turns ? 3 : 0;
}

char *printable(char *text, bool lines)
{
    if (!text) return NULL;
    size_t left = strlen(text);
    char *to = text;
    for (const char *from = text; left;) {
        size_t length = printable_control(from, left, lines), taken = length ? length : 1;
        *to++ = length ? '?' : *from;
        from += taken;
        left -= taken;
    }
    *to = 0;
    return text;
}

bool printable_is(const char *text, size_t size, bool lines)
{
    for (size_t i = 0; i < size; i++)
        if (printable_control(text + i, size - i, lines)) return false;
    return true;
}
