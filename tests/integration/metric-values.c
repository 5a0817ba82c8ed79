// SPDX-License-Identifier: Apache-2.0
/* Computes metrics of cases that a script invents, all in one process.
 *
 *     metric-values PLUGIN-FOLDER METRIC[:KEY=VALUE]... < cases
 *
 * A case is a line of numbers: items, classes, the true class of every item, the scores of every item. The answer is a
 * line with the value of each metric. The scores also stand for the embedding. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/loader.h"

enum { MOST_METRICS = 40 };

typedef struct measure {
    const cru_metric *metric;
    cru_settings *settings;
} measure;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "metric-values: %s: %s\n", what, why);
    exit(1);
}

static measure measure_open(const char *folder, char *text)
{
    static const cru_param none[] = {CRU_END};
    char path[1000], *key = strchr(text, ':'), *value = key ? strchr(key, '=') : NULL;
    const cru_plugin *plugin;
    cru_error err = {0};
    if (key) *key++ = 0;
    if (value) *value++ = 0;
    snprintf(path, sizeof path, "%s/%s.so", folder, text);
    if (plugin_open(path, CRU_KIND_METRIC, text, &plugin, &err) != CRU_OK) stop(text, err.text);
    measure m = {plugin->vtable, cru_settings_create(plugin->params ? plugin->params : none, plugin->settings_size)};
    if (!m.settings || (value && cru_settings_set(m.settings, key, value, &err) != CRU_OK)) stop(text, err.text);
    return m;
}

static double number(void)
{
    double value;
    if (scanf("%lf", &value) != 1) stop("input", "a case is cut short");
    return value;
}

static cru_data *data_read(int64_t items, int32_t classes)
{
    cru_data *data = cru_data_create();
    data->problem = CRU_ROWS;
    data->items = data->nodes = items;
    data->classes = classes;
    data->truth = cru_data_alloc(data, items, sizeof *data->truth);
    int32_t *all = cru_data_alloc(data, items, sizeof *all);
    for (int64_t i = 0; i < items; i++) {
        data->truth[i] = (int32_t)number();
        all[i] = (int32_t)i;
    }
    data->split.test = (cru_ids){all, items};
    return data;
}

int main(int argc, char **argv)
{
    measure measures[MOST_METRICS];
    if (argc < 3 || argc - 2 > MOST_METRICS) stop("usage", "PLUGIN-FOLDER METRIC...");
    for (int i = 2; i < argc; i++) measures[i - 2] = measure_open(argv[1], argv[i]);
    for (double items; scanf("%lf", &items) == 1; printf("\n")) {
        const int32_t classes = (int32_t)number();
        cru_data *data = data_read((int64_t)items, classes);
        float *scores = cru_data_alloc(data, data->items * classes, sizeof *scores);
        for (int64_t i = 0; i < data->items * classes; i++) scores[i] = (float)number();
        cru_judging judging = {.size = sizeof judging,
                               .data = data,
                               .scores = scores,
                               .items = data->split.test,
                               .embedding = scores,
                               .embedding_cols = classes};
        for (int i = 0; i < argc - 2; i++) {
            double value;
            cru_error err = {0};
            const measure *m = &measures[i];
            judging.settings = cru_settings_struct(m->settings);
            judging.err = &err;
            cru_status status = m->metric->score(&judging, &value);
            printf(status == CRU_OK ? "%.17g " : "refused ", value);
        }
        cru_data_destroy(data);
    }
    for (int i = 2; i < argc; i++) cru_settings_destroy(measures[i - 2].settings);
    return 0;
}
