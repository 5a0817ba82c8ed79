// SPDX-License-Identifier: Apache-2.0
/* Forgets memory that it took from the system. */
#include "algorithm-stub.h"

/* Kept in a variable that the optimiser cannot remove. */
static void *volatile last;

static cru_status create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx)
{
    last = malloc(1000);
    return stub_create(self, plugin, settings, task, ctx);
}

STUB_ALGORITHM("create-leak", STUB_PROBLEMS, .create = create, .fit = stub_fit, .predict = stub_predict);
