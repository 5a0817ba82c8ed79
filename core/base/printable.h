// SPDX-License-Identifier: Apache-2.0
/* printable.h: words of others, fit for a terminal.
 *
 * Plugins, cards, stores and servers are written by anybody, and a terminal obeys what is printed on it. So control
 * characters are taken out where a text comes in: C0 and DEL, C1 in UTF-8 (U+0080 to U+009F, which terminals obey as
 * well), and the marks that reverse the order of what follows (U+202A to U+202E, U+2066 to U+2069). */
#ifndef CORE_BASE_PRINTABLE_H
#define CORE_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Puts a '?' in the place of each, in place. `lines`: line ends and tabs may stay. Returns `text`; NULL is fine. */
char *printable(char *text, bool lines);

/* The bytes that the control character at `text` takes, of which `left` are there; 0: it is none. */
size_t printable_control(const char *text, size_t left, bool lines);

/* Whether `size` bytes hold none. */
bool printable_is(const char *text, size_t size, bool lines);

#endif
