// SPDX-License-Identifier: Apache-2.0
/* The sum of the label weights; NAN without any. */
#include <math.h>

#include <crucible/plugin.h>

static cru_status score(const cru_judging *j, double *value)
{
    *value = j->label_weights ? 0 : NAN;
    for (int64_t i = 0; j->label_weights && i < j->data->split.train.count; i++) *value += j->label_weights[i];
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_OF_LABEL_WEIGHTS, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "runner-weights",
    .version = "1.0",
    .summary = "looks at label weights",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .vtable = &vtable,
};
