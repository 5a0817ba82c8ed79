// SPDX-License-Identifier: Apache-2.0
/* feature-noise: features are lost, or blurred.
 *
 *     mask:      every value becomes 0 with probability rate; with unit = row or column all values of an item's (a
 *                node's) row, or of a column, are lost together
 *     gaussian:  x + rate s e      e ~ N(0, 1), s: the standard deviation of all values
 *
 * Sparse features stay sparse: only stored values are touched, and s is that of the stored values. */
#include <math.h>

#include <crucible/csr.h>
#include <crucible/plugin.h>

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef enum kind { MASK, GAUSSIAN } kind;
static const char *const kinds[] = {"mask", "gaussian", NULL};

typedef enum unit { VALUE, ROW, COLUMN } unit;
static const char *const units[] = {"value", "row", "column", NULL};

typedef struct settings {
    double rate;
    int64_t kind, unit;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, CRU_NO_MAX, "mask: share that is lost; gaussian: noise in standard deviations"),
    CRU_CHOICE(settings, kind, MASK, kinds, "how features are damaged"),
    CRU_CHOICE(settings, unit, VALUE, units, "mask: what is lost as a whole"),
    CRU_END,
};

static double deviation(const float *x, int64_t count)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)x[i];
    const double mean = count ? sum / (double)count : 0;
    for (int64_t i = 0; i < count; i++) squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    return count ? sqrt(squares / (double)count) : 0;
}

static float *copy_values(cru_data *data, const float *x, int64_t count)
{
    float *values = cru_pool_alloc(cru_data_pool(data), count, sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = x ? x[i] : 1;
    return values;
}

/* For each of `count` rows or columns, whether it is lost. */
static uint8_t *draw_lost(const settings *s, cru_data *data, int64_t count, cru_rng *rng)
{
    uint8_t *lost = cru_pool_alloc(cru_data_pool(data), count, 1);
    for (int64_t i = 0; i < count; i++) lost[i] = cru_rng_uniform(rng) < s->rate;
    return lost;
}

/* Returns how many values were set to 0. */
static int64_t mask(const settings *s, cru_data *data, float *values, cru_rng *rng)
{
    const cru_features *x = &data->x;
    int64_t lost = 0;
    const uint8_t *rows = s->unit == ROW ? draw_lost(s, data, x->rows, rng) : NULL;
    const uint8_t *cols = s->unit == COLUMN ? draw_lost(s, data, x->cols, rng) : NULL;
    for (int64_t r = 0; r < x->rows; r++) {
        const int64_t from = x->dense ? r * x->cols : x->sparse.offsets[r];
        const int64_t to = x->dense ? from + x->cols : x->sparse.offsets[r + 1];
        for (int64_t e = from; e < to; e++) {
            const bool goes = rows   ? rows[r]
                              : cols ? cols[x->dense ? e - from : x->sparse.ids[e]]
                                     : cru_rng_uniform(rng) < s->rate;
            if (!goes) continue;
            values[e] = 0;
            lost++;
        }
    }
    return lost;
}

static void blur(const settings *s, float *values, int64_t count, cru_rng *rng)
{
    const double scale = s->rate * deviation(values, count);
    for (int64_t i = 0; i < count; i++) values[i] = (float)((double)values[i] + scale * cru_rng_normal(rng));
}

static bool stored(void *user, int64_t row, int32_t col, float value)
{
    (void)user;
    (void)row;
    (void)col;
    return value != 0;
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    cru_features *x = &data->x;
    if (x->cols == 0) return cru_fail(d->err, CRU_UNSUPPORTED, "there are no features to damage");
    const int64_t count = x->dense ? x->rows * x->cols : cru_csr_nnz(&x->sparse);
    float *values = copy_values(data, x->dense ? x->dense : x->sparse.values, count);
    int64_t lost = 0;
    if (s->kind == MASK)
        lost = mask(s, data, values, d->rng);
    else
        blur(s, values, count, d->rng);
    if (x->dense) {
        x->dense = values;
    } else {
        x->sparse.values = values;
        x->sparse = cru_csr_filter(cru_data_pool(data), &x->sparse, stored, NULL);
    }
    cru_report_number(d->report, "features_lost", count ? (double)lost / (double)count : NAN);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "feature-noise",
    .version = "1.1",
    .summary = "features lost or blurred",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
