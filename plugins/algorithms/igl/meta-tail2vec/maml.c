// SPDX-License-Identifier: Apache-2.0
#include "maml.h"

/* What the steps so far have left behind: sum of G, and H and E of each. */
typedef struct trace {
    int64_t tasks, steps;
    cru_tensor *g, *h[MAML_MOST_STEPS], *e[MAML_MOST_STEPS];
    double lr;
} trace;

/* to - lr (a b^T + one) c, task by task */
static cru_tensor *descend(cru_tape *t, const trace *s, cru_tensor *to, cru_tensor *const abc[3], double one)
{
    cru_tensor *cube[3];
    for (int i = 0; i < 3; i++) {
        const int64_t rows = cru_tensor_rows(abc[i]), cols = cru_tensor_cols(abc[i]);
        cube[i] = cru_reshape(t, abc[i], cru_3d(s->tasks, rows / s->tasks, cols));
    }
    cru_tensor *gram = cru_affine(t, cru_bmm(t, cube[0], cube[1], CRU_NT), 1, one);
    cru_tensor *change = cru_reshape(t, cru_bmm(t, gram, cube[2], CRU_NN), cru_shape_of(to));
    return cru_plus(t, to, -s->lr, change);
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
    for (int64_t j = 0; j < s->steps; j++) o = descend(t, s, o, (cru_tensor *[]){h, s->h[j], s->e[j]}, 1);
    return o;
}

static void step(cru_tape *t, trace *s, const cru_fc layer[2], const maml_tasks *tasks)
{
    const double factor = 2 / (double)cru_tensor_cols(tasks->y);
    cru_tensor *h = hidden_of(t, s, &layer[0], tasks->x, tasks->x);
    cru_tensor *wrong = cru_sub(t, result_of(t, s, &layer[1], h), tasks->y);
    cru_tensor *e = cru_mul(t, cru_scale(t, wrong, factor), tasks->share);
    cru_tensor *back = cru_matmul_op(t, e, layer[1].w, CRU_NT);
    for (int64_t j = 0; j < s->steps; j++) back = descend(t, s, back, (cru_tensor *[]){e, s->e[j], s->h[j]}, 0);
    cru_tensor *g = cru_mul(t, back, cru_sign(t, h));
    s->g = s->g ? cru_add(t, s->g, g) : g;
    s->h[s->steps] = h;
    s->e[s->steps++] = e;
}

cru_tensor *maml_predict(cru_tape *t, const cru_fc layer[2], const maml_tasks *tasks, const maml_rule *rule)
{
    trace s = {.tasks = tasks->count, .lr = rule->lr};
    while (s.steps < rule->steps) step(t, &s, layer, tasks);
    return result_of(t, &s, &layer[1], hidden_of(t, &s, &layer[0], tasks->query, tasks->x));
}
