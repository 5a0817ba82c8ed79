/* Minibatches of whole graphs. */
#include <math.h>

#include <crucible/train.h>

const char *const cru_readout_names[] = {"sum", "mean", NULL};
static const cru_reduce readouts[] = {CRU_REDUCE_SUM, CRU_REDUCE_MEAN};

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
