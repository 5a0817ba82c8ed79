// SPDX-License-Identifier: Apache-2.0
/* format-html.c: one table of the page. Cells carry the plain number in data-value, by which the page's script sorts.
 */
#include <math.h>

#include "report/format/escape.h"
#include "report/format/format.h"
#include "report/format/words.h"

static void put_head(const char *label, FILE *out)
{
    fputs("<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">", out);
    escape_html(out, label);
    fputs("</button></th>", out);
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
    fprintf(out, "%s title=\"%lld of %lld trials", cell->mark == TABLE_VALUE ? "" : " class=\"none\"",
            (long long)cell->run_count, (long long)cell->trials);
    if (!isnan(cell->p)) fprintf(out, ", p = %.3g against the best", cell->p);
    fprintf(out, "\">%s%s", before[cell->place], words.value);
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
    put_number(s->values[row] * (s->kind == SUMMARY_RANK ? 1 : t->scale), out);
    fprintf(out, ">%s</td>", text);
}

void format_html(const table *t, FILE *out)
{
    char line[400];
    fputs("<div class=\"scroll\"><table class=\"results\"><caption>", out);
    words_of_caption(t, line, sizeof line);
    escape_html(out, line);
    fputs("</caption>\n<thead><tr>", out);
    put_head(t->row_keys[0], out);
    for (int64_t c = 0; c < t->col_count; c++) put_head(t->cols[c].label, out);
    for (int64_t i = 0; i < t->summary_count; i++) put_head(t->summaries[i].label, out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int64_t r = 0; r < t->row_count; r++) {
        fputs("<tr><th scope=\"row\">", out);
        escape_html(out, t->rows[r].label);
        fputs("</th>", out);
        for (int64_t c = 0; c < t->col_count; c++) put_cell(t, table_at(t, r, c), out);
        for (int64_t i = 0; i < t->summary_count; i++) put_summary(t, &t->summaries[i], r, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n<p class=\"legend\">", out);
    words_of_legend(t, line, sizeof line);
    escape_html(out, line);
    fputs("</p>\n", out);
}
