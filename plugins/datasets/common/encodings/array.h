// SPDX-License-Identifier: Apache-2.0
/* array.h: numbers as numpy stores them: typed, of up to four dimensions, in either byte order and layout. */
#ifndef FORMATS_ARRAY_H
#define FORMATS_ARRAY_H

#include <stdbool.h>

#include "blob.h"

#define ARRAY_DIMS 4

typedef enum array_type { ARRAY_BOOL, ARRAY_INT, ARRAY_UINT, ARRAY_FLOAT, ARRAY_OBJECT } array_type;

/* Borrows its bytes, which hold all `count` numbers. Of objects they hold the pickle. */
typedef struct array {
    const char *name; /* for messages */
    array_type type;
    int32_t width; /* bytes a number */
    bool swapped;  /* big-endian */
    bool fortran;  /* the first index runs fastest */
    int32_t dims;
    int64_t shape[ARRAY_DIMS], count;
    const uint8_t *bytes;
    int64_t size;
} array;

/* Understands "<f4", "|b1", ">i8", "O" ...; the code of pickles lacks the byte order. CRU_UNSUPPORTED names others. */
cru_status array_set_type(array *a, const char *code, int64_t length, cru_error *err);

/* Sets dims, shape and count, and checks that the bytes hold them all. */
cru_status array_set_shape(array *a, const int64_t *shape, int32_t dims, cru_error *err);

/* Numeric, of `dims` dimensions, with that first and (when dims is 2) second length; -1: any. */
typedef struct array_form {
    int32_t dims;
    int64_t rows, cols;
} array_form;
cru_status array_expect(const array *a, array_form form, cru_error *err);

/* Where the number (row, col) of a matrix is stored. */
static inline int64_t array_place(const array *a, int64_t row, int64_t col)
{
    return a->fortran ? col * a->shape[0] + row : row * a->shape[1] + col;
}

/* The number at a place, 0 <= place < count. */
double array_real(const array *a, int64_t place);

/* The number at a place as a whole one between lo and hi; floats that are whole count. CRU_BAD_INPUT names place and
 * value. */
typedef struct array_range {
    int64_t lo, hi;
} array_range;
cru_status array_whole(const array *a, int64_t place, array_range range, int64_t *out, cru_error *err);

/* All numbers in the order in which they are stored, as array_whole does one; the range must fit int32_t. */
cru_status array_ids(const array *a, array_range range, int32_t *out, cru_error *err);

/* All numbers of a matrix (or, with one dimension, of a column), row by row. CRU_BAD_INPUT: one is not finite. */
cru_status array_floats(const array *a, float *out, cru_error *err);

#endif
