// SPDX-License-Identifier: Apache-2.0
/* relabelled: another dataset with labels taken away and labels made wrong, so that it is known which are.
 *
 *     a share `labelled` of the labelled items of every class keeps a label, rounded;
 *     of those that do, a share `rate` in all, rounded, gets another class: each equally likely (uniform), or the next (pair)
 *
 * The wrong labels are the dataset's truth: nothing in a trial knows better, as with data of one's own. The base itself
 * tells which are wrong. Which labels change depends on `draw`, not on the seed of a trial. */
#include <math.h>

#include <crucible/crucible.h>

#include "base-data.h"
#include "generate.h"

typedef struct settings {
    const char *base;
    double labelled, rate;
    int64_t kind, draw;
} settings;

enum { KIND_UNIFORM, KIND_PAIR };
static const char *const kinds[] = {"uniform", "pair", NULL};

static const cru_param schema[] = {
    CRU_STRING(settings, base, "", "the dataset whose labels are changed"),
    CRU_FLOAT(settings, labelled, 1, 0, 1, "share of the labels of every class that stays"),
    CRU_FLOAT(settings, rate, 0, 0, 1, "share of the labels that stay and become wrong"),
    CRU_CHOICE(settings, kind, KIND_UNIFORM, kinds, "a wrong label is any other class, or the next one"),
    CRU_INT(settings, draw, 0, 0, 1e9, "another number changes other labels"),
    CRU_END,
};

/* The items of class c, or all that have a label for c < 0. Returns how many. */
static int64_t collect(const cru_data *data, int32_t c, int32_t *pool)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->items; i++)
        if (data->truth[i] != CRU_UNLABELLED && (c < 0 || data->truth[i] == c)) pool[count++] = (int32_t)i;
    return count;
}

static void take_labels(const settings *s, cru_data *data, int32_t *pool, cru_rng *rng)
{
    for (int32_t c = 0; c < data->classes; c++) {
        const int64_t count = collect(data, c, pool), stay = (int64_t)round(s->labelled * (double)count);
        cru_rng_shuffle(rng, pool, count);
        for (int64_t k = stay; k < count; k++) data->truth[pool[k]] = CRU_UNLABELLED;
    }
}

static void flip_labels(const settings *s, cru_data *data, int32_t *pool, cru_rng *rng)
{
    const int64_t count = collect(data, -1, pool), wrong = (int64_t)round(s->rate * (double)count);
    cru_rng_shuffle(rng, pool, count);
    for (int64_t k = 0; k < wrong; k++) {
        int32_t *label = &data->truth[pool[k]];
        const int64_t step = s->kind == KIND_PAIR ? 1 : 1 + cru_rng_below(rng, data->classes - 1);
        *label = (int32_t)((*label + step) % data->classes);
    }
}

static cru_status load(const cru_loading *l)
{
    const settings *s = l->settings;
    cru_data *base = NULL;
    cru_status status = base_open_any(l->source, &base, l->err);
    if (status) return status;
    if (base->candidates)
        status = cru_fail(l->err, CRU_UNSUPPORTED, "relabelled: the labels of %s are candidate sets", s->base);
    else if (base->classes < 2)
        status = cru_fail(l->err, CRU_BAD_INPUT, "relabelled: %s has fewer than two classes", s->base);
    if (!status) status = base_copy(base, l->data, l->err);
    cru_data_destroy(base);
    if (status) return status;
    int32_t *pool = cru_data_alloc(l->data, l->data->items, sizeof *pool);
    if (!pool) return cru_fail(l->err, CRU_NO_MEMORY, "relabelled: no memory");
    cru_rng rng = cru_rng_stream((uint64_t)s->draw, "relabelled", 0);
    take_labels(s, l->data, pool, &rng);
    flip_labels(s, l->data, pool, &rng);
    generate_end(l->data);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "relabelled",
    .version = "1.0",
    .summary = "another dataset, some of whose labels are taken away or wrong",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
