#include <math.h>

#include "report/escape.h"
#include "report/format.h"
#include "report/words.h"

static void put_cell(const table *t, const table_cell *cell, FILE *out)
{
    static const char *const before[] = {"", "**", "<u>"}, *const after[] = {"", "**", "</u>"};
    cell_words words;
    words_of_cell(t, cell, &words);
    fprintf(out, " %s%s", before[cell->place], words.value);
    if (words.spread[0]) fprintf(out, " ± %s", words.spread);
    fprintf(out, "%s%s", after[cell->place], words.worse ? "\\*" : "");
    if (words.runs[0]) fprintf(out, " %s", words.runs);
    if (words.reference[0]) fprintf(out, " [%s]", words.reference);
    fputs(" |", out);
}

void format_markdown(const table *t, FILE *out)
{
    char line[400];
    words_of_caption(t, line, sizeof line);
    fputs("**", out);
    escape_markdown(out, t->experiment);
    fputs("**: ", out);
    escape_markdown(out, line);
    fputs("\n\n|", out);
    fputc(' ', out);
    escape_markdown(out, t->row_keys[0]);
    fputs(" |", out);
    for (int64_t c = 0; c < t->col_count; c++) {
        fputc(' ', out);
        escape_markdown(out, t->cols[c].label);
        fputs(" |", out);
    }
    bool ranks = t->col_count > 1;
    if (t->averages) fputs(" Ave. |", out);
    fputs(ranks ? " rank |\n|---|" : "\n|---|", out);
    for (int64_t c = 0; c < t->col_count + ranks + (t->averages != NULL); c++) fputs("---:|", out);
    fputc('\n', out);
    for (int64_t r = 0; r < t->row_count; r++) {
        char rank[16], average[32];
        fputs("| ", out);
        escape_markdown(out, t->rows[r].label);
        fputs(" |", out);
        for (int64_t c = 0; c < t->col_count; c++) put_cell(t, table_at(t, r, c), out);
        if (t->averages) {
            words_of_average(t, r, average, sizeof average);
            fprintf(out, " %s |", average);
        }
        words_of_rank(t->average_ranks[r], rank, sizeof rank);
        if (ranks) fprintf(out, " %s |", rank);
        fputc('\n', out);
    }
    words_of_legend(t, line, sizeof line);
    if (line[0]) {
        fputc('\n', out);
        escape_markdown(out, line);
        fputc('\n', out);
    }
}
