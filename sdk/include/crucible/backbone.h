// SPDX-License-Identifier: Apache-2.0
/* backbone.h: networks for rows and images, chosen by settings.
 *
 * A backbone turns a row or an image into features; a classifier is a backbone with one linear layer for the scores. A
 * method that takes its network from here runs on tables with a perceptron and on images with a residual network
 * without knowing it:
 *
 *     typedef struct settings { cru_backbone_choice backbone; cru_train train; } settings;
 *     ... CRU_BACKBONE_SETTINGS(settings, backbone), CRU_STEP_SETTINGS(settings, train), CRU_END};
 *
 *     CRU_PLUGIN = {CRU_METHOD(settings, schema, model, .backbone = CRU_AT(settings, backbone), ...), ...};
 *     cru_tensor *z = cru_learner_classify(l, t, &batch->x);                       // b x classes
 *
 * or, for further networks,
 *
 *     m->second = cru_classifier_create(cru_learner_net(l, "second"), &s->backbone, l->task);
 *     cru_tensor *z = cru_classifier_apply(t, &m->second, &batch->x); */
#ifndef CRUCIBLE_BACKBONE_H
#define CRUCIBLE_BACKBONE_H

#include <crucible/nn.h>
#include <crucible/params.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cru_backbone_kind {
    CRU_BACKBONE_AUTO = 0, /* resnet for images, mlp for rows */
    CRU_BACKBONE_LINEAR,   /* the row itself */
    CRU_BACKBONE_MLP,      /* hidden layers of `hidden` units, each with a relu */
    CRU_BACKBONE_RESNET,   /* cru_resnet with `blocks` and `width`: 5 and 16 are ResNet-32, 64 features */
    CRU_BACKBONE_DENSENET, /* cru_densenet of `depth` with `growth`, bottlenecks, compression 2: 22 and 12, 69 features
                            */
} cru_backbone_kind;
CRU_API extern const char *const cru_backbone_names[]; /* "auto", "linear", "mlp", "resnet", "densenet", NULL */

typedef struct cru_backbone_choice {
    int64_t kind; /* cru_backbone_kind */
    int64_t hidden, layers, blocks, width, depth, growth;
} cru_backbone_choice;

/* Entries of a schema for a cru_backbone_choice member. */
CRU_API extern const cru_param cru_backbone_params[];
#define CRU_BACKBONE_SETTINGS(type_, member_) CRU_GROUP(type_, member_, cru_backbone_params)

typedef struct cru_backbone {
    cru_backbone_kind kind; /* never auto */
    int64_t features;       /* of its result */
    int64_t layers;
    cru_fc layer[CRU_MAX_LAYERS];
    struct cru_resnet *resnet;       /* of draft/nn.h */
    struct cru_densenet *densenet;   /* of draft/nn.h */
    int32_t channels, height, width; /* of an image */
} cru_backbone;

/* Weights go into the net under the name "backbone". A network for images on rows fails in the context. */
CRU_API cru_backbone cru_backbone_create(cru_net *net, const cru_backbone_choice *choice, const cru_task *task);
/* n x features */
CRU_API cru_tensor *cru_backbone_apply(cru_tape *t, const cru_backbone *backbone, const cru_input *x);

typedef struct cru_classifier {
    cru_backbone backbone;
    cru_fc head; /* features x classes, drawn as PyTorch's Linear */
} cru_classifier;

/* The head is named "classifier". */
CRU_API cru_classifier cru_classifier_create(cru_net *net, const cru_backbone_choice *choice, const cru_task *task);
/* n x classes */
CRU_API cru_tensor *cru_classifier_apply(cru_tape *t, const cru_classifier *classifier, const cru_input *x);

#ifdef __cplusplus
}
#endif
#endif
