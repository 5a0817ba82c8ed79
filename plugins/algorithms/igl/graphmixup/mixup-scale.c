// SPDX-License-Identifier: Apache-2.0
#include "mixup-scale.h"

#include <math.h>

mixup_scale mixup_scale_create(double score)
{
    return (mixup_scale){.at = SCALE_STATES / 2, .score = score};
}

double mixup_scale_k(const mixup_scale *s)
{
    return (s->at - SCALE_STATES / 2) * 0.05;
}

int32_t mixup_scale_choose(const mixup_scale *s, cru_rng *rng)
{
    const double *value = s->value[s->at];
    const bool greedy = cru_rng_uniform(rng) < 0.9;
    const int32_t any = (int32_t)cru_rng_below(rng, 2);
    if (!greedy || value[0] == value[1]) return any;
    return value[1] > value[0];
}

void mixup_scale_act(mixup_scale *s, double score, int32_t action)
{
    if (s->pending) {
        double *value = &s->value[s->from][s->action];
        *value += 0.1 * (s->reward - *value);
    }
    s->pending = true;
    s->from = s->at;
    s->action = action;
    s->reward = (score > s->score) - (score < s->score);
    s->score = score;
    s->at += action ? -1 : 1;
    if (s->at < 0) s->at = 0;
    if (s->at >= SCALE_STATES) s->at = SCALE_STATES - 1;
    s->last[s->records++ % SCALE_RECORDS] = s->at;
}

bool mixup_scale_settled(const mixup_scale *s)
{
    int32_t low = SCALE_STATES, high = 0;
    for (int i = 0; i < SCALE_RECORDS; i++) {
        if (s->last[i] < low) low = s->last[i];
        if (s->last[i] > high) high = s->last[i];
    }
    return s->records >= 150 && high - low <= 1;
}

mixup_copies mixup_copies_of(int64_t count, int64_t average, double k)
{
    return mixup_copies_times(count, (double)average / (double)count + k - 1);
}

mixup_copies mixup_copies_times(int64_t count, double times)
{
    if (!(times >= 0)) return (mixup_copies){0, 0};
    return (mixup_copies){(int64_t)floor(times), (int64_t)floor((double)count * (times - floor(times)) + 1e-9)};
}
