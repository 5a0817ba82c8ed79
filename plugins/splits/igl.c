// SPDX-License-Identifier: Apache-2.0
/* igl: floor(train N) training and floor(val N) validation items, the same number of every class as far as it has them.
 * Nodes are shuffled once and each class keeps that order; graphs are shuffled class by class. IGL-Bench's 1:1:8 split
 * before any imbalance. */
#include <math.h>

#include "drawing.h"

static const cru_param schema[] = {
    SHARE_SETTINGS(0.1, 0.1),
    CRU_END,
};

typedef struct quota {
    int64_t train, val;
} quota;

/* How many of class c train and validate, out of n and v over all classes. */
static quota class_quota(const cru_data *data, int32_t c, int64_t n, int64_t v)
{
    const int64_t classes = data->classes, even = (int64_t)nearbyint((double)n / (double)classes);
    if (data->problem != CRU_GRAPHS) return (quota){even, v / classes + (c < v % classes)};
    return (quota){classes != 2 ? even : c == 1 ? n / 2 : n - n / 2, v / classes};
}

static int64_t at_most(int64_t wanted, int64_t there)
{
    return wanted < there ? wanted : there;
}

static void deal(drawing *w, quota q)
{
    const int64_t train = at_most(q.train, w->pool.count), val = at_most(q.val, w->pool.count - train);
    drawing_take(w, &w->train, 0, train);
    drawing_take(w, &w->val, train, val);
}

static cru_status divide(const cru_dividing *d)
{
    static const cru_study igl = {.generator = CRU_STUDY_PYTHON, .base = 10};
    const share_settings *s = d->settings;
    const bool graphs = d->data->problem == CRU_GRAPHS;
    drawing w;
    cru_status status = drawing_start_shares(&w, d, s, &igl);
    if (status) return status;
    const int64_t all = w.pool.count, n = (int64_t)floor(s->train * (double)all),
                  v = (int64_t)floor(s->val * (double)all);
    int32_t *order = w.test.ids; /* borrowed: no test item is stored before the order is done with */
    if (!graphs) drawing_shuffle(&w);
    for (int64_t k = 0; k < all; k++) order[k] = w.pool.ids[k];
    for (int32_t c = 0; c < w.data->classes; c++) {
        w.pool.count = 0;
        for (int64_t k = 0; k < all; k++)
            if (w.data->truth[order[k]] == c) w.pool.ids[w.pool.count++] = order[k];
        if (graphs) drawing_shuffle(&w);
        deal(&w, class_quota(w.data, c, n, v));
    }
    drawing_rest(&w);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "igl",
    .version = "1.0",
    .summary = "equal counts of every class, ten per cent each",
    .citation = SPLITS_OF_IGL_BENCH,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
