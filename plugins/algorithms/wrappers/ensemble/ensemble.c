// SPDX-License-Identifier: Apache-2.0
/* ensemble: the mean of the probabilities of several trainings of a method, which differ in their seeds.
 *
 *     q_i = 1/M sum_m softmax(f(x_i; seed_m))
 *
 * The first member has the trial's seed, the others seeds drawn from it. Each is selected by its accuracy on the
 * observed labels of the validation part, whatever the experiment's rule, which hears of the mean once.
 *
 * Lakshminarayanan, Pritzel, Blundell. Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles.
 * NeurIPS 2017, without its adversarial training. */
#include <math.h>

#include <crucible/crucible.h>

typedef struct settings {
    const char *of;
    int64_t members;
} settings;

static const cru_param schema[] = {
    CRU_WRAPPED(settings, of, "gcn"),
    CRU_INT(settings, members, 5, 1, 1000, "trainings"),
    CRU_END,
};

/* Adds what one training predicts to the sum. */
static bool add_member(cru_wrapping *w, uint64_t seed, int64_t limit, double *p, double *sum)
{
    cru_member *member = cru_member_create(w->ctx, w->task, seed);
    const bool good = cru_member_fit_alone(member, limit) && cru_member_probabilities(member, p);
    for (int64_t i = 0; good && i < w->task->items * w->task->classes; i++) sum[i] += p[i];
    cru_member_destroy(member);
    return good;
}

static void train(cru_wrapping *w, cru_monitor *monitor)
{
    const settings *s = w->settings;
    const int64_t count = w->task->items * w->task->classes;
    cru_rng rng = cru_ctx_stream(w->ctx, "members");
    double *p = cru_ctx_alloc(w->ctx, count, sizeof *p), *sum = cru_ctx_alloc(w->ctx, count, sizeof *sum);
    for (int64_t m = 0; m < s->members; m++) {
        const uint64_t seed = m ? cru_rng_u64(&rng) : cru_ctx_seed(w->ctx);
        if (!add_member(w, seed, cru_monitor_limit(monitor), p, sum)) return;
    }
    for (int64_t i = 0; i < count; i++) sum[i] /= (double)s->members;
    cru_scores_from(sum, count, w->scores);
    cru_monitor_epoch(monitor, 0, NAN, w->scores);
}

CRU_PLUGIN = {
    CRU_WRAPPER(settings, schema, .train = train),
    .name = "ensemble",
    .version = "1.0",
    .summary = "mean of the probabilities of several trainings of another method",
    .citation = "Lakshminarayanan, Pritzel, Blundell. Simple and Scalable Predictive Uncertainty Estimation using Deep "
                "Ensembles. NeurIPS 2017.",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
