// SPDX-License-Identifier: Apache-2.0
/* Densely connected networks (Huang et al. 2017, the CIFAR design). */
#include <crucible/draft/nn.h>
#include <crucible/draft/ops-image.h>
#include <crucible/nn.h>

#include "nn/naming.h"

/* relu(bn(x)), then the convolution */
static cru_tensor *norm_conv(cru_tape *t, const cru_batch_norm_layer *norm, const cru_conv_layer *conv, cru_tensor *x)
{
    return cru_conv_apply(t, conv, cru_relu(t, cru_batch_norm_apply(t, norm, x)));
}

/* ---- dense blocks ------------------------------------------------------------------------------------- */

cru_dense_block cru_dense_block_create(cru_net *net, const char *name, const cru_dense_block_shape *shape)
{
    cru_dense_block block = {.narrowed = shape->bottleneck > 0};
    int64_t inner = block.narrowed ? shape->bottleneck : shape->in;
    if (block.narrowed) {
        cru_conv_size narrow = {.in = shape->in, .out = inner, .kernel = 1};
        block.narrow_norm = cru_batch_norm_create(net, name_of(name, "bn1").text, shape->in);
        block.narrow = cru_conv_create(net, name_of(name, "conv1").text, narrow);
    }
    cru_conv_size grow = {.in = inner, .out = shape->growth, .kernel = 3};
    block.grow_norm = cru_batch_norm_create(net, name_of(name, block.narrowed ? "bn2" : "bn1").text, inner);
    block.grow = cru_conv_create(net, name_of(name, block.narrowed ? "conv2" : "conv1").text, grow);
    return block;
}

/* Channels of an image lie one after the other, so side by side in the rows of a matrix. */
static cru_tensor *concat_channels(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    const int64_t dim[4] = {a->dim[0], a->dim[1] + b->dim[1], a->dim[2], a->dim[3]};
    return cru_reshape(t, cru_concat_cols(t, (cru_tensor *[]){a, b}, 2), cru_nd(4, dim));
}

cru_tensor *cru_dense_block_apply(cru_tape *t, const cru_dense_block *block, cru_tensor *x)
{
    cru_tensor *h = block->narrowed ? norm_conv(t, &block->narrow_norm, &block->narrow, x) : x;
    return concat_channels(t, x, norm_conv(t, &block->grow_norm, &block->grow, h));
}

cru_dense_transition cru_dense_transition_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_conv_size size = {.in = in, .out = out, .kernel = 1};
    cru_batch_norm_layer norm = cru_batch_norm_create(net, name_of(name, "bn1").text, in);
    return (cru_dense_transition){.norm = norm, .conv = cru_conv_create(net, name_of(name, "conv1").text, size)};
}

cru_tensor *cru_dense_transition_apply(cru_tape *t, const cru_dense_transition *transition, cru_tensor *x)
{
    cru_tensor *h = norm_conv(t, &transition->norm, &transition->conv, x);
    return cru_avg_pool2d(t, h, (cru_pool_shape){.kernel = 2});
}

/* ---- the network ----------------------------------------------------------------------------------------- */

enum { RUNS = 3 };

struct cru_densenet {
    cru_conv_layer stem;
    int64_t per_run, blocks, features;
    cru_dense_block *block;
    cru_dense_transition transition[RUNS - 1];
    cru_batch_norm_layer last_norm;
};

static void add_run(cru_densenet *d, cru_net *net, const char *name, const cru_densenet_shape *shape)
{
    for (int64_t i = 0; i < d->per_run; i++) {
        cru_dense_block_shape block = {.in = d->features, .growth = shape->growth};
        if (shape->bottleneck) block.bottleneck = 4 * shape->growth;
        d->block[d->blocks++] = cru_dense_block_create(net, name_of_number(name, "", i).text, &block);
        d->features += shape->growth;
    }
}

cru_densenet *cru_densenet_create(cru_net *net, const char *name, const cru_densenet_shape *shape)
{
    int64_t per_run = (shape->depth - 4) / RUNS / (shape->bottleneck ? 2 : 1);
    cru_assert(shape->channels > 0 && shape->growth > 0 && per_run > 0 && shape->compression >= 1,
               "densenet: %lld channels, growth %lld, depth %lld, compression %g", (long long)shape->channels,
               (long long)shape->growth, (long long)shape->depth, (double)shape->compression);
    cru_densenet *d = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *d);
    *d = (cru_densenet){.per_run = per_run, .features = 2 * shape->growth};
    d->block = cru_ctx_alloc(cru_net_ctx(net), RUNS * per_run, sizeof *d->block);
    cru_conv_size stem = {.in = shape->channels, .out = d->features, .kernel = 3};
    d->stem = cru_conv_create(net, name_of(name, "conv1").text, stem);
    for (int64_t run = 0; run < RUNS; run++) {
        add_run(d, net, name_of_number(name, "dense", run + 1).text, shape);
        if (run == RUNS - 1) break;
        const int64_t out = (int64_t)((double)d->features / shape->compression);
        d->transition[run] =
            cru_dense_transition_create(net, name_of_number(name, "trans", run + 1).text, d->features, out);
        d->features = out;
    }
    d->last_norm = cru_batch_norm_create(net, name_of(name, "bn").text, d->features);
    return d;
}

int64_t cru_densenet_features(const cru_densenet *densenet)
{
    return densenet->features;
}

cru_tensor *cru_densenet_apply(cru_tape *t, const cru_densenet *densenet, cru_tensor *images)
{
    cru_tensor *h = cru_conv_apply(t, &densenet->stem, images);
    for (int64_t i = 0; i < densenet->blocks; i++) {
        if (i > 0 && i % densenet->per_run == 0)
            h = cru_dense_transition_apply(t, &densenet->transition[i / densenet->per_run - 1], h);
        h = cru_dense_block_apply(t, &densenet->block[i], h);
    }
    return cru_global_avg_pool(t, cru_relu(t, cru_batch_norm_apply(t, &densenet->last_norm, h)));
}
