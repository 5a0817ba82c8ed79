// SPDX-License-Identifier: Apache-2.0
#include "added-nodes.h"

#include <math.h>

#include <crucible/imbalance.h>

static int64_t copy_row(const cru_csr *g, int64_t row, int32_t *ids)
{
    const int64_t first = g->offsets[row], count = g->offsets[row + 1] - first;
    for (int64_t k = 0; k < count; k++) ids[k] = g->ids[first + k];
    return count;
}

void added_link(cru_tape *t, added_nodes *a, const cru_csr *g, const int32_t *sources, added_draw *draw, void *user)
{
    int64_t most = 0, count = 0;
    for (int64_t i = 0; i < a->count; i++) most += g->offsets[sources[i] + 1] - g->offsets[sources[i]];
    int32_t *row = cru_tape_alloc(t, most, sizeof *row), *ids = cru_tape_alloc(t, most, sizeof *ids);
    float *value = cru_tape_alloc(t, most, sizeof *value), *own = cru_tape_alloc(t, a->count, sizeof *own);
    for (int64_t i = 0; i < a->count; i++) {
        const int64_t room = g->offsets[sources[i] + 1] - g->offsets[sources[i]];
        const int64_t heard = draw ? draw(user, t, i, room, ids + count) : copy_row(g, sources[i], ids + count);
        own[i] = 1 / (float)(heard + 1);
        for (int64_t k = 0; k < heard; k++, count++) row[count] = (int32_t)i, value[count] = own[i];
    }
    const cru_coo entries = {a->count, g->rows, count, row, ids, value};
    a->heard = cru_csr_from_coo(cru_tape_pool(t), &entries, CRU_DUP_SUM);
    a->links = cru_sparse_step(t, &a->heard);
    a->own = cru_tensor_upload(t, cru_2d(a->count, 1), own);
}

void added_convolve(cru_tape *t, const added_nodes *a, cru_sparse *adj, const cru_gcn *layer, cru_tensor *xw,
                    cru_tensor *both[2])
{
    both[0] = cru_add(t, cru_spmm(t, adj, xw), layer->b);
    if (!a) return;
    cru_tensor *self = cru_mul(t, cru_matmul(t, both[1], layer->w), a->own);
    both[1] = cru_add(t, cru_add(t, cru_spmm(t, a->links, xw), self), layer->b);
}

cru_encoder added_encoder(cru_learner *l, const layer_choice *choice, int64_t hidden, int64_t layers)
{
    cru_encoder e = cru_encoder_create_of(l->net, "conv", layer_choice_kind(l->ctx, choice),
                                          &(cru_encoder_shape){.in = l->x.cols, .hidden = hidden, .layers = layers});
    e.adj = cru_adjacency_create(l->ctx, &l->task->graph, &e.adjacency);
    return e;
}

double *added_partner_weights(cru_ctx *ctx, const cru_task *task)
{
    const cru_ids train = task->split.train, *members = cru_class_members(cru_ctx_pool(ctx), task);
    double *weights = cru_ctx_alloc(ctx, train.count, sizeof *weights);
    for (int64_t i = 0; i < train.count; i++) {
        const double size = (double)members[task->labels[train.ids[i]]].count;
        weights[i] = log(size) / size;
    }
    return weights;
}

/* The task's graph with a row for every new node. */
static cru_csr grown(cru_tape *t, const cru_csr *g, const cru_csr *heard)
{
    const int64_t nodes = g->rows + heard->rows, old = g->offsets[g->rows], count = old + heard->offsets[heard->rows];
    int64_t *offsets = cru_tape_alloc(t, nodes + 1, sizeof *offsets);
    int32_t *ids = cru_tape_alloc(t, count, sizeof *ids);
    for (int64_t v = 0; v <= g->rows; v++) offsets[v] = g->offsets[v];
    for (int64_t v = 1; v <= heard->rows; v++) offsets[g->rows + v] = old + heard->offsets[v];
    for (int64_t e = 0; e < count; e++) ids[e] = e < old ? g->ids[e] : heard->ids[e - old];
    return (cru_csr){.rows = nodes, .cols = nodes, .offsets = offsets, .ids = ids};
}

cru_tensor *added_encode(const cru_learner *l, cru_tape *t, const cru_encoder *encoder, const added_nodes *a,
                         cru_tensor **watched)
{
    if (!a && !watched) return cru_encoder_logits(t, encoder, encoder->adj, &l->x);
    cru_tensor *both[2] = {cru_input_dense(t, &l->x), a ? a->x : NULL};
    if (watched) {
        *watched = both[0] = cru_scale(t, both[0], 1); /* a tensor of the step, not the features themselves */
        cru_tensor_watch(*watched);
    }
    const cru_input x = cru_input_of(a ? cru_concat_rows(t, both, 2) : both[0]);
    if (!a) return cru_encoder_logits(t, encoder, encoder->adj, &x);
    const cru_csr g = grown(t, &l->task->graph, &a->heard), matrix = cru_encoder_graph(cru_tape_pool(t), encoder, &g);
    return cru_encoder_logits(t, encoder, cru_sparse_step(t, &matrix), &x);
}

added_labels added_labelled(const cru_learner *learner, cru_tape *t, const int32_t *labels, int64_t count)
{
    const cru_task *task = learner->task;
    const cru_ids train = task->split.train;
    const int64_t all = train.count + count;
    added_labels a = {all, cru_tape_alloc(t, all, sizeof *a.rows), cru_tape_alloc(t, all, sizeof *a.classes)};
    for (int64_t i = 0; i < all; i++) {
        const int64_t k = i - train.count; /* the added node, if not negative */
        a.rows[i] = k < 0 ? train.ids[i] : (int32_t)(task->nodes + k);
        a.classes[i] = k < 0 ? task->labels[train.ids[i]] : labels[k];
    }
    return a;
}

cru_csr added_around(cru_tape *t, const cru_csr *g, const added_nodes *added, const added_labels *labelled)
{
    int64_t *offsets = cru_tape_alloc(t, labelled->count + 1, sizeof *offsets), most = 0;
    for (int64_t i = 0; i < labelled->count; i++) {
        const int64_t v = labelled->rows[i], k = v - g->rows;
        most += 1 + (k < 0 ? g->offsets[v + 1] - g->offsets[v] : added->heard.offsets[k + 1] - added->heard.offsets[k]);
    }
    int32_t *ids = cru_tape_alloc(t, most, sizeof *ids);
    offsets[0] = 0;
    for (int64_t i = 0, at = 0; i < labelled->count; i++) {
        const int32_t v = labelled->rows[i];
        const bool old = v < g->rows;
        const cru_csr *from = old ? g : &added->heard;
        const int64_t row = old ? v : v - g->rows;
        for (int64_t e = from->offsets[row]; e < from->offsets[row + 1]; e++)
            if (from->ids[e] != v) ids[at++] = from->ids[e];
        ids[at++] = v;
        offsets[i + 1] = at;
    }
    return (cru_csr){.rows = labelled->count, .cols = g->rows + added->count, .offsets = offsets, .ids = ids};
}

cru_tensor *added_loss(const cru_learner *learner, cru_tape *t, cru_tensor *z, const int32_t *labels, int64_t count)
{
    const added_labels a = added_labelled(learner, t, labels, count);
    const cru_index rows = cru_index_step(t, a.rows, a.count);
    return cru_cross_entropy(t, z, &(cru_targets){.rows = &rows, .labels = cru_index_step(t, a.classes, a.count)});
}
