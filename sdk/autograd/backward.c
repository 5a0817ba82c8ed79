// SPDX-License-Identifier: Apache-2.0
/* Reverse mode: nodes are visited newest first, so every gradient is complete when its node is reached. */
#include <stddef.h>

#include <crucible/draft/tensor.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

/* A watched tensor that no operator made: its gradient adds up over the step, like that of a weight. */
static bool is_watched_leaf(const cru_tensor *x)
{
    return x->role == ROLE_WATCHED && !x->node;
}

bool tape_needs(const cru_tape *t, const cru_tensor *x)
{
    if (!x->needs_grad) return false;
    return !t->only_asked || (x->role != ROLE_WEIGHT && !is_watched_leaf(x));
}

/* Whether x already holds a gradient that this pass adds to. A weight's gradient lives across steps. */
static bool has_grad(const cru_tape *t, const cru_tensor *x)
{
    if (x->role == ROLE_WEIGHT) return x->pass != 0;
    return is_watched_leaf(x) ? x->pass > t->began : x->pass == t->pass;
}

float *tape_grad(cru_tape *t, cru_tensor *x, bool *add)
{
    if (!tape_needs(t, x)) return NULL;
    *add = has_grad(t, x);
    if (!*add && x->role != ROLE_WEIGHT) x->grad = tape_floats(t, cru_tensor_count(x));
    x->pass = t->pass;
    return x->grad;
}

void tape_grad_give(cru_tape *t, cru_tensor *x, float *buffer)
{
    if (tape_needs(t, x) && x->role != ROLE_WEIGHT && !has_grad(t, x)) {
        x->grad = buffer;
        x->pass = t->pass;
        return;
    }
    bool add;
    int64_t n = cru_tensor_count(x);
    float *dx = tape_grad(t, x, &add);
    if (dx) {
        cru_copy_args args = {
            .rows = 1, .cols = n, .x = buffer, .ldx = n, .y = dx, .ldy = n, .scale = 1, .accumulate = add};
        t->device->backend->copy(t->device, &args);
    }
    pool_return(&t->memory, buffer, n);
}

float *tape_take_grad(tape_node *n)
{
    float *grad = n->out->grad;
    n->out->grad = NULL;
    return grad;
}

/* Adds the gradient of a watched result to its total; the buffer itself goes on to the operator. */
static void add_to_total(cru_tape *t, tape_node *n)
{
    int64_t count = cru_tensor_count(n->out);
    bool add = n->total != NULL;
    if (!add) n->total = tape_floats(t, count);
    cru_copy_args args = {.rows = 1,
                          .cols = count,
                          .x = n->out->grad,
                          .ldx = count,
                          .y = n->total,
                          .ldy = count,
                          .scale = 1,
                          .accumulate = add};
    t->device->backend->copy(t->device, &args);
}

static void visit(cru_tape *t, tape_node *n)
{
    cru_tensor *out = n->out;
    if (out->pass != t->pass) return; /* the loss does not depend on it */
    if (out->role == ROLE_ASKED || (out->role == ROLE_WATCHED && !t->only_asked)) add_to_total(t, n);
    tape_trace(t, n, true);
    n->op->backward(t, n);
    if (out->grad) pool_return(&t->memory, out->grad, cru_tensor_count(out));
    out->grad = NULL;
}

static void run_backward(cru_tape *t, cru_tensor *loss)
{
    tape_check_alive("backward", loss);
    cru_assert(cru_tensor_count(loss) == 1, "backward: the loss is %s, not one number", tape_text(loss).text);
    cru_assert(loss->needs_grad, "backward: the loss depends on no weight and on no watched tensor");
    t->pass++;
    bool add;
    float *seed = tape_grad(t, loss, &add);
    t->device->backend->fill(t->device, seed, 1, 1.0f);
    for (tape_node *n = t->last; n; n = n->previous) visit(t, n);
    trace_leave(t->tracer);
}

void cru_backward(cru_tape *tape, cru_tensor *loss)
{
    bool recording = cru_tape_record(tape, false);
    run_backward(tape, loss);
    cru_tape_record(tape, recording);
}

cru_tensor *cru_grad_of(cru_tape *tape, cru_tensor *x)
{
    cru_assert(x->role != ROLE_RESULT, "grad_of: watch the tensor before it is used");
    cru_tensor shape = tape_shape(x->rank, x->dim);
    const tape_node *node = x->node;
    if (node)
        shape.data = node->total;
    else if (has_grad(tape, x))
        shape.data = x->grad;
    if (!shape.data) return cru_tensor_filled(tape, cru_shape_of(x), 0);
    return tape_emit_view(tape, NULL, &shape, NULL, 0, 0).out;
}

/* ---- cru_grad -------------------------------------------------------------------------------------------- */

/* What is put back on an asked-for tensor after the pass. */
typedef struct borrowed {
    uint8_t role;
    uint32_t pass;
    float *grad, *total;
} borrowed;

static borrowed borrow(cru_tensor *x)
{
    tape_node *node = x->node;
    borrowed before = {.role = x->role, .pass = x->pass, .grad = x->grad, .total = node ? node->total : NULL};
    x->role = ROLE_ASKED;
    x->pass = 0;
    if (node) node->total = NULL;
    return before;
}

static void give_back(cru_tensor *x, const borrowed *before)
{
    tape_node *node = x->node;
    x->role = before->role;
    x->pass = before->pass;
    x->grad = before->grad;
    if (node) node->total = before->total;
}

static void grad_values(cru_tape *t, cru_tensor *y, cru_tensor *const *x, int64_t count, cru_tensor **out)
{
    borrowed *before = tape_scratch(t, count, sizeof *before);
    for (int64_t i = 0; i < count; i++) before[i] = borrow(x[i]);
    t->only_asked = true;
    run_backward(t, y);
    t->only_asked = false;
    for (int64_t i = 0; i < count; i++) out[i] = cru_grad_of(t, x[i]);
    for (int64_t i = 0; i < count; i++) give_back(x[i], &before[i]);
}

static void add_to(cru_tape *t, cru_tensor **sum, cru_tensor *part)
{
    *sum = *sum ? cru_add(t, *sum, part) : part;
}

static int64_t asked_for(cru_tensor *const *x, int64_t count, const cru_tensor *who)
{
    for (int64_t i = 0; i < count; i++)
        if (x[i] == who) return i;
    return -1;
}

static void graph_visit(cru_tape *t, tape_node *n, cru_tensor *const *x, int64_t count, cru_tensor **out)
{
    cru_assert(n->op->backward_graph, "grad: %s cannot be differentiated twice", n->op->name);
    cru_tensor **dx = tape_scratch(t, n->in_count, sizeof *dx);
    n->op->backward_graph(t, n, n->gradient, dx);
    for (int32_t i = 0; i < n->in_count; i++) {
        if (!dx[i]) continue;
        int64_t asked = asked_for(x, count, n->in[i]);
        if (asked >= 0) add_to(t, &out[asked], dx[i]);
        tape_node *from = n->in[i]->node;
        if (from) add_to(t, &from->gradient, dx[i]);
    }
}

static void grad_graph(cru_tape *t, cru_tensor *y, cru_tensor *const *x, int64_t count, cru_tensor **out)
{
    tape_node *top = t->last;
    for (tape_node *n = top; n; n = n->previous) n->gradient = NULL;
    ((tape_node *)y->node)->gradient = cru_tensor_filled(t, cru_shape_of(y), 1);
    for (int64_t i = 0; i < count; i++) out[i] = NULL;
    for (tape_node *n = top; n; n = n->previous)
        if (n->gradient) graph_visit(t, n, x, count, out);
    for (int64_t i = 0; i < count; i++)
        if (!out[i]) out[i] = cru_tensor_filled(t, cru_shape_of(x[i]), 0);
}

void cru_grad(cru_tape *tape, cru_tensor *y, cru_tensor *const *x, int64_t count, cru_tensor **out, uint32_t flags)
{
    cru_assert(y->node, "grad: the result was not recorded");
    bool recording = cru_tape_record(tape, (flags & CRU_GRAD_GRAPH) != 0);
    if (flags & CRU_GRAD_GRAPH)
        grad_graph(tape, y, x, count, out);
    else
        grad_values(tape, y, x, count, out);
    cru_tape_record(tape, recording);
}
