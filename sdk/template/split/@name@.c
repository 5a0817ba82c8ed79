/* @name@: TODO one line: who trains, who validates, who is tested.
 *
 *     one shuffle of all items; the first train N train, the next val N validate        TODO your rule
 *
 * TODO Authors. Title. Venue Year.
 *
 *     gcc -O2 -shared -fPIC @name@.c -o @name@.so $(pkg-config --cflags --libs crucible)
 *     crucible check ./@name@.so && crucible run @name@.ini
 */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    double train, val;
} settings;

/* Keys of [split] beside scheme. */
static const cru_param schema[] = {
    CRU_FLOAT(settings, train, 0.5, 0, 1, "share of training items"),
    CRU_FLOAT(settings, val, 0.25, 0, 1, "share of validation items"),
    /* TODO your own */
    CRU_END,
};

/* Fills d->data->split; sees the truth, the graph and the splits that the data brings. An item without a true label
 * belongs to no part, no item to two. All randomness comes from d->rng. TODO */
static cru_status divide(const cru_dividing *d)
{
    const settings *s = d->settings;
    cru_data *data = d->data;
    int32_t *ids = cru_data_alloc(data, data->items, sizeof *ids);
    int64_t n = 0;
    if (!ids) return cru_fail(d->err, CRU_NO_MEMORY, "no memory for %lld items", (long long)data->items);
    for (int32_t i = 0; i < data->items; i++)
        if (data->truth[i] != CRU_UNLABELLED) ids[n++] = i;
    cru_rng_shuffle(d->rng, ids, n);
    const int64_t train = (int64_t)(s->train * (double)n), val = (int64_t)(s->val * (double)n);
    if (s->train + s->val > 1) return cru_fail(d->err, CRU_BAD_INPUT, "train and val exceed 1 together");
    if (train == 0) return cru_fail(d->err, CRU_UNSUPPORTED, "nothing to train on among %lld items", (long long)n);
    data->split =
        (cru_split){.train = {ids, train}, .val = {ids + train, val}, .test = {ids + train + val, n - train - val}};
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(settings, schema),
    .name = "@name@",
    .version = "0.1", /* part of every result's key: change it when results change */
    .summary = "one shuffle, cut twice",
    .authors = NULL,  /* TODO */
    .citation = NULL, /* TODO */
    .license = NULL,  /* TODO */
    .problems = PROBLEMS,
};
