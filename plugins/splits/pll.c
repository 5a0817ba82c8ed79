// SPDX-License-Identifier: Apache-2.0
/* pll: int(N train) of a shuffle are the development part and the rest is the test set, unless the data brings one. A
 * second shuffle of the development part puts int(n val) first, which validate. As in PLENCH, whose seeds are hashes of
 * the trial's number. */
#include <string.h>

#include "drawing.h"

static const cru_param schema[] = {
    CRU_FLOAT(share_settings, train, 0.9, 0, 1, "share of the development part, which is all but the test items"),
    CRU_FLOAT(share_settings, val, 0.1, 0, 1, "share of the development part that validates"),
    CRU_STUDY_RNG_SETTINGS(share_settings, rng, -1, 0),
    CRU_END,
};

/* The development part of data that comes with a test set: everything else, ascending. */
static int64_t set_test_aside(drawing *w)
{
    const cru_ids *test = &w->data->official[0].test;
    memcpy(w->pool.ids, test->ids, (size_t)test->count * sizeof *test->ids);
    drawing_take(w, &w->test, 0, test->count);
    drawing_pool(w, ANY_CLASS);
    return w->pool.count;
}

static int64_t cut_test_off(drawing *w, double train)
{
    drawing_pool(w, ANY_CLASS);
    drawing_shuffle(w);
    const int64_t n = (int64_t)((double)w->pool.count * train);
    drawing_take(w, &w->test, n, w->pool.count - n);
    return w->pool.count = n;
}

static cru_status divide(const cru_dividing *d)
{
    static const cru_study plench = {.generator = CRU_STUDY_NUMPY, .base = CRU_STUDY_HASHED};
    const share_settings *s = d->settings;
    const cru_data *data = d->data;
    drawing w;
    cru_status status = drawing_start(&w, d, &s->rng, &plench);
    if (status) return status;
    const bool has_test = data->official_count > 0 && data->official[0].test.count > 0;
    const int64_t n = has_test ? set_test_aside(&w) : cut_test_off(&w, s->train);
    const int64_t val = (int64_t)((double)n * s->val);
    drawing_again(&w, 1);
    drawing_shuffle(&w);
    drawing_take(&w, &w.val, 0, val);
    drawing_take(&w, &w.train, val, n - val);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.flags = CRU_SPLIT_VAL_OF_TRAIN, .divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "pll",
    .version = "1.0",
    .summary = "test items cut off a shuffle, then validation items off the rest",
    .citation = "Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. "
                "ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
