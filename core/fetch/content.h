// SPDX-License-Identifier: Apache-2.0
/* content.h: whether a file can be what its name says, by its first bytes. Servers answer with a page to log in, an
 * apology or the pointer of a large-file store, and call it a success. */
#ifndef CORE_FETCH_CONTENT_H
#define CORE_FETCH_CONTENT_H

/* What the file at `path` is instead of one called `name`, as in "is a web page"; NULL when nothing is wrong with it or
 * it cannot be read. */
const char *content_fault(const char *path, const char *name);

/* Renames a bad file to <path>.bad, in the place of an earlier one: out of the way, and there to be looked at. */
void content_set_aside(const char *path);

#endif
