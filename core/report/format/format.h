// SPDX-License-Identifier: Apache-2.0
/* format.h: a table in each of the formats. Failures to write show in the stream (ferror). */
#ifndef CORE_REPORT_FORMAT_H
#define CORE_REPORT_FORMAT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "report/table/table.h"

typedef struct text_style {
    bool colour;   /* bold and underline; otherwise ¹ and ² tell best and second */
    int64_t width; /* columns that fit; the table is broken into blocks; 0: no limit */
} text_style;

void format_text(const table *t, const text_style *style, FILE *out);
void format_markdown(const table *t, FILE *out);
void format_latex(const table *t, FILE *out);

/* One line per cell; the heading only when `first`. */
void format_csv(const table *t, bool first, FILE *out);

/* NULL: out of memory. */
cJSON *format_json(const table *t);

/* A <table> with its caption, for the page. */
void format_html(const table *t, FILE *out);

#endif
