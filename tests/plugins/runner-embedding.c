// SPDX-License-Identifier: Apache-2.0
/* The sum of the embedding's last row; NAN without one. */
#include <math.h>

#include <crucible/plugin.h>

static cru_status score(const cru_judging *j, double *value)
{
    *value = j->embedding ? 0 : NAN;
    const int64_t cols = j->embedding_cols, last = (j->data->items - 1) * cols;
    for (int64_t k = 0; k < cols; k++) *value += (double)j->embedding[last + k];
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_OF_EMBEDDING, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "runner-embedding",
    .version = "1.0",
    .summary = "looks at embeddings",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .vtable = &vtable,
};
