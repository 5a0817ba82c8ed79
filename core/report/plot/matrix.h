// SPDX-License-Identifier: Apache-2.0
/* matrix.h: numbers as colours, in rows and columns. */
#ifndef CORE_REPORT_MATRIX_H
#define CORE_REPORT_MATRIX_H

#include "report/plot/panel.h"

typedef struct matrix {
    int64_t rows, cols;
    const double *values; /* row-major; NAN: no number */
    const char **texts;   /* what the cells say; NULL: the numbers with `digits`; an entry may be NULL */
    const char **row_names, **col_names;
    int digits;
    bool diverging;          /* about 0, with the same colour strength on both sides */
    double low, high;        /* what the colours span; both 0: the numbers' own range */
    const char *title, *bar; /* above, and beside the colour bar */
    const char *description;
} matrix;

void matrix_draw(const matrix *m, FILE *out, bool alone);

#endif
