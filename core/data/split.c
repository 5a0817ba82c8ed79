// SPDX-License-Identifier: Apache-2.0
/* Which scheme, with which numbers and which generator. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed-hash.h"
#include "data/split-draw.h"

static const char *const schemes[] = {"auto", "official",   "per-class", "percent",      "uniform",
                                      "gpr",  "stratified", "gad-semi",  "gad-official", "pll",
                                      "igl",  "igl-quota",  NULL};
static const char *const generators[] = {"philox", "study", "numpy", "python", "torch", NULL};

static const char *const views[] = {"transductive", "inductive", NULL};

const cru_param split_params[] = {
    CRU_CHOICE(split_settings, scheme, SPLIT_AUTO, schemes,
               "how items become train, val and test; auto: official, else stratified"),
    CRU_CHOICE(split_settings, rng, SPLIT_PHILOX, generators,
               "generator; study: that of the study which defined the scheme, with its seeds"),
    CRU_INT(split_settings, index, -1, -1, 1e6, "which official split; -1: seed modulo their number"),
    CRU_FLOAT(split_settings, train, -1, -1, 1, "share of training items; -1: as in the scheme's study"),
    CRU_FLOAT(split_settings, val, -1, -1, 1, "share of validation items; -1: as in the scheme's study"),
    CRU_INT(split_settings, train_size, -1, -1, 2e9,
            "training items a class (per-class), anomalies (gad-semi); -1: 20"),
    CRU_INT(split_settings, val_size, -1, -1, 2e9, "validation items (per-class); -1: 500"),
    CRU_INT(split_settings, test_size, -1, -1, 2e9, "test items (per-class); 0: all the rest; -1: 1000"),
    CRU_INT(split_settings, base, -1, -1, 4294967295.0,
            "seed of the generator is base + step * seed; -1: the trial's seed"),
    CRU_INT(split_settings, step, 0, 0, 1e6, "see base"),
    CRU_CHOICE(split_settings, view, VIEW_TRANSDUCTIVE, views,
               "inductive: test nodes and their edges are hidden until the method has learned"),
    CRU_END,
};

/* What a scheme looks at, and what its study used. A seed of -1 was never published or cannot be redrawn. */
typedef struct study {
    const char *keys; /* of [split], beside scheme and view */
    double train, val;
    split_rng rng;
    int64_t base, step;
    bool one_generator;
    split_draw *draw;
} study;

#define SHARES       "train val"
#define DRAWN        " rng base step" /* by a generator */
#define SEED_UNKNOWN (-1)
#define SEED_HASHED  (-2) /* MD5 of the trial's number, as PLENCH does */

static const study studies[] = {
    [SPLIT_AUTO] = {"index " SHARES DRAWN, 0.6, 0.2, SPLIT_NUMPY, SEED_UNKNOWN, 0, false, NULL},
    [SPLIT_OFFICIAL] = {"index", 0, 0, SPLIT_NUMPY, SEED_UNKNOWN, 0, false, NULL},
    [SPLIT_PER_CLASS] = {"train_size val_size test_size" DRAWN, 0, 0, SPLIT_NUMPY, 3000, 0, false, draw_per_class},
    [SPLIT_PERCENT] = {SHARES DRAWN, 0.05, 0.15, SPLIT_NUMPY, 3000, 0, false, draw_percent},
    [SPLIT_UNIFORM] = {SHARES DRAWN, 0.6, 0.2, SPLIT_NUMPY, SEED_UNKNOWN, 0, false, draw_uniform},
    [SPLIT_GPR] = {SHARES DRAWN, 0.6, 0.2, SPLIT_NUMPY, SEED_UNKNOWN, 0, false, draw_gpr},
    [SPLIT_STRATIFIED] = {SHARES DRAWN, 0.4, 0.2, SPLIT_NUMPY, 3407, 10, false, draw_stratified},
    [SPLIT_GAD_SEMI] = {"train_size" DRAWN, 0, 0, SPLIT_NUMPY, 3497, 0, true, draw_gad_semi},
    [SPLIT_GAD_OFFICIAL] = {SHARES DRAWN, 0.7, 0.1, SPLIT_NUMPY, 717, 0, false, draw_gad_official},
    [SPLIT_PLL] = {SHARES DRAWN, 0.9, 0.1, SPLIT_NUMPY, SEED_HASHED, 0, false, draw_pll},
    [SPLIT_IGL] = {SHARES DRAWN, 0.1, 0.1, SPLIT_PYTHON, 10, 0, false, draw_igl},
    [SPLIT_IGL_QUOTA] = {SHARES DRAWN, 0.1, 0.1, SPLIT_PYTHON, SEED_UNKNOWN, 0, false, draw_igl_quota},
};

static split_scheme scheme_named(const char *name)
{
    int scheme = SPLIT_AUTO;
    while (schemes[scheme] && strcmp(schemes[scheme], name) != 0) scheme++;
    cru_assert(schemes[scheme], "%s is no scheme", name);
    return (split_scheme)scheme;
}

bool split_scheme_uses(const char *scheme, const char *key)
{
    if (strcmp(key, "scheme") == 0 || strcmp(key, "view") == 0) return true;
    const size_t length = strlen(key);
    for (const char *at = studies[scheme_named(scheme)].keys; *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, key, length) == 0) return true;
        at += word;
    }
    return false;
}

/* PLENCH seeds trial t with the hash of "(t,)". */
static uint64_t hashed_seed(uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "(%" PRIu64 ",)", number);
    return seed_hash(text);
}

static cru_status choose_generator(const split_settings *s, const study *from, drawing *d, cru_error *err)
{
    int64_t base = s->base, step = s->step;
    d->rng = (split_rng)s->rng;
    if (d->rng == SPLIT_STUDY) {
        d->rng = from->rng;
        if (base < 0) {
            base = from->base;
            step = from->step;
            d->one_generator = from->one_generator;
        }
        if (base == SEED_UNKNOWN) {
            return cru_fail(err, CRU_UNSUPPORTED,
                            "split %s: its study's seeds are not one for all datasets or are lost; give rng "
                            "and base, or leave rng = philox",
                            schemes[s->scheme]);
        }
    }
    uint64_t number = (uint64_t)d->number;
    d->seed = base == SEED_HASHED ? hashed_seed(number) : base >= 0 ? (uint64_t)(base + step * d->number) : number;
    if (d->rng != SPLIT_PHILOX && d->seed > UINT32_MAX) {
        return cru_fail(err, CRU_BAD_INPUT, "split: %s takes seeds up to 4294967295, not %" PRIu64, generators[d->rng],
                        d->seed);
    }
    return CRU_OK;
}

static double share_or(double given, double usual)
{
    return given < 0 ? usual : given;
}

static int64_t size_or(int64_t given, int64_t usual)
{
    return given < 0 ? usual : given;
}

static cru_status choose_shares(split_scheme scheme, double *train, double *val, cru_error *err)
{
    *train = share_or(*train, studies[scheme].train);
    *val = share_or(*val, studies[scheme].val);
    if (*train + *val > 1 && scheme != SPLIT_PLL) /* there val is a share of the development part */
        return cru_fail(err, CRU_BAD_INPUT, "split: train = %g and val = %g leave nothing to test", *train, *val);
    return CRU_OK;
}

static cru_status choose_numbers(const split_settings *s, drawing *d, cru_error *err)
{
    d->train = s->train;
    d->val = s->val;
    d->train_size = size_or(s->train_size, 20);
    d->val_size = size_or(s->val_size, 500);
    d->test_size = size_or(s->test_size, 1000);
    return choose_shares((split_scheme)s->scheme, &d->train, &d->val, err);
}

cru_status split_check_shares(const char *scheme, const char *const shares[2], cru_error *err)
{
    double train = strtod(shares[0], NULL), val = strtod(shares[1], NULL);
    return choose_shares(scheme_named(scheme), &train, &val, err);
}

static bool start_parts(drawing *d, cru_data *data)
{
    part *parts[] = {&d->train_part, &d->val_part, &d->test_part, &d->pool};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i]->ids = cru_data_alloc(data, data->items, sizeof *parts[i]->ids);
        if (!parts[i]->ids) return false;
    }
    d->used = cru_data_alloc(data, data->items, sizeof *d->used);
    return d->used != NULL;
}

static cru_status draw(const split_settings *s, cru_data *data, uint64_t seed, cru_error *err)
{
    const study *from = &studies[s->scheme];
    if (seed > INT32_MAX) return cru_fail(err, CRU_BAD_INPUT, "split: seed %" PRIu64 " is too large", seed);
    drawing d = {.data = data, .number = (int64_t)seed};
    cru_status status = choose_numbers(s, &d, err);
    if (status == CRU_OK) status = choose_generator(s, from, &d, err);
    if (status == CRU_OK && !start_parts(&d, data)) status = cru_fail(err, CRU_NO_MEMORY, "no memory for a split");
    if (status == CRU_OK) status = from->draw(&d, err);
    if (status != CRU_OK) return status;
    data->split = (cru_split){.train = {d.train_part.ids, d.train_part.count},
                              .val = {d.val_part.ids, d.val_part.count},
                              .test = {d.test_part.ids, d.test_part.count}};
    if (d.train_part.count == 0) {
        return cru_fail(err, CRU_UNSUPPORTED, "split %s: nothing to train on among %" PRId64 " items",
                        schemes[s->scheme], data->items);
    }
    return CRU_OK;
}

static cru_status take_official(const split_settings *s, cru_data *data, uint64_t seed, cru_error *err)
{
    if (data->official_count == 0)
        return cru_fail(err, CRU_UNSUPPORTED, "split official: this dataset comes without splits of its own");
    if (s->index >= data->official_count) {
        return cru_fail(err, CRU_BAD_INPUT, "split official: index = %" PRId64 ", but there are %d", s->index,
                        data->official_count);
    }
    int64_t index = s->index >= 0 ? s->index : (int64_t)(seed % (uint64_t)data->official_count);
    data->split = data->official[index];
    return CRU_OK;
}

static bool has_labels(const cru_data *data)
{
    for (int64_t i = 0; i < data->items; i++)
        if (data->truth[i] != CRU_UNLABELLED) return true;
    return false;
}

cru_status data_split(const split_settings *settings, cru_data *data, uint64_t seed, cru_error *err)
{
    if (!has_labels(data))
        return cru_fail(err, CRU_UNSUPPORTED, "this dataset has no labels: there is nothing to learn and to test");
    split_settings s = *settings;
    if (s.scheme == SPLIT_AUTO) s.scheme = data->official_count > 0 ? SPLIT_OFFICIAL : SPLIT_STRATIFIED;
    if (s.scheme == SPLIT_OFFICIAL) return take_official(&s, data, seed, err);
    if (settings->scheme == SPLIT_AUTO) {
        s.train = share_or(s.train, studies[SPLIT_AUTO].train);
        s.val = share_or(s.val, studies[SPLIT_AUTO].val);
    }
    return draw(&s, data, seed, err);
}
