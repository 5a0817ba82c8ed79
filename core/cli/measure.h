// SPDX-License-Identifier: Apache-2.0
/* measure.h: metrics that describe data, outside of trials. It loads the plugin: only in a child that may. */
#ifndef CORE_CLI_MEASURE_H
#define CORE_CLI_MEASURE_H

#include <crucible/task.h>

#include "registry/registry.h"

/* The value of one dataset metric with its default settings; NAN when it is not defined here or cannot be had. */
double measure_data(const cru_data *data, const registry_entry *metric);

#endif
