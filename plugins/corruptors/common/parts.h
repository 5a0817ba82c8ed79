// SPDX-License-Identifier: Apache-2.0
/* parts.h: a split dealt out anew, for corruptors whose damage is who trains.
 *
 *     parts p;
 *     cru_status status = parts_start(&p, &s->rng, d, CRU_STUDY_PYTHON);
 *     parts_shuffle(&p, ids, n);
 *     parts_deal(&p, PART_TRAIN, ids, 20);
 *     status = parts_finish(&p);               the rest tests
 *
 * Classes are those of the truth: items without one belong to no part. */
#ifndef CORRUPTORS_PARTS_H
#define CORRUPTORS_PARTS_H

#include <crucible/plugin.h>
#include <crucible/study-rng.h>

/* The studies have one split for all seeds, that of seed 10. */
#define PARTS_RNG_SETTINGS(type_, member_) CRU_STUDY_RNG_SETTINGS(type_, member_, 10, 0)

typedef enum part { PART_TRAIN, PART_VAL, PART_TEST, PART_COUNT } part;

typedef struct parts {
    const cru_damage *damage;
    cru_study_rng rng;
    int32_t *ids[PART_COUNT];
    int64_t count[PART_COUNT];
    uint8_t *dealt; /* by item */
} parts;

/* CRU_UNSUPPORTED when there are fewer than two classes; CRU_BAD_INPUT when a seed is too large for the generator.
 * `study` is the generator of the study. */
cru_status parts_start(parts *p, const cru_study_settings *settings, const cru_damage *damage,
                       cru_study_generator study);

/* Starts over with nothing dealt out: the study's generator from `seed`, or the trial's stream number `seed`. */
void parts_restart(parts *p, uint32_t seed);

/* Puts the ids in random order. The study's generators draw also where there is nothing to choose. */
void parts_shuffle(parts *p, int32_t *ids, int64_t n);

/* [0, 1) */
double parts_uniform(parts *p);

/* Moves the first `count` of the ids that are not yet dealt out to a part, in order; fewer when there are fewer.
 * Returns how many. */
int64_t parts_deal(parts *p, part to, cru_ids ids, int64_t count);

/* All labelled items that were not dealt out test, ascending; then as parts_store. */
cru_status parts_finish(parts *p);

/* Stores the split and reports `train`, `val` and `test`, the sizes of its parts, `imbalance_ratio`, the largest class
 * of the training part over the smallest, and of up to 1000 classes `train_counts`, `train_ascending` (the rarest
 * first), `train_least` and `train_most` of them, and the means `train_per_class` and `val_per_class`. CRU_UNSUPPORTED
 * when nothing trains. */
cru_status parts_store(parts *p);

/* The items of every class: class c owns ids[offsets[c]] .. ids[offsets[c + 1] - 1]. In memory of the data. */
typedef struct class_lists {
    int32_t *ids;
    int64_t *offsets;
} class_lists;

/* In the order of `order`, without items that have no class. */
class_lists class_lists_make(cru_data *data, cru_ids order);

/* All items, ascending; those without a class are left out. In memory of the data. */
cru_ids labelled_items(cru_data *data);

static inline int64_t class_size(const class_lists *lists, int64_t c)
{
    return lists->offsets[c + 1] - lists->offsets[c];
}

static inline cru_ids class_items(const class_lists *lists, int64_t c)
{
    return (cru_ids){lists->ids + lists->offsets[c], class_size(lists, c)};
}

#endif
