// SPDX-License-Identifier: Apache-2.0
/* Networks for rows and images, chosen by settings. */
#include <crucible/backbone.h>
#include <crucible/draft/nn.h>
#include <crucible/draft/ops-basic.h>

#include "nn/naming.h"

const char *const cru_backbone_names[] = {"auto", "linear", "mlp", "resnet", "densenet", NULL};

const cru_param cru_backbone_params[] = {
    {.key = "backbone",
     .type = CRU_PARAM_CHOICE,
     .offset = offsetof(cru_backbone_choice, kind),
     .choices = cru_backbone_names,
     .help = "the network below the scores; auto: resnet for images, mlp for rows"},
    CRU_INT(cru_backbone_choice, hidden, 500, 1, 65536, "mlp: units of a hidden layer"),
    CRU_INT(cru_backbone_choice, layers, 1, 1, CRU_MAX_LAYERS, "mlp: hidden layers"),
    CRU_INT(cru_backbone_choice, blocks, 5, 1, 64, "resnet: blocks of a stage; 5 is ResNet-32"),
    CRU_INT(cru_backbone_choice, width, 16, 1, 4096, "resnet: channels of the first stage"),
    CRU_INT(cru_backbone_choice, depth, 22, 10, 400, "densenet: layers"),
    CRU_INT(cru_backbone_choice, growth, 12, 1, 4096, "densenet: channels that a block adds"),
    CRU_END,
};

static cru_backbone_kind kind_for(const cru_backbone_choice *choice, const cru_task *task)
{
    if (choice->kind != CRU_BACKBONE_AUTO) return (cru_backbone_kind)choice->kind;
    return task->x.channels ? CRU_BACKBONE_RESNET : CRU_BACKBONE_MLP;
}

static void add_layers(cru_net *net, const cru_backbone_choice *choice, cru_backbone *b)
{
    b->layers = choice->layers;
    for (int64_t i = 0; i < b->layers; i++) {
        const tensor_name name = name_of_number("backbone", "fc", i + 1);
        b->layer[i] = cru_fc_create(net, name.text, b->features, choice->hidden);
        b->features = choice->hidden;
    }
}

static void add_resnet(cru_net *net, const cru_backbone_choice *choice, cru_backbone *b)
{
    const cru_resnet_shape shape = {.channels = b->channels, .blocks = choice->blocks, .width = choice->width};
    b->resnet = cru_resnet_create(net, "backbone", &shape);
    b->features = cru_resnet_features(b->resnet);
}

static void add_densenet(cru_net *net, const cru_backbone_choice *choice, cru_backbone *b)
{
    const cru_densenet_shape shape = {.channels = b->channels,
                                      .growth = choice->growth,
                                      .depth = choice->depth,
                                      .compression = 2,
                                      .bottleneck = true};
    b->densenet = cru_densenet_create(net, "backbone", &shape);
    b->features = cru_densenet_features(b->densenet);
}

cru_backbone cru_backbone_create(cru_net *net, const cru_backbone_choice *choice, const cru_task *task)
{
    cru_backbone b = {.kind = kind_for(choice, task),
                      .features = task->x.cols,
                      .channels = task->x.channels,
                      .height = task->x.height,
                      .width = task->x.width};
    const bool convolves = b.kind == CRU_BACKBONE_RESNET || b.kind == CRU_BACKBONE_DENSENET;
    if (convolves && !b.channels) {
        cru_ctx_fail(cru_net_ctx(net), CRU_UNSUPPORTED, "backbone = %s needs images, and the task has rows",
                     cru_backbone_names[b.kind]);
        return b;
    }
    if (b.kind == CRU_BACKBONE_MLP) add_layers(net, choice, &b);
    if (b.kind == CRU_BACKBONE_RESNET) add_resnet(net, choice, &b);
    if (b.kind == CRU_BACKBONE_DENSENET) add_densenet(net, choice, &b);
    return b;
}

static cru_tensor *as_images(cru_tape *t, const cru_backbone *b, const cru_input *x)
{
    const int64_t dim[4] = {x->rows, b->channels, b->height, b->width};
    return cru_reshape(t, x->dense, cru_nd(4, dim));
}

cru_tensor *cru_backbone_apply(cru_tape *t, const cru_backbone *backbone, const cru_input *x)
{
    if (backbone->resnet) return cru_resnet_apply(t, backbone->resnet, as_images(t, backbone, x));
    if (backbone->densenet) return cru_densenet_apply(t, backbone->densenet, as_images(t, backbone, x));
    if (!backbone->layers) return cru_input_dense(t, x);
    const cru_fc *first = &backbone->layer[0];
    cru_tensor *h = x->dense ? cru_linear_act(t, x->dense, first->w, first->b, CRU_UNARY_RELU)
                             : cru_relu(t, cru_fc_input(t, first, x));
    for (int64_t i = 1; i < backbone->layers; i++)
        h = cru_linear_act(t, h, backbone->layer[i].w, backbone->layer[i].b, CRU_UNARY_RELU);
    return h;
}

cru_classifier cru_classifier_create(cru_net *net, const cru_backbone_choice *choice, const cru_task *task)
{
    cru_classifier c = {.backbone = cru_backbone_create(net, choice, task)};
    c.head = cru_fc_create(net, "classifier", c.backbone.features, task->classes);
    return c;
}

cru_tensor *cru_classifier_apply(cru_tape *t, const cru_classifier *classifier, const cru_input *x)
{
    if (classifier->backbone.kind == CRU_BACKBONE_LINEAR) return cru_fc_input(t, &classifier->head, x);
    return cru_fc_apply(t, &classifier->head, cru_represent(t, cru_backbone_apply(t, &classifier->backbone, x)));
}
