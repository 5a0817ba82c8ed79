// SPDX-License-Identifier: Apache-2.0
/* escape.h: names come from users; each format has its own way to take them for text only. Newlines and other control
 * characters become spaces everywhere. */
#ifndef CORE_REPORT_ESCAPE_H
#define CORE_REPORT_ESCAPE_H

#include <stdint.h>
#include <stdio.h>

void escape_text(FILE *out, const char *text);
void escape_markdown(FILE *out, const char *text);
void escape_latex(FILE *out, const char *text);
void escape_html(FILE *out, const char *text); /* for contents and for quoted attributes, of SVG too */
void escape_csv(FILE *out, const char *text);  /* a whole field */

/* Columns that a UTF-8 text takes on a terminal. */
int64_t escape_width(const char *text);

#endif
