// SPDX-License-Identifier: Apache-2.0
/* Inductive learning: a trained model goes on with more nodes than it learned from. It is built a second time, on the
 * wider task, and takes over the weights. */
#include <crucible/draft/nn.h>

#include "train/learner.h"

void cru_weights_only(cru_learner *l, void *model, const void *trained)
{
    (void)l, (void)model, (void)trained;
}

static bool alike(const cru_learner *a, const cru_learner *b)
{
    if (a->net_count != b->net_count) return false;
    for (int64_t i = 0; i < a->net_count; i++)
        if (!cru_net_alike(a->nets[i], b->nets[i])) return false;
    return true;
}

static cru_status take_over(cru_learner *twin, const cru_learner *trained)
{
    if (!alike(twin, trained))
        return cru_ctx_fail(trained->ctx, CRU_UNSUPPORTED,
                            "cannot learn inductively: some weights belong to single nodes of the training graph");
    for (int64_t i = 0; i < trained->net_count; i++) cru_net_copy(twin->nets[i], trained->nets[i]);
    if (trained->method->widen) trained->method->widen(twin, twin->model, trained->model);
    return cru_ctx_status(trained->ctx);
}

cru_status method_widen(void *self, const cru_task *task)
{
    cru_learner *l = self;
    const cru_method *method = l->method;
    if (!method->widen && (method->prepare || method->epoch || method->after_epoch))
        return cru_ctx_fail(l->ctx, CRU_UNSUPPORTED,
                            "cannot learn inductively: the method does not say what it needs beside its weights");
    void *twin = NULL;
    cru_status status = method_create(&twin, l->plugin, l->settings, task, l->ctx);
    if (status) return status;
    status = take_over(twin, l);
    if (status) {
        method_destroy(twin);
        return status;
    }
    if (l->wider) method_destroy(l->wider);
    l->wider = twin;
    return cru_ctx_status(l->ctx);
}
