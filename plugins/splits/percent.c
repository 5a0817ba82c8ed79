// SPDX-License-Identifier: Apache-2.0
/* percent: floor(train N) of all items, floor(val N) of the sorted rest, and the rest ascending. As in NoisyGL. */
#include <math.h>

#include "drawing.h"

static const cru_param schema[] = {
    SHARE_SETTINGS(0.05, 0.15),
    CRU_END,
};

static cru_status divide(const cru_dividing *d)
{
    static const cru_study noisygl = {.generator = CRU_STUDY_NUMPY, .base = 3000};
    const share_settings *s = d->settings;
    drawing w;
    cru_status status = drawing_start_shares(&w, d, s, &noisygl);
    if (status) return status;
    const double n = (double)w.pool.count;
    drawing_shuffle(&w);
    drawing_take(&w, &w.train, 0, (int64_t)floor(n * s->train));
    drawing_pool(&w, ANY_CLASS);
    drawing_shuffle(&w);
    drawing_take(&w, &w.val, 0, (int64_t)floor(n * s->val));
    drawing_rest(&w);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "percent",
    .version = "1.0",
    .summary = "shares of all items, whatever their class",
    .citation = SPLITS_OF_NOISYGL,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
