// SPDX-License-Identifier: Apache-2.0
/* k-fold: cross-validation. The labelled items of every class are shuffled and dealt to the folds in turn; `fold` is
 * tested, a share `val` of every class of the rest validates, and what is left trains.
 *
 *     fold of the j-th item dealt = j mod folds
 *
 * Over fold = 0..folds-1 with one seed every labelled item is tested exactly once: the dealing does not depend on
 * `fold`.
 *
 * Stone. Cross-Validatory Choice and Assessment of Statistical Predictions. JRSS B, 1974. */
#include <math.h>

#include "drawing.h"

typedef struct settings {
    int64_t folds, fold;
    double val;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, folds, 5, 2, 1000, "parts of the items"),
    CRU_INT(settings, fold, 0, 0, 999, "the part that is tested; 0..4 tests all of five"),
    CRU_FLOAT(settings, val, 0.2, 0, 0.9, "share of the other parts that validates"),
    CRU_END,
};

/* All classes are shuffled, whatever the fold, so that every fold sees the same order. */
static void take_fold(drawing *w, const settings *s)
{
    int64_t dealt = 0;
    for (int32_t c = 0; c < w->data->classes; c++) {
        drawing_pool(w, c);
        drawing_shuffle(w);
        for (int64_t j = 0; j < w->pool.count; j++, dealt++)
            if (dealt % s->folds == s->fold) drawing_take(w, &w->test, j, 1);
    }
}

static void take_validation(drawing *w, double share)
{
    for (int32_t c = 0; c < w->data->classes; c++) {
        drawing_pool(w, c);
        drawing_shuffle(w);
        drawing_take(w, &w->val, 0, (int64_t)floor((double)w->pool.count * share));
    }
}

static cru_status divide(const cru_dividing *d)
{
    static const cru_study none = {.generator = CRU_STUDY_PHILOX};
    static const cru_study_settings ours = {.rng = CRU_STUDY_PHILOX, .base = -1};
    const settings *s = d->settings;
    drawing w;
    if (s->fold >= s->folds)
        return cru_fail(d->err, CRU_BAD_INPUT, "fold = %lld: folds count from 0, and there are %lld",
                        (long long)s->fold, (long long)s->folds);
    cru_status status = drawing_start(&w, d, &ours, &none);
    if (status) return status;
    take_fold(&w, s);
    if (w.test.count == 0) return cru_fail(d->err, CRU_UNSUPPORTED, "fewer labelled items than folds");
    take_validation(&w, s->val);
    drawing_pool(&w, ANY_CLASS);
    drawing_take(&w, &w.train, 0, w.pool.count);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(settings, schema),
    .name = "k-fold",
    .version = "1.0",
    .summary = "cross-validation: every labelled item is tested once over the folds",
    .citation = "Stone. Cross-Validatory Choice and Assessment of Statistical Predictions. JRSS B, 1974.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
