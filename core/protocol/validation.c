// SPDX-License-Identifier: Apache-2.0
#include "protocol/validation.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/scoring.h>

static const float *row_of(const validation *v, int64_t i)
{
    return v->scores + (int64_t)v->ids.ids[i] * v->classes;
}

double validation_accuracy(const validation *v)
{
    int64_t right = 0, seen = 0;
    for (int64_t i = 0; i < v->ids.count; i++) {
        int32_t label = v->labels[v->ids.ids[i]];
        if (label < 0) continue;
        seen++;
        right += cru_best_class(row_of(v, i), v->classes) == label;
    }
    return seen ? (double)right / (double)seen : NAN;
}

double validation_loss(const validation *v)
{
    double sum = 0;
    int64_t seen = 0;
    for (int64_t i = 0; i < v->ids.count; i++) {
        int32_t label = v->labels[v->ids.ids[i]];
        if (label < 0) continue;
        const float *row = row_of(v, i);
        seen++;
        sum += cru_log_sum_exp(row, v->classes) - (double)row[label];
    }
    return seen ? sum / (double)seen : NAN;
}

/* The labelled rows by their score for class 1. False when there are none, when a score is NaN, or memory is short. */
static bool rank(const validation *v, cru_ranking *r)
{
    *r = (cru_ranking){.of = v->classes > 1 ? malloc((size_t)(v->ids.count + 1) * sizeof *r->of) : NULL};
    if (!r->of) return false;
    for (int64_t i = 0; i < v->ids.count; i++) {
        int32_t label = v->labels[v->ids.ids[i]];
        if (label < 0) continue;
        const float *row = row_of(v, i);
        double score = v->classes == 2 ? (double)row[1] - (double)row[0] : (double)row[1];
        if (isnan(score)) return false;
        r->of[r->count++] = (cru_ranked){score, label == 1};
    }
    return cru_ranking_sort(r, NULL) == CRU_OK;
}

double validation_auc(const validation *v)
{
    cru_ranking r;
    double value = rank(v, &r) ? cru_ranking_auroc(&r) : NAN;
    free(r.of);
    return value;
}

double validation_auprc(const validation *v)
{
    cru_ranking r;
    double value = rank(v, &r) ? cru_ranking_auprc(&r) : NAN;
    free(r.of);
    return value;
}

static cru_covered covered(const validation *v)
{
    return (cru_covered){.scores = v->scores, .candidates = v->candidates, .classes = v->classes, .items = v->ids};
}

double validation_covering(const validation *v)
{
    cru_covered c = covered(v);
    return cru_covering_rate(&c);
}

double validation_approximated(const validation *v, bool paper)
{
    cru_covered c = covered(v);
    return cru_approximated_accuracy(&c, paper);
}

bool validation_finite(const float *scores, int64_t count)
{
    /* x - x is 0 for finite x and NaN otherwise; summing lets the compiler use vector registers. */
    float sum = 0;
    for (int64_t i = 0; i < count; i++) sum += scores[i] - scores[i];
    return sum == 0;
}

bool validation_all_finite(const validation *v)
{
    for (int64_t i = 0; i < v->ids.count; i++)
        if (!validation_finite(row_of(v, i), v->classes)) return false;
    return true;
}
