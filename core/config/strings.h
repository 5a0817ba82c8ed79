// SPDX-License-Identifier: Apache-2.0
/* strings.h: texts in the memory of an arena, and what a text may hold. Running out of memory is a panic. */
#ifndef CORE_CONFIG_STRINGS_H
#define CORE_CONFIG_STRINGS_H

#include <stdbool.h>

#include <crucible/arena.h>

char *string_copy(cru_arena *arena, const char *text);
char *string_copy_bytes(cru_arena *arena, const char *text, size_t size);
char *string_format(cru_arena *arena, const char *format, ...) CRU_PRINTF(2, 3);

/* Whether the bytes are UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool string_is_utf8(const char *text, size_t size);

#endif
