// SPDX-License-Identifier: Apache-2.0
/* Shared by methods against noisy labels. */
#include "noisy-labels.h"

#include <math.h>

#include <crucible/scoring.h>

#include "labelled-edges.h"

cru_index agreement(cru_tape *t, const cru_tensor *a, const cru_tensor *b, bool agree)
{
    const int64_t n = cru_tensor_rows(a);
    int32_t *first = cru_tape_alloc(t, n, sizeof *first), *second = cru_tape_alloc(t, n, sizeof *second);
    cru_index_download(t, cru_argmax(t, a), first);
    cru_index_download(t, cru_argmax(t, b), second);
    int32_t *positions = cru_tape_alloc(t, n, sizeof *positions);
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++)
        if ((first[i] == second[i]) == agree) positions[count++] = i;
    return cru_index_step(t, positions, count);
}

void twins_build(cru_learner *l, void *self)
{
    twins *m = self;
    m->second = cru_learner_gcn(l, cru_learner_net(l, "second"), NULL);
}

static cru_tensor *similarities(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature)
{
    return cru_exp(t, cru_scale(t, cru_cosine_matrix(t, a, b, 1e-8f), 1 / temperature));
}

cru_tensor *consistency(cru_tape *t, const two_spaces *s)
{
    cru_tensor *projected = similarities(t, s->projected[0], s->projected[1], s->temperature);
    cru_tensor *classified = similarities(t, s->classified[0], s->classified[1], s->temperature);
    return cru_mse(t, projected, cut_off(t, classified, s->least));
}

static void softmax_row(const float *logits, int32_t classes, float *out)
{
    const double sum = cru_log_sum_exp(logits, classes);
    for (int32_t k = 0; k < classes; k++) out[k] = (float)exp((double)logits[k] - sum);
}

void transition_from_anchors(const anchor_logits *z, float *matrix, int32_t *anchors)
{
    float least = INFINITY;
    for (int32_t c = 0; c < z->classes; c++) anchors[c] = -1;
    for (int32_t n = 0; n < z->items; n++) {
        const float *row = z->search + n * z->classes;
        const int32_t c = cru_best_class(row, z->classes);
        if (row[c] < least) least = row[c];
        if (anchors[c] < 0 || row[c] > z->search[anchors[c] * z->classes + c]) anchors[c] = n;
    }
    for (int32_t c = 0; c < z->classes; c++) {
        if (anchors[c] < 0 || z->search[anchors[c] * z->classes + c] <= least) anchors[c] = 0;
        softmax_row(z->read + anchors[c] * z->classes, z->classes, matrix + c * z->classes);
    }
}
