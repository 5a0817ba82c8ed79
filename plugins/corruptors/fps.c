// SPDX-License-Identifier: Apache-2.0
/* fps: candidate sets by independent flips.
 *
 *     y is in S; every other class k joins with probability T_yk
 *
 * constant: T_yk = rate.  pair: only the class after y can join, with the rate.  matrix: T is given.
 * With noise > 0 even y is in S only with probability 1 - noise, and empty sets are drawn again.
 *
 * Wen, Cui, Hang, Liu, Wang, Lin. Leveraged Weighted Loss for Partial Label Learning. ICML 2021. */
#include <crucible/pool.h>

#include "candidate-sets.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef enum shape { CONSTANT, PAIR, MATRIX } shape;
static const char *const shapes[] = {"constant", "pair", "matrix", NULL};

typedef struct settings {
    double rate, noise;
    int64_t shape, where;
    cru_list matrix;
    bool at_least_two;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "probability that a class joins"),
    CRU_CHOICE(settings, shape, CONSTANT, shapes, "which classes join"),
    CRU_LIST(settings, matrix, "", 0, 1, "for shape = matrix: T, classes x classes numbers, row after row"),
    CRU_BOOL(settings, at_least_two, false, "a set of one class gets one more, drawn uniformly"),
    CRU_FLOAT(settings, noise, 0, 0, 0.99, "probability that the label itself stays out"),
    CRU_CHOICE(settings, where, NOISE_TRAIN_VAL, noise_where_names, "who gets candidate sets"),
    CRU_END,
};

typedef struct flips {
    const settings *set;
    double *p, *uniform; /* classes */
} flips;

static double joins(const settings *s, const candidate_item *about, int32_t c)
{
    if (s->shape == MATRIX) return s->matrix.values[(int64_t)about->label * about->classes + c];
    return s->shape == CONSTANT || c == (about->label + 1) % about->classes ? s->rate : 0;
}

static int32_t size_of(const uint8_t *set, int32_t classes)
{
    int32_t size = 0;
    for (int32_t c = 0; c < classes; c++) size += set[c];
    return size;
}

/* Without noise the first draw counts: the label's own number is drawn, but it is in whatever comes. */
static void draw(const void *user, cru_rng *rng, const candidate_item *about, uint8_t *set)
{
    const flips *f = user;
    const int32_t label = about->label, classes = about->classes;
    for (int32_t c = 0; c < classes; c++) f->p[c] = joins(f->set, about, c);
    do {
        for (int32_t c = 0; c < classes; c++) f->uniform[c] = cru_rng_uniform(rng);
        candidate_sets_join(about, f->uniform, f->p, set);
        set[label] = f->uniform[label] >= f->set->noise;
    } while (size_of(set, classes) == 0);
    if (!f->set->at_least_two || size_of(set, classes) > 1) return;
    int64_t other = cru_rng_below(rng, classes - 1);
    for (int32_t c = 0; c < classes; c++)
        if (!set[c] && other-- == 0) {
            set[c] = 1;
            return;
        }
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    const int64_t needed = (int64_t)data->classes * data->classes;
    if (s->shape == MATRIX && s->matrix.count != needed)
        return cru_fail(d->err, CRU_BAD_INPUT, "matrix has %lld numbers, and %d classes need %lld",
                        (long long)s->matrix.count, data->classes, (long long)needed);
    flips f = {.set = s};
    f.p = cru_pool_alloc(cru_data_pool(data), data->classes, sizeof *f.p);
    f.uniform = cru_pool_alloc(cru_data_pool(data), data->classes, sizeof *f.uniform);
    return candidate_sets_apply((noise_where)s->where, d, draw, &f);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "fps",
    .version = "1.1",
    .summary = "candidate sets: every false class joins with a probability",
    .citation = "Wen, Cui, Hang, Liu, Wang, Lin. Leveraged Weighted Loss for Partial Label Learning. ICML 2021.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
