// SPDX-License-Identifier: Apache-2.0
/* clean-validation: validation items with known labels are learned from instead of judged by.
 *
 * They join the training part, each with the true label as its only candidate, and nothing is left to validate by: the
 * last checkpoint counts ([monitor] rule = last). No damage but the opposite: what the same labels are worth in
 * training.
 *
 * The arm "training" of figure 1 in Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label
 * Learning Algorithms. ICLR 2025. */
#include <string.h>

#include <crucible/plugin.h>

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

/* The true label is the only candidate, and the observed one. */
static void reveal(cru_data *data, int32_t item)
{
    const int32_t truth = data->truth[item];
    data->labels[item] = truth;
    if (!data->candidates) return;
    uint8_t *set = data->candidates + (int64_t)item * data->classes;
    memset(set, 0, (size_t)data->classes);
    set[truth] = 1;
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const cru_ids train = data->split.train, val = data->split.val;
    if (val.count == 0) return cru_fail(d->err, CRU_UNSUPPORTED, "there are no validation items");
    int32_t *ids = cru_data_alloc(data, train.count + val.count, sizeof *ids);
    memcpy(ids, train.ids, (size_t)train.count * sizeof *ids);
    memcpy(ids + train.count, val.ids, (size_t)val.count * sizeof *ids);
    for (int64_t i = 0; i < val.count; i++) reveal(data, val.ids[i]);
    data->split.train = (cru_ids){ids, train.count + val.count};
    data->split.val.count = 0;
    cru_report_number(d->report, "train_before", (double)train.count);
    cru_report_number(d->report, "train_after", (double)(train.count + val.count));
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    .name = "clean-validation",
    .version = "1.0",
    .summary = "validation items join the training part with their true labels",
    .citation = "Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. "
                "ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
