// SPDX-License-Identifier: Apache-2.0
/* bias: how differently nodes of different degrees are served.
 *
 *     bias = 1 / (k - 1) sum over degrees d of (L_d - mean L)^2      L_d = mean of -log softmax(scores)[truth] over degree d
 *
 * for the k in-degrees that occur among the judged nodes; with fewer than two it is not defined.
 *
 * Kang, Zhu, Xia, Luo, Tong. RawlsGCN: Towards Rawlsian Difference Principle on Graph Convolutional Network. WWW
 * 2022. */
#include <math.h>
#include <stdlib.h>

#include <crucible/plugin.h>
#include <crucible/scoring.h>

typedef struct group {
    double loss;
    int64_t count;
} group;

static int64_t degree(const cru_data *data, int64_t v)
{
    return data->graph.offsets[v + 1] - data->graph.offsets[v];
}

static void add_items(const cru_judging *j, group *groups)
{
    const cru_data *data = j->data;
    for (int64_t i = 0; i < j->items.count; i++) {
        const int64_t v = j->items.ids[i];
        if (data->truth[v] == CRU_UNLABELLED) continue;
        const float *row = j->scores + v * data->classes;
        group *g = &groups[degree(data, v)];
        g->loss += cru_log_sum_exp(row, data->classes) - (double)row[data->truth[v]];
        g->count++;
    }
}

/* Of the mean losses of the groups that have a node. */
static double variance(const group *groups, int64_t count)
{
    double sum = 0, squares = 0;
    int64_t used = 0;
    for (int64_t d = 0; d < count; d++)
        if (groups[d].count) sum += groups[d].loss / (double)groups[d].count, used++;
    for (int64_t d = 0; d < count; d++) {
        if (!groups[d].count) continue;
        const double off = groups[d].loss / (double)groups[d].count - sum / (double)used;
        squares += off * off;
    }
    return used > 1 ? squares / (double)(used - 1) : NAN;
}

static cru_status score(const cru_judging *j, double *value)
{
    int64_t most = 0;
    for (int64_t i = 0; i < j->items.count; i++)
        if (degree(j->data, j->items.ids[i]) > most) most = degree(j->data, j->items.ids[i]);
    group *groups = calloc((size_t)most + 1, sizeof *groups);
    if (!groups) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld degrees", (long long)most + 1);
    add_items(j, groups);
    *value = variance(groups, most + 1);
    free(groups);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_LOWER_IS_BETTER, .score = score),
    .name = "bias",
    .version = "1.0",
    .summary = "variance of the mean log-loss over the degrees of nodes",
    .citation = "Kang, Zhu, Xia, Luo, Tong. RawlsGCN: Towards Rawlsian Difference Principle on Graph Convolutional "
                "Network. WWW 2022.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
