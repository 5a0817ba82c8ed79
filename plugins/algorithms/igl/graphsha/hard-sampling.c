// SPDX-License-Identifier: Apache-2.0
#include "hard-sampling.h"

#include <math.h>

static const double tiny = 1e-12;

int64_t hard_missing(const hard_classes *classes, int32_t c, double target)
{
    const int64_t missing = (int64_t)floor(target - (double)classes->places[c].count);
    return missing > 0 && classes->places[c].count ? missing : 0;
}

static int32_t draw_partner(const hard_classes *classes, const hard_pair *pair, hard_draw *draw, void *user,
                            double *weights)
{
    const float *q = classes->q + (int64_t)pair->source * classes->count;
    double sum = 0;
    for (int32_t j = 0; j < classes->count; j++) { /* a class without nodes has nobody to draw */
        weights[j] = j == pair->label ? tiny : (double)q[j] + tiny;
        if (!classes->places[j].count) weights[j] = 0;
        sum += weights[j];
    }
    if (!(sum > 0)) return pair->source;
    const cru_ids others = classes->places[draw(user, weights, classes->count)];
    for (int64_t i = 0; i < others.count; i++)
        weights[i] = (double)classes->q[(int64_t)others.ids[i] * classes->count + pair->label] + tiny;
    return others.ids[draw(user, weights, others.count)];
}

int64_t hard_pairs(const hard_classes *classes, double target, hard_draw *draw, void *user, double *weights,
                   hard_pair *pairs)
{
    int64_t count = 0;
    for (int32_t c = 0; c < classes->count; c++) {
        const cru_ids own = classes->places[c];
        const int64_t first = count, missing = hard_missing(classes, c, target);
        for (int64_t i = 0; missing && i < own.count; i++)
            weights[i] = 1 - (double)classes->q[(int64_t)own.ids[i] * classes->count + c] + tiny;
        for (int64_t k = 0; k < missing; k++)
            pairs[count++] = (hard_pair){.source = own.ids[draw(user, weights, own.count)], .label = c};
        for (int64_t k = first; k < count; k++)
            pairs[k].partner = draw_partner(classes, &pairs[k], draw, user, weights);
    }
    return count;
}

void plain_pairs(const hard_classes *classes, double target, const double *weights, int64_t count, cru_rng *rng,
                 hard_pair *pairs)
{
    for (int32_t c = 0; c < classes->count; c++)
        for (int64_t k = hard_missing(classes, c, target); k > 0; k--, pairs++) {
            pairs->label = c;
            pairs->source = classes->places[c].ids[cru_rng_below(rng, classes->places[c].count)];
            pairs->partner = (int32_t)cru_rng_categorical(rng, weights, count);
        }
}

void hard_neighbours(cru_tape *t, const cru_csr *g, int32_t source, cru_rng *rng, int64_t count, int32_t *ids)
{
    const int64_t first = g->offsets[source], length = g->offsets[source + 1] - first;
    const int64_t some = count < length ? count : length;
    double *weights = cru_tape_alloc(t, length, sizeof *weights);
    for (int64_t e = 0; e < length; e++) weights[e] = g->values ? (double)g->values[first + e] : 1;
    cru_rng_weighted(rng, weights, length, some, false, ids);
    for (int64_t k = 0; k < some; k++) ids[k] = g->ids[first + ids[k]];
    for (int64_t k = some; k < count;) {
        bool known = false;
        ids[k] = (int32_t)cru_rng_below(rng, g->rows);
        for (int64_t j = 0; j < k; j++) known |= ids[j] == ids[k];
        k += !known;
    }
}

cru_ids *hard_places(cru_ctx *ctx, const cru_task *task)
{
    const cru_ids train = task->split.train;
    cru_ids *places = cru_ctx_alloc(ctx, task->classes, sizeof *places);
    for (int32_t c = 0; c < task->classes; c++) {
        int32_t *ids = cru_ctx_alloc(ctx, train.count, sizeof *ids);
        for (int32_t i = 0; i < train.count; i++)
            if (task->labels[train.ids[i]] == c) ids[places[c].count++] = i;
        places[c].ids = ids;
    }
    return places;
}

int64_t hard_draw_one(void *user, const double *weights, int64_t n)
{
    return cru_rng_categorical(user, weights, n);
}
