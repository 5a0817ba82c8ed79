/* solt-gnn: small graphs borrow from a memory of patterns that large graphs have.
 *
 *     H = GIN(X, A + I)      h_G = sum of H over G      logits = (h_G + p(h_G)) W + b      p: pattern-memory.h
 *
 * Heads are the `heads` graphs with most nodes. With L_h and L_t the mean cross-entropy over heads and tails of a
 * batch,
 *
 *     loss = 2 (alpha L_h + (1 - alpha) L_t) + mu_nodes L_n + mu_parts L_s + lambda mean cos(h_G, p(h_G))
 *
 * L_n and L_s say that what a head's part recalls is nearer to the rest of this head i than to another head j:
 *     L_n  parts: the first min(n_i, n_j) nodes; against a random node of i and one of j
 *     L_s  parts: connected samples of K = floor(min(b - 1, n_i / 2)) nodes, represented without the rest of the graph
 *          and without self-loops, against the sum over the rest of i and over as many random nodes of j (or all)
 * where b is the size at rank floor(0.2 G) from the top. A batch with fewer than two heads or no tail is passed over.
 * Memory and network have optimisers of their own; the learning rate of the latter halves every `halve_every` epochs.
 *
 * Liu, Mao, Liu, Fang, Sun. On Size-Oriented Long-Tailed Graph Classification of Graph Neural Networks. WWW 2022. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <crucible/imbalance.h>

#include "pattern-memory.h"

enum { PROBLEMS = CRU_GRAPHS };

typedef struct settings {
    int64_t layers, hidden, memory, heads, halve_every;
    double dropout, alpha, mu_nodes, mu_parts, lambda;
    bool learn_eps;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions"),
    CRU_INT(settings, hidden, 32, 1, 65536, "width"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "between convolutions"),
    CRU_BOOL(settings, learn_eps, false, "learn the weight of a node's own features"),
    CRU_INT(settings, memory, 64, 1, 4096, "size of the memory"),
    CRU_INT(settings, heads, 72, 0, 1e9, "how many of the largest graphs are heads"),
    CRU_FLOAT(settings, alpha, 0.5, 0, 1, "share of the heads in the loss", .search = CRU_ONE_OF(0.1, 0.15, 0.3)),
    CRU_FLOAT(settings, mu_nodes, 1, 0, CRU_NO_MAX, "weight of the nodes' relevance",
              .search = CRU_ONE_OF(0, 0.5, 1, 1.5, 2)),
    CRU_FLOAT(settings, mu_parts, 1, 0, CRU_NO_MAX, "weight of the samples' relevance",
              .search = CRU_ONE_OF(0, 0.5, 1, 1.5, 2)),
    CRU_FLOAT(settings, lambda, 1e-4, 0, CRU_NO_MAX, "weight of the likeness of memory and representation"),
    CRU_INT(settings, halve_every, 50, 1, 1e9, "epochs after which the learning rate halves"),
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_FILL, CRU_NORM_COL + 1),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 0),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_rng rng;
    cru_gin conv[CRU_MAX_LAYERS];
    cru_fc out;
    pattern_memory memory;
    cru_optim *memory_optim;
    uint8_t *head;   /* of every graph */
    int64_t largest; /* nodes in a sample, b - 1 */
} model;

/* ---- set-up ---------------------------------------------------------------------------------------------- */

typedef struct sized {
    int64_t size, graph;
} sized;

static int larger_first(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return (x->graph > y->graph) - (x->graph < y->graph);
}

static void mark_heads(model *m)
{
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    sized *order = cru_ctx_alloc(m->base.ctx, task->items, sizeof *order);
    int64_t *size = cru_ctx_alloc(m->base.ctx, task->items, sizeof *size);
    m->head = cru_ctx_alloc(m->base.ctx, task->items, sizeof *m->head);
    for (int64_t g = 0; g < task->items; g++) {
        size[g] = task->graph_offsets[g + 1] - task->graph_offsets[g];
        order[g] = (sized){size[g], g};
    }
    qsort(order, (size_t)task->items, sizeof *order, larger_first);
    for (int64_t i = 0; i < task->items && i < s->heads; i++) m->head[order[i].graph] = 1;
    m->largest = task->items ? (int64_t)cru_head_size(size, task->items) - 2 : 0;
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    cru_net *memory = cru_learner_net(&m->base, "memory");
    cru_mlp_shape shape = {.in = task->x.cols, .hidden = s->hidden, .out = s->hidden, .layers = 2, .batch_norm = true};
    for (int64_t i = 0; i < s->layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "conv%lld", (long long)i);
        m->conv[i] = cru_gin_create(m->base.net, name, &shape, s->learn_eps);
        shape.in = s->hidden;
    }
    m->out = cru_fc_create(m->base.net, "out", s->hidden, task->classes);
    m->memory = pattern_memory_create(memory, s->hidden, s->memory);
    m->base.optim = cru_learner_optim(&m->base, &m->base.net, 1);
    m->memory_optim = cru_learner_optim(&m->base, &memory, 1);
    m->rng = cru_ctx_stream(m->base.ctx, "sampling");
    mark_heads(m);
    return cru_ctx_status(m->base.ctx);
}

/* ---- the network ----------------------------------------------------------------------------------------- */

static cru_tensor *represent(const model *m, cru_tape *t, cru_sparse *adj, const cru_input *x)
{
    const settings *s = m->base.settings;
    cru_tensor *h = cru_gin_input(t, &m->conv[0], adj, x);
    for (int64_t i = 1; i < s->layers; i++)
        h = cru_gin_apply(t, &m->conv[i], adj, cru_dropout(t, cru_relu(t, h), (float)s->dropout));
    return h;
}

static cru_tensor *forward(void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    cru_tensor *h = cru_graphs_readout(t, &m->base, g, represent(m, t, g->adj, &g->x));
    return cru_fc_apply(t, &m->out, cru_add(t, h, pattern_memory_recall(t, &m->memory, h)));
}

/* ---- relevance ------------------------------------------------------------------------------------------- */

/* A step: the graphs of a batch, their nodes' representation, and which of them are heads. */
typedef struct step {
    cru_ids ids;
    cru_graphs graphs;
    cru_tensor *nodes;
    int32_t *heads, *tails; /* places in the batch */
    int64_t head_count, tail_count;
} step;

/* Nodes of the batch and which head they count for. */
typedef struct members {
    int32_t *node, *head;
    int64_t count;
} members;

static members members_create(cru_tape *t, const step *s)
{
    const int64_t most = s->graphs.offsets[s->graphs.count];
    return (members){cru_tape_alloc(t, most, sizeof(int32_t)), cru_tape_alloc(t, most, sizeof(int32_t)), 0};
}

static void members_add(members *m, int64_t node, int64_t head)
{
    m->node[m->count] = (int32_t)node;
    m->head[m->count++] = (int32_t)head;
}

/* The sum of x over the members of each head. */
static cru_tensor *members_sum(cru_tape *t, const members *m, cru_tensor *x, int64_t heads)
{
    return cru_scatter(t, x, cru_index_step(t, m->head, m->count), heads, CRU_REDUCE_SUM);
}

static int64_t size_of(const step *s, int64_t g)
{
    return s->graphs.offsets[g + 1] - s->graphs.offsets[g];
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Another head of the batch than number i. */
static int32_t other_head(model *m, const step *s, int64_t i)
{
    const int64_t k = cru_rng_below(&m->rng, s->head_count - 1);
    return s->heads[k < i ? k : k + 1];
}

static cru_tensor *rows_of(cru_tape *t, const step *s, const int32_t *ids, int64_t count)
{
    return cru_gather(t, s->nodes, cru_index_step(t, ids, count));
}

static cru_tensor *node_relevance(model *m, cru_tape *t, const step *s)
{
    const int64_t most = s->graphs.offsets[s->graphs.count];
    int32_t *query = cru_tape_alloc(t, most, sizeof *query), *same = cru_tape_alloc(t, most, sizeof *same);
    int32_t *other = cru_tape_alloc(t, most, sizeof *other);
    int64_t count = 0;
    for (int64_t i = 0; i < s->head_count; i++) {
        const int32_t own = s->heads[i], far = other_head(m, s, i);
        const int64_t first = s->graphs.offsets[own], size = smaller(size_of(s, own), size_of(s, far));
        for (int64_t v = 0; v < size; v++, count++) {
            query[count] = (int32_t)(first + v);
            same[count] = (int32_t)(first + cru_rng_below(&m->rng, size_of(s, own)));
            other[count] = (int32_t)(s->graphs.offsets[far] + cru_rng_below(&m->rng, size_of(s, far)));
        }
    }
    cru_tensor *p = pattern_memory_recall(t, &m->memory, rows_of(t, s, query, count));
    return pattern_relevance(t, p, rows_of(t, s, same, count), rows_of(t, s, other, count));
}

/* Depth first from a random node of a graph of the batch: a node's neighbours are pushed when it is taken. Marks what
 * is taken, at most K nodes. */
static void sample_part(model *m, cru_tape *t, const step *s, int64_t graph, uint8_t *taken)
{
    const cru_csr *adj = &s->graphs.host;
    const int64_t first = s->graphs.offsets[graph], last = s->graphs.offsets[graph + 1];
    const int64_t most = adj->offsets[last] - adj->offsets[first] + 1;
    int64_t left = smaller(m->largest, (last - first) / 2), top = 0;
    int32_t *stack = cru_tape_alloc(t, most, sizeof *stack);
    stack[top++] = (int32_t)(first + cru_rng_below(&m->rng, last - first));
    while (top > 0 && left > 0) {
        const int32_t v = stack[--top];
        if (taken[v]) continue;
        taken[v] = 1;
        left--;
        for (int64_t e = adj->offsets[v]; e < adj->offsets[v + 1]; e++)
            if (!taken[adj->ids[e]]) stack[top++] = adj->ids[e];
    }
}

/* The representation of samples by themselves; part->node are nodes of the batch. */
static cru_tensor *represent_parts(model *m, cru_tape *t, const step *s, const members *part)
{
    const cru_task *task = m->base.task;
    int32_t *node = cru_tape_alloc(t, part->count, sizeof *node);
    for (int64_t i = 0; i < part->count; i++) {
        const int32_t graph = s->heads[part->head[i]];
        node[i] = (int32_t)(part->node[i] - s->graphs.offsets[graph] + task->graph_offsets[s->ids.ids[graph]]);
    }
    const cru_subgraph sub = cru_graph_induced(cru_tape_pool(t), &task->graph, (cru_ids){node, part->count});
    const cru_csr plain = cru_graph_loops(cru_tape_pool(t), &sub.graph, CRU_LOOPS_REMOVE);
    const cru_input x = cru_input_rows(t, &m->base.x, cru_index_step(t, node, part->count));
    return members_sum(t, part, represent(m, t, cru_sparse_step(t, &plain), &x), s->head_count);
}

static cru_tensor *part_relevance(model *m, cru_tape *t, const step *s)
{
    uint8_t *taken = cru_tape_alloc(t, s->graphs.offsets[s->graphs.count], sizeof *taken);
    members part = members_create(t, s), rest = members_create(t, s), far = members_create(t, s);
    for (int64_t v = 0; v < s->graphs.offsets[s->graphs.count]; v++) taken[v] = 0;
    for (int64_t i = 0; i < s->head_count; i++) {
        const int32_t own = s->heads[i], other = other_head(m, s, i);
        const int64_t before = rest.count;
        sample_part(m, t, s, own, taken);
        for (int64_t v = s->graphs.offsets[own]; v < s->graphs.offsets[own + 1]; v++)
            members_add(taken[v] ? &part : &rest, v, i);
        const int64_t size = smaller(rest.count - before, size_of(s, other));
        int32_t *chosen = cru_tape_alloc(t, size, sizeof *chosen);
        cru_rng_choose(&m->rng, size_of(s, other), size, chosen);
        for (int64_t k = 0; k < size; k++) members_add(&far, s->graphs.offsets[other] + chosen[k], i);
    }
    cru_tensor *p = pattern_memory_recall(t, &m->memory, represent_parts(m, t, s, &part));
    cru_tensor *near = members_sum(t, &rest, rows_of(t, s, rest.node, rest.count), s->head_count);
    return pattern_relevance(t, p, near, members_sum(t, &far, rows_of(t, s, far.node, far.count), s->head_count));
}

/* ---- training -------------------------------------------------------------------------------------------- */

static step begin_step(model *m, cru_tape *t, cru_ids ids)
{
    step s = {.ids = ids,
              .heads = cru_tape_alloc(t, ids.count, sizeof *s.heads),
              .tails = cru_tape_alloc(t, ids.count, sizeof *s.tails)};
    for (int32_t i = 0; i < ids.count; i++) {
        if (m->head[ids.ids[i]])
            s.heads[s.head_count++] = i;
        else
            s.tails[s.tail_count++] = i;
    }
    s.graphs = cru_graphs_select(t, &m->base.graphs, ids);
    return s;
}

static cru_tensor *class_loss(const model *m, cru_tape *t, cru_tensor *z, const step *s, bool heads)
{
    const int64_t count = heads ? s->head_count : s->tail_count;
    const int32_t *place = heads ? s->heads : s->tails;
    int32_t *label = cru_tape_alloc(t, count, sizeof *label);
    for (int64_t i = 0; i < count; i++) label[i] = m->base.task->labels[s->ids.ids[place[i]]];
    const cru_index rows = cru_index_step(t, place, count);
    return cru_cross_entropy(t, z, &(cru_targets){.rows = &rows, .labels = cru_index_step(t, label, count)});
}

static cru_tensor *step_loss(model *m, cru_tape *t, step *s)
{
    const settings *set = m->base.settings;
    s->nodes = represent(m, t, s->graphs.adj, &s->graphs.x);
    cru_tensor *h = cru_graphs_readout(t, &m->base, &s->graphs, s->nodes);
    cru_tensor *p = pattern_memory_recall(t, &m->memory, h);
    cru_tensor *z = cru_fc_apply(t, &m->out, cru_add(t, h, p));
    cru_tensor *total = cru_scale(t, class_loss(m, t, z, s, true), (float)(2 * set->alpha));
    total = cru_add(t, total, cru_scale(t, class_loss(m, t, z, s, false), (float)(2 * (1 - set->alpha))));
    total = cru_add(t, total, cru_scale(t, node_relevance(m, t, s), (float)set->mu_nodes));
    total = cru_add(t, total, cru_scale(t, part_relevance(m, t, s), (float)set->mu_parts));
    cru_tensor *alike = cru_mean(t, cru_cosine_rows(t, h, p, 1e-7f), CRU_ALL);
    return cru_add(t, total, cru_scale(t, alike, (float)set->lambda));
}

static cru_status epoch(void *self, double *loss)
{
    model *m = self;
    const settings *set = m->base.settings;
    cru_tape *t = m->base.tape;
    const int64_t batches = cru_batches_per_pass(&m->base.batches);
    int64_t steps = 0;
    double sum = 0;
    cru_optim_set_lr(m->base.optim, cru_lr_step(set->train.lr, m->base.epoch, set->halve_every, 0.5));
    for (int64_t i = 0; i < batches; i++) {
        cru_tape_begin(t, CRU_TRAIN);
        step s = begin_step(m, t, cru_batches_next(&m->base.batches));
        if (s.head_count < 2 || s.tail_count < 1) continue;
        cru_tensor *total = step_loss(m, t, &s);
        if (cru_ctx_status(m->base.ctx)) return cru_ctx_status(m->base.ctx);
        sum += cru_learner_step(&m->base, m->base.optim, total);
        cru_optim_step(m->memory_optim);
        steps++;
    }
    *loss = steps ? sum / (double)steps : NAN;
    return CRU_OK;
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .labelled = true,
                                  .build = build,
                                  .forward = forward,
                                  .epoch = epoch,
                                  .graphs = offsetof(settings, graphs),
                                  .widen = cru_weights_only};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "solt-gnn",
    .version = "1.0",
    .summary = "a memory of patterns from large graphs",
    .citation = "Liu, Mao, Liu, Fang, Sun. On Size-Oriented Long-Tailed Graph Classification of Graph Neural "
                "Networks. WWW 2022.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
