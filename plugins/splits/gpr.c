// SPDX-License-Identifier: Apache-2.0
/* gpr: round(train N / C) of each class, or all of a smaller class; the rest of all classes is shuffled
 * together and cut at round(val N). round is half to even. As in GPR-GNN. */
#include <math.h>

#include "drawing.h"

static const cru_param schema[] = {
    SHARE_SETTINGS(0.6, 0.2),
    CRU_END,
};

static int64_t at_most(int64_t wanted, int64_t there)
{
    return wanted < there ? wanted : there;
}

static cru_status divide(const cru_dividing *d)
{
    static const cru_study unseeded = {.generator = CRU_STUDY_NUMPY, .base = CRU_STUDY_UNKNOWN};
    const share_settings *s = d->settings;
    drawing w;
    cru_status status = drawing_start_shares(&w, d, s, &unseeded);
    if (status) return status;
    const double n = (double)w.pool.count;
    const int64_t per_class = (int64_t)nearbyint(s->train * n / w.data->classes), val = (int64_t)nearbyint(s->val * n);
    part rest = {.ids = w.test.ids}; /* borrowed until the test part is cut off it */
    for (int32_t c = 0; c < w.data->classes; c++) {
        drawing_pool(&w, c);
        const int64_t train = at_most(per_class, w.pool.count);
        drawing_shuffle(&w);
        drawing_take(&w, &w.train, 0, train);
        for (int64_t k = train; k < w.pool.count; k++) rest.ids[rest.count++] = w.pool.ids[k];
    }
    if (rest.count < val) return drawing_too_few(&w, "val ", val, rest.count);
    for (int64_t k = 0; k < rest.count; k++) w.pool.ids[k] = rest.ids[k];
    w.pool.count = rest.count;
    drawing_shuffle(&w);
    drawing_take(&w, &w.val, 0, val);
    drawing_take(&w, &w.test, val, rest.count - val);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "gpr",
    .version = "1.0",
    .summary = "equal counts of every class to train on",
    .citation = "Chien, Peng, Li, Milenkovic. Adaptive Universal Generalized PageRank Graph Neural Network. ICLR 2021.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
