// SPDX-License-Identifier: Apache-2.0
/* metric-needs.h: whether data has what a metric looks at, so that an experiment which cannot be judged fails before it
 * trains anything. */
#ifndef CORE_RUNNER_METRIC_NEEDS_H
#define CORE_RUNNER_METRIC_NEEDS_H

#include "config/config.h"

/* CRU_UNSUPPORTED, naming the metric and what is missing. */
cru_status metric_needs_check(const variant *metric, const cru_data *data, cru_error *err);

#endif
