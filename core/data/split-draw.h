// SPDX-License-Identifier: Apache-2.0
/* split-draw.h: what the split schemes share. One file a family of schemes; split.c chooses among them. */
#ifndef CORE_DATA_SPLIT_DRAW_H
#define CORE_DATA_SPLIT_DRAW_H

#include "data/dice.h"

/* A part under construction: room for all items. */
typedef struct part {
    int32_t *ids;
    int64_t count;
} part;

typedef struct drawing {
    const cru_data *data;
    int64_t number; /* of the trial: its seed */
    split_rng rng;
    uint64_t seed;      /* of the generator */
    bool one_generator; /* the study seeds once and trial t takes the t-th draw */
    double train, val;  /* shares */
    int64_t train_size, val_size, test_size;
    part train_part, val_part, test_part;
    part pool;     /* scratch: the items still to be dealt out */
    uint8_t *used; /* items: 1 when dealt out */
} drawing;

/* Fills the pool with the labelled items that are not yet dealt out, ascending; of one class when `label` >= 0. */
void draw_pool(drawing *d, int32_t label);

/* Moves `count` items of the pool, from `start` on, to the end of a part; they count as dealt out. */
void draw_take(drawing *d, part *to, int64_t start, int64_t count);

/* The usual last step: all that is left goes to the test part, ascending. */
void draw_rest(drawing *d);

/* CRU_UNSUPPORTED: fewer items than the scheme needs. */
cru_status draw_too_few(const char *scheme, int64_t needed, int64_t found, cru_error *err);

typedef cru_status split_draw(drawing *d, cru_error *err);
split_draw draw_per_class, draw_percent, draw_uniform, draw_gpr; /* split-random.c */
split_draw draw_stratified;                                      /* split-stratified.c */
split_draw draw_gad_semi, draw_gad_official, draw_pll;           /* split-study.c */
split_draw draw_igl, draw_igl_quota;                             /* split-igl.c */

#endif
