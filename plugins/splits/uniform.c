// SPDX-License-Identifier: Apache-2.0
/* uniform: one shuffle of all items, cut at int(train N) and int(val N). */
#include "drawing.h"

static const cru_param schema[] = {
    SHARE_SETTINGS(0.6, 0.2),
    CRU_END,
};

static cru_status divide(const cru_dividing *d)
{
    static const cru_study none = {.generator = CRU_STUDY_NUMPY, .base = CRU_STUDY_UNKNOWN};
    const share_settings *s = d->settings;
    drawing w;
    cru_status status = drawing_start_shares(&w, d, s, &none);
    if (status) return status;
    const int64_t n = w.pool.count, train = (int64_t)(s->train * (double)n), val = (int64_t)(s->val * (double)n);
    drawing_shuffle(&w);
    drawing_take(&w, &w.train, 0, train);
    drawing_take(&w, &w.val, train, val);
    drawing_take(&w, &w.test, train + val, n - train - val);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "uniform",
    .version = "1.0",
    .summary = "one shuffle, cut twice",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
