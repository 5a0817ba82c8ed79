/* Minibatches of whole graphs. */
#include <math.h>

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
    const cru_graph_settings *s = (const void *)((const char *)learner->settings + learner->method->graphs);
    return cru_segment(t, h, graphs->offsets, graphs->count, readouts[s->readout]);
}

double cru_graphs_pass(cru_learner *learner)
{
    cru_tape *t = learner->tape;
    const int64_t steps = cru_batches_per_pass(&learner->batches);
    double sum = 0;
    for (int64_t i = 0; i < steps; i++) {
        cru_ids ids = cru_batches_next(&learner->batches);
        cru_tape_begin(t, CRU_TRAIN);
        cru_graphs some = cru_graphs_select(t, &learner->graphs, ids);
        cru_tensor *z = learner->method->forward(learner, t, &some);
        cru_tensor *loss = cru_learner_batch_loss(learner, t, z, ids);
        if (cru_ctx_status(learner->ctx)) return NAN;
        sum += cru_learner_step(learner, learner->optim, loss);
    }
    return sum / (double)steps;
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
    const cru_tensor *z = l->method->forward(l, l->tape, &some);
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    cru_assert(cru_tensor_rows(z) == count && cru_tensor_cols(z) == classes,
               "forward: %lld x %lld for %lld graphs of %lld classes", (long long)cru_tensor_rows(z),
               (long long)cru_tensor_cols(z), (long long)count, (long long)classes);
    cru_tensor_download(l->tape, z, scores);
    for (int64_t i = 0; i < count; i++)
        for (int64_t c = 0; c < classes; c++) l->scores[ids[i] * classes + c] = scores[i * classes + c];
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
