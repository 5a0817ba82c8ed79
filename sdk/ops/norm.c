// SPDX-License-Identifier: Apache-2.0
/* Batch, layer, graph and pair normalisation. */
#include <crucible/draft/ops-image.h>
#include <crucible/ops-sparse.h>

#include "autograd/tape.h"

typedef struct norm_state {
    int64_t outer, channels, inner;
    float *mean, *var;
    float eps;
    bool batch_stats;
    cru_tensor *gain, *shift;
} norm_state;

static void norm_backward(cru_tape *t, tape_node *n)
{
    const norm_state *s = n->state;
    cru_norm_grad_args args = {.outer = s->outer,
                               .channels = s->channels,
                               .inner = s->inner,
                               .x = n->in[0]->data,
                               .mean = s->mean,
                               .var = s->var,
                               .gain = s->gain ? s->gain->data : NULL,
                               .dy = n->out->grad,
                               .eps = s->eps,
                               .batch_stats = s->batch_stats};
    /* One call per gradient: each has its own idea of whether to add. */
    args.dgain = s->gain ? tape_grad(t, s->gain, &args.accumulate) : NULL;
    if (args.dgain) t->device->backend->norm_grad(t->device, &args);
    args.dgain = NULL;
    args.dshift = s->shift ? tape_grad(t, s->shift, &args.accumulate) : NULL;
    if (args.dshift) t->device->backend->norm_grad(t->device, &args);
    args.dshift = NULL;
    args.dx = tape_grad(t, n->in[0], &args.accumulate);
    if (args.dx) t->device->backend->norm_grad(t->device, &args);
}

static const tape_op norm_op = {.name = "norm", .backward = norm_backward};

/* running = (1 - momentum) running + momentum * factor * batch */
static void move_running(cru_tape *t, cru_tensor *running, const float *batch, float momentum, float factor)
{
    int64_t n = cru_tensor_count(running);
    cru_unary_args keep = {.n = n, .x = running->data, .y = running->data, .a = 1 - momentum};
    t->device->backend->unary(t->device, CRU_UNARY_SCALE, &keep);
    cru_copy_args add = {.rows = 1,
                         .cols = n,
                         .x = batch,
                         .ldx = n,
                         .y = running->data,
                         .ldy = n,
                         .scale = momentum * factor,
                         .accumulate = true};
    t->device->backend->copy(t->device, &add);
}

static tape_result emit_norm(cru_tape *t, cru_tensor *x, const norm_state *s)
{
    cru_tensor *in[3] = {x};
    int32_t count = 1;
    if (s->gain) in[count++] = s->gain;
    if (s->shift) in[count++] = s->shift;
    tape_result r = tape_emit(t, &norm_op, x, in, count, sizeof(norm_state));
    *(norm_state *)r.state = *s;
    return r;
}

static cru_norm_args norm_args(const norm_state *s, const cru_tensor *x, float *y)
{
    return (cru_norm_args){.outer = s->outer,
                           .channels = s->channels,
                           .inner = s->inner,
                           .x = x->data,
                           .mean = s->mean,
                           .var = s->var,
                           .gain = s->gain ? s->gain->data : NULL,
                           .shift = s->shift ? s->shift->data : NULL,
                           .eps = s->eps,
                           .y = y};
}

cru_tensor *cru_batch_norm(cru_tape *t, cru_tensor *x, cru_tensor *gain, cru_tensor *shift, const cru_norm_state *state)
{
    int64_t channels = x->dim[1], per_channel = x->dim[0] * x->dim[2] * x->dim[3];
    cru_assert(x->rank >= 2 && cru_tensor_count(state->mean) == channels, "batch_norm: %s with %s running statistics",
               tape_text(x).text, tape_text(state->mean).text);
    bool train = cru_tape_mode(t) == CRU_TRAIN;
    norm_state s = {.outer = x->dim[0],
                    .channels = channels,
                    .inner = x->dim[2] * x->dim[3],
                    .mean = train ? tape_floats(t, channels) : state->mean->data,
                    .var = train ? tape_floats(t, channels) : state->var->data,
                    .eps = state->eps,
                    .batch_stats = train,
                    .gain = gain,
                    .shift = shift};
    tape_result r = emit_norm(t, x, &s);
    cru_norm_args args = norm_args(&s, x, r.out->data);
    if (train) {
        t->device->backend->norm_stats(t->device, &args);
        float unbiased = per_channel > 1 ? (float)per_channel / (float)(per_channel - 1) : 1;
        move_running(t, state->mean, s.mean, state->momentum, 1);
        move_running(t, state->var, s.var, state->momentum, unbiased);
    }
    t->device->backend->norm(t->device, &args);
    return r.out;
}

/* Rows take the place of channels; gain and shift run along the columns. */
cru_tensor *cru_layer_norm(cru_tape *t, cru_tensor *x, cru_tensor *gain, cru_tensor *shift, double eps)
{
    int64_t rows = cru_tensor_rows(x);
    norm_state s = {.outer = 1,
                    .channels = rows,
                    .inner = cru_tensor_cols(x),
                    .mean = tape_floats(t, rows),
                    .var = tape_floats(t, rows),
                    .eps = (float)eps,
                    .batch_stats = true};
    tape_result r = emit_norm(t, x, &s);
    cru_norm_args args = norm_args(&s, x, r.out->data);
    t->device->backend->norm_stats(t->device, &args);
    t->device->backend->norm(t->device, &args);
    cru_tensor *y = r.out;
    if (gain) y = cru_mul(t, y, gain);
    return shift ? cru_add(t, y, shift) : y;
}

/* Repeats the row of each segment for all its members. */
static cru_tensor *to_members(cru_tape *t, cru_tensor *per_segment, const int64_t *offsets, int64_t segments)
{
    int32_t *owner = tape_scratch(t, offsets[segments], sizeof *owner);
    for (int64_t g = 0; g < segments; g++)
        for (int64_t i = offsets[g]; i < offsets[g + 1]; i++) owner[i] = (int32_t)g;
    return cru_gather(t, per_segment, cru_index_step(t, owner, offsets[segments]));
}

cru_tensor *cru_graph_norm(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments,
                           const cru_graph_norm_weights *w, double eps)
{
    cru_tensor *mean = to_members(t, cru_segment(t, x, offsets, segments, CRU_REDUCE_MEAN), offsets, segments);
    cru_tensor *centred = cru_sub(t, x, cru_mul(t, mean, w->alpha));
    cru_tensor *var = cru_segment(t, cru_square(t, centred), offsets, segments, CRU_REDUCE_MEAN);
    cru_tensor *std = to_members(t, cru_sqrt(t, cru_affine(t, var, 1, eps)), offsets, segments);
    return cru_add(t, cru_mul(t, cru_div(t, centred, std), w->gain), w->shift);
}

cru_tensor *cru_pair_norm(cru_tape *t, cru_tensor *x, double scale, double eps)
{
    cru_tensor *centred = cru_sub(t, x, cru_mean(t, x, 0));
    cru_tensor *square = cru_mean(t, cru_sum(t, cru_square(t, centred), 1), CRU_ALL);
    return cru_scale(t, cru_div(t, centred, cru_sqrt(t, cru_affine(t, square, 1, eps))), scale);
}
