/* @name@: TODO one line: what goes wrong with the data.
 *
 *     P(observed = (true + 1) mod C) = rate      otherwise the label stays            TODO your distribution
 *
 * TODO Authors. Title. Venue Year.
 *
 *     gcc -O2 -shared -fPIC @name@.c -o @name@.so $(pkg-config --cflags --libs crucible)
 *     crucible check ./@name@.so && crucible run @name@.ini
 */
#include <math.h>

#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    double rate;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "share of the training labels that are wrong"),
    /* TODO your own */
    CRU_END,
};

/* Edits `data` in place. All chance must come from `rng`: then every method meets the same damage. What it did goes to
 * `report` and is stored with the results. TODO labels, candidate sets, edges, features, or the split */
static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    if (data->classes < 2) return cru_fail(d->err, CRU_UNSUPPORTED, "one class: there is no wrong label");
    int64_t changed = 0;
    const cru_ids train = data->split.train;
    for (int64_t i = 0; i < train.count; i++) {
        int32_t *label = &data->labels[train.ids[i]];
        if (cru_rng_uniform(d->rng) >= s->rate || *label == CRU_UNLABELLED) continue;
        *label = (*label + 1) % data->classes;
        changed++;
    }
    cru_report_number(d->report, "noise_rate", train.count ? (double)changed / (double)train.count : NAN);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "@name@",
    .version = "0.1", /* part of every result's key: change it when results change */
    .summary = "training labels move to the next class",
    .authors = NULL,  /* TODO */
    .citation = NULL, /* TODO */
    .license = NULL,  /* TODO */
    .problems = PROBLEMS,
};
