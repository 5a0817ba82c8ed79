// SPDX-License-Identifier: Apache-2.0
/* decimal.h: numbers in text, fast and the same in every locale. */
#ifndef FORMATS_DECIMAL_H
#define FORMATS_DECIMAL_H

#include <stdbool.h>

#include <crucible/status.h>

/* Text that is read from front to back. A NUL byte follows `end`. */
typedef struct cursor {
    const char *at, *end;
    const char *path; /* for messages */
    int64_t line;     /* of `at`, from 1; kept by cursor_next_line */
} cursor;

/* Reads a number at the cursor, which then stands behind it. False, moving nothing, when there is none or when it is
 * not finite. Rounds as strtod does. */
bool cursor_real(cursor *c, double *out);

/* cursor_real for a whole number of 64 bits; "-1.0" is one too. */
bool cursor_whole(cursor *c, int64_t *out);

/* Skips blanks (space, tab, CR) and one separator of `separators`; stays on the line. */
void cursor_skip(cursor *c, const char *separators);

/* At the end of a line or of the text. */
bool cursor_at_line_end(const cursor *c);

/* Skips what is left of the line. False when the text is at its end. */
bool cursor_next_line(cursor *c);

/* Skips empty lines; true when there is something to read. */
bool cursor_more(cursor *c);

/* "path:line: what" as CRU_BAD_INPUT. */
cru_status cursor_fail(const cursor *c, const char *what, cru_error *err);

#endif
