// SPDX-License-Identifier: Apache-2.0
/* label-evidence: what a method that has not learned from an item's label says of that label.
 *
 *     p_i = softmax(scores of item i)          value = mean over the judged items of p_i[label of i]
 *
 * For every judged item with a label the report has the item (`item`), its label (`given`) and the probabilities of all
 * classes (`probability`, one row an item). Where the method weighs its training labels, those weights stand beside
 * (`trained`, `weight`). Over the folds of the split k-fold every labelled item is judged once. Not defined without
 * labelled items, or where labels are candidate sets.
 *
 * Northcutt, Jiang, Chuang. Confident Learning: Estimating Uncertainty in Dataset Labels. JAIR 2021. */
#include <math.h>
#include <stdlib.h>

#include <crucible/plugin.h>
#include <crucible/scoring.h>

typedef struct evidence {
    double *item, *given, *probability; /* count, count, count x classes */
    int64_t count;
    double sum; /* of the probabilities of given labels */
} evidence;

static void add_item(const cru_judging *j, int32_t item, evidence *e)
{
    const int32_t classes = j->data->classes, label = j->data->truth[item];
    const float *row = j->scores + (int64_t)item * classes;
    if (label == CRU_UNLABELLED) return;
    const double total = cru_log_sum_exp(row, classes);
    double *p = e->probability + e->count * classes;
    for (int32_t c = 0; c < classes; c++) p[c] = exp((double)row[c] - total);
    e->item[e->count] = item;
    e->given[e->count++] = label;
    e->sum += p[label];
}

static cru_status report_weights(const cru_judging *j)
{
    const cru_ids train = j->data->split.train;
    if (!j->label_weights || train.count == 0) return CRU_OK;
    double *ids = malloc((size_t)train.count * sizeof *ids);
    if (!ids) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld items", (long long)train.count);
    for (int64_t i = 0; i < train.count; i++) ids[i] = train.ids[i];
    cru_report_vector(j->report, "trained", ids, train.count);
    cru_report_vector(j->report, "weight", j->label_weights, train.count);
    free(ids);
    return CRU_OK;
}

static cru_status report_items(const cru_judging *j, evidence *e, double *value)
{
    for (int64_t i = 0; i < j->items.count; i++) add_item(j, j->items.ids[i], e);
    if (e->count == 0) return CRU_OK;
    *value = e->sum / (double)e->count;
    cru_report_vector(j->report, "item", e->item, e->count);
    cru_report_vector(j->report, "given", e->given, e->count);
    cru_report_vector(j->report, "probability", e->probability, e->count * j->data->classes);
    return report_weights(j);
}

static cru_status score(const cru_judging *j, double *value)
{
    const size_t count = (size_t)j->items.count + 1;
    *value = NAN;
    if (j->data->candidates) return CRU_OK;
    evidence e = {.item = malloc(count * sizeof *e.item),
                  .given = malloc(count * sizeof *e.given),
                  .probability = malloc(count * (size_t)j->data->classes * sizeof *e.probability)};
    cru_status status = e.item && e.given && e.probability
                            ? report_items(j, &e, value)
                            : cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld items", (long long)j->items.count);
    free(e.item);
    free(e.given);
    free(e.probability);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_LABEL_WEIGHTS, .score = score),
    .name = "label-evidence",
    .version = "1.0",
    .summary = "what a method says of the labels of items that it has not learned from",
    .citation = "Northcutt, Jiang, Chuang. Confident Learning: Estimating Uncertainty in Dataset Labels. JAIR 2021.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
