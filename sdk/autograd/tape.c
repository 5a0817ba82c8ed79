// SPDX-License-Identifier: Apache-2.0
#include "autograd/tape.h"

#include <stdio.h>
#include <string.h>

#include <crucible/draft/tensor.h>

#include "context/watch.h"

static void tape_release(void *what)
{
    cru_tape *t = what;
    tape_release_past(t);
    pool_destroy(&t->memory);
    cru_arena_destroy(t->host);
}

cru_tape *cru_tape_create(cru_ctx *ctx)
{
    cru_tape *t = cru_ctx_alloc(ctx, 1, sizeof *t);
    t->ctx = ctx;
    t->device = cru_ctx_device(ctx);
    t->tracer = ctx_tracer(ctx);
    t->memory.device = t->device;
    t->host = cru_arena_create();
    if (!t->host) cru_panic(CRU_NO_MEMORY, "out of memory: no tape");
    t->start = cru_arena_mark(t->host);
    t->dropout = cru_ctx_stream(ctx, "dropout");
    t->checks_steps = ctx_checks_steps(ctx);
    cru_ctx_defer(ctx, tape_release, t);
    return t;
}

cru_ctx *cru_tape_ctx(const cru_tape *tape)
{
    return tape->ctx;
}

cru_mode cru_tape_mode(cru_tape *tape)
{
    tape->mode_mattered = true;
    return tape->mode;
}

bool cru_tape_mode_mattered(const cru_tape *tape)
{
    return tape->mode_mattered;
}

void cru_tape_begin(cru_tape *tape, cru_mode mode)
{
    trace_leave(tape->tracer);
    if (tape->checks_steps) tape_bury(tape);
    cru_arena_reset(tape->host, tape->start);
    pool_reset(&tape->memory);
    tape->last = NULL;
    tape->began = tape->pass;
    tape->mode = mode;
    tape->mode_mattered = false;
    tape->recording = mode == CRU_TRAIN;
    tape->judging = false;
    tape->judged = NULL;
    tape->product_count = 0;
    tape->represented_count = 0;
}

bool cru_tape_record(cru_tape *tape, bool on)
{
    bool was = tape->recording;
    tape->recording = on;
    return was;
}

cru_mode cru_tape_set_mode(cru_tape *tape, cru_mode mode)
{
    cru_mode was = tape->mode;
    tape->mode = mode;
    return was;
}

void *tape_scratch(cru_tape *tape, int64_t count, size_t size)
{
    return cru_arena_alloc_zeroed(tape->host, count, size);
}

/* Who takes memory from outside is about to do something that is no operator. */
void *cru_tape_alloc(cru_tape *tape, int64_t count, size_t size)
{
    trace_between(tape->tracer);
    return tape_scratch(tape, count, size);
}

float *tape_floats(cru_tape *t, int64_t n)
{
    return pool_take(&t->memory, n);
}

int32_t *tape_ints(cru_tape *t, int64_t n)
{
    return (int32_t *)(void *)pool_take(&t->memory, n);
}

cru_tensor tape_shape(int32_t rank, const int64_t *dim)
{
    cru_assert(rank >= 0 && rank <= 4, "tensor of rank %d: at most 4", rank);
    cru_tensor shape = {.rank = rank, .dim = {1, 1, 1, 1}};
    for (int32_t i = 0; i < rank; i++) {
        cru_assert(dim[i] >= 0, "tensor with a negative size: %lld on axis %d", (long long)dim[i], i);
        shape.dim[i] = dim[i];
    }
    return shape;
}

cru_tensor tape_shape0(void)
{
    return tape_shape(0, NULL);
}

cru_tensor tape_shape1(int64_t n)
{
    return tape_shape(1, (const int64_t[]){n});
}

cru_tensor tape_shape2(int64_t rows, int64_t cols)
{
    return tape_shape(2, (const int64_t[]){rows, cols});
}

shape_text tape_text(const cru_tensor *x)
{
    shape_text out = {"scalar"};
    size_t used = 0;
    for (int32_t i = 0; i < x->rank && used < sizeof out.text; i++)
        used += (size_t)snprintf(out.text + used, sizeof out.text - used, i ? "x%lld" : "%lld", (long long)x->dim[i]);
    return out;
}

void tape_trace(cru_tape *t, const tape_node *n, bool backward)
{
    if (!t->tracer->sink || !n->op) return;
    int64_t values = cru_tensor_count(n->out);
    for (int32_t i = 0; i < n->in_count; i++) values += cru_tensor_count(n->in[i]);
    cru_trace_event event = {
        .op = n->op->name, .backward = backward, .rank = n->out->rank, .bytes = values * (int64_t)sizeof(float)};
    memcpy(event.dim, n->out->dim, sizeof event.dim);
    trace_enter(t->tracer, &event);
}

static tape_node *node_create(cru_tape *t, const tape_op *op, cru_tensor *const *in, int32_t in_count)
{
    tape_node *n = cru_arena_alloc_zeroed(t->host, 1, sizeof *n);
    n->op = op;
    n->in_count = in_count;
    n->in = cru_arena_alloc(t->host, in_count, sizeof *n->in);
    memcpy(n->in, in, (size_t)in_count * sizeof *n->in);
    for (int32_t i = 0; i < in_count; i++)
        if (in[i]->node) ((tape_node *)in[i]->node)->uses++;
    n->previous = t->last;
    t->last = n;
    return n;
}

tape_result tape_emit_view(cru_tape *t, const tape_op *op, const cru_tensor *shape, cru_tensor *const *in,
                           int32_t in_count, size_t state_size)
{
    cru_tensor *out = cru_arena_alloc_zeroed(t->host, 1, sizeof *out);
    *out = *shape;
    out->role = ROLE_RESULT;
    void *state = state_size ? cru_arena_alloc_zeroed(t->host, 1, state_size) : NULL;
    bool needs = false;
    tape_note_made(t, out);
    for (int32_t i = 0; i < in_count; i++) {
        tape_check_alive(op ? op->name : "an operator", in[i]);
        needs = needs || in[i]->needs_grad;
    }
    out->needs_grad = needs && t->recording;
    if (out->needs_grad) {
        tape_node *n = node_create(t, op, in, in_count);
        n->out = out;
        n->state = state;
        out->node = n;
    }
    tape_trace(t, &(tape_node){.op = op, .out = out, .in = (cru_tensor **)in, .in_count = in_count}, false);
    return (tape_result){.out = out, .state = state};
}

tape_result tape_emit(cru_tape *t, const tape_op *op, const cru_tensor *shape, cru_tensor *const *in, int32_t in_count,
                      size_t state_size)
{
    cru_tensor fresh = tape_shape(shape->rank, shape->dim);
    fresh.data = tape_floats(t, cru_tensor_count(&fresh));
    if (t->judging) tape_note_block(t, fresh.data, cru_tensor_count(&fresh));
    return tape_emit_view(t, op, &fresh, in, in_count, state_size);
}
