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
