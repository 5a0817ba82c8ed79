// SPDX-License-Identifier: Apache-2.0
/* instance-candidates: the false candidates of an item are those that a network finds likely.
 *
 *     r = softmax(g(x)), r_y = 0, r <- rate r / mean_k r_k, at most 1      g: a network trained on the labels
 *     y is in S; every other class k joins with probability r_k
 *
 * The study takes rate = 0.4 for 10 classes and 0.04 for a hundred or more.
 *
 * Xu, Qiao, Geng, Zhang. Instance-Dependent Partial Label Learning. NeurIPS 2021. */
#include <math.h>

#include <crucible/pool.h>
#include <crucible/scoring.h>

#include "auxiliary.h"
#include "candidate-sets.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    double rate;
    int64_t where;
    auxiliary network;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.4, 0, CRU_NO_MAX, "mean over all classes of the probability to join, before the cap"),
    CRU_CHOICE(settings, where, NOISE_TRAIN_VAL, noise_where_names,
               "who gets candidate sets; the network learns theirs"),
    CRU_GROUP(settings, network, auxiliary_params),
    CRU_END,
};

typedef struct likely {
    double rate;
    const float *logits;
    double *p, *uniform; /* classes */
} likely;

static void draw(const void *user, cru_rng *rng, const candidate_item *about, uint8_t *set)
{
    const likely *l = user;
    candidate_sets_likely(about, l->logits + about->item * about->classes, l->rate, l->p);
    for (int32_t c = 0; c < about->classes; c++) l->uniform[c] = cru_rng_uniform(rng);
    candidate_sets_join(about, l->uniform, l->p, set);
}

static void report_accuracy(const cru_data *data, const uint8_t *chosen, const float *logits, cru_report *report)
{
    int64_t right = 0, count = 0;
    for (int64_t i = 0; i < data->items; i++) {
        if (!chosen[i] || data->labels[i] == CRU_UNLABELLED) continue;
        right += cru_best_class(logits + i * data->classes, data->classes) == data->labels[i];
        count++;
    }
    cru_report_number(report, "auxiliary_accuracy", count ? (double)right / (double)count : NAN);
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    cru_pool pool = cru_data_pool(data);
    if (data->candidates) return cru_fail(d->err, CRU_UNSUPPORTED, "the labels are candidate sets already");
    uint8_t *chosen = noise_chosen_items(data, (noise_where)s->where);
    float *logits = cru_pool_alloc(pool, data->items * data->classes, sizeof *logits);
    cru_status status = auxiliary_learn(&s->network, d, chosen, logits);
    if (status) return status;
    report_accuracy(data, chosen, logits, d->report);
    likely l = {.rate = s->rate, .logits = logits};
    l.p = cru_pool_alloc(pool, data->classes, sizeof *l.p);
    l.uniform = cru_pool_alloc(pool, data->classes, sizeof *l.uniform);
    return candidate_sets_apply((noise_where)s->where, d, draw, &l);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "instance-candidates",
    .version = "1.0",
    .summary = "candidate sets: the classes that a network finds likely join",
    .citation = "Xu, Qiao, Geng, Zhang. Instance-Dependent Partial Label Learning. NeurIPS 2021.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
