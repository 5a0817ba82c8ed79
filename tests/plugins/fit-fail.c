// SPDX-License-Identifier: Apache-2.0
/* Gives up while it trains. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    (void)monitor;
    return cru_ctx_fail(s->ctx, CRU_FAILED, "the method gave up on purpose");
}

STUB_ALGORITHM("fit-fail", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
