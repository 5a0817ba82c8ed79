// SPDX-License-Identifier: Apache-2.0
/* Softmax cross-entropy on chosen rows, fused with the softmax. */
#include <crucible/draft/ops-loss.h>
#include <crucible/ops-loss.h>

#include "autograd/tape.h"
#include "ops/part.h"

typedef struct xent_state {
    int64_t count, classes;
    cru_targets targets;
    const int32_t *rows;
    const float *weights; /* of the items, class weights included */
    float *prob;
} xent_state;

static void xent_backward(cru_tape *t, tape_node *n)
{
    const xent_state *s = n->state;
    float *dlogits = grad_or_zeros(t, n->in[0]);
    if (!dlogits) return;
    cru_xent_grad_args args = {.count = s->count,
                               .classes = s->classes,
                               .rows = s->rows,
                               .labels = s->targets.labels.ids,
                               .weights = s->weights,
                               .prob = s->prob,
                               .dloss = n->out->grad,
                               .dlogits = dlogits};
    t->device->backend->xent_grad(t->device, &args);
}

/* Weights of items, which lie on the device, as a tensor: count x 1. */
static cru_tensor *weight_column(cru_tape *t, const float *weights, int64_t count)
{
    cru_tensor own = tape_shape2(count, 1);
    own.data = (float *)(uintptr_t)weights; /* read only: the emitted view is never written */
    return tape_emit_view(t, NULL, &own, NULL, 0, 0).out;
}

/* w_i (softmax(z_i) - onehot(y_i)) dy_i, as recorded operators */
static void xent_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const xent_state *s = n->state;
    cru_tensor *z = n->in[0];
    cru_index rows = {.ids = s->rows, .count = s->count};
    cru_tensor *chosen = s->rows ? cru_gather(t, z, rows) : z;
    cru_tensor *error = cru_sub(t, cru_softmax(t, chosen, 1), cru_one_hot(t, s->targets.labels, s->classes));
    cru_tensor *scale = cru_as_matrix(t, dy, s->count, 1);
    if (s->weights) scale = cru_mul(t, scale, weight_column(t, s->weights, s->count));
    cru_tensor *g = cru_mul(t, error, scale);
    dx[0] = s->rows ? cru_scatter(t, g, rows, cru_tensor_rows(z), CRU_REDUCE_SUM) : g;
}

static const tape_op xent_op = {.name = "cross_entropy", .backward = xent_backward, .backward_graph = xent_graph};

/* One weight per item, or NULL: the item's own times that of its class. */
static cru_tensor *item_weights(cru_tape *t, const cru_targets *targets, int64_t count, int64_t classes)
{
    cru_tensor *w = NULL;
    if (targets->class_weights) {
        cru_tensor *table = cru_tensor_upload(t, cru_2d(classes, 1), targets->class_weights);
        w = cru_gather(t, table, targets->labels);
    }
    if (targets->weights) {
        cru_tensor *own_weights = weight_column(t, targets->weights, count);
        w = w ? cru_mul(t, w, own_weights) : own_weights;
    }
    return w;
}

static int64_t chosen_rows(const char *name, const cru_tensor *logits, const cru_targets *targets)
{
    int64_t count = targets->rows ? targets->rows->count : cru_tensor_rows(logits);
    cru_assert(targets->labels.count == count, "%s: %lld labels for %lld rows of %s", name,
               (long long)targets->labels.count, (long long)count, tape_text(logits).text);
    return count;
}

static cru_tensor *each(cru_tape *t, cru_tensor *logits, const cru_targets *targets, cru_tensor *weights)
{
    int64_t count = chosen_rows("cross_entropy", logits, targets), classes = cru_tensor_cols(logits);
    cru_tensor shape = tape_shape1(count);
    tape_result r = tape_emit(t, &xent_op, &shape, &logits, 1, sizeof(xent_state));
    xent_state *s = r.state;
    *s = (xent_state){.count = count,
                      .classes = classes,
                      .targets = *targets,
                      .rows = targets->rows ? targets->rows->ids : NULL,
                      .weights = weights ? weights->data : NULL,
                      .prob = tape_floats(t, count * classes)};
    cru_xent_args args = {.count = count,
                          .classes = classes,
                          .logits = logits->data,
                          .rows = s->rows,
                          .labels = targets->labels.ids,
                          .weights = s->weights,
                          .loss = r.out->data,
                          .prob = s->prob};
    t->device->backend->xent(t->device, &args);
    return r.out;
}

cru_tensor *cru_cross_entropy_each(cru_tape *t, cru_tensor *logits, const cru_targets *targets)
{
    int64_t count = chosen_rows("cross_entropy", logits, targets);
    return each(t, logits, targets, item_weights(t, targets, count, cru_tensor_cols(logits)));
}

cru_tensor *cru_cross_entropy(cru_tape *t, cru_tensor *logits, const cru_targets *targets)
{
    int64_t count = chosen_rows("cross_entropy", logits, targets);
    cru_tensor *weights = item_weights(t, targets, count, cru_tensor_cols(logits));
    cru_tensor *loss = each(t, logits, targets, weights);
    if (!targets->class_weights) return cru_mean(t, loss, CRU_ALL);
    cru_tensor *total = cru_sum(t, weights, CRU_ALL);
    return cru_div(t, cru_sum(t, loss, CRU_ALL), total);
}

cru_tensor *cru_nll(cru_tape *t, cru_tensor *log_prob, const cru_targets *targets)
{
    int64_t count = chosen_rows("nll", log_prob, targets);
    cru_tensor *chosen = targets->rows ? cru_gather(t, log_prob, *targets->rows) : log_prob;
    cru_tensor *loss = cru_as_matrix(t, cru_neg(t, cru_pick(t, chosen, targets->labels)), count, 1);
    cru_tensor *weights = item_weights(t, targets, count, cru_tensor_cols(log_prob));
    if (weights) loss = cru_mul(t, loss, weights);
    if (!targets->class_weights) return cru_mean(t, loss, CRU_ALL);
    cru_tensor *total = cru_sum(t, weights, CRU_ALL);
    return cru_div(t, cru_sum(t, loss, CRU_ALL), total);
}
