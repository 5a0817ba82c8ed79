/* Reverse mode: nodes are visited newest first, so every gradient is complete when its node is reached. */
#include "autograd/tape.h"

#include <stddef.h>

#include <crucible/ops-basic.h>

bool tape_needs(const cru_tape *t, const cru_tensor *x)
{
    if (!x->needs_grad) return false;
    return x->role != ROLE_WEIGHT || !t->weights_untouched;
}

/* Whether x already holds a gradient that this pass adds to. A weight's gradient lives across passes. */
static bool has_grad(const cru_tape *t, const cru_tensor *x)
{
    return x->role == ROLE_WEIGHT ? x->pass != 0 : x->pass == t->pass;
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

/* A watched result keeps its gradient, so its node works on a copy. */
static void protect_watched(cru_tape *t, cru_tensor *out, float **kept)
{
    int64_t n = cru_tensor_count(out);
    *kept = out->grad;
    out->grad = tape_floats(t, n);
    cru_copy_args args = {.rows = 1, .cols = n, .x = *kept, .ldx = n, .y = out->grad, .ldy = n, .scale = 1};
    t->device->backend->copy(t->device, &args);
}

static void visit(cru_tape *t, tape_node *n)
{
    cru_tensor *out = n->out;
    if (out->pass != t->pass) return; /* the loss does not depend on it */
    float *kept = NULL;
    if (out->role == ROLE_WATCHED) protect_watched(t, out, &kept);
    n->op->backward(t, n);
    if (out->grad) pool_return(&t->memory, out->grad, cru_tensor_count(out));
    out->grad = kept;
}

static void run_backward(cru_tape *t, cru_tensor *loss)
{
    cru_assert(cru_tensor_count(loss) == 1, "backward: the loss is %s, not one number", tape_text(loss).text);
    cru_assert(loss->needs_grad, "backward: the loss depends on no weight and on no watched tensor");
    t->pass++;
    bool add;
    float *seed = tape_grad(t, loss, &add);
    t->device->backend->fill(t->device, seed, 1, 1.0f);
    for (tape_node *n = t->last; n; n = n->previous) visit(t, n);
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
    bool known = x->role == ROLE_WEIGHT ? x->pass != 0 : x->pass == tape->pass && x->grad;
    if (!known) return cru_tensor_filled(tape, x->rank, x->dim, 0);
    shape.data = x->grad;
    return tape_emit_view(tape, NULL, &shape, NULL, 0, 0).out;
}

/* ---- cru_grad ------------------------------------------------------------------------------------------------------
 */

/* What is put back on an asked-for tensor after the pass. */
typedef struct borrowed {
    uint8_t role;
    uint32_t pass;
    float *grad;
} borrowed;

static void grad_values(cru_tape *t, cru_tensor *y, cru_tensor *const *x, int64_t count, cru_tensor **out)
{
    borrowed *before = cru_tape_alloc(t, count, sizeof *before);
    for (int64_t i = 0; i < count; i++) {
        before[i] = (borrowed){.role = x[i]->role, .pass = x[i]->pass, .grad = x[i]->grad};
        x[i]->role = ROLE_WATCHED;
        x[i]->pass = 0;
    }
    t->weights_untouched = true;
    run_backward(t, y);
    t->weights_untouched = false;
    for (int64_t i = 0; i < count; i++) {
        out[i] = cru_grad_of(t, x[i]);
        x[i]->role = before[i].role;
        x[i]->pass = before[i].pass;
        x[i]->grad = before[i].grad;
    }
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
    cru_tensor **dx = cru_tape_alloc(t, n->in_count, sizeof *dx);
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
    ((tape_node *)y->node)->gradient = cru_tensor_filled(t, y->rank, y->dim, 1);
    for (int64_t i = 0; i < count; i++) out[i] = NULL;
    for (tape_node *n = top; n; n = n->previous)
        if (n->gradient) graph_visit(t, n, x, count, out);
    for (int64_t i = 0; i < count; i++)
        if (!out[i]) out[i] = cru_tensor_filled(t, x[i]->rank, x[i]->dim, 0);
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
