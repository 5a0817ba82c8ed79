// SPDX-License-Identifier: Apache-2.0
/* Writes to an address that is not there while it trains. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    volatile int *volatile nowhere = (volatile int *)64;
    (void)self;
    (void)monitor;
    *nowhere = 1;
    return CRU_OK;
}

STUB_ALGORITHM("fit-crash", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
