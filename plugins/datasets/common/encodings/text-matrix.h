// SPDX-License-Identifier: Apache-2.0
/* text-matrix.h: a matrix of decimals as text, one line a row, blanks or commas between the numbers. */
#ifndef FORMATS_TEXT_MATRIX_H
#define FORMATS_TEXT_MATRIX_H

#include "blob.h"

typedef struct text_matrix {
    const float *numbers; /* rows x cols, in the arena */
    int64_t rows, cols;
} text_matrix;

/* Reads exactly `rows` rows; the first line decides on the columns. CRU_BAD_INPUT: "path:line: ...". */
cru_status text_matrix_read(cru_arena *arena, const char *path, int64_t rows, text_matrix *out, cru_error *err);

#endif
