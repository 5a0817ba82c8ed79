// SPDX-License-Identifier: Apache-2.0
#include <crucible/plugin.h>

uint32_t cru_monitor_epoch(cru_monitor *monitor, int64_t epoch, double train_loss, const float *scores)
{
    if (!monitor || !monitor->epoch) return CRU_GO_ON;
    return monitor->epoch(monitor->user, epoch, train_loss, scores);
}

int64_t cru_monitor_limit(const cru_monitor *monitor)
{
    return monitor && monitor->limit > 0 ? monitor->limit : INT64_MAX;
}

bool cru_monitor_before_step(const cru_monitor *monitor)
{
    return monitor && monitor->before_step;
}

bool cru_monitor_unless_dropout(const cru_monitor *monitor)
{
    return monitor && monitor->unless_dropout;
}

bool cru_monitor_validation_only(const cru_monitor *monitor)
{
    return monitor && monitor->validation_only;
}
