// SPDX-License-Identifier: Apache-2.0
/* tape.h: what operators see of the tape.
 *
 * An operator is a forward function that computes its result with backend kernels and, when the result needs a
 * gradient, records a node; and a backward function that turns the gradient of the result into gradients of the inputs:
 *
 *     static void relu_backward(cru_tape *t, tape_node *n)
 *     {
 *         bool add;
 *         float *dx = tape_grad(t, n->in[0], &add);
 *         if (dx) kernel(..., n->out->grad, dx, add);
 *     }
 *     static const tape_op relu_op = {.name = "relu", .backward = relu_backward};
 *
 * Gradients flow by buffers. `n->out->grad` is complete when backward runs, because nodes are visited newest first; it
 * is dead afterwards and may be changed in place and handed on with tape_grad_give. */
#ifndef SDK_AUTOGRAD_TAPE_H
#define SDK_AUTOGRAD_TAPE_H

#include <crucible/arena.h>
#include <crucible/tensor.h>

#include "context/trace.h"
#include "tensor/pool.h"

/* ROLE_ASKED: wanted by the cru_grad that is under way. ROLE_STALE: of a step that has ended, where that is checked. */
enum { ROLE_RESULT = 0, ROLE_WEIGHT = 1, ROLE_WATCHED = 2, ROLE_CONSTANT = 3, ROLE_ASKED = 4, ROLE_STALE = 5 };

typedef struct tape_node tape_node;

typedef struct tape_op {
    const char *name;

    /* Adds to the gradients of the inputs. */
    void (*backward)(cru_tape *t, tape_node *n);

    /* Optional: the same as recorded operators. dx[i] stays NULL for inputs that need none. */
    void (*backward_graph)(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx);
} tape_op;

struct tape_node {
    const tape_op *op;
    cru_tensor *out;
    cru_tensor **in;
    int32_t in_count;
    void *state; /* what backward needs besides in and out; zeroed, of the size asked for */
    tape_node *previous;
    cru_tensor *gradient; /* of `out`, as a tensor, during a recorded gradient */
    float *total;         /* of a watched `out`: its gradient, summed over the backward passes of the step */
    int32_t uses;         /* of `out`, as an input of other nodes */

    /* What the operator does to its product, or NULL, with the bias (may be NULL); and the pass that already led the
     * gradient of `out` back through it, because the kernel that made the gradient did so on its way. */
    const cru_finish *finish;
    cru_tensor *bias;
    uint32_t led_back;
};

/* A result of the pass that judged, which the pass that learns makes again: op(a, b), finished. */
typedef struct tape_product {
    const tape_op *op;
    const void *a, *b;
    cru_finish finish; /* without dropout */
    float *y;
} tape_product;

enum { TAPE_PRODUCTS = 8, TAPE_PAST = 8, TAPE_PARTS = 40 };

/* A tensor of the step, to be marked when the step ends. */
typedef struct tape_made {
    cru_tensor *x;
    struct tape_made *next;
} tape_made;

/* The memory of a step that has ended. */
typedef struct tape_past {
    cru_arena *host;
    pool memory;
} tape_past;

struct cru_tape {
    cru_ctx *ctx;
    cru_device *device;
    tracer *tracer;
    cru_arena *host; /* nodes, tensor structs, states */
    cru_mark start;
    pool memory; /* values and gradients */
    tape_node *last;
    cru_mode mode;
    bool mode_mattered; /* in this step, so far */
    bool recording;
    uint32_t pass;   /* counts backward passes */
    uint32_t began;  /* `pass` at the start of the step */
    bool only_asked; /* during cru_grad: weights and watched tensors that were not asked for collect nothing */
    cru_rng dropout;
    uint64_t dropout_calls;
    bool judging;              /* see cru_tape_judge */
    struct tape_block *judged; /* memory of the results of the pass that judged */
    tape_product products[TAPE_PRODUCTS];
    int32_t product_count;
    cru_tensor *represented[TAPE_PARTS]; /* see cru_represent */
    int64_t represented_count;
    bool checks_steps; /* see graveyard.c */
    tape_made *made;
    tape_past past[TAPE_PAST];
    uint32_t buried;
};

/* The checks of cru_ctx_options.check_steps; without that the first does nothing and the second is not called. */
void tape_note_made(cru_tape *t, cru_tensor *x);
void tape_bury(cru_tape *t);
void tape_release_past(cru_tape *t);

/* Asserts that `x`, which `user` is about to read, is not of a step that has ended. */
void tape_check_alive(const char *user, const cru_tensor *x);

/* The product of a matrix with features that do not change. */
typedef struct cru_kept_product {
    const cru_tensor *x;
    const cru_sparse *a; /* NULL until there is one */
    cru_tensor *ax;
} cru_kept_product;

/* A result of the given shape that backward will reach through `op`, if recording and any input needs a gradient. */
typedef struct tape_result {
    cru_tensor *out;
    void *state; /* state_size zeroed bytes; scratch when nothing is recorded */
} tape_result;

tape_result tape_emit(cru_tape *t, const tape_op *op, const cru_tensor *shape, cru_tensor *const *in, int32_t in_count,
                      size_t state_size);

/* As tape_emit, without memory for values: `data` is set by the caller (views). */
tape_result tape_emit_view(cru_tape *t, const tape_op *op, const cru_tensor *shape, cru_tensor *const *in,
                           int32_t in_count, size_t state_size);

/* Shapes as values, for tape_emit. */
cru_tensor tape_shape0(void);
cru_tensor tape_shape1(int64_t n);
cru_tensor tape_shape2(int64_t rows, int64_t cols);
cru_tensor tape_shape(int32_t rank, const int64_t *dim);

/* cru_tape_alloc for operators. */
void *tape_scratch(cru_tape *tape, int64_t count, size_t size);

/* Device memory of the step. */
float *tape_floats(cru_tape *t, int64_t n);
int32_t *tape_ints(cru_tape *t, int64_t n);

/* Where to write the gradient of an input: NULL when it needs none; *add tells to add to what is there. */
float *tape_grad(cru_tape *t, cru_tensor *x, bool *add);

/* Hands over a buffer as large as x that holds a contribution to its gradient; the buffer is the tape's from here
 * on. */
void tape_grad_give(cru_tape *t, cru_tensor *x, float *buffer);

/* The gradient of a node's result, free to be overwritten and given on: the caller takes it from the node. */
float *tape_take_grad(tape_node *n);

bool tape_needs(const cru_tape *t, const cru_tensor *x);

/* While judging: memory of a result, given back at the end of that pass. */
void tape_note_block(cru_tape *t, float *memory, int64_t floats);

/* Whether x holds the same values in both passes: data, weights and products that were remembered. */
bool tape_same_in_both(const cru_tape *t, const cru_tensor *x);

/* Of a result y = op(a, b) then finish: takes it from the pass that judged, if that made it; else to be computed and
 * told to tape_remember. */
bool tape_recall(cru_tape *t, const tape_product *what, cru_tensor *y);
void tape_remember(cru_tape *t, const tape_product *what, const cru_tensor *y);

/* Tells the trace, if there is one, that an operator begins; what ran before it ends. */
void tape_trace(cru_tape *t, const tape_node *n, bool backward);

/* For messages: "3x4". */
typedef struct shape_text {
    char text[64];
} shape_text;
shape_text tape_text(const cru_tensor *x);

#endif
