// SPDX-License-Identifier: Apache-2.0
/* Works only where numbers too small for a full mantissa count as zero. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    volatile float small = 1e-30f;
    volatile float product = small * 1e-10f;
    if (product != 0) return cru_ctx_fail(s->ctx, CRU_FAILED, "1e-30 times 1e-10 is not zero here");
    return stub_fit(self, monitor);
}

STUB_ALGORITHM("fit-tiny", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
