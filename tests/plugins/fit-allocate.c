// SPDX-License-Identifier: Apache-2.0
/* Takes memory, and uses it, until there is none. */
#include "algorithm-stub.h"

static cru_status fit(void *self, cru_monitor *monitor)
{
    enum { PIECE = 1 << 24 };
    stub *s = self;
    (void)monitor;
    while (memset(cru_ctx_alloc(s->ctx, PIECE, 1), 1, PIECE)) continue;
    return CRU_OK;
}

STUB_ALGORITHM("fit-allocate", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
