// SPDX-License-Identifier: Apache-2.0
/* Its result depends on the number of threads. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    cru_status status = stub_fit(self, monitor);
    s->scores[0] += (float)cru_ctx_threads(s->ctx);
    return status;
}

STUB_ALGORITHM("fit-threads", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
