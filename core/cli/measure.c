// SPDX-License-Identifier: Apache-2.0
#include "cli/measure.h"

#include <math.h>
#include <stdlib.h>

#include "loader/loader.h"

static void ignore_report(void *user, const char *name, const double *values, int64_t count)
{
    (void)user;
    (void)name;
    (void)values;
    (void)count;
}

double measure_data(const cru_data *data, const registry_entry *metric)
{
    static const cru_param no_params[] = {CRU_END};
    const cru_plugin *plugin;
    double value = NAN;
    if (!(metric->problems & data->problem)) return NAN;
    if (plugin_open(metric->path, CRU_KIND_METRIC, metric->name, &plugin, NULL) != CRU_OK) return NAN;
    cru_settings *settings = cru_settings_create(plugin->params ? plugin->params : no_params, plugin->settings_size);
    int32_t *all = malloc(((size_t)data->items + 1) * sizeof *all);
    for (int64_t i = 0; all && i < data->items; i++) all[i] = (int32_t)i;
    cru_report report = {.sink = {.put = ignore_report}};
    cru_error err = {0};
    const cru_judging judging = {.size = sizeof judging,
                                 .settings = settings ? cru_settings_struct(settings) : NULL,
                                 .data = data,
                                 .items = {all, data->items},
                                 .report = &report,
                                 .err = &err};
    const cru_metric *vtable = plugin->vtable;
    if (!settings || !all || vtable->score(&judging, &value) != CRU_OK) value = NAN;
    free(all);
    cru_settings_destroy(settings);
    return value;
}
