// SPDX-License-Identifier: Apache-2.0
/* rncgln: a transformer on features, contrasted with the graph, that improves labels and graph by itself.
 *
 *     x = Drop(W norm(X) + b)      S = cosines of norm(x), 0 of a node with itself      two encoders (transformer.h)
 *     P = softmax(relu(linear(x)))      G = A^order, counts of walks
 *     loss = soft cross-entropy of P, taken as logits, with the targets Y of items T
 *            + r1 mean_n - log(sum_j e^(tau S_nj) G_nj / sum_j e^(tau S_nj) + 1e-8)
 *
 * At first Y are the labels and T the training items. Whenever an epoch after `warmup` has a new best accuracy on the
 * validation labels: Y = P, one-hot where sure; T = nodes of no other part with a sure P; and of S .* G the largest
 * entries of a row become its G. The loss needs P of T alone, so the last encoder computes no other rows.
 *
 * bench: weights of the warm-up are never kept, but count as seen: if no later epoch is better, the last one predicts.
 * paper: training items are not in the later T, as in the authors' code, and any epoch may predict.
 *
 * Zhu, Feng, Deng, Chen, Amor, Witbrock. Robust Node Classification on Graph Data with Graph and Label Noise. AAAI
 * 2024. */
#include <crucible/draft/train.h>

#include "self-improvement.h"
#include "transformer.h"

typedef struct settings {
    int64_t variant, order, warmup, dim, heads, wide;
    double r1, tau, feature_dropout, dropout, sure, one_hot, graph_drop;
    bool improve_graph;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH,
                "bench: training items may stay to learn from, no epoch of the warm-up predicts"),
    CRU_FLOAT(settings, r1, 1, 0, CRU_NO_MAX, "weight of the contrast",
              .search = CRU_ONE_OF(1e-3, 1e-2, 1e-1, 1, 10, 100, 1000)),
    CRU_FLOAT(settings, tau, 1, 0.01, 50, "scale of similarities"),
    CRU_INT(settings, order, 4, 1, 16, "length of walks"),
    CRU_INT(settings, warmup, 100, 0, 1e9, "the last epoch after which nothing is improved"),
    CRU_FLOAT(settings, sure, 0.9, 0, 1, "least probability of an item to learn from"),
    CRU_FLOAT(settings, one_hot, 0.95, 0, 1, "least probability of a target without doubt"),
    CRU_FLOAT(settings, graph_drop, 0.9, 0, 1, "share of a row of the graph that is dropped"),
    CRU_BOOL(settings, improve_graph, true, "the graph, too"),
    CRU_INT(settings, dim, 128, 1, 65536, "width"),
    CRU_INT(settings, heads, 8, 1, 1024, "heads, which divide the width"),
    CRU_INT(settings, wide, 2048, 1, 65536, "width inside an encoder"),
    CRU_FLOAT(settings, feature_dropout, 0.4, 0, 0.99, "after the first layer"),
    CRU_FLOAT(settings, dropout, 0.4, 0, 0.99, "inside the encoders"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 5e-4, 5e-4),
    CRU_END,
};

typedef struct model {
    normed_input first;
    row_norm similar;
    transformer encoders[2];
    cru_fc last;
    cru_arena *arena[2]; /* one holds the graph, the other the next one */
    int graphs;          /* how many there were: the last lies in arena[graphs % 2] */
    cru_csr graph;
    cru_tensor *seen;    /* rows of length 1 of the last step: nodes x dim */
    cru_tensor *targets; /* Y */
    cru_ids items;       /* T */
    cru_ids eligible;
    int32_t *chosen; /* the memory of later T */
    double best;
} model;

/* Nodes of no part, and the training items unless the variant is paper. */
static cru_ids eligible_items(cru_learner *l)
{
    const settings *s = l->settings;
    const cru_split *split = &l->task->split;
    const cru_ids parts[] = {split->val, split->test, s->variant == CRU_PAPER ? split->train : (cru_ids){0}};
    int32_t *ids = cru_ctx_alloc(l->ctx, split->val.count + split->test.count + split->train.count, sizeof *ids);
    int64_t count = 0;
    for (int p = 0; p < 3; p++)
        for (int64_t i = 0; i < parts[p].count; i++) ids[count++] = parts[p].ids[i];
    return cru_ids_rest(cru_ctx_pool(l->ctx), (cru_ids){ids, count}, l->task->items);
}

static void build_items(cru_learner *l, model *m)
{
    const cru_task *task = l->task;
    m->eligible = eligible_items(l);
    m->chosen = cru_ctx_alloc(l->ctx, m->eligible.count, sizeof *m->chosen);
    m->items = task->split.train;
    float *targets = cru_ctx_alloc(l->ctx, task->items * task->classes, sizeof *targets);
    for (int64_t i = 0; i < m->items.count; i++)
        targets[m->items.ids[i] * task->classes + task->labels[m->items.ids[i]]] = 1;
    m->targets = cru_tensor_from(l->ctx, cru_2d(task->items, task->classes), targets);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const transformer_shape shape = {s->dim, s->heads, s->wide, s->dropout};
    if (s->dim % s->heads) {
        cru_learner_refuse(l, "%lld heads do not divide a width of %lld", (long long)s->heads, (long long)s->dim);
        return;
    }
    for (int i = 0; i < 2; i++) m->arena[i] = cru_arena_create();
    m->graph = walk_counts(cru_arena_pool(m->arena[0]), &l->task->graph, s->order);
    build_items(l, m);
    m->first = normed_input_create(l->net, &l->task->x, s->dim);
    m->similar = row_norm_create(l->net, "similar", s->dim);
    m->last = cru_fc_create(l->net, "last", s->dim, l->task->classes);
    for (int i = 0; i < 2; i++) m->encoders[i] = transformer_create(cru_learner_net(l, i ? "second" : "first"), &shape);
    cru_net_copy(l->nets[2], l->nets[1]); /* the encoders start alike */
    m->seen = cru_tensor_create(l->ctx, cru_2d(l->task->nodes, s->dim));
    m->best = -1;
}

static cru_tensor *enter(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    return cru_dropout(t, normed_input_apply(t, &m->first), s->feature_dropout);
}

/* P of some rows, of all with NULL. */
static cru_tensor *classify(const model *m, cru_tape *t, cru_tensor *x, const cru_index *rows)
{
    x = transformer_apply(t, &m->encoders[0], x, NULL);
    x = transformer_apply(t, &m->encoders[1], x, rows);
    return cru_softmax(t, cru_relu(t, cru_fc_apply(t, &m->last, cru_represent(t, x))), 1);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    const cru_ids val = l->task->split.val;
    cru_tensor *x = enter(l, m, t);
    if (!l->validation_only) return classify(m, t, x, NULL);
    const cru_index rows = cru_index_step(t, val.ids, val.count);
    return cru_scatter(t, classify(m, t, x, &rows), rows, l->task->items, CRU_REDUCE_SUM);
}

static void improve(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const int64_t n = l->task->items, classes = l->task->classes;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_EVAL);
    float *p = cru_tape_alloc(t, n * classes, sizeof *p);
    cru_tensor_download(t, classify(m, t, enter(l, m, t), NULL), p);
    m->items = improved_labels(p, n, classes, m->eligible, (label_rules){s->one_hot, s->sure}, m->chosen);
    cru_tensor_set(l->ctx, m->targets, p);
    if (!s->improve_graph) return;
    cru_arena *next = m->arena[++m->graphs % 2];
    const similar_rows similar = {cru_tensor_host(t, m->seen), s->dim};
    cru_arena_reset(next, (cru_mark){0});
    m->graph = improved_graph(cru_arena_pool(next), &m->graph, similar, s->graph_drop);
}

/* Whether the scores of the last epoch are the best so far, by the validation labels. */
static bool better(cru_learner *l, model *m)
{
    const cru_ids val = l->task->split.val;
    const int64_t classes = l->task->classes;
    int64_t right = 0;
    for (int64_t i = 0; i < val.count; i++) {
        const float *row = l->scores + val.ids[i] * classes;
        int64_t top = 0;
        for (int64_t c = 1; c < classes; c++)
            if (row[c] > row[top]) top = c;
        right += top == l->task->labels[val.ids[i]];
    }
    const double accuracy = val.count ? (double)right / (double)val.count : 0;
    if (accuracy <= m->best) return false;
    m->best = accuracy;
    return true;
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    const bool warm = l->epoch - 1 > s->warmup; /* the last epoch was after the warm-up */
    if (l->epoch > 0 && better(l, m) && warm) improve(l, m);
    if (s->variant == CRU_BENCH && !warm) cru_learner_forget(l);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = enter(l, m, t), *u = cru_normalize_l2(t, row_norm_apply(t, &m->similar, x), 1e-12);
    const cru_index rows = cru_index_step(t, m->items.ids, m->items.count);
    cru_tensor *p = classify(m, t, x, &rows);
    cru_tensor *plain = cru_soft_cross_entropy(t, p, cru_gather(t, m->targets, rows));
    cru_tensor *total = cru_plus(t, plain, s->r1, neighbour_contrast(t, u, &m->graph, s->tau));
    cru_tensor_keep(t, m->seen, u);
    return cru_learner_step(l, l->optim, total);
}

/* Of the graph that the contrast ended with. */
static void report(cru_learner *l, void *self, cru_report *report)
{
    const model *m = self;
    const cru_csr *a = &l->task->graph, *g = &m->graph;
    int64_t kept = 0;
    for (int64_t i = 0; i < g->rows; i++)
        for (int64_t e = g->offsets[i]; e < g->offsets[i + 1]; e++) kept += cru_csr_find(a, i, g->ids[e]) >= 0;
    cru_report_number(report, "edges-kept", (double)kept);
    cru_report_number(report, "edges-added", (double)(cru_csr_nnz(g) - kept));
}

static void release(cru_learner *l, void *self)
{
    model *m = self;
    (void)l;
    for (int i = 0; i < 2; i++) cru_arena_destroy(m->arena[i]);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .report = report, .release = release, .state = cru_no_state),
    .name = "rncgln",
    .version = "1.1",
    .summary = "a transformer contrasted with the graph, which improves labels and graph",
    .citation = "Zhu, Feng, Deng, Chen, Amor, Witbrock. Robust Node Classification on Graph Data with Graph and Label "
                "Noise. AAAI 2024.",
    .categories = "GLN, structure, contrast",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
