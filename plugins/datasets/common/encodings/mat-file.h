// SPDX-License-Identifier: Apache-2.0
/* mat-file.h: variables of MATLAB files, version 5 and 7.3, through matio. */
#ifndef FORMATS_MAT_FILE_H
#define FORMATS_MAT_FILE_H

#include <crucible/arena.h>
#include <crucible/plugin.h>
#include <crucible/pool.h>

#include "blob.h"

typedef struct mat_file mat_file;

/* `path` is borrowed. On failure *out is NULL. CRU_IO: cannot be read; CRU_BAD_INPUT: not a MATLAB file. */
cru_status mat_open(const char *path, mat_file **out, cru_error *err);
void mat_close(mat_file *file); /* NULL is fine */

/* The first of the names (NULL ends them) that the file has; NULL when it has none. */
const char *mat_first(mat_file *file, const char *const *names);

/* What the file claims of a matrix of real numbers, which is not read. CRU_BAD_INPUT: not there, or no such matrix. */
typedef struct mat_shape {
    int64_t rows, cols;
} mat_shape;
cru_status mat_look(mat_file *file, const char *name, mat_shape *out, cru_error *err);

/* A matrix of real numbers, full or sparse. One of `dense` (rows x cols, row by row) and `sparse.offsets` is set; it
 * lives in the arena. A sparse one has sorted rows, no zeros, and values NULL when all are 1. */
typedef struct mat_matrix {
    const char *name; /* "path: variable" */
    int64_t rows, cols;
    const double *dense;
    cru_csr sparse;
} mat_matrix;

/* Its shape is what mat_look tells. CRU_BAD_INPUT: not there, no numeric matrix, or one whose parts contradict each
 * other. */
cru_status mat_read(mat_file *file, const char *name, cru_arena *arena, mat_matrix *out, cru_error *err);

/* The transpose, in the arena. */
mat_matrix mat_transpose(const mat_matrix *m, cru_arena *arena);

/* Entry (row, col) of either kind. */
double mat_at(const mat_matrix *m, int64_t row, int64_t col);

/* The matrix as a sparse one, in the arena. */
cru_csr mat_csr(const mat_matrix *m, cru_arena *arena);

#endif
