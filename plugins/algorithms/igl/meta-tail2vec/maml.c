// SPDX-License-Identifier: Apache-2.0
#include "maml.h"

/* What the steps so far have left behind, a row for every task: the sum of G, and H and E of all steps one after the
 * other, so that a task's own are one matrix. */
typedef struct trace {
    int64_t tasks;
    cru_tensor *g, *h, *e;
    double lr;
} trace;

/* n x c -> tasks x (n / tasks) x c */
static cru_tensor *by_task(cru_tape *t, const trace *s, cru_tensor *x, int64_t cols)
{
    return cru_reshape(t, x, cru_3d(s->tasks, cru_tensor_count(x) / s->tasks / cols, cols));
}

static cru_tensor *append(cru_tape *t, const trace *s, cru_tensor *to, cru_tensor *x)
{
    cru_tensor *parts[2] = {to, cru_as_matrix(t, x, s->tasks, -1)};
    return to ? cru_concat_cols(t, parts, 2) : parts[1];
}

/* to - lr (a b^T + one) c, task by task; a has the columns of b, `to` those of c */
static cru_tensor *descend(cru_tape *t, const trace *s, cru_tensor *to, cru_tensor *const abc[3], double one)
{
    const int64_t inner = cru_tensor_cols(abc[0]), outer = cru_tensor_cols(to);
    cru_tensor *a = by_task(t, s, abc[0], inner), *b = by_task(t, s, abc[1], inner), *c = by_task(t, s, abc[2], outer);
    cru_tensor *gram = cru_affine(t, cru_bmm(t, a, b, CRU_NT), 1, one);
    return cru_plus(t, to, -s->lr, cru_reshape(t, cru_bmm(t, gram, c, CRU_NN), cru_shape_of(to)));
}

/* The hidden layer of some rows, as it is after the steps. */
static cru_tensor *hidden_of(cru_tape *t, const trace *s, const cru_fc *layer, cru_tensor *rows, cru_tensor *support)
{
    cru_tensor *p = cru_fc_apply(t, layer, rows);
    return cru_relu(t, s->g ? descend(t, s, p, (cru_tensor *[]){rows, support, s->g}, 1) : p);
}

/* And the result. */
static cru_tensor *result_of(cru_tape *t, const trace *s, const cru_fc *layer, cru_tensor *h)
{
    cru_tensor *o = cru_fc_apply(t, layer, h);
    return s->g ? descend(t, s, o, (cru_tensor *[]){h, s->h, s->e}, 1) : o;
}

static void step(cru_tape *t, trace *s, const cru_fc layer[2], const maml_tasks *tasks)
{
    const double factor = 2 / (double)cru_tensor_cols(tasks->y);
    cru_tensor *h = hidden_of(t, s, &layer[0], tasks->x, tasks->x);
    cru_tensor *wrong = cru_sub(t, result_of(t, s, &layer[1], h), tasks->y);
    cru_tensor *e = cru_mul(t, cru_scale(t, wrong, factor), tasks->share);
    cru_tensor *back = cru_matmul_op(t, e, layer[1].w, CRU_NT);
    if (s->g) back = descend(t, s, back, (cru_tensor *[]){e, s->e, s->h}, 0);
    cru_tensor *g = cru_mul(t, back, cru_sign(t, h));
    s->g = s->g ? cru_add(t, s->g, g) : g;
    s->h = append(t, s, s->h, h);
    s->e = append(t, s, s->e, e);
}

cru_tensor *maml_predict(cru_tape *t, const cru_fc layer[2], const maml_tasks *tasks, const maml_rule *rule)
{
    trace s = {.tasks = tasks->count, .lr = rule->lr};
    for (int64_t i = 0; i < rule->steps; i++) step(t, &s, layer, tasks);
    return result_of(t, &s, &layer[1], hidden_of(t, &s, &layer[0], tasks->query, tasks->x));
}
