/* edge-homophily: share of the edges that join nodes of one class.
 *
 *     #{(u, v) : y_u = y_v} / #edges      without self-loops and unlabelled ends
 *
 * Zhu, Yan, Zhao, Heimann, Akoglu, Koutra. Beyond Homophily in Graph Neural Networks. NeurIPS 2020. */
#include <math.h>
#include <stdlib.h>

#include "neighbours.h"

static cru_status score(const void *settings, const cru_evidence *evidence, double *value, cru_report *report,
                        cru_error *err)
{
    const cru_data *data = evidence->data;
    neighbour_count *count = neighbours_by_class(data, err), sum = {0};
    (void)settings;
    (void)report;
    if (!count) return CRU_NO_MEMORY;
    for (int64_t v = 0; v < data->nodes; v++) {
        sum.all += count[v].all;
        sum.same += count[v].same;
    }
    free(count);
    *value = sum.all ? (double)sum.same / (double)sum.all : NAN;
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_OF_DATASET, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "edge-homophily",
    .version = "1.0",
    .summary = "share of the edges that join nodes of one class",
    .problems = CRU_NODES | CRU_ANOMALY,
    .vtable = &vtable,
};
