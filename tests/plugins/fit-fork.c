// SPDX-License-Identifier: Apache-2.0
/* Starts a process, which starts a process, and so on, as long as the system lets it. */
#include <unistd.h>

#include "algorithm-stub.h"

/* Five generations are enough to see whether forking is stopped, and few enough to survive when it is not. */
static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    (void)monitor;
    for (int generation = 0; generation < 5; generation++)
        if (fork() < 0) return cru_ctx_fail(s->ctx, CRU_FAILED, "fork is forbidden");
    while (pause()) continue;
    return CRU_OK;
}

STUB_ALGORITHM("fit-fork", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
