// SPDX-License-Identifier: Apache-2.0
#include "judge/metric-needs.h"

cru_status metric_needs_check(const variant *metric, const cru_data *data, cru_error *err)
{
    const registry_entry *plugin = metric->plugin;
    const uint32_t flags = plugin->flags;
    if (!(plugin->problems & (uint32_t)data->problem)) {
        char can[PROBLEMS_TEXT_SIZE], is[PROBLEMS_TEXT_SIZE];
        return cru_fail(err, CRU_UNSUPPORTED, "metric %s judges %s, and this is %s", metric->label,
                        problems_text(plugin->problems, can), problems_text((uint32_t)data->problem, is));
    }
    if (flags & CRU_METRIC_OF_CANDIDATES && !data->candidates)
        return cru_fail(err, CRU_UNSUPPORTED, "metric %s needs candidate sets, and there are none", metric->label);
    if (flags & CRU_METRIC_OF_FEATURES && data->x.cols == 0)
        return cru_fail(err, CRU_UNSUPPORTED, "metric %s needs features, and there are none", metric->label);
    if (flags & CRU_METRIC_OF_TWO_CLASSES && data->classes != 2)
        return cru_fail(err, CRU_UNSUPPORTED, "metric %s needs two classes, and there are %d", metric->label,
                        data->classes);
    return CRU_OK;
}
