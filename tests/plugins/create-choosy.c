// SPDX-License-Identifier: Apache-2.0
/* Claims nodes only and says so when it is given anything else. */
#include "algorithm-stub.h"

static cru_status create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx)
{
    cru_status status = stub_refuse(CRU_NODES, task, ctx);
    return status == CRU_OK ? stub_create(self, plugin, settings, task, ctx) : status;
}

STUB_ALGORITHM("create-choosy", CRU_NODES, .create = create, .fit = stub_fit, .predict = stub_predict);
