// SPDX-License-Identifier: Apache-2.0
/* complementary: one class that an item is not of is all that is told.
 *
 *     S = all classes but one, which is drawn uniformly from those other than the label
 *
 * A candidate set of K - 1 classes is the same knowledge as one complementary label.
 *
 * Ishida, Niu, Hu, Sugiyama. Learning from Complementary Labels. NIPS 2017. */
#include "candidate-sets.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    int64_t where;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, where, NOISE_TRAIN_VAL, noise_where_names, "who gets candidate sets"),
    CRU_END,
};

static void draw(const void *user, cru_rng *rng, const candidate_item *about, uint8_t *set)
{
    const int32_t other = (int32_t)cru_rng_below(rng, about->classes - 1);
    const int32_t out = other < about->label ? other : other + 1;
    (void)user;
    for (int32_t c = 0; c < about->classes; c++) set[c] = c != out;
}

static cru_status apply(const cru_damage *d)
{
    const settings *s = d->settings;
    return candidate_sets_apply((noise_where)s->where, d, draw, s);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "complementary",
    .version = "1.0",
    .summary = "candidate sets: all classes but one wrong one",
    .citation = "Ishida, Niu, Hu, Sugiyama. Learning from Complementary Labels. NIPS 2017.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
