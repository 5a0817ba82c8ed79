// SPDX-License-Identifier: Apache-2.0
/* uss: candidate sets by uniform sampling of sets.
 *
 *     P(S | y) = 1 / (2^(K-1) - 1)      for every S that holds y and is not all K classes
 *
 * exact: every other class with probability 1/2, drawn again while the set is full.
 * size:  what much published code does, which is another law: a size m with probability C(K, m) / (2^K - 2), then m - 1
 *        other classes at random.
 *
 * Feng, Lv, Han, Xu, Niu, Geng, An, Sugiyama. Provably Consistent Partial-Label Learning. NeurIPS 2020. */
#include <math.h>

#include "candidate-sets.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    int64_t variant, where;
} settings;

static const char *const variants[] = {"exact", "size", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, variant, 0, variants, "the law itself, or sizes first as in much published code"),
    CRU_CHOICE(settings, where, NOISE_TRAIN_VAL, noise_where_names, "who gets candidate sets"),
    CRU_END,
};

static void draw_exact(const void *user, cru_rng *rng, const candidate_item *about, uint8_t *set)
{
    const int32_t label = about->label, classes = about->classes;
    int32_t size;
    (void)user;
    do {
        size = 1;
        for (int32_t c = 0; c < classes; c++) {
            if (c == label) continue;
            set[c] = (uint8_t)(cru_rng_u32(rng) >> 31);
            size += set[c];
        }
    } while (size == classes);
}

/* log C(K, m) */
static double log_choose(int32_t k, int32_t m)
{
    return lgamma(k + 1.0) - lgamma(m + 1.0) - lgamma(k - m + 1.0);
}

/* Selection sampling: of `left` classes still to see, `want` more are taken. */
static void draw_by_size(const void *user, cru_rng *rng, const candidate_item *about, uint8_t *set)
{
    const int32_t label = about->label, classes = about->classes;
    const double u = cru_rng_uniform(rng), log_sets = classes * M_LN2 + log1p(-pow(2, 1.0 - classes));
    double below = 0;
    int32_t m = 0;
    (void)user;
    do below += exp(log_choose(classes, ++m) - log_sets);
    while (u >= below && m < classes - 1);
    int32_t want = m - 1, left = classes - 1;
    for (int32_t c = 0; c < classes; c++) {
        if (c == label) continue;
        if (cru_rng_below(rng, left--) >= want) continue;
        set[c] = 1;
        want--;
    }
}

static cru_status apply(const cru_damage *d)
{
    const settings *s = d->settings;
    return candidate_sets_apply((noise_where)s->where, d, s->variant ? draw_by_size : draw_exact, s);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "uss",
    .version = "1.0",
    .summary = "candidate sets: all sets that hold the label are equally likely",
    .citation = "Feng, Lv, Han, Xu, Niu, Geng, An, Sugiyama. Provably Consistent Partial-Label Learning. NeurIPS 2020.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
