// SPDX-License-Identifier: Apache-2.0
#include "candidate-sets.h"

#include <math.h>
#include <string.h>

#include <crucible/pool.h>

void candidate_sets_report(const cru_data *data, const uint8_t *chosen, cru_report *report)
{
    const int64_t classes = data->classes;
    int64_t items = 0, size = 0, without = 0;
    for (int64_t i = 0; i < data->items; i++) {
        if (!chosen[i] || data->truth[i] == CRU_UNLABELLED) continue;
        const uint8_t *set = data->candidates + i * classes;
        items++;
        for (int64_t c = 0; c < classes; c++) size += set[c];
        without += !set[data->truth[i]];
    }
    cru_report_number(report, "candidates", items ? (double)size / (double)items : NAN);
    cru_report_number(report, "noise_rate", items ? (double)without / (double)items : NAN);
}

void candidate_sets_join(const candidate_item *about, const double *uniform, const double *p, uint8_t *set)
{
    for (int32_t c = 0; c < about->classes; c++)
        if (c != about->label) set[c] = uniform[c] < p[c];
}

void candidate_sets_likely(const candidate_item *about, const float *scores, double rate, double *p)
{
    double most = -INFINITY, sum = 0;
    for (int32_t c = 0; c < about->classes; c++)
        if (c != about->label) most = fmax(most, (double)scores[c]);
    for (int32_t c = 0; c < about->classes; c++) sum += p[c] = c == about->label ? 0 : exp((double)scores[c] - most);
    for (int32_t c = 0; c < about->classes; c++) p[c] = sum > 0 ? fmin(1, rate * p[c] * about->classes / sum) : 0;
}

cru_status candidate_sets_apply(noise_where where, const cru_damage *d, candidate_draw *draw, const void *user)
{
    cru_data *data = d->data;
    const int32_t classes = data->classes;
    if (data->candidates) return cru_fail(d->err, CRU_UNSUPPORTED, "the labels are candidate sets already");
    if (classes < 2) return cru_fail(d->err, CRU_UNSUPPORTED, "candidate sets need at least two classes");
    data->candidates = cru_pool_alloc(cru_data_pool(data), data->items * classes, 1);
    uint8_t *chosen = noise_chosen_items(data, where);
    for (int64_t i = 0; i < data->items; i++) {
        const int32_t label = data->labels[i];
        uint8_t *set = data->candidates + i * classes;
        if (label == CRU_UNLABELLED) continue;
        set[label] = 1;
        draw(user, d->rng, &(candidate_item){i, label, classes}, set);
        if (chosen[i]) continue;
        memset(set, 0, (size_t)classes);
        set[label] = 1;
    }
    candidate_sets_report(data, chosen, d->report);
    return CRU_OK;
}
