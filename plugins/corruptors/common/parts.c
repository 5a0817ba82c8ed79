// SPDX-License-Identifier: Apache-2.0
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#include <crucible/imbalance.h>
#include <crucible/pool.h>

cru_status parts_start(parts *p, const cru_study_settings *settings, const cru_damage *damage,
                       cru_study_generator study)
{
    cru_data *data = damage->data;
    cru_pool pool = cru_data_pool(data);
    const cru_study_draw draw = {settings, &(cru_study){.generator = study, .base = 10}, data->seed, damage->rng};
    if (data->classes < 2) return cru_fail(damage->err, CRU_UNSUPPORTED, "one class alone cannot be out of balance");
    *p = (parts){.damage = damage};
    for (int i = 0; i < PART_COUNT; i++) p->ids[i] = cru_pool_alloc(pool, data->items, sizeof *p->ids[i]);
    p->dealt = cru_pool_alloc(pool, data->items, sizeof *p->dealt);
    return cru_study_rng_create(&p->rng, &draw, damage->err);
}

void parts_restart(parts *p, uint32_t seed)
{
    for (int i = 0; i < PART_COUNT; i++) p->count[i] = 0;
    memset(p->dealt, 0, (size_t)p->damage->data->items);
    cru_study_rng_reseed(&p->rng, seed, cru_rng_split(p->damage->rng, seed));
}

void parts_shuffle(parts *p, int32_t *ids, int64_t n)
{
    cru_study_rng_shuffle(&p->rng, ids, n);
}

double parts_uniform(parts *p)
{
    return cru_study_rng_uniform(&p->rng);
}

int64_t parts_deal(parts *p, part to, cru_ids ids, int64_t count)
{
    int64_t given = 0;
    for (int64_t i = 0; i < ids.count && given < count; i++) {
        const int32_t item = ids.ids[i];
        if (p->dealt[item]) continue;
        p->dealt[item] = 1;
        p->ids[to][p->count[to]++] = item;
        given++;
    }
    return given;
}

enum { MOST_CLASSES = 1000 };

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void report_counts(const parts *p)
{
    const cru_data *data = p->damage->data;
    static const char *const names[] = {"train", "val", "test"};
    double counts[MOST_CLASSES] = {0};
    for (int i = 0; i < PART_COUNT; i++) cru_report_number(p->damage->report, names[i], (double)p->count[i]);
    cru_report_number(p->damage->report, "imbalance_ratio",
                      cru_imbalance_of_classes(data->truth, data->split.train, data->classes));
    if (data->classes > MOST_CLASSES) return;
    for (int64_t i = 0; i < data->split.train.count; i++) counts[data->truth[data->split.train.ids[i]]]++;
    cru_report_vector(p->damage->report, "train_counts", counts, data->classes);
    qsort(counts, (size_t)data->classes, sizeof *counts, by_size);
    cru_report_vector(p->damage->report, "train_ascending", counts, data->classes);
    cru_report_number(p->damage->report, "train_least", counts[0]);
    cru_report_number(p->damage->report, "train_most", counts[data->classes - 1]);
    cru_report_number(p->damage->report, "train_per_class", (double)p->count[PART_TRAIN] / data->classes);
    cru_report_number(p->damage->report, "val_per_class", (double)p->count[PART_VAL] / data->classes);
}

cru_status parts_finish(parts *p)
{
    parts_deal(p, PART_TEST, labelled_items(p->damage->data), p->damage->data->items);
    return parts_store(p);
}

cru_status parts_store(parts *p)
{
    cru_data *data = p->damage->data;
    if (p->count[PART_TRAIN] == 0)
        return cru_fail(p->damage->err, CRU_UNSUPPORTED, "too few items: nothing would train");
    data->split = (cru_split){.train = {p->ids[PART_TRAIN], p->count[PART_TRAIN]},
                              .val = {p->ids[PART_VAL], p->count[PART_VAL]},
                              .test = {p->ids[PART_TEST], p->count[PART_TEST]}};
    report_counts(p);
    return CRU_OK;
}

cru_ids labelled_items(cru_data *data)
{
    int32_t *ids = cru_pool_alloc(cru_data_pool(data), data->items, sizeof *ids);
    int64_t count = 0;
    for (int32_t i = 0; i < data->items; i++)
        if (data->truth[i] != CRU_UNLABELLED) ids[count++] = i;
    return (cru_ids){ids, count};
}

class_lists class_lists_make(cru_data *data, cru_ids order)
{
    cru_pool pool = cru_data_pool(data);
    class_lists lists = {.ids = cru_pool_alloc(pool, order.count, sizeof *lists.ids),
                         .offsets = cru_pool_alloc(pool, data->classes + 1, sizeof *lists.offsets)};
    int64_t *next = cru_pool_alloc(pool, data->classes, sizeof *next);
    for (int64_t i = 0; i < order.count; i++)
        if (data->truth[order.ids[i]] != CRU_UNLABELLED) lists.offsets[data->truth[order.ids[i]] + 1]++;
    for (int64_t c = 0; c < data->classes; c++) {
        next[c] = lists.offsets[c];
        lists.offsets[c + 1] += lists.offsets[c];
    }
    for (int64_t i = 0; i < order.count; i++) {
        const int32_t item = order.ids[i], c = data->truth[item];
        if (c != CRU_UNLABELLED) lists.ids[next[c]++] = item;
    }
    return lists;
}
