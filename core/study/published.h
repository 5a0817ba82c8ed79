// SPDX-License-Identifier: Apache-2.0
/* published.h: the printed values of a table, from a CSV in long format: a header, then one line a value. */
#ifndef CORE_STUDY_PUBLISHED_H
#define CORE_STUDY_PUBLISHED_H

#include <stdbool.h>

#include <crucible/arena.h>

typedef struct published_line {
    const char *const *fields; /* as many as there are columns */
    int64_t number;            /* in the file, from 1 */
    double mean, std;          /* NAN: empty */
    const char *mark;          /* OOM, TLE, NA, damaged; "" */
    bool open; /* the table has such a cell, but its value is not known: no mean and no mark, or of `also` */
} published_line;

typedef struct published {
    const char *path;
    const char *const *columns;
    int64_t column_count, mean; /* `mean`: the column of the values */
    published_line *lines;
    int64_t count;
} published;

/* All of it in `arena`. The header must name `mean`, or `value`, whose fields may also be words, which are no values;
 * std and mark may be missing. CRU_IO, or CRU_BAD_INPUT with the number of the line. */
cru_status published_read(cru_arena *arena, const char *path, published *out, cru_error *err);

/* Reads a table without numbers as published_read does; any header will do. */
cru_status published_read_words(cru_arena *arena, const char *path, published *out, cru_error *err);

/* The position of a column; -1: there is none. */
int64_t published_column(const published *p, const char *name);

/* Keeps the lines that satisfy "column=value, column=a,b, column!=c". CRU_BAD_INPUT: no such column, not a condition,
 * or nothing is left. */
cru_status published_filter(cru_arena *arena, published *p, const char *where, cru_error *err);

/* Adds open cells: "dataset: flickr, dblp | method: x" gives the table these datasets too, each with the cells that the
 * first dataset of the lines has. CRU_BAD_INPUT: no such column, not of that form, or no lines. */
cru_status published_open(cru_arena *arena, published *p, const char *also, cru_error *err);

#endif
