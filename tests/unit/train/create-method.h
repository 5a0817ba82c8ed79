// SPDX-License-Identifier: Apache-2.0
/* create-method.h: an instance of a method that stands in a test instead of a plugin. */
#ifndef TESTS_TRAIN_CREATE_METHOD_H
#define TESTS_TRAIN_CREATE_METHOD_H

#include <crucible/crucible.h>

/* What a plugin tells of such a method. */
typedef struct test_method {
    const cru_method *method;
    uint32_t problems;
    size_t settings_size;
} test_method;

static inline cru_status create_method(const test_method *how, cru_learner **self, const void *settings,
                                       const cru_task *task, cru_ctx *ctx)
{
    cru_plugin *plugin = cru_ctx_alloc(ctx, 1, sizeof *plugin);
    *plugin = (cru_plugin){CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
                           .name = "test",
                           .problems = how->problems,
                           .settings_size = (uint32_t)how->settings_size,
                           .vtable = &cru_method_vtable,
                           .method = how->method};
    void *made = NULL;
    const cru_status status = cru_method_vtable.create(&made, plugin, settings, task, ctx);
    *self = made;
    return status;
}

#endif
