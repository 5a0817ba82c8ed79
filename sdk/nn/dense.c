// SPDX-License-Identifier: Apache-2.0
/* Linear layers, normalisation layers, and perceptrons made of them. */
#include <crucible/draft/nn.h>
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-image.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/nn.h>

#include "nn/naming.h"

cru_fc cru_fc_create_with(cru_net *net, const char *name, int64_t in, int64_t out, cru_init weight,
                          const cru_init *bias)
{
    cru_fc layer = {.w = cru_net_weight(net, name_of(name, "weight").text, cru_2d(in, out), weight)};
    if (bias) layer.b = cru_net_weight(net, name_of(name, "bias").text, cru_1d(out), *bias);
    return layer;
}

cru_fc cru_fc_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_init init = {.kind = CRU_INIT_FAN_IN, .fan_in = in};
    return cru_fc_create_with(net, name, in, out, init, &init);
}

const char *const cru_draw_names[] = {"fan-in", "fan-out", "glorot", NULL};

cru_fc cru_fc_create_drawn(cru_net *net, const char *name, int64_t in, int64_t out, cru_draw draw, bool bias)
{
    static const cru_init_kind kinds[] = {CRU_INIT_FAN_IN, CRU_INIT_FAN_OUT, CRU_INIT_GLOROT_UNIFORM};
    cru_init weight = {.kind = kinds[draw], .fan_in = in}, zeros = {.kind = CRU_INIT_ZEROS};
    return cru_fc_create_with(net, name, in, out, weight, !bias ? NULL : draw == CRU_DRAW_GLOROT ? &zeros : &weight);
}

cru_tensor *cru_fc_apply(cru_tape *t, const cru_fc *layer, cru_tensor *x)
{
    return cru_linear(t, x, layer->w, layer->b);
}

cru_tensor *cru_fc_input(cru_tape *t, const cru_fc *layer, const cru_input *x)
{
    return cru_input_linear(t, x, layer->w, layer->b);
}

cru_tensor *cru_fc_apply_parts(cru_tape *t, const cru_fc *layer, cru_tensor *const *x, int64_t count)
{
    cru_tensor *y = NULL;
    int64_t from = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t to = from + cru_tensor_cols(x[i]);
        cru_tensor *part = cru_linear(t, x[i], cru_slice_rows(t, layer->w, from, to), i ? NULL : layer->b);
        y = i ? cru_add(t, y, part) : part;
        from = to;
    }
    cru_assert(count > 0 && from == cru_tensor_rows(layer->w), "fc: %lld columns in %lld parts against %lld features",
               (long long)from, (long long)count, (long long)cru_tensor_rows(layer->w));
    return y;
}

cru_batch_norm_layer cru_batch_norm_create(cru_net *net, const char *name, int64_t channels)
{
    cru_init one = {.kind = CRU_INIT_CONSTANT, .a = 1}, zero = {.kind = CRU_INIT_ZEROS};
    return (cru_batch_norm_layer){
        .gain = cru_net_weight(net, name_of(name, "weight").text, cru_1d(channels), one),
        .shift = cru_net_weight(net, name_of(name, "bias").text, cru_1d(channels), zero),
        .state = {.mean = cru_net_buffer(net, name_of(name, "running_mean").text, cru_1d(channels), 0),
                  .var = cru_net_buffer(net, name_of(name, "running_var").text, cru_1d(channels), 1),
                  .momentum = 0.1f,
                  .eps = 1e-5f},
    };
}

cru_tensor *cru_batch_norm_apply(cru_tape *t, const cru_batch_norm_layer *layer, cru_tensor *x)
{
    return cru_batch_norm(t, x, layer->gain, layer->shift, &layer->state);
}

cru_layer_norm_layer cru_layer_norm_create(cru_net *net, const char *name, int64_t cols)
{
    cru_init one = {.kind = CRU_INIT_CONSTANT, .a = 1}, zero = {.kind = CRU_INIT_ZEROS};
    return (cru_layer_norm_layer){
        .gain = cru_net_weight(net, name_of(name, "weight").text, cru_1d(cols), one),
        .shift = cru_net_weight(net, name_of(name, "bias").text, cru_1d(cols), zero),
    };
}

cru_tensor *cru_layer_norm_apply(cru_tape *t, const cru_layer_norm_layer *layer, cru_tensor *x)
{
    return cru_layer_norm(t, x, layer->gain, layer->shift, 1e-5f);
}

/* ---- activations ------------------------------------------------------------------------------------------------ */

const char *const cru_activation_names[] = {"relu", "leaky-relu", "tanh", NULL};
const cru_unary cru_activations[] = {CRU_UNARY_RELU, CRU_UNARY_LEAKY, CRU_UNARY_TANH};

static const float leaky_slope = 0.01f;

cru_tensor *cru_activate(cru_tape *t, cru_unary act, cru_tensor *x)
{
    switch (act) {
    case CRU_UNARY_RELU:
        return cru_relu(t, x);
    case CRU_UNARY_LEAKY:
        return cru_leaky_relu(t, x, leaky_slope);
    case CRU_UNARY_ELU:
        return cru_elu(t, x, 1);
    case CRU_UNARY_SELU:
        return cru_selu(t, x);
    case CRU_UNARY_GELU:
        return cru_gelu(t, x);
    case CRU_UNARY_TANH:
        return cru_tanh(t, x);
    case CRU_UNARY_SIGMOID:
        return cru_sigmoid(t, x);
    default:
        cru_panic(CRU_FAILED, "activation %d has no layer", (int)act);
    }
}

/* ---- perceptron ------------------------------------------------------------------------------------------------- */

cru_mlp cru_mlp_create(cru_net *net, const char *name, const cru_mlp_shape *shape)
{
    cru_assert(shape->layers >= 1 && shape->layers <= CRU_MAX_LAYERS, "mlp: %lld layers; 1 to %d are possible",
               (long long)shape->layers, CRU_MAX_LAYERS);
    cru_mlp mlp = {.layers = shape->layers,
                   .normed = shape->batch_norm,
                   .norm_last = shape->norm_last,
                   .input_dropout = shape->input_dropout,
                   .act = shape->act == CRU_UNARY_COPY ? CRU_UNARY_RELU : shape->act,
                   .dropout = shape->dropout};
    for (int64_t i = 0; i < shape->layers; i++) {
        bool last = i == shape->layers - 1;
        int64_t in = i ? shape->hidden : shape->in, out = last ? shape->out : shape->hidden;
        mlp.layer[i] =
            cru_fc_create_drawn(net, name_of_number(name, "linear", i).text, in, out, shape->draw, !shape->no_bias);
        if (!last && shape->batch_norm)
            mlp.norm[i] = cru_batch_norm_create(net, name_of_number(name, "norm", i).text, out);
    }
    return mlp;
}

/* Whether layer i is finished in one go: with a batch norm in between, or an activation that operators cannot fuse, the
 * steps follow each other. */
static bool fuses(const cru_mlp *mlp)
{
    return !mlp->normed && (mlp->act == CRU_UNARY_RELU || mlp->act == CRU_UNARY_LEAKY || mlp->act == CRU_UNARY_ELU ||
                            mlp->act == CRU_UNARY_SELU);
}

static cru_then follow(const cru_mlp *mlp, int64_t i)
{
    const float a = mlp->act == CRU_UNARY_LEAKY ? leaky_slope : 1;
    return (cru_then){.bias = mlp->layer[i].b, .act = mlp->act, .a = a, .dropout = mlp->dropout};
}

static cru_tensor *between(cru_tape *t, const cru_mlp *mlp, int64_t i, cru_tensor *h)
{
    if (mlp->normed && !mlp->norm_last) h = cru_batch_norm_apply(t, &mlp->norm[i], h);
    h = cru_activate(t, mlp->act, h);
    if (mlp->normed && mlp->norm_last) h = cru_batch_norm_apply(t, &mlp->norm[i], h);
    return cru_dropout(t, h, mlp->dropout);
}

/* Layer i with what follows it; nothing follows the last. */
static cru_tensor *layer_apply(cru_tape *t, const cru_mlp *mlp, int64_t i, const cru_input *x)
{
    if (i == mlp->layers - 1) return cru_fc_input(t, &mlp->layer[i], x);
    if (!fuses(mlp)) return between(t, mlp, i, cru_fc_input(t, &mlp->layer[i], x));
    const cru_then then = follow(mlp, i);
    return cru_input_linear_then(t, x, mlp->layer[i].w, &then);
}

static cru_tensor *layers_from(cru_tape *t, const cru_mlp *mlp, int64_t first, const cru_input *x)
{
    cru_input in = *x;
    for (int64_t i = first; i < mlp->layers; i++) {
        if (i && i == mlp->layers - 1) cru_represent(t, in.dense);
        in = cru_input_of(layer_apply(t, mlp, i, &in));
    }
    return in.dense;
}

cru_tensor *cru_mlp_after_first(cru_tape *t, const cru_mlp *mlp, cru_tensor *h)
{
    if (mlp->layers == 1) return h;
    cru_input in = cru_input_of(between(t, mlp, 0, h));
    return layers_from(t, mlp, 1, &in);
}

cru_tensor *cru_mlp_input(cru_tape *t, const cru_mlp *mlp, const cru_input *x)
{
    cru_input first = mlp->input_dropout ? cru_input_dropout(t, x, mlp->dropout) : *x;
    return layers_from(t, mlp, 0, &first);
}

cru_tensor *cru_mlp_apply(cru_tape *t, const cru_mlp *mlp, cru_tensor *x)
{
    cru_input in = cru_input_of(x);
    return cru_mlp_input(t, mlp, &in);
}
