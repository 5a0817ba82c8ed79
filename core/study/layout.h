// SPDX-License-Identifier: Apache-2.0
/* layout.h: an artefact as it was printed, with what was measured in its cells. */
#ifndef CORE_STUDY_LAYOUT_H
#define CORE_STUDY_LAYOUT_H

#include "config/artefact.h"
#include "report/table/table.h"
#include "study/published.h"

/* A column of the CSV that tells cells apart, or that is the same in all of them. */
typedef struct layout_key {
    const char *name;
    const char *const *values; /* as published, in their order */
    int64_t value_count;
} layout_key;

typedef struct layout {
    table *t; /* means and spreads as they are printed: percent is percent */
    layout_key *row_keys, *col_keys, *fixed;
    int64_t row_key_count, col_key_count, fixed_count;
    const int32_t **row_values, **col_values; /* for each row its values of the keys, as positions in them */
    bool *wanted;                             /* of every cell: the table has it */
    int64_t cells;                            /* of the print, without those that are printed as missing */
    int64_t measured;                         /* those of them with a value of ours */
    int64_t judged, inside;
    int64_t places, filled; /* all cells of the table, printed or open; those with a value of ours */
} layout;

typedef struct layout_request {
    const artefact_file *artefact;
    const published *print; /* filtered */
    frame *f;               /* our trials, choices of searches only; NULL: none */
    report_spread spread;
    bool cut;         /* lines of the print were left out by --only, so that a baseline may not be there */
    cru_arena *arena; /* for all of it */
} layout_request;

/* CRU_BAD_INPUT: rows or columns that the CSV does not have, two values for one cell, a column of the CSV that nothing
 * fixes, or trials of one cell that differ in a setting which the table does not show; with file and line. */
cru_status layout_make(const layout_request *request, layout *out, cru_error *err);

/* The value of a key of a cell, as published; NULL: the key is not one of the table's. */
const char *layout_value(const layout *l, int64_t row, int64_t col, const char *key);

/* Whether the print has a cell for the values that `value` gives for our settings ("" : there is none). */
typedef const char *layout_setting(void *user, const char *ours);
bool layout_takes(const layout *l, const artefact_file *a, layout_setting *value, void *user);

/* Our value for a key of the CSV: the match of that column applied to it. */
const char *layout_published_value(const artefact_file *a, const char *column, const char *ours);
const artefact_match *layout_match(const artefact_file *a, const char *column);

/* Texts, or numbers, that are equal. */
bool layout_same(const char *a, const char *b);

#endif
