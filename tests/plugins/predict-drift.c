// SPDX-License-Identifier: Apache-2.0
/* Predicts something else each time it is asked. */
#include "algorithm-stub.h"

static cru_status predict(void *self, float *scores)
{
    stub *s = self;
    stub_predict(self, scores);
    s->scores[0] += 1;
    return CRU_OK;
}

STUB_ALGORITHM("predict-drift", STUB_PROBLEMS, .create = stub_create, .fit = stub_fit, .predict = predict);
