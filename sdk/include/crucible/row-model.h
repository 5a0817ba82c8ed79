// SPDX-License-Identifier: Apache-2.0
/* row-model.h: one network for rows or images, trained in steps; for methods that differ in what they minimise.
 *
 *     typedef struct settings { double weight; cru_row_settings row; } settings;
 *     static const cru_param schema[] = {..., CRU_ROW_SETTINGS(settings, row), CRU_END};
 *
 *     typedef struct model { cru_row_model row; cru_tensor *q; } model;             // cru_row_model comes first
 *     static cru_tensor *batch_loss(void *self, cru_tape *t, const cru_batch *batch)
 *     {
 *         cru_tensor *z = cru_row_model_classify(self, t, &batch->x);               // b x classes
 *         ...
 *     }
 *     static const cru_method method = {.model_size = sizeof(model), .train = offsetof(settings, row.train), ...,
 *                                       .build = cru_row_model_build, .classify = cru_row_model_classify,
 *                                       .batch_loss = batch_loss}; */
#ifndef CRUCIBLE_ROW_MODEL_H
#define CRUCIBLE_ROW_MODEL_H

#include <crucible/backbone.h>
#include <crucible/train.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_row_settings {
    cru_backbone_choice backbone;
    cru_train train;
} cru_row_settings;

/* Entries of a schema for a cru_row_settings member. */
#define CRU_ROW_SETTINGS(type_, member_)                                                                               \
    {.key = "network",                                                                                                 \
     .type = CRU_PARAM_GROUP,                                                                                          \
     .offset = offsetof(type_, member_.backbone),                                                                      \
     .group = cru_backbone_params},                                                                                    \
        CRU_STEP_SETTINGS(type_, member_.train)

typedef struct cru_row_model {
    cru_learner base;
    cru_classifier net;
} cru_row_model;

/* Hooks of cru_method for a model that begins with a cru_row_model and whose `train` is that of a cru_row_settings. A
 * method with more to build calls the first from its own. */
CRU_API cru_status cru_row_model_build(void *model);
CRU_API cru_tensor *cru_row_model_classify(void *model, cru_tape *t, const cru_input *x);

#ifdef __cplusplus
}
#endif
#endif
