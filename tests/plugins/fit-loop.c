// SPDX-License-Identifier: Apache-2.0
/* Trains forever and does not listen. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    volatile uint64_t turns = 0;
    (void)self;
    (void)monitor;
    while (++turns) continue;
    return CRU_OK;
}

STUB_ALGORITHM("fit-loop", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
