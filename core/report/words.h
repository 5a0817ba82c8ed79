/* words.h: what a cell says, the same in all formats. */
#ifndef CORE_REPORT_WORDS_H
#define CORE_REPORT_WORDS_H

#include "report/table.h"

typedef struct cell_words {
    char value[48];     /* the mean as printed, or OOM, OOT, ERR, — */
    char spread[32];    /* "" when there is none */
    char runs[32];      /* "(3)" when the cell has another number of runs than most; else "" */
    char reference[80]; /* "81.50 −0.27 in" when there is one to compare with; else "" */
    bool worse;         /* significantly worse than the best of its column */
} cell_words;

void words_of_cell(const table *t, const table_cell *cell, cell_words *words);

/* The mean over the columns as it is printed; only where t->averages is there. */
void words_of_average(const table *t, int64_t row, char *text, size_t size);

/* "2.33", or — */
void words_of_rank(double rank, char *text, size_t size);

/* "std", "population std", "standard error", "population standard error". */
const char *words_of_spread(report_spread spread);

/* One line: "accuracy in %: mean ± std of 5 runs, higher is better", and how many settings a search tried. */
void words_of_caption(const table *t, char *text, size_t size);

/* One line on the marks that the table uses: "* worse than the best of its column (paired Wilcoxon test, ...)"; "" when
 * there is nothing to explain. */
void words_of_legend(const table *t, char *text, size_t size);

#endif
