// SPDX-License-Identifier: Apache-2.0
/* A metric that works, for plugins that are broken elsewhere. */
#ifndef TESTS_METRIC_STUB_H
#define TESTS_METRIC_STUB_H

#include <crucible/plugin.h>

static cru_status stub_score(const cru_judging *j, double *value)
{
    (void)j;
    *value = 0;
    return CRU_OK;
}

static const cru_metric stub_metric = {.size = sizeof(cru_metric), .score = stub_score};

#define STUB_TEXTS .version = "1.0", .summary = "broken on purpose"

#endif
