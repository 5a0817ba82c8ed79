// SPDX-License-Identifier: Apache-2.0
/* lines.h: the lines of one INI text: sections, with or without keys, pairs, and every fault, each with its line. Lines
 * are of any length. The rules are in config.h. */
#ifndef CORE_CONFIG_LINES_H
#define CORE_CONFIG_LINES_H

#include <stddef.h>
#include <stdint.h>

typedef struct line_visitor {
    void *user;
    /* "[title]", trimmed. */
    void (*section)(void *user, const char *title, int32_t line);
    /* key = value, with continuation lines joined by a space and comments gone. `line` is that of the key. */
    void (*pair)(void *user, const char *key, const char *value, int32_t line);
    /* `subject` is the offending text or NULL. */
    void (*fault)(void *user, const char *subject, const char *message, int32_t line);
} line_visitor;

/* Reads `size` bytes of `text` and calls the visitor in the order of the lines, but for a pair, which is known to be
 * whole only when the next one begins. A broken section header is a fault followed by a section with a NULL title: what
 * stands below it cannot be judged. */
void lines_read(const char *text, size_t size, const line_visitor *visitor);

#endif
