// SPDX-License-Identifier: Apache-2.0
/* Waits forever, so that no processor time limit ends it. */
#include <unistd.h>

#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    (void)self;
    (void)monitor;
    while (pause()) continue;
    return CRU_OK;
}

STUB_ALGORITHM("fit-sleep", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
