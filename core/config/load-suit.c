// SPDX-License-Identifier: Apache-2.0
/* Whether the metrics can judge the datasets, as far as cards and plugins tell. What only the data tells is checked
 * before the first trial on it (runner/metric-needs.h). */
#include <string.h>

#include "config/plan.h"

/* The problem kinds that a dataset can be; 0 when its card does not say. */
static uint32_t kinds_of(const section *dataset)
{
    static const uint32_t kinds[] = {CRU_NODES, CRU_GRAPHS, CRU_ANOMALY, CRU_ROWS};
    const card *c = dataset->dataset.card;
    char text[PROBLEMS_TEXT_SIZE];
    if (!c) return dataset->plugin ? dataset->plugin->problems : 0;
    for (size_t i = 0; c->task && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(problems_text(kinds[i], text), c->task) == 0) return kinds[i];
    return 0;
}

static void check_pair(config_loader *l, const section *metric, const section *dataset)
{
    const registry_entry *plugin = metric->plugin;
    const card *c = dataset->dataset.card;
    const uint32_t kinds = kinds_of(dataset);
    char can[PROBLEMS_TEXT_SIZE], is[PROBLEMS_TEXT_SIZE];
    if (plugin->problems && kinds && !(plugin->problems & kinds))
        diagnostics_add(l->doc.diags, &metric->place, metric->name, "judges %s, and dataset %s is %s",
                        problems_text(plugin->problems, can), dataset->name, problems_text(kinds, is));
    else if (c && c->expect.classes > 2 && plugin->flags & CRU_METRIC_OF_TWO_CLASSES)
        diagnostics_add(l->doc.diags, &metric->place, metric->name, "needs two classes, and dataset %s has %lld",
                        dataset->name, (long long)c->expect.classes);
    else if (c && c->expect.features == 0 && plugin->flags & CRU_METRIC_OF_FEATURES)
        diagnostics_add(l->doc.diags, &metric->place, metric->name, "needs features, and dataset %s has none",
                        dataset->name);
}

void loader_suit(config_loader *l)
{
    int64_t metric_count, dataset_count;
    section **metrics = loader_selected(l, SECTION_METRIC, &metric_count);
    section **datasets = loader_selected(l, SECTION_DATASET, &dataset_count);
    for (int64_t i = 0; i < metric_count; i++)
        for (int64_t k = 0; metrics[i]->plugin && k < dataset_count; k++) check_pair(l, metrics[i], datasets[k]);
}
