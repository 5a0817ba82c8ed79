/* format-html.c: one table of the page. Cells carry the plain number in data-value, by which the page's script sorts.
 */
#include <math.h>

#include "report/escape.h"
#include "report/format.h"
#include "report/words.h"

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
    cell_words words;
    words_of_cell(t, cell, &words);
    put_number(cell->mean * t->scale, out);
    fprintf(out, "%s title=\"%lld of %lld trials", cell->mark == TABLE_VALUE ? "" : " class=\"none\"",
            (long long)cell->run_count, (long long)cell->trials);
    if (!isnan(cell->p)) fprintf(out, ", p = %.3g against the best", cell->p);
    fprintf(out, "\">%s%s", before[cell->place], words.value);
    if (words.spread[0]) fprintf(out, "<span class=\"spread\"> ± %s</span>", words.spread);
    fprintf(out, "%s%s", after[cell->place], words.worse ? "<sup>*</sup>" : "");
    if (words.runs[0]) fprintf(out, " <small>%s</small>", words.runs);
    if (words.reference[0]) fprintf(out, "<br><small>%s</small>", words.reference);
    fputs("</td>", out);
}

static void put_summary(double number, const char *text, FILE *out)
{
    put_number(number, out);
    fprintf(out, ">%s</td>", text);
}

void format_html(const table *t, FILE *out)
{
    char line[400];
    bool ranks = t->col_count > 1;
    fputs("<div class=\"scroll\"><table class=\"results\"><caption>", out);
    words_of_caption(t, line, sizeof line);
    escape_html(out, line);
    fputs("</caption>\n<thead><tr>", out);
    put_head(t->row_keys[0], out);
    for (int64_t c = 0; c < t->col_count; c++) put_head(t->cols[c].label, out);
    if (t->averages) put_head("Ave.", out);
    if (ranks) put_head("rank", out);
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int64_t r = 0; r < t->row_count; r++) {
        fputs("<tr><th scope=\"row\">", out);
        escape_html(out, t->rows[r].label);
        fputs("</th>", out);
        for (int64_t c = 0; c < t->col_count; c++) put_cell(t, table_at(t, r, c), out);
        if (t->averages) {
            words_of_average(t, r, line, sizeof line);
            put_summary(t->averages[r] * t->scale, line, out);
        }
        words_of_rank(t->average_ranks[r], line, sizeof line);
        if (ranks) put_summary(t->average_ranks[r], line, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n<p class=\"legend\">", out);
    words_of_legend(t, line, sizeof line);
    escape_html(out, line);
    fputs("</p>\n", out);
}
