// SPDX-License-Identifier: Apache-2.0
#include "subset.h"

#include <string.h>

subset subset_labelled(const cru_learner *l, cru_ids from)
{
    subset a = {cru_ctx_alloc(l->ctx, from.count, sizeof(int32_t)), cru_ctx_alloc(l->ctx, from.count, sizeof(int32_t)),
                0};
    for (int64_t i = 0; i < from.count; i++) {
        if (l->task->labels[from.ids[i]] < 0) continue;
        a.nodes[a.count] = from.ids[i];
        a.labels[a.count++] = l->task->labels[from.ids[i]];
    }
    return a;
}

cru_tensor *subset_loss(cru_tape *t, cru_tensor *z, const subset *a)
{
    const cru_index rows = cru_index_step(t, a->nodes, a->count);
    return cru_cross_entropy(t, z, &(cru_targets){.rows = &rows, .labels = cru_index_step(t, a->labels, a->count)});
}

double subset_f1(cru_tape *t, cru_tensor *z, const subset *a)
{
    const int64_t classes = cru_tensor_cols(z);
    const int32_t *best = cru_index_host(t, cru_argmax(t, z));
    int64_t *counts = cru_tape_alloc(t, 3 * classes, sizeof *counts), seen = 0; /* labels, predictions, both */
    double sum = 0;
    memset(counts, 0, (size_t)(3 * classes) * sizeof *counts);
    for (int64_t i = 0; i < a->count; i++) {
        const int32_t label = a->labels[i], predicted = best[a->nodes[i]];
        counts[3 * label]++;
        counts[3 * predicted + 1]++;
        if (label == predicted) counts[3 * label + 2]++;
    }
    for (int64_t c = 0; c < classes; c++) {
        const int64_t all = counts[3 * c] + counts[3 * c + 1];
        if (all) sum += 2 * (double)counts[3 * c + 2] / (double)all, seen++;
    }
    return seen ? sum / (double)seen : 0;
}

double subset_balance(cru_tape *t, cru_tensor *z, const subset *a)
{
    const int64_t classes = cru_tensor_cols(z);
    const int32_t *best = cru_index_host(t, cru_argmax(t, z));
    int64_t *counts = cru_tape_alloc(t, 2 * classes, sizeof *counts), seen = 0, right = 0; /* labels, found */
    double recall = 0;
    memset(counts, 0, (size_t)(2 * classes) * sizeof *counts);
    for (int64_t i = 0; i < a->count; i++) {
        const bool found = best[a->nodes[i]] == a->labels[i];
        counts[2 * a->labels[i]]++;
        counts[2 * a->labels[i] + 1] += found;
        right += found;
    }
    for (int64_t c = 0; c < classes; c++)
        if (counts[2 * c]) recall += (double)counts[2 * c + 1] / (double)counts[2 * c], seen++;
    return seen ? (recall / (double)seen + (double)right / (double)a->count) / 2 : 0;
}
