// SPDX-License-Identifier: Apache-2.0
/* Minibatches of whole graphs. */
#include <math.h>
#include <string.h>

#include <crucible/draft/graph.h>
#include <crucible/draft/minibatch.h>
#include <crucible/draft/nn.h>
#include <crucible/draft/train.h>
#include <crucible/ops-sparse.h>

#include "train/feed.h"
#include "train/learner.h"
#include "train/whole-graphs.h"

const char *const cru_readout_names[] = {"sum", "mean", "max", NULL};
static const cru_reduce readouts[] = {CRU_REDUCE_SUM, CRU_REDUCE_MEAN, CRU_REDUCE_MAX};

cru_graphs cru_graphs_all(const cru_learner *learner, const cru_csr *adj)
{
    const cru_task *task = learner->task;
    cru_graphs all = {.count = 1, .host = *adj, .adj = cru_sparse_create(learner->ctx, adj), .x = learner->x};
    if (task->problem == CRU_GRAPHS) {
        all.count = task->items;
        all.offsets = task->graph_offsets;
        return all;
    }
    int64_t *offsets = cru_ctx_alloc(learner->ctx, 2, sizeof *offsets);
    offsets[1] = task->nodes;
    all.offsets = offsets;
    return all;
}

cru_graphs cru_graphs_select(cru_tape *t, const cru_graphs *all, cru_ids graphs)
{
    int64_t *offsets = cru_tape_alloc(t, graphs.count + 1, sizeof *offsets);
    cru_csr block = cru_graph_batch_select(cru_tape_pool(t), (cru_blocks){&all->host, all->offsets}, graphs, offsets);
    int32_t *nodes = cru_tape_alloc(t, offsets[graphs.count], sizeof *nodes);
    for (int64_t g = 0; g < graphs.count; g++) {
        const int64_t shift = all->offsets[graphs.ids[g]] - offsets[g];
        for (int64_t v = offsets[g]; v < offsets[g + 1]; v++) nodes[v] = (int32_t)(v + shift);
    }
    return (cru_graphs){.count = graphs.count,
                        .offsets = offsets,
                        .host = block,
                        .adj = cru_sparse_step(t, &block),
                        .x = cru_input_rows(t, &all->x, cru_index_step(t, nodes, offsets[graphs.count]))};
}

cru_tensor *cru_graphs_readout(cru_tape *t, const cru_learner *learner, const cru_graphs *graphs, cru_tensor *h)
{
    if (learner->task->problem != CRU_GRAPHS) return h;
    const cru_graph_settings *s = settings_at(learner, learner->method->graphs);
    return cru_segment(t, h, graphs->offsets, graphs->count, readouts[s->readout]);
}

cru_tensor *cru_graphs_logits(cru_tape *t, const cru_gcn_stack *stack, const cru_graphs *graphs, const cru_input *x)
{
    cru_wanted *wanted = graphs->wanted;
    if (wanted && wanted->hops) return cru_graphs_stack(t, stack, graphs, x);
    if (!wanted || stack->layers == 1) /* a layer alone keeps its propagated features */
        return cru_gcn_stack_input(t, stack, graphs->adj, x);
    if (!wanted->rows) {
        const cru_learner *l = wanted->learner;
        const cru_ids train = l->task->split.train;
        const cru_csr rows = cru_csr_rows(cru_ctx_pool(l->ctx), &graphs->host, train.ids, train.count);
        wanted->rows = cru_sparse_create(l->ctx, &rows);
    }
    wanted->given = true;
    return cru_gcn_stack_rows(t, stack, graphs->adj, wanted->rows, x);
}

cru_hop cru_graphs_hop(const cru_graphs *graphs, int64_t layer)
{
    const cru_wanted *wanted = graphs->wanted;
    if (!wanted || !wanted->hops) return (cru_hop){.adj = graphs->adj};
    cru_assert(layer >= 0 && layer < wanted->hops, "graphs: layer %lld of %lld hops", (long long)layer,
               (long long)wanted->hops);
    return wanted->hop[layer];
}

cru_tensor *cru_hop_own(cru_tape *t, const cru_hop *hop, cru_tensor *h)
{
    return hop->some ? cru_gather(t, h, hop->own) : h;
}

cru_input cru_hop_own_input(cru_tape *t, const cru_hop *hop, const cru_input *x)
{
    return hop->some ? cru_input_rows(t, x, hop->own) : *x;
}

cru_tensor *cru_graphs_stack(cru_tape *t, const cru_gcn_stack *stack, const cru_graphs *graphs, const cru_input *x)
{
    cru_sparse *adj[CRU_MAX_LAYERS];
    cru_hop last = {0};
    for (int64_t i = 0; i < stack->layers; i++) {
        last = cru_graphs_hop(graphs, i);
        adj[i] = last.adj;
    }
    cru_tensor *z = cru_gcn_stack_over(t, stack, adj, x), *hidden = stack->layers > 1 ? cru_represented(t) : NULL;
    if (hidden) cru_represent(t, cru_hop_own(t, &last, hidden));
    return z;
}

cru_tensor *cru_graphs_gin(cru_tape *t, const cru_gin_stack *stack, const cru_graphs *graphs, const cru_input *x)
{
    cru_sparse *adj[CRU_MAX_LAYERS];
    cru_index own[CRU_MAX_LAYERS];
    bool some = false;
    for (int64_t i = 0; i < stack->layers; i++) {
        const cru_hop hop = cru_graphs_hop(graphs, i);
        adj[i] = hop.adj;
        own[i] = hop.own;
        some = hop.some;
    }
    return cru_gin_stack_over(t, stack, adj, some ? own : NULL, x);
}

/* ---- training -------------------------------------------------------------------------------------------- */

bool graphs_in_batches(const cru_learner *l)
{
    return l->task->problem == CRU_GRAPHS && (l->method->forward || (l->method->graphs && l->method->batch_loss));
}

static cru_tensor *loss_of(cru_learner *l, const cru_batch *batch)
{
    if (l->method->batch_loss) return l->method->batch_loss(l, l->model, l->tape, batch);
    const cru_graphs some = cru_graphs_select(l->tape, &l->graphs, batch->items);
    cru_tensor *z = learner_forward(l, l->tape, &some);
    return z ? cru_learner_batch_loss(l, l->tape, z, batch->items) : NULL;
}

double cru_graphs_pass(cru_learner *learner)
{
    const int64_t batches = cru_batches_per_pass(&learner->batches);
    int64_t steps = 0;
    double sum = 0;
    for (int64_t i = 0; i < batches; i++) {
        const cru_ids ids = cru_batches_next(&learner->batches);
        const cru_batch batch = {.count = ids.count, .items = ids};
        cru_tape_begin(learner->tape, CRU_TRAIN);
        cru_tensor *loss = loss_of(learner, &batch);
        sum += batch_step(learner, &batch, loss);
        if (cru_ctx_status(learner->ctx)) return NAN;
        steps += loss != NULL;
    }
    return steps ? sum / (double)steps : NAN;
}

/* ---- evaluation ------------------------------------------------------------------------------------------ */

enum { PARTS = 3 };

/* All graphs: those to validate on, those to test on, others; where these parts end. */
static int32_t *order_of_parts(cru_tape *t, const cru_task *task, int64_t ends[PARTS])
{
    const cru_ids part[] = {task->split.val, task->split.test};
    int32_t *order = cru_tape_alloc(t, task->items, sizeof *order);
    uint8_t *placed = cru_tape_alloc(t, task->items, sizeof *placed);
    int64_t count = 0;
    memset(placed, 0, (size_t)task->items);
    for (int p = 0; p < 2; p++) {
        for (int64_t i = 0; i < part[p].count; i++)
            if (!placed[part[p].ids[i]]) placed[order[count++] = part[p].ids[i]] = 1;
        ends[p] = count;
    }
    for (int32_t g = 0; g < task->items; g++)
        if (!placed[g]) order[count++] = g;
    ends[2] = count;
    return order;
}

cru_tensor *cru_graphs_in_turn(cru_learner *learner, cru_tape *t, cru_graph_scorer score, void *user)
{
    const cru_graph_settings *s = settings_at(learner, learner->method->graphs);
    const int64_t items = learner->task->items, parts = learner->validation_only ? 1 : PARTS;
    cru_tensor **batch = cru_tape_alloc(t, items / s->batch + parts, sizeof *batch);
    cru_tensor **noted = cru_tape_alloc(t, items / s->batch + parts, sizeof *noted);
    bool all_noted = learner->noted;
    int64_t ends[PARTS], batches = 0;
    const int32_t *order = order_of_parts(t, learner->task, ends);
    for (int64_t part = 0, from = 0; part < parts; part++)
        for (int64_t to; from < ends[part]; from = to) {
            to = from + s->batch < ends[part] ? from + s->batch : ends[part];
            cru_represent(t, NULL);
            batch[batches] = score(learner, user, t, (cru_ids){order + from, to - from});
            noted[batches] = cru_represented(t);
            all_noted &= noted[batches] && cru_tensor_rows(noted[batches]) == to - from;
            batches++;
        }
    cru_represent(t, NULL); /* what the last batch noted is of its graphs */
    if (!batches) return cru_tensor_filled(t, cru_2d(items, learner->task->classes), 0);
    cru_tensor *z = batches > 1 ? cru_concat_rows(t, batch, batches) : batch[0];
    const cru_index rows = cru_index_step(t, order, ends[parts - 1]);
    if (all_noted) {
        cru_tensor *h = cru_concat_rows(t, noted, batches);
        cru_represent(t, cru_scatter(t, h, rows, items, CRU_REDUCE_SUM));
    }
    return cru_scatter(t, z, rows, items, CRU_REDUCE_SUM);
}

/* Graphs are joined up to about so many nodes: what layers keep of them stays in the caches. */
enum { EVALUATED_NODES = 4096 };

bool graphs_in_steps(const cru_learner *l)
{
    return l->method->forward && l->task->problem == CRU_GRAPHS;
}

/* Number `i` of the graphs whose scores are wanted. */
static int64_t wanted(const cru_learner *l, int64_t i)
{
    return l->validation_only ? l->task->split.val.ids[i] : i;
}

static cru_status evaluate_step(cru_learner *l, int64_t first, int64_t count)
{
    const int64_t classes = l->task->classes;
    cru_tape_begin(l->tape, CRU_EVAL);
    int32_t *ids = cru_tape_alloc(l->tape, count, sizeof *ids);
    float *scores = cru_tape_alloc(l->tape, count * classes, sizeof *scores);
    for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)wanted(l, first + i);
    const cru_graphs some = cru_graphs_select(l->tape, &l->graphs, (cru_ids){ids, count});
    const cru_tensor *z = learner_forward(l, l->tape, &some);
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    cru_assert(cru_tensor_rows(z) == count && cru_tensor_cols(z) == classes,
               "forward: %lld x %lld for %lld graphs of %lld classes", (long long)cru_tensor_rows(z),
               (long long)cru_tensor_cols(z), (long long)count, (long long)classes);
    cru_tensor_download(l->tape, z, scores);
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < classes; c++) l->scores[ids[i] * classes + c] = scores[i * classes + c];
    learner_gather(l, ids, count);
    return CRU_OK;
}

cru_status graphs_evaluate(cru_learner *l)
{
    const int64_t count = l->validation_only ? l->task->split.val.count : l->task->items;
    cru_status status = CRU_OK;
    for (int64_t first = 0, last; first < count && !status; first = last) {
        int64_t nodes = 0;
        for (last = first; last < count && nodes < EVALUATED_NODES; last++)
            nodes += l->graphs.offsets[wanted(l, last) + 1] - l->graphs.offsets[wanted(l, last)];
        status = evaluate_step(l, first, last - first);
    }
    return status;
}
