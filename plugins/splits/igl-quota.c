// SPDX-License-Identifier: Apache-2.0
/* igl-quota: first come, first served up to an equal quota a class: one shuffle for the training items, one of the rest
 * for the validation items. IGL-Bench's other 1:1:8 split. */
#include <math.h>

#include "drawing.h"

static const cru_param schema[] = {
    SHARE_SETTINGS(0.1, 0.1),
    CRU_END,
};

/* Gives a part the first `most` items of each class in the order of the pool. */
static void scan(drawing *w, part *to, int64_t most, int64_t *given)
{
    for (int32_t c = 0; c < w->data->classes; c++) given[c] = 0;
    for (int64_t k = 0; k < w->pool.count; k++)
        if (given[w->data->truth[w->pool.ids[k]]]++ < most) drawing_take(w, to, k, 1);
}

static cru_status divide(const cru_dividing *d)
{
    static const cru_study unseeded = {.generator = CRU_STUDY_PYTHON, .base = CRU_STUDY_UNKNOWN};
    const share_settings *s = d->settings;
    drawing w;
    cru_status status = drawing_start_shares(&w, d, s, &unseeded);
    if (status) return status;
    int64_t *given = cru_data_alloc(d->data, d->data->classes, sizeof *given);
    if (!given) return cru_fail(d->err, CRU_NO_MEMORY, "no memory for a split");
    const double n = (double)w.pool.count;
    drawing_shuffle(&w);
    scan(&w, &w.train, (int64_t)floor(s->train * n / w.data->classes), given);
    drawing_pool(&w, ANY_CLASS);
    drawing_shuffle(&w);
    scan(&w, &w.val, (int64_t)floor(s->val * n / w.data->classes), given);
    drawing_rest(&w);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "igl-quota",
    .version = "1.0",
    .summary = "first come, first served, up to a quota a class",
    .citation = SPLITS_OF_IGL_BENCH,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
