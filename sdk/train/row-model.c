// SPDX-License-Identifier: Apache-2.0
/* One network for rows or images, as the settings say. */
#include <crucible/row-model.h>

cru_status cru_row_model_build(void *model)
{
    cru_row_model *m = model;
    const char *settings = (const char *)m->base.train - offsetof(cru_row_settings, train);
    const cru_row_settings *s = (const cru_row_settings *)(const void *)settings;
    m->net = cru_classifier_create(m->base.net, &s->backbone, m->base.task);
    return cru_ctx_status(m->base.ctx);
}

cru_tensor *cru_row_model_classify(void *model, cru_tape *t, const cru_input *x)
{
    const cru_row_model *m = model;
    return cru_classifier_apply(t, &m->net, x);
}
