// SPDX-License-Identifier: Apache-2.0
/* Does not repeat itself: its randomness does not come from the context. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    static float instances;
    stub *s = self;
    cru_status status = stub_fit(self, monitor);
    s->scores[0] += instances++;
    return status;
}

STUB_ALGORITHM("fit-restless", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
