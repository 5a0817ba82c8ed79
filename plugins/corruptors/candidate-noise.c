// SPDX-License-Identifier: Apache-2.0
/* candidate-noise: the true class leaves the candidate set and a false one takes its place.
 *
 *     with probability rate, unless S is full or does not hold the truth: S <- S - {y} + {one uniform non-candidate}
 *
 * Comes after a corruptor that makes candidate sets, or on data that has them.
 *
 * Xu, Lian, Feng, Liu, Tao. ALIM: Adjusting Label Importance Mechanism for Noisy Partial Label Learning. NeurIPS
 * 2023. */
#include "candidate-sets.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    double rate;
    int64_t where;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.2, 0, 1, "probability that the true class leaves"),
    CRU_CHOICE(settings, where, NOISE_TRAIN_VAL, noise_where_names, "whose sets change"),
    CRU_END,
};

static void swap_truth(uint8_t *set, int32_t truth, int32_t classes, cru_rng *rng)
{
    int32_t outside = 0;
    for (int32_t c = 0; c < classes; c++) outside += !set[c];
    if (outside == 0 || !set[truth]) return;
    int64_t left = cru_rng_below(rng, outside);
    int32_t c = 0;
    while (set[c] || left-- > 0) c++;
    set[truth] = 0;
    set[c] = 1;
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    if (!data->candidates)
        return cru_fail(d->err, CRU_UNSUPPORTED, "there are no candidate sets; put uss or fps before this corruptor");
    uint8_t *chosen = noise_chosen_items(data, (noise_where)s->where);
    for (int64_t i = 0; i < data->items; i++) {
        if (!chosen[i] || data->truth[i] == CRU_UNLABELLED || cru_rng_uniform(d->rng) >= s->rate) continue;
        swap_truth(data->candidates + i * data->classes, data->truth[i], data->classes, d->rng);
    }
    candidate_sets_report(data, chosen, d->report);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "candidate-noise",
    .version = "1.0",
    .summary = "the true class leaves the candidate set, a false one takes its place",
    .citation =
        "Xu, Lian, Feng, Liu, Tao. ALIM: Adjusting Label Importance Mechanism for Noisy Partial Label Learning. "
        "NeurIPS 2023.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
