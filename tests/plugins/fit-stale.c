// SPDX-License-Identifier: Apache-2.0
/* Keeps a tensor of one step for the next. */
#include <crucible/crucible.h>

#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    cru_tape *t = cru_tape_create(s->ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *kept = cru_tensor_scalar(t, 1);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor_scalar(t, 2);
    cru_relu(t, kept);
    return stub_fit(self, monitor);
}

STUB_ALGORITHM("fit-stale", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
