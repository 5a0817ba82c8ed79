// SPDX-License-Identifier: Apache-2.0
/* per-class: train_size of every class in turn; then val_size and test_size of the sorted rest, whatever their class.
 * As in NoisyGL. */
#include "drawing.h"

typedef struct settings {
    int64_t train_size, val_size, test_size;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, train_size, 20, 0, 2e9, "training items a class"),
    CRU_INT(settings, val_size, 500, 0, 2e9, "validation items"),
    CRU_INT(settings, test_size, 1000, 0, 2e9, "test items; 0: all the rest"),
    CRU_STUDY_RNG_SETTINGS(settings, rng, -1, 0),
    CRU_END,
};

static cru_status draw_training(drawing *w, int64_t size)
{
    for (int32_t c = 0; c < w->data->classes; c++) {
        drawing_pool(w, c);
        if (w->pool.count < size)
            return cru_fail(w->job->err, CRU_UNSUPPORTED, "class %d has %lld items, train_size = %lld", c,
                            (long long)w->pool.count, (long long)size);
        drawing_shuffle(w);
        drawing_take(w, &w->train, 0, size);
    }
    return CRU_OK;
}

static cru_status divide(const cru_dividing *d)
{
    static const cru_study noisygl = {.generator = CRU_STUDY_NUMPY, .base = 3000};
    const settings *s = d->settings;
    drawing w;
    cru_status status = drawing_start(&w, d, &s->rng, &noisygl);
    if (!status) status = draw_training(&w, s->train_size);
    if (status) return status;
    drawing_pool(&w, ANY_CLASS);
    if (w.pool.count < s->val_size + s->test_size)
        return drawing_too_few(&w, "val and test ", s->val_size + s->test_size, w.pool.count);
    drawing_shuffle(&w);
    drawing_take(&w, &w.val, 0, s->val_size);
    drawing_pool(&w, ANY_CLASS);
    if (s->test_size > 0) {
        drawing_shuffle(&w);
        drawing_take(&w, &w.test, 0, s->test_size);
    } else {
        drawing_rest(&w);
    }
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(settings, schema),
    .name = "per-class",
    .version = "1.0",
    .summary = "a number of items of every class",
    .citation = SPLITS_OF_NOISYGL,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
