// SPDX-License-Identifier: Apache-2.0
/* fredis: labels near the top of the posterior come into the set, candidates far from it go out.
 *
 *     L = lam KL(q || p) - alpha (1/B) sum_i sum_{k not in S_i} log(1.0000001 - p_ik)
 *     after the step:   q_ik = s_ik p'_ik / sum_l s_il p'_il,    pi_i = p'_i             p' by the network after the step
 *     every U = floor(update_interval n / B) steps, with g_ik = max_l pi_il - pi_ik and R the corrected sets so far:
 *         R = 1 where g < theta, at most change_size of them, drawn at random           n_add: how many were outside R
 *         delta falls by dec until #{R, g > delta} >= times n_add
 *         R = 0 where g > delta, at most times change_size of them, drawn at random
 *         q ~ pi (R + 1e-12);   theta += inc, delta -= dec  while theta < 0.9, delta > 0.1 and fewer than change_size changed
 *
 * In the study's code (variant bench) the sets S stay as given, so that a corrected q lasts for one visit, and the
 * first correction comes after the first step. Variant paper has none there, puts R in the place of S, and gives a row
 * of R that lost all its labels back what it had.
 *
 * Qiao, Xu, Lv, Ren, Geng. FREDIS: A Fusion Framework of Refinement and Disambiguation for Unreliable Partial Label
 * Learning. ICML 2023. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "row-loss.h"

typedef struct settings {
    double theta, inc, delta, dec, lam, alpha;
    int64_t times, change_size, update_interval, variant;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

#define POWERS_OF_TEN CRU_ONE_OF(1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)

static const cru_param schema[] = {
    CRU_FLOAT(settings, theta, 1e-6, 0, 1, "labels less than this below the top come in"),
    CRU_FLOAT(settings, inc, 1e-6, 0, 1, "growth of theta", .search = POWERS_OF_TEN),
    CRU_FLOAT(settings, delta, 1, 0, 1, "candidates more than this below the top go out"),
    CRU_FLOAT(settings, dec, 1e-6, 1e-8, 1, "fall of delta", .search = POWERS_OF_TEN),
    CRU_INT(settings, times, 2, 0, 1e6, "labels that go out for one that comes in",
            .search = CRU_ONE_OF(1, 2, 3, 4, 5)),
    CRU_INT(settings, change_size, 500, 0, 1e6, "most labels that come in",
            .search = CRU_ONE_OF(50, 100, 500, 300, 800, 1000)),
    CRU_INT(settings, update_interval, 20, 1, 1e9, "passes between corrections", .search = CRU_ONE_OF(10, 20)),
    CRU_FLOAT(settings, lam, 10, 0, CRU_NO_MAX, "weight of the divergence", .search = CRU_ONE_OF(1, 10)),
    CRU_FLOAT(settings, alpha, 1, 0, CRU_NO_MAX, "weight of the suppression",
              .search = CRU_ONE_OF(1e-3, 1e-2, 1e-1, 1)),
    CRU_VARIANT(settings, variant, CRU_BENCH, "the given sets stay, or the corrected ones take their place"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_tensor *q, *posterior, *sets; /* training items x classes; S, or in variant paper R */
    float *r;                         /* R, host */
    double theta, delta;
    int64_t count, classes;
    cru_rng rng;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->classes = l->task->classes;
    m->count = l->task->split.train.count * m->classes;
    m->q = cru_learner_candidate_shares(l);
    m->sets = cru_learner_candidates(l);
    m->posterior = cru_tensor_create_filled(l->ctx, cru_shape_of(m->q), 1 / (double)m->classes);
    m->r = cru_ctx_alloc(l->ctx, m->count, sizeof *m->r);
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor_download(l->tape, m->sets, m->r);
    m->theta = s->theta;
    m->delta = s->delta;
    m->rng = cru_ctx_stream(l->ctx, "corrections");
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *z = cru_learner_classify(l, t, &batch->x), *q = cru_gather(t, m->q, batch->rows);
    cru_tensor *loss = cru_plus(t, NULL, s->lam, cru_kl(t, q, cru_log_softmax(t, z, 1)));
    return cru_plus(t, loss, s->alpha, suppression(t, z, cru_gather(t, m->sets, batch->rows)));
}

/* ---- the correction, on the host ---------------------------------------------------------------------------- */

/* R = value at the listed positions, or at `most` of them. */
static void write_some(model *m, cru_tape *t, const int32_t *places, int64_t count, int64_t most, float value)
{
    if (most < 0) {
        for (int64_t i = 0; i < count; i++) m->r[places[i]] = value;
        return;
    }
    int32_t *chosen = cru_tape_alloc(t, most, sizeof *chosen);
    cru_rng_choose(&m->rng, count, most, chosen);
    for (int64_t i = 0; i < most; i++) m->r[places[chosen[i]]] = value;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Lowers delta until `need` members of R, or all of them, lie beyond it; how many do. `gaps`: those of the members. */
static int64_t lower_delta(model *m, double dec, double *gaps, int64_t count, int64_t need)
{
    int64_t beyond = 0;
    qsort(gaps, (size_t)count, sizeof *gaps, descending);
    while (beyond < count && gaps[beyond] > m->delta) beyond++;
    while (beyond < need && beyond < count) {
        m->delta -= dec;
        while (beyond < count && gaps[beyond] > m->delta) beyond++;
    }
    return beyond;
}

/* g, with NaN where the network has diverged: beyond nothing and near to nothing. */
static double *gaps_of(const model *m, cru_tape *t)
{
    const float *pi = cru_tensor_host(t, m->posterior);
    double *g = cru_tape_alloc(t, m->count, sizeof *g);
    for (int64_t i = 0; i < m->count; i += m->classes) {
        double most = -1;
        for (int64_t k = 0; k < m->classes; k++) most = fmax(most, (double)pi[i + k]);
        for (int64_t k = 0; k < m->classes; k++) g[i + k] = most - (double)pi[i + k];
    }
    return g;
}

static void bring_in_and_put_out(model *m, cru_tape *t, const settings *s, const double *g)
{
    int32_t *places = cru_tape_alloc(t, m->count, sizeof *places);
    double *members = cru_tape_alloc(t, m->count, sizeof *members);
    int64_t near = 0, added = 0, count = 0, far = 0;
    for (int64_t i = 0; i < m->count; i++) {
        if (m->r[i] != 0 && isfinite(g[i])) members[count++] = g[i];
        if (!(g[i] < m->theta)) continue;
        places[near++] = (int32_t)i;
        added += m->r[i] == 0;
    }
    write_some(m, t, places, near, added > s->change_size ? s->change_size : -1, 1);
    if (added > s->change_size) added = s->change_size;
    const int64_t most = s->change_size * s->times;
    const int64_t removed = lower_delta(m, s->dec, members, count, added * s->times);
    for (int64_t i = 0; i < m->count; i++)
        if (g[i] > m->delta) places[far++] = (int32_t)i;
    write_some(m, t, places, far, removed > most ? most : -1, 0);
}

static void restore_empty_rows(model *m, const float *old)
{
    for (int64_t i = 0; i < m->count; i += m->classes) {
        bool any = false;
        for (int64_t k = 0; k < m->classes; k++) any = any || m->r[i + k] != 0;
        if (!any) memcpy(m->r + i, old + i, (size_t)m->classes * sizeof *m->r);
    }
}

static void correct(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    float *old = cru_tape_alloc(t, m->count, sizeof *old);
    int64_t changed = 0;
    memcpy(old, m->r, (size_t)m->count * sizeof *old);
    bring_in_and_put_out(m, t, s, gaps_of(m, t));
    if (s->variant == CRU_PAPER) restore_empty_rows(m, old);
    for (int64_t i = 0; i < m->count; i++) changed += m->r[i] != old[i];
    cru_tensor *r = cru_tensor_upload(t, cru_shape_of(m->q), m->r);
    cru_tensor *weighted = cru_mul(t, m->posterior, cru_affine(t, r, 1, 1e-12));
    cru_assign(t, m->q, cru_normalize_l1(t, weighted, 1e-37));
    if (s->variant == CRU_PAPER) cru_assign(t, m->sets, r);
    if (m->theta < 0.9 && m->delta > 0.1 && changed < s->change_size) m->theta += s->inc, m->delta -= s->dec;
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    const double passes = (double)l->task->split.train.count / (double)s->train.steps.batch_size;
    const int64_t interval = (int64_t)fmax(floor((double)s->update_interval * passes), 1);
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *inside = cru_mul(t, cru_gather(t, m->sets, batch->rows), p);
    look_again(l, t, &batch->x); /* the study's code takes p twice, once for each table */
    cru_put_rows(t, m->q, batch->rows, cru_normalize_l1(t, inside, 1e-37));
    cru_put_rows(t, m->posterior, batch->rows, p);
    const bool due = l->epoch % interval == 0 && (l->epoch > 0 || s->variant == CRU_BENCH);
    if (due) correct(l, m, t);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .backbone = CRU_AT(settings, backbone), .build = build,
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state),
    .name = "fredis",
    .version = "1.1",
    .summary = "partial labels: moves labels into and out of the sets by the posterior",
    .citation = "Qiao et al. FREDIS: A Fusion Framework of Refinement and Disambiguation for Unreliable Partial Label "
                "Learning. ICML 2023.",
    .categories = "partial labels, noisy",
    OF_ROWS,
};
