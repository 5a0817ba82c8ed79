// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "report/format/escape.h"
#include "report/format/format.h"
#include "report/format/words.h"

static void put_cell(const table *t, const table_cell *cell, FILE *out)
{
    static const char *const before[] = {"", "**", "<u>"}, *const after[] = {"", "**", "</u>"};
    static const char *const signs[SIGNS] = {"\\*", "†", "‡", "⁺"};
    cell_words words;
    char marks[32];
    words_of_cell(t, cell, &words);
    words_of_signs(&words, signs, marks, sizeof marks);
    fprintf(out, " %s%s", before[cell->place], words.value);
    if (words.spread[0]) fprintf(out, " ± %s", words.spread);
    fprintf(out, "%s%s", after[cell->place], marks);
    if (words.runs[0]) fprintf(out, " %s", words.runs);
    if (words.reference[0]) fprintf(out, " [%s]", words.reference);
    fputs(" |", out);
}

static void put_word(const char *word, FILE *out)
{
    fputc(' ', out);
    escape_markdown(out, word);
    fputs(" |", out);
}

static void put_header(const table *t, FILE *out)
{
    fputc('|', out);
    put_word(t->row_keys[0], out);
    for (int64_t c = 0; c < t->col_count; c++) put_word(t->cols[c].label, out);
    for (int64_t i = 0; i < t->summary_count; i++) put_word(t->summaries[i].label, out);
    fputs("\n|---|", out);
    for (int64_t c = 0; c < t->col_count + t->summary_count; c++) fputs("---:|", out);
    fputc('\n', out);
}

static void put_group(const table *t, int64_t row, FILE *out)
{
    fputs("| *", out);
    escape_markdown(out, t->rows[row].group);
    fputs("* |", out);
    for (int64_t c = 0; c < t->col_count + t->summary_count; c++) fputs(" |", out);
    fputc('\n', out);
}

static void put_row(const table *t, int64_t row, FILE *out)
{
    fputc('|', out);
    put_word(t->rows[row].label, out);
    for (int64_t c = 0; c < t->col_count; c++) put_cell(t, table_at(t, row, c), out);
    for (int64_t i = 0; i < t->summary_count; i++) {
        char text[32];
        words_of_summary(t, &t->summaries[i], row, text, sizeof text);
        fprintf(out, " %s |", text);
    }
    fputc('\n', out);
}

void format_markdown(const table *t, FILE *out)
{
    char line[1000];
    words_of_caption(t, line, sizeof line);
    fputs("**", out);
    escape_markdown(out, t->experiment);
    fputs("**: ", out);
    escape_markdown(out, line);
    fputs("\n\n", out);
    put_header(t, out);
    for (int64_t r = 0; r < table_lines(t); r++) {
        if (table_opens_group(t, r)) put_group(t, r, out);
        put_row(t, r, out);
    }
    words_of_legend(t, line, sizeof line);
    if (line[0]) {
        fputc('\n', out);
        escape_markdown(out, line);
        fputc('\n', out);
    }
}
