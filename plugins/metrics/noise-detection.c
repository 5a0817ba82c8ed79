// SPDX-License-Identifier: Apache-2.0
/* noise-detection: how well a method tells wrong training labels from right ones.
 *
 * A method ends with a weight for every training label (CRU_LABEL_WEIGHT), or, where it has none of its own, with minus
 * the loss of the label. The value is the area under the ROC curve of minus the weight as a score of "this label is
 * wrong"; ties count half. Average precision is reported beside it as `ap`, with the share of wrong labels, which a
 * method that knows nothing has. Not defined without wrong labels, without right ones, or without weights.
 *
 * Han et al. Co-teaching. NeurIPS 2018, on the loss as such a score; Northcutt, Jiang, Chuang. Confident Learning. JAIR
 * 2021. */
#include <math.h>
#include <stdlib.h>

#include <crucible/plugin.h>
#include <crucible/scoring.h>

/* The training items whose truth is known, "wrong" as the positives. `r->of` has room for all of them. */
static void collect(const cru_judging *j, cru_ranking *r)
{
    const cru_data *d = j->data;
    for (int64_t i = 0; i < d->split.train.count; i++) {
        const int32_t item = d->split.train.ids[i];
        if (d->truth[item] == CRU_UNLABELLED) continue;
        const bool wrong = d->labels[item] != d->truth[item];
        r->of[r->count++] = (cru_ranked){-j->label_weights[i], wrong};
        r->positives += wrong;
    }
}

static cru_status score(const cru_judging *j, double *value)
{
    const int64_t count = j->data->split.train.count;
    *value = NAN;
    if (!j->label_weights || !j->data->labels || j->data->candidates || count == 0) return CRU_OK;
    cru_ranking r = {.of = malloc((size_t)count * sizeof *r.of)};
    if (!r.of) return cru_fail(j->err, CRU_NO_MEMORY, "no memory to rank %lld labels", (long long)count);
    collect(j, &r);
    cru_status status = cru_ranking_sort(&r, j->err);
    if (!status) {
        *value = cru_ranking_auroc(&r);
        cru_report_number(j->report, "ap", cru_ranking_auprc(&r));
        cru_report_number(j->report, "wrong", r.count ? (double)r.positives / (double)r.count : NAN);
    }
    free(r.of);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_LABEL_WEIGHTS, .score = score),
    .name = "noise-detection",
    .version = "1.0",
    .summary = "area under the ROC curve of finding wrong training labels",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
