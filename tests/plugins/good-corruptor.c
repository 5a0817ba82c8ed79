// SPDX-License-Identifier: Apache-2.0
/* Draws every training label anew with probability `rate`. */
#include <crucible/plugin.h>

typedef struct settings {
    double rate;
} settings;

static const cru_param schema[] = {CRU_FLOAT(settings, rate, 0.5, 0, 1, "share of labels drawn anew"), CRU_END};

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const double rate = ((const settings *)d->settings)->rate;
    int64_t drawn = 0;
    for (int64_t i = 0; i < data->split.train.count; i++) {
        if (cru_rng_uniform(d->rng) >= rate) continue;
        data->labels[data->split.train.ids[i]] = (int32_t)cru_rng_below(d->rng, data->classes);
        drawn++;
    }
    cru_report_number(d->report, "drawn", (double)drawn);
    return CRU_OK;
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "good-corruptor",
    .version = "1.0",
    .summary = "labels drawn anew",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
