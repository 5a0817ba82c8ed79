// SPDX-License-Identifier: Apache-2.0
/* Frees all it allocates, but every instance in other sizes: malloc's caches of freed pieces fill slowly. */
#include "algorithm-stub.h"

static cru_status create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx)
{
    static size_t turn;
    void *pieces[7];
    size_t size = 24 + 16 * (turn++ % 60);
    for (int i = 0; i < 7; i++) pieces[i] = malloc(size);
    for (int i = 0; i < 7; i++) free(pieces[i]);
    return stub_create(self, plugin, settings, task, ctx);
}

STUB_ALGORITHM("create-fickle", STUB_PROBLEMS, .create = create, .fit = stub_fit, .predict = stub_predict);
