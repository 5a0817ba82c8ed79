// SPDX-License-Identifier: Apache-2.0
/* linear.h: what linear maps over dense inputs, sparse inputs and graphs share: the bias, activation and dropout that
 * follow them. */
#ifndef SDK_OPS_LINEAR_H
#define SDK_OPS_LINEAR_H

#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

/* Asserts that `in` columns meet the weights (NULL: none to meet) and that `out` columns can be finished by `then`. */
void linear_check(const char *name, int64_t in, const cru_tensor *w);
void then_check(const char *name, int64_t out, const cru_then *then);

/* For the kernel that makes the result, into the state of its operator. Draws the dropout's stream; no dropout in eval
 * mode. */
void finish_set(cru_tape *t, cru_finish *finish, const cru_tensor *result, const cru_then *then);

/* NULL when there is nothing to do, so that a kernel skips it. */
static inline const cru_finish *finish_or_null(const cru_finish *f)
{
    return f->bias || f->act != CRU_UNARY_COPY || f->p > 0 ? f : NULL;
}

/* Turns n->out->grad into the gradient before the finish, in place, and adds to the gradient of the bias. */
void finish_backward(cru_tape *t, const tape_node *n);

/* finish_backward as recorded operators; not for elu, selu, tanh and sigmoid. */
cru_tensor *finish_graph(cru_tape *t, const tape_node *n, const cru_finish *finish, cru_tensor *dy);
cru_tensor *bias_graph(cru_tape *t, const cru_tensor *bias, cru_tensor *dy);

#endif
