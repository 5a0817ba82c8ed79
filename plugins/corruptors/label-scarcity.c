// SPDX-License-Identifier: Apache-2.0
/* label-scarcity: most training labels are taken away.
 *
 * Of every class of n training items, max(at_least, round(keep n)) stay, or per_class when that is given, chosen at
 * random; never more than n. The others leave the training part and belong to no part any more. */
#include <math.h>

#include <crucible/plugin.h>
#include <crucible/pool.h>

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    double keep;
    int64_t per_class, at_least;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, keep, 0.1, 0, 1, "share of each class that stays"),
    CRU_INT(settings, per_class, 0, 0, 1e9, "so many of each class instead; 0: the share counts"),
    CRU_INT(settings, at_least, 1, 0, 1e9, "but so many of each class, as far as there are"),
    CRU_END,
};

static int64_t wanted(const settings *s, int64_t count)
{
    int64_t n = s->per_class ? s->per_class : (int64_t)llround(s->keep * (double)count);
    if (!s->per_class && n < s->at_least) n = s->at_least;
    return n < count ? n : count;
}

/* Its label; items of unknown label, which candidate sets allow, count as one more class. */
static int32_t class_of(const cru_data *data, int32_t item)
{
    return data->labels[item] == CRU_UNLABELLED ? data->classes : data->labels[item];
}

/* Marks the positions in the training part that stay. In random order the first ones of each class do. */
static void choose(const settings *s, cru_data *data, uint8_t *stays, cru_rng *rng)
{
    const cru_ids train = data->split.train;
    cru_pool pool = cru_data_pool(data);
    int32_t *order = cru_pool_alloc(pool, train.count, sizeof *order);
    int64_t *count = cru_pool_alloc(pool, data->classes + 1, sizeof *count);
    int64_t *kept = cru_pool_alloc(pool, data->classes + 1, sizeof *kept);
    for (int64_t i = 0; i < train.count; i++) count[class_of(data, train.ids[i])]++;
    cru_rng_permutation(rng, order, train.count);
    for (int64_t i = 0; i < train.count; i++) {
        const int32_t label = class_of(data, train.ids[order[i]]);
        if (kept[label] == wanted(s, count[label])) continue;
        kept[label]++;
        stays[order[i]] = 1;
    }
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const cru_ids train = data->split.train;
    if (train.count == 0) return cru_fail(d->err, CRU_UNSUPPORTED, "there are no training items");
    uint8_t *stays = cru_pool_alloc(cru_data_pool(data), train.count, 1);
    int32_t *ids = cru_pool_alloc(cru_data_pool(data), train.count, sizeof *ids);
    int64_t left = 0;
    choose(d->settings, data, stays, d->rng);
    for (int64_t i = 0; i < train.count; i++)
        if (stays[i]) ids[left++] = train.ids[i];
    if (left == 0) return cru_fail(d->err, CRU_BAD_INPUT, "keep and at_least leave no training item");
    data->split.train = (cru_ids){.ids = ids, .count = left};
    cru_report_number(d->report, "train_before", (double)train.count);
    cru_report_number(d->report, "train_after", (double)left);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "label-scarcity",
    .version = "1.0",
    .summary = "most training labels taken away",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
