// SPDX-License-Identifier: Apache-2.0
/* Convolution layers and residual networks of basic blocks (He et al. 2016, the CIFAR design). */
#include <crucible/draft/nn.h>
#include <crucible/draft/ops-image.h>
#include <crucible/nn.h>

#include "nn/naming.h"

cru_conv_layer cru_conv_create(cru_net *net, const char *name, cru_conv_size size)
{
    cru_init init = {.kind = CRU_INIT_KAIMING_FAN_OUT};
    const int64_t dim[4] = {size.out, size.in, size.kernel, size.kernel};
    return (cru_conv_layer){.w = cru_net_weight(net, name_of(name, "weight").text, cru_nd(4, dim), init),
                            .shape = {.stride = size.stride, .pad = size.kernel / 2}};
}

cru_tensor *cru_conv_apply(cru_tape *t, const cru_conv_layer *layer, cru_tensor *x)
{
    return cru_conv2d(t, x, layer->w, NULL, layer->shape);
}

/* ---- residual blocks ------------------------------------------------------------------------------------- */

cru_res_block cru_res_block_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t stride)
{
    cru_conv_size first = {.in = in, .out = out, .kernel = 3, .stride = stride};
    cru_conv_size second = {.in = out, .out = out, .kernel = 3};
    cru_res_block block = {.projected = stride != 1 || in != out};
    block.conv[0] = cru_conv_create(net, name_of(name, "conv1").text, first);
    block.norm[0] = cru_batch_norm_create(net, name_of(name, "bn1").text, out);
    block.conv[1] = cru_conv_create(net, name_of(name, "conv2").text, second);
    block.norm[1] = cru_batch_norm_create(net, name_of(name, "bn2").text, out);
    if (block.projected) {
        cru_conv_size project = {.in = in, .out = out, .kernel = 1, .stride = stride};
        block.shortcut = cru_conv_create(net, name_of(name, "downsample.0").text, project);
        block.shortcut_norm = cru_batch_norm_create(net, name_of(name, "downsample.1").text, out);
    }
    return block;
}

static cru_tensor *conv_norm(cru_tape *t, const cru_conv_layer *conv, const cru_batch_norm_layer *norm, cru_tensor *x)
{
    return cru_batch_norm_apply(t, norm, cru_conv_apply(t, conv, x));
}

cru_tensor *cru_res_block_apply(cru_tape *t, const cru_res_block *block, cru_tensor *x)
{
    cru_tensor *h = cru_relu(t, conv_norm(t, &block->conv[0], &block->norm[0], x));
    h = conv_norm(t, &block->conv[1], &block->norm[1], h);
    if (block->projected) x = conv_norm(t, &block->shortcut, &block->shortcut_norm, x);
    return cru_relu(t, cru_add(t, h, x));
}

/* ---- the network ----------------------------------------------------------------------------------------- */

enum { STAGES = 3 };

struct cru_resnet {
    cru_conv_layer stem;
    cru_batch_norm_layer stem_norm;
    int64_t blocks, features;
    cru_res_block *block;
};

cru_resnet *cru_resnet_create(cru_net *net, const char *name, const cru_resnet_shape *shape)
{
    cru_assert(shape->channels > 0 && shape->blocks > 0 && shape->width > 0,
               "resnet: %lld channels, %lld blocks a stage, width %lld", (long long)shape->channels,
               (long long)shape->blocks, (long long)shape->width);
    cru_resnet *resnet = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *resnet);
    cru_conv_size stem = {.in = shape->channels, .out = shape->width, .kernel = 3};
    resnet->stem = cru_conv_create(net, name_of(name, "conv1").text, stem);
    resnet->stem_norm = cru_batch_norm_create(net, name_of(name, "bn1").text, shape->width);
    resnet->block = cru_ctx_alloc(cru_net_ctx(net), STAGES * shape->blocks, sizeof *resnet->block);
    int64_t in = shape->width;
    for (int64_t stage = 0; stage < STAGES; stage++) {
        int64_t out = shape->width << stage;
        tensor_name layer = name_of_number(name, "layer", stage + 1);
        for (int64_t i = 0; i < shape->blocks; i++) {
            tensor_name own = name_of_number(layer.text, "", i);
            int64_t stride = stage > 0 && i == 0 ? 2 : 1;
            resnet->block[resnet->blocks++] = cru_res_block_create(net, own.text, in, out, stride);
            in = out;
        }
    }
    resnet->features = in;
    return resnet;
}

int64_t cru_resnet_features(const cru_resnet *resnet)
{
    return resnet->features;
}

cru_tensor *cru_resnet_apply(cru_tape *t, const cru_resnet *resnet, cru_tensor *images)
{
    cru_tensor *h = cru_relu(t, conv_norm(t, &resnet->stem, &resnet->stem_norm, images));
    for (int64_t i = 0; i < resnet->blocks; i++) h = cru_res_block_apply(t, &resnet->block[i], h);
    return cru_global_avg_pool(t, h);
}
