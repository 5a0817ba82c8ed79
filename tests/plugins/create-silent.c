// SPDX-License-Identifier: Apache-2.0
/* Claims nodes only and refuses all else without a word. */
#include "algorithm-stub.h"

static cru_status create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx)
{
    if (task->problem != CRU_NODES) return CRU_UNSUPPORTED;
    return stub_create(self, plugin, settings, task, ctx);
}

STUB_ALGORITHM("create-silent", CRU_NODES, .create = create, .fit = stub_fit, .predict = stub_predict);
