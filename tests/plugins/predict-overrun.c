// SPDX-License-Identifier: Apache-2.0
/* Writes one score too many. */
#include "algorithm-stub.h"

static cru_status predict(void *self, float *scores)
{
    const stub *s = self;
    stub_predict(self, scores);
    scores[s->task->items * s->task->classes] = 1;
    return CRU_OK;
}

STUB_ALGORITHM("predict-overrun", STUB_PROBLEMS, .create = stub_create, .fit = stub_fit, .predict = predict);
