// SPDX-License-Identifier: Apache-2.0
/* Predicts not-a-number for its last score. */
#include "algorithm-stub.h"

static cru_status predict(void *self, float *scores)
{
    const stub *s = self;
    stub_predict(self, scores);
    scores[s->task->items * s->task->classes - 1] = NAN;
    return CRU_OK;
}

STUB_ALGORITHM("predict-nan", STUB_PROBLEMS, .create = stub_create, .fit = stub_fit, .predict = predict);
