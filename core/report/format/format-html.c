// SPDX-License-Identifier: Apache-2.0
/* format-html.c: one table of the page. Cells carry the plain number in data-value, by which the page's script sorts;
 * headings that sort carry the number of their column in data-col and their whole name in data-label. */
#include <math.h>
#include <string.h>

#include "report/format/escape.h"
#include "report/format/format.h"
#include "report/format/words.h"

/* A heading over the column `col` that sorts by it, as high as all levels of headings or the last one alone. */
static void put_head(const char *text, const char *label, int64_t col, int64_t high, FILE *out)
{
    fprintf(out, "<th scope=\"col\" aria-sort=\"none\" data-col=\"%lld\" data-label=\"", (long long)col);
    escape_html(out, label);
    fputc('"', out);
    if (high > 1) fprintf(out, " rowspan=\"%lld\"", (long long)high);
    fputs("><button type=\"button\">", out);
    escape_html(out, text);
    fputs("</button></th>", out);
}

/* How many columns from `col` on share the parts up to key `k`. */
static int64_t span(const table *t, int64_t col, int64_t k)
{
    int64_t end = col + 1;
    for (; end < t->col_count; end++)
        for (int64_t i = 0; i <= k; i++)
            if (strcmp(t->cols[end].parts[i], t->cols[col].parts[i]) != 0) return end - col;
    return end - col;
}

static void put_upper_heads(const table *t, int64_t k, FILE *out)
{
    for (int64_t c = 0, width; c < t->col_count; c += width) {
        width = span(t, c, k);
        fprintf(out, "<th scope=\"colgroup\" class=\"upper\" colspan=\"%lld\">", (long long)width);
        escape_html(out, t->cols[c].parts[k]);
        fputs("</th>", out);
    }
}

/* One line for every key of the columns; names of rows and summaries stand beside all of them. */
static void put_heads(const table *t, FILE *out)
{
    int64_t high = t->col_key_count;
    for (int64_t k = 0; k < high; k++) {
        fputs("<tr>", out);
        if (k == 0) put_head(t->row_keys[0], t->row_keys[0], 0, high, out);
        if (k + 1 < high) put_upper_heads(t, k, out);
        for (int64_t c = 0; k + 1 == high && c < t->col_count; c++) {
            const char *last = t->cols[c].parts[k];
            put_head(high > 1 && *last ? last : t->cols[c].label, t->cols[c].label, c + 1, 1, out);
        }
        for (int64_t i = 0; k == 0 && i < t->summary_count; i++)
            put_head(t->summaries[i].label, t->summaries[i].label, t->col_count + 1 + i, high, out);
        fputs("</tr>\n", out);
    }
}

static void put_number(double number, FILE *out)
{
    fputs("<td data-value=\"", out);
    if (isfinite(number)) fprintf(out, "%.17g", number);
    fputc('"', out);
}

static void put_cell(const table *t, const table_cell *cell, FILE *out)
{
    static const char *const before[] = {"", "<strong>", "<u>"}, *const after[] = {"", "</strong>", "</u>"};
    static const char *const signs[SIGNS] = {"<sup>*</sup>", "<sup>†</sup>", "<sup>‡</sup>", "<sup>+</sup>"};
    cell_words words;
    char marks[64];
    words_of_cell(t, cell, &words);
    words_of_signs(&words, signs, marks, sizeof marks);
    put_number(cell->mean * t->scale, out);
    if (cell->mark != TABLE_VALUE) fputs(" class=\"none\"", out);
    if (!t->caption) {
        fprintf(out, " title=\"%lld of %lld trials", (long long)cell->run_count, (long long)cell->trials);
        if (!isnan(cell->p)) fprintf(out, ", p = %.3g against the best", cell->p);
        fputc('"', out);
    }
    fprintf(out, ">%s%s", before[cell->place], words.value);
    if (words.spread[0]) fprintf(out, "<span class=\"spread\"> ± %s</span>", words.spread);
    fprintf(out, "%s%s", after[cell->place], marks);
    if (words.runs[0]) fprintf(out, " <small>%s</small>", words.runs);
    if (words.reference[0]) fprintf(out, "<br><small>%s</small>", words.reference);
    fputs("</td>", out);
}

static void put_summary(const table *t, const table_summary *s, int64_t row, FILE *out)
{
    char text[32];
    words_of_summary(t, s, row, text, sizeof text);
    put_number(s->values[row] * summary_scale(t, s->kind), out);
    fprintf(out, ">%s</td>", text);
}

static void put_legend(const table *t, FILE *out)
{
    char line[1000];
    words_of_legend(t, line, sizeof line);
    fputs("<p class=\"legend\">", out);
    if (words_have_places(t)) {
        fputs("<strong>Bold</strong>: best of its column; <u>underlined</u>: second best", out);
        if (line[0]) fputs("; ", out);
    }
    escape_html(out, line);
    fputs("</p>\n", out);
}

void format_html(const table *t, FILE *out)
{
    char line[1000];
    fputs("<div class=\"scroll\"><table class=\"results\"><caption>", out);
    words_of_caption(t, line, sizeof line);
    escape_html(out, line);
    fputs("</caption>\n<thead>", out);
    put_heads(t, out);
    fputs("</thead>\n<tbody>\n", out);
    for (int64_t r = 0; r < table_lines(t); r++) {
        if (table_opens_group(t, r)) {
            fprintf(out, "<tr><th scope=\"rowgroup\" colspan=\"%lld\">",
                    (long long)(1 + t->col_count + t->summary_count));
            escape_html(out, t->rows[r].group);
            fputs("</th></tr>\n", out);
        }
        fputs("<tr><th scope=\"row\">", out);
        escape_html(out, t->rows[r].label);
        fputs("</th>", out);
        for (int64_t c = 0; c < t->col_count; c++) put_cell(t, table_at(t, r, c), out);
        for (int64_t i = 0; i < t->summary_count; i++) put_summary(t, &t->summaries[i], r, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    put_legend(t, out);
}
