// SPDX-License-Identifier: Apache-2.0
/* drawing.h: what splits that draw items share: who is dealt out already, the parts so far, the generator.
 *
 *     drawing w;
 *     cru_status status = drawing_start(&w, d, &s->rng, &study);
 *     drawing_pool(&w, ANY_CLASS);
 *     drawing_shuffle(&w);
 *     drawing_take(&w, &w.train, 0, 20);
 *     drawing_rest(&w);
 *     return drawing_finish(&w);
 *
 * Items without a true label belong to no part. */
#ifndef SPLITS_DRAWING_H
#define SPLITS_DRAWING_H

#include <crucible/plugin.h>
#include <crucible/study-rng.h>

enum { SPLIT_PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS, ANY_CLASS = -1 };

/* A part under construction: room for all items. */
typedef struct part {
    int32_t *ids;
    int64_t count;
} part;

typedef struct drawing {
    const cru_dividing *job;
    const cru_data *data;
    cru_study_rng rng;
    part train, val, test;
    part pool;     /* the items still to be dealt out */
    uint8_t *used; /* items: 1 when dealt out */
} drawing;

/* Studies that more than one split comes from, for .citation. */
#define SPLITS_OF_NOISYGL                                                                                              \
    "Wang, Sun, Zhou, Wang, Fan, Huang, Bu. NoisyGL: A Comprehensive Benchmark for Graph Neural Networks under Label " \
    "Noise. NeurIPS 2024."
#define SPLITS_OF_IGL_BENCH                                                                                            \
    "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning. "   \
    "ICLR 2025."
#define SPLITS_OF_GADBENCH                                                                                             \
    "Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. NeurIPS "     \
    "2023."

/* Makes room and starts the generator; `study` is what rng = study means. */
cru_status drawing_start(drawing *w, const cru_dividing *job, const cru_study_settings *rng, const cru_study *study);

/* The generator starts anew for draw number `draw` of the split: a library's from its seed again, our own takes another
 * stream. drawing_start has begun draw 0. */
void drawing_again(drawing *w, uint64_t draw);

/* Fills the pool with the labelled items that are not yet dealt out, ascending; of one class unless ANY_CLASS. */
void drawing_pool(drawing *w, int32_t label);

void drawing_shuffle(drawing *w); /* the pool */

/* Moves `count` items of the pool, from `start` on, to the end of a part; they count as dealt out. */
void drawing_take(drawing *w, part *to, int64_t start, int64_t count);

/* The usual last step but one: all that is left goes to the test part, ascending. */
void drawing_rest(drawing *w);

/* Stores the split. CRU_UNSUPPORTED when nothing trains. */
cru_status drawing_finish(drawing *w);

/* CRU_UNSUPPORTED: fewer items than the split needs; `of` says of what, and may be empty. */
cru_status drawing_too_few(const drawing *w, const char *of, int64_t needed, int64_t found);

/* ---- shares, which most splits take ---- */

typedef struct share_settings {
    double train, val;
    cru_study_settings rng;
} share_settings;

#define SHARE_SETTINGS(train_, val_)                                                                                   \
    CRU_FLOAT(share_settings, train, train_, 0, 1, "share of training items"),                                         \
        CRU_FLOAT(share_settings, val, val_, 0, 1, "share of validation items"),                                       \
        CRU_STUDY_RNG_SETTINGS(share_settings, rng, -1, 0)

/* drawing_start for these settings, with all labelled items in the pool. CRU_BAD_INPUT when the shares leave nothing to
 * test. */
cru_status drawing_start_shares(drawing *w, const cru_dividing *job, const share_settings *s, const cru_study *study);

/* ---- the splits that come with the data ---- */

/* Number `index`, or the seed modulo their number when it is -1. */
cru_status take_official(const cru_dividing *d, int64_t index);

/* ---- scikit-learn's StratifiedShuffleSplit, twice: train against the rest, then val against test ---- */

cru_status take_stratified(const cru_dividing *d, const share_settings *s);

#endif
