/* strings.h: texts in the memory of an arena. Running out of memory is a panic. */
#ifndef CORE_CONFIG_STRINGS_H
#define CORE_CONFIG_STRINGS_H

#include <crucible/arena.h>

char *string_copy(cru_arena *arena, const char *text);
char *string_copy_bytes(cru_arena *arena, const char *text, size_t size);
char *string_format(cru_arena *arena, const char *format, ...) CRU_PRINTF(2, 3);

#endif
