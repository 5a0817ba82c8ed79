// SPDX-License-Identifier: Apache-2.0
#include "routing.h"

#include <string.h>

#include <crucible/imbalance.h>

enum { SIMILAR = 10 };

/* The nodes of a prototype, and the candidates: a mark for every node. */
typedef struct gathering {
    int32_t *ids;
    int64_t count, wanted;
    uint8_t *taken, *candidate;
    const float *p; /* of the class, `classes` apart */
    int64_t nodes, classes;
} gathering;

/* The candidates of largest probability, until there are enough. */
static void take(gathering *g)
{
    while (g->count < g->wanted) {
        int64_t best = -1;
        for (int64_t v = 0; v < g->nodes; v++)
            if (g->candidate[v] && !g->taken[v] && (best < 0 || g->p[v * g->classes] > g->p[best * g->classes]))
                best = v;
        if (best < 0) break;
        g->taken[best] = 1;
        g->ids[g->count++] = (int32_t)best;
    }
    memset(g->candidate, 0, (size_t)g->nodes);
}

static void add_similar(cru_learner *l, cru_tape *t, gathering *g, cru_ids members)
{
    cru_tensor *x = cru_normalize_l2(t, cru_input_dense(t, &l->x), 1e-12);
    cru_tensor *own = cru_gather(t, x, cru_index_step(t, members.ids, members.count));
    const float *alike = cru_tensor_host(t, cru_matmul_op(t, own, x, CRU_NT));
    float *row = cru_tape_alloc(t, g->nodes, sizeof *row);
    for (int64_t i = 0; i < members.count; i++) {
        const int32_t v = members.ids[i];
        memcpy(row, alike + i * g->nodes, (size_t)g->nodes * sizeof *row);
        row[v] = -2;
        for (int64_t e = l->task->graph.offsets[v]; e < l->task->graph.offsets[v + 1]; e++)
            row[l->task->graph.ids[e]] -= 1;
        for (int64_t k = 0; k < SIMILAR && k + 1 < g->nodes; k++) {
            int64_t best = 0;
            for (int64_t u = 1; u < g->nodes; u++)
                if (row[u] > row[best]) best = u;
            row[best] = -3;
            g->candidate[best] = 1;
        }
    }
    take(g);
}

static void gather(cru_learner *l, cru_tape *t, gathering *g, cru_ids members)
{
    const cru_csr *graph = &l->task->graph;
    memset(g->taken, 0, (size_t)g->nodes);
    memset(g->candidate, 0, (size_t)g->nodes);
    g->count = members.count;
    for (int64_t i = 0; i < members.count; i++) {
        g->taken[g->ids[i] = members.ids[i]] = 1;
        for (int64_t e = graph->offsets[members.ids[i]]; e < graph->offsets[members.ids[i] + 1]; e++)
            g->candidate[graph->ids[e]] = 1;
    }
    if (!members.count || g->count >= g->wanted) return;
    take(g);
    if (g->count < g->wanted) add_similar(l, t, g, members);
}

const int32_t *nearest_prototype(cru_learner *l, cru_tape *t, cru_tensor *e, cru_tensor *p)
{
    const cru_task *task = l->task;
    const int64_t n = task->nodes, k = task->classes, width = cru_tensor_cols(e);
    const cru_ids *members = cru_class_members(cru_tape_pool(t), task);
    const float *probability = cru_tensor_host(t, p), *at = cru_tensor_host(t, e);
    float *mean = cru_tape_alloc(t, k * width, sizeof *mean);
    gathering g = {.ids = cru_tape_alloc(t, n, sizeof(int32_t)),
                   .wanted = task->split.train.count / k,
                   .taken = cru_tape_alloc(t, n, 1),
                   .candidate = cru_tape_alloc(t, n, 1),
                   .nodes = n,
                   .classes = k};
    for (int64_t c = 0; c < k; c++) {
        g.p = probability + c;
        gather(l, t, &g, members[c]);
        for (int64_t f = 0; f < width; f++) {
            double sum = 0;
            for (int64_t i = 0; i < g.count; i++) sum += (double)at[g.ids[i] * width + f];
            mean[c * width + f] = g.count ? (float)(sum / (double)g.count) : 0;
        }
    }
    cru_tensor *cosine = cru_cosine_matrix(t, e, cru_tensor_upload(t, cru_2d(k, width), mean), 1e-8);
    return cru_index_host(t, cru_argmax(t, cosine));
}

cru_tensor *route_scores(cru_tape *t, cru_tensor *const student[2], int64_t classes, const route *by)
{
    const int64_t n = cru_tensor_rows(student[0]);
    const float *z[2] = {cru_tensor_host(t, student[0]), cru_tensor_host(t, student[1])}, never = -999999;
    float *all = cru_tape_alloc(t, n * classes, sizeof *all);
    for (int64_t i = 0; i < n * classes; i++) all[i] = never;
    for (int64_t v = 0; v < n; v++) {
        const int64_t tail = by->to_tail[v], first = tail ? by->heads : 0;
        const int64_t width = tail ? classes - by->heads : by->heads;
        for (int64_t i = 0; i < width; i++) all[v * classes + by->order[first + i]] = z[tail][v * width + i];
    }
    return cru_tensor_upload(t, cru_2d(n, classes), all);
}
