// SPDX-License-Identifier: Apache-2.0
/* gad-official: CARE-GNN's split of the fraud graphs: the head of one shuffle trains, its tail validates, the middle is
 * tested. */
#include <math.h>

#include "drawing.h"

static const cru_param schema[] = {
    SHARE_SETTINGS(0.7, 0.1),
    CRU_END,
};

static cru_status divide(const cru_dividing *d)
{
    static const cru_study care = {.generator = CRU_STUDY_NUMPY, .base = 717};
    const share_settings *s = d->settings;
    drawing w;
    cru_status status = drawing_start_shares(&w, d, s, &care);
    if (status) return status;
    const int64_t n = w.pool.count, train = (int64_t)floor(s->train * (double)n),
                  val = (int64_t)floor(s->val * (double)n);
    drawing_shuffle(&w);
    drawing_take(&w, &w.train, 0, train);
    drawing_take(&w, &w.val, n - val, val);
    drawing_take(&w, &w.test, train, n - train - val);
    return drawing_finish(&w);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "gad-official",
    .version = "1.0",
    .summary = "the head of one shuffle trains, its tail validates",
    .citation = "Dou, Liu, Sun and others. Enhancing Graph Neural Network-based Fraud Detectors against Camouflaged "
                "Fraudsters. CIKM 2020.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
