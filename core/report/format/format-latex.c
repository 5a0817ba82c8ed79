// SPDX-License-Identifier: Apache-2.0
/* format-latex.c: a table for a paper; needs the package booktabs. */
#include <string.h>

#include "report/format/escape.h"
#include "report/format/format.h"
#include "report/format/words.h"

static void put_value(const cell_words *words, FILE *out)
{
    if (strcmp(words->value, "—") == 0) {
        fputs("---", out);
        return;
    }
    fputs(words->value, out);
    if (words->spread[0]) fprintf(out, " $\\pm$ %s", words->spread);
}

static void put_cell(const table *t, const table_cell *cell, FILE *out)
{
    static const char *const before[] = {"", "\\textbf{", "\\underline{"};
    static const char *const signs[SIGNS] = {"$^{*}$", "$^{\\dag}$", "$^{\\ddag}$", "$^{+}$"};
    cell_words words;
    char marks[64];
    words_of_cell(t, cell, &words);
    words_of_signs(&words, signs, marks, sizeof marks);
    fprintf(out, " & %s", before[cell->place]);
    put_value(&words, out);
    fprintf(out, "%s%s", cell->place ? "}" : "", marks);
    if (words.runs[0]) fprintf(out, " %s", words.runs);
    if (words.reference[0]) fprintf(out, " [%s]", words.reference);
}

/* How many columns from `col` on share the parts up to key `k`. */
static int64_t span(const table *t, int64_t col, int64_t k)
{
    int64_t end = col + 1;
    for (; end < t->col_count; end++) {
        for (int64_t i = 0; i <= k; i++) {
            if (strcmp(t->cols[end].parts[i], t->cols[col].parts[i]) != 0) return end - col;
        }
    }
    return end - col;
}

static void put_heads(const table *t, FILE *out)
{
    for (int64_t k = 0; k < t->col_key_count; k++) {
        bool last = k + 1 == t->col_key_count;
        if (last) escape_latex(out, t->row_keys[0]);
        for (int64_t c = 0, width; c < t->col_count; c += width) {
            width = last ? 1 : span(t, c, k);
            fprintf(out, " & \\multicolumn{%lld}{c}{", (long long)width);
            escape_latex(out, t->cols[c].parts[k]);
            fputc('}', out);
        }
        for (int64_t i = 0; i < t->summary_count; i++) {
            fputs(" & ", out);
            if (last) escape_latex(out, t->summaries[i].label);
        }
        fputs(" \\\\\n", out);
    }
}

static void put_summary(const char *text, FILE *out)
{
    fprintf(out, " & %s", strcmp(text, "—") == 0 ? "---" : text);
}

void format_latex(const table *t, FILE *out)
{
    char line[1000];
    fputs("\\begin{table}\n\\centering\n\\caption{", out);
    escape_latex(out, t->experiment);
    fputs(": ", out);
    words_of_caption(t, line, sizeof line);
    escape_latex(out, line);
    words_of_legend(t, line, sizeof line);
    if (line[0]) fputs(". ", out);
    escape_latex(out, line);
    fputs("}\n\\begin{tabular}{l", out);
    for (int64_t c = 0; c < t->col_count + t->summary_count; c++) fputc('r', out);
    fputs("}\n\\toprule\n", out);
    put_heads(t, out);
    fputs("\\midrule\n", out);
    for (int64_t r = 0; r < table_lines(t); r++) {
        if (table_opens_group(t, r)) {
            fprintf(out, "\\multicolumn{%lld}{l}{\\emph{", (long long)(1 + t->col_count + t->summary_count));
            escape_latex(out, t->rows[r].group);
            fputs("}} \\\\\n", out);
        }
        escape_latex(out, t->rows[r].label);
        for (int64_t c = 0; c < t->col_count; c++) put_cell(t, table_at(t, r, c), out);
        for (int64_t i = 0; i < t->summary_count; i++) {
            char text[32];
            words_of_summary(t, &t->summaries[i], r, text, sizeof text);
            put_summary(text, out);
        }
        fputs(" \\\\\n", out);
    }
    fputs("\\bottomrule\n\\end{tabular}\n\\end{table}\n", out);
}
