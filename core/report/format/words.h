// SPDX-License-Identifier: Apache-2.0
/* words.h: what a cell says, the same in all formats. */
#ifndef CORE_REPORT_WORDS_H
#define CORE_REPORT_WORDS_H

#include "report/table/table.h"

/* What the signs behind a number mean. */
typedef enum cell_sign {
    SIGN_WORSE,      /* * significantly worse than the best of its column */
    SIGN_BELOW_BEST, /* † worse than the best baseline */
    SIGN_BELOW_ALL,  /* ‡ worse than all baselines */
    SIGN_GAINED,     /* ⁺ significantly better than in the other experiment */
    SIGNS
} cell_sign;

typedef struct cell_words {
    char value[48];     /* the mean as printed, or OOM, OOT, ERR, — */
    char spread[32];    /* "" when there is none */
    char runs[32];      /* "(3)" when the cell has another number of runs than most; else "" */
    char reference[80]; /* "81.50 −0.27 in" where a value was published; else "" */
    bool sign[SIGNS];
} cell_words;

void words_of_cell(const table *t, const table_cell *cell, cell_words *words);

/* The signs of a cell one after the other, each as the format writes it. */
void words_of_signs(const cell_words *words, const char *const texts[SIGNS], char *text, size_t size);

/* A number of a summary as it is printed: "81.50", "+1.20", a rank as "2.33"; or — */
void words_of_summary(const table *t, const table_summary *summary, int64_t row, char *text, size_t size);

/* "std", "population std", "standard error", "population standard error". */
const char *words_of_spread(report_spread spread);

/* One line: "accuracy in %: mean ± std of 5 runs, higher is better", and how many settings a search tried. */
void words_of_caption(const table *t, char *text, size_t size);

/* Why no difference can be significant, when there are too few runs for it; else "". */
const char *words_of_few_runs(const table *t, char *text, size_t size);

/* Whether any cell is marked as the best or second best of its column. */
bool words_have_places(const table *t);

/* One line on the marks that the table uses: "* worse than the best of its column (paired Wilcoxon test, ...)"; "" when
 * there is nothing to explain. */
void words_of_legend(const table *t, char *text, size_t size);

#endif
