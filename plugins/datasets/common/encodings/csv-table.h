// SPDX-License-Identifier: Apache-2.0
/* csv-table.h: delimited text as a table of fields.
 *
 * The delimiter is the first of tab, comma, semicolon and space that the first line holds. Fields may stand in double
 * quotes, with "" for a quote; blank lines and lines that start with '#' are skipped; CR LF ends a line as LF does.
 * Every line has as many fields as the first. */
#ifndef FORMATS_CSV_TABLE_H
#define FORMATS_CSV_TABLE_H

#include <crucible/arena.h>
#include <crucible/plugin.h>

typedef struct csv_table {
    const char *path;  /* borrowed; for messages */
    cru_arena *memory; /* of the text */
    char *text;        /* the file, cut into fields */
    char **field;      /* rows x cols, row-major */
    int64_t *line;     /* rows: number of the line, from 1 */
    int64_t rows, cols;
    int64_t room; /* of `field` */
} csv_table;

/* Reads a file; the first line is row 0, header or not. On CRU_OK the caller calls csv_free. CRU_IO: cannot be read;
 * CRU_BAD_INPUT: "path:line: ...". */
cru_status csv_read(const char *path, csv_table *t, cru_error *err);

/* csv_read from `size` bytes of text, which may hold anything. */
cru_status csv_parse(const char *text, size_t size, const char *path, csv_table *t, cru_error *err);
void csv_free(csv_table *t);

static inline const char *csv_field(const csv_table *t, int64_t row, int64_t col)
{
    return t->field[row * t->cols + col];
}

/* The column that row 0 calls `name`; -1 when there is none. */
int64_t csv_column(const csv_table *t, const char *name);

#endif
