// SPDX-License-Identifier: Apache-2.0
/* gad-semi: k anomalies and 4 k normal nodes to train on, as many again to validate. As in GADBench, semi-supervised,
 * which seeds once: with rng = study and its own seed trial t takes draw number t. */
#include <string.h>

#include "drawing.h"

typedef struct settings {
    int64_t train_size;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, train_size, 20, 0, 2e9, "anomalies to train on"),
    CRU_STUDY_RNG_SETTINGS(settings, rng, -1, 0),
    CRU_END,
};

/* `size` of the shuffled pool to train, the next `size` to val. */
static void deal(drawing *w, int64_t size)
{
    drawing_shuffle(w);
    drawing_take(w, &w->train, 0, size);
    drawing_take(w, &w->val, size, size);
}

static cru_status draw(drawing *w, int64_t size)
{
    enum { ANOMALY = 1, NORMALS = 4 };
    memset(w->used, 0, (size_t)w->data->items);
    w->train.count = w->val.count = 0;
    drawing_pool(w, ANOMALY);
    if (w->pool.count < 2 * size) return drawing_too_few(w, "anomalies: ", 2 * size, w->pool.count);
    deal(w, size);
    drawing_pool(w, 0);
    if (w->pool.count < 2 * NORMALS * size)
        return drawing_too_few(w, "normal nodes: ", 2 * NORMALS * size, w->pool.count);
    deal(w, NORMALS * size);
    return CRU_OK;
}

static cru_status divide(const cru_dividing *d)
{
    enum { MOST_DRAWS = 1000000 };
    static const cru_study gadbench = {.generator = CRU_STUDY_NUMPY, .base = 3497};
    const settings *s = d->settings;
    const bool successive = s->rng.rng == CRU_STUDY_OWN && s->rng.base < 0;
    drawing w;
    if (successive && d->data->seed > MOST_DRAWS)
        return cru_fail(d->err, CRU_BAD_INPUT, "rng = study draws one split after the other, seed %llu is too many",
                        (unsigned long long)d->data->seed);
    cru_status status = drawing_start(&w, d, &s->rng, &gadbench);
    const uint64_t draws = successive ? d->data->seed + 1 : 1;
    for (uint64_t k = 0; k < draws && !status; k++) status = draw(&w, s->train_size);
    if (status) return status;
    drawing_rest(&w);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(settings, schema),
    .name = "gad-semi",
    .version = "1.0",
    .summary = "a few anomalies and four times as many normal nodes",
    .citation = SPLITS_OF_GADBENCH,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
