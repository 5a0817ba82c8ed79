// SPDX-License-Identifier: Apache-2.0
/* printable.h: words of others, fit for a terminal.
 *
 * Plugins, cards, stores and servers are written by anybody, and a terminal obeys what is printed on it. So control
 * characters are taken out where a text comes in: C0 and DEL, C1 in UTF-8 (U+0080 to U+009F, which terminals obey as
 * well) and as single bytes (which those obey that do not speak UTF-8), and the marks that reverse the order of what
 * follows (U+202A to U+202E, U+2066 to U+2069). */
#ifndef CORE_BASE_PRINTABLE_H
#define CORE_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Puts a '?' in the place of each, in place. `lines`: line ends and tabs may stay. Returns `text`; NULL is fine. */
char *printable(char *text, bool lines);

/* The bytes of the character at `text`, of which `left` (at least 1) are there, and whether it is such a control
 * character. */
size_t printable_step(const char *text, size_t left, bool lines, bool *control);

/* Whether `size` bytes hold none. */
bool printable_is(const char *text, size_t size, bool lines);

#endif
