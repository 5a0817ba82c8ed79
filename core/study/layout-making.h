// SPDX-License-Identifier: Apache-2.0
/* layout-making.h: a table while it is made, for layout*.c alone. */
#ifndef CORE_STUDY_LAYOUT_MAKING_H
#define CORE_STUDY_LAYOUT_MAKING_H

#include "study/layout.h"

enum { KEYS_MOST = 16 };

/* A key while the table is made. */
typedef struct axis_key {
    layout_key key;
    int64_t column; /* of the CSV */
    const artefact_match *match;
} axis_key;

typedef struct axis {
    axis_key keys[KEYS_MOST];
    int64_t count, combinations;
    int32_t *index; /* of a combination of values; -1: there is no such row (or column) */
    const int32_t **values;
    int64_t size;
} axis;

typedef struct making {
    const layout_request *request;
    const artefact_file *a;
    const published *print;
    cru_arena *arena;
    axis rows, cols;
    axis_key fixed[KEYS_MOST];
    int64_t fixed_count;
    int32_t *cell_metric; /* of every cell, where the metric is neither in rows nor in columns */
    layout *out;
} making;

/* layout.c: a fault of the artefact's file, located at one of its keys; and our value as the print calls it. */
CRU_PRINTF(4, 5)
cru_status making_fault(const artefact_file *a, const char *key, cru_error *err, const char *format, ...);
const char *layout_translate(const artefact_match *m, const char *ours);

/* layout-axes.c: rows, columns and what is fixed, from the CSV; later their heads, and the groups above them. */
cru_status axes_read(making *m, cru_error *err);
void axes_make_heads(making *m);
void axes_lift_groups(making *m);
int32_t axis_find(const layout_key *key, const char *value); /* -1: it is none of them */
bool axis_is_metric(const axis_key *k);
int64_t axis_combination(const axis *x, const published_line *line, int32_t *values); /* its number, and its values */

/* layout-measured.c: the trials into their cells; the metric decides what is better, unless the table shows several. */
cru_status measured_put(making *m, cru_error *err);
void measured_direction(making *m);

/* layout-verdict.c */
void verdict_make(making *m);

#endif
