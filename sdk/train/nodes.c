// SPDX-License-Identifier: Apache-2.0
/* Minibatches of nodes, and scores of some nodes at a time. */
#include "train/nodes.h"

#include <math.h>
#include <string.h>

#include <crucible/draft/blocks.h>
#include <crucible/draft/cluster.h>
#include <crucible/draft/minibatch.h>
#include <crucible/draft/nn.h>
#include <crucible/draft/sampling.h>
#include <crucible/train.h>

#include "train/feed.h"
#include "train/learner.h"

const char *const cru_minibatch_names[] = {"whole", "neighbours", "layers", "clusters", "walks", NULL};

enum { JOINED = 4 }; /* clusters in a step: edges between them count, and the mixture changes from epoch to epoch */

typedef struct cru_node_feed {
    const cru_node_batches *settings;
    cru_batches batches;    /* of training nodes, or of clusters */
    cru_rng rng;            /* of samples */
    int32_t *place;         /* one per node, 0 between blocks */
    int32_t *inside;        /* one per node: 1 in the subgraph of this step, 0 between steps */
    cru_ids all;            /* nodes */
    const uint8_t *learned; /* clusters: whether a node is a training node */
    const int64_t *from;    /* clusters: where each begins in `members` */
    const int32_t *members;
} cru_node_feed;

static cru_minibatch kind_of(const cru_learner *l)
{
    return l->nodes ? (cru_minibatch)l->nodes->settings->minibatch : CRU_MINIBATCH_WHOLE;
}

bool nodes_in_batches(const cru_learner *l)
{
    return kind_of(l) != CRU_MINIBATCH_WHOLE;
}

bool nodes_in_blocks(const cru_learner *l)
{
    return l->nodes && l->nodes->settings->inference > 0;
}

/* ---- creation -------------------------------------------------------------------------------------------- */

/* Nodes by the cluster that each is in. */
static void list_members(cru_learner *l, const int32_t *part, int64_t parts)
{
    const int64_t nodes = l->task->nodes;
    int64_t *from = cru_ctx_alloc(l->ctx, parts + 2, sizeof *from);
    int32_t *members = cru_ctx_alloc(l->ctx, nodes, sizeof *members);
    for (int64_t v = 0; v < nodes; v++) from[part[v] + 2]++;
    for (int64_t p = 0; p < parts; p++) from[p + 2] += from[p + 1];
    for (int32_t v = 0; v < nodes; v++) members[from[part[v] + 1]++] = v;
    l->nodes->from = from;
    l->nodes->members = members;
}

static void open_clusters(cru_learner *l)
{
    const cru_ids train = l->task->split.train;
    const int64_t nodes = l->task->nodes, size = l->nodes->settings->nodes;
    const int64_t asked = (nodes * JOINED + size - 1) / size, parts = asked < nodes ? asked : nodes;
    int32_t *part = cru_ctx_alloc(l->ctx, nodes, sizeof *part), *number = cru_ctx_alloc(l->ctx, parts, sizeof *number);
    uint8_t *learned = cru_ctx_alloc(l->ctx, nodes, sizeof *learned);
    if (cru_graph_partition(&l->graphs.host, (int32_t)parts, part, cru_ctx_error(l->ctx))) return;
    for (int32_t p = 0; p < parts; p++) number[p] = p;
    for (int64_t i = 0; i < train.count; i++) learned[train.ids[i]] = 1;
    l->nodes->learned = learned;
    l->nodes->batches = cru_batches_create(l->ctx, (cru_ids){number, parts}, JOINED, false);
    list_members(l, part, parts);
}

void nodes_open(cru_learner *l)
{
    const cru_node_batches *s = settings_at(l, l->method->nodes);
    const int64_t nodes = l->task->nodes;
    if (s->minibatch == CRU_MINIBATCH_WHOLE && !s->inference) return;
    if (l->task->problem == CRU_GRAPHS) {
        cru_learner_refuse(l, "minibatch and inference_nodes are for nodes, and the items of this task are graphs");
        return;
    }
    cru_assert(l->hops >= 1 && l->hops <= CRU_MAX_LAYERS && l->graphs.adj, "nodes: build set %lld hops%s",
               (long long)l->hops, l->graphs.adj ? "" : " and no graphs");
    int32_t *all = cru_ctx_alloc(l->ctx, nodes, sizeof *all);
    for (int32_t v = 0; v < nodes; v++) all[v] = v;
    l->nodes = cru_ctx_alloc(l->ctx, 1, sizeof *l->nodes);
    *l->nodes = (cru_node_feed){.settings = s,
                                .rng = cru_ctx_stream(l->ctx, "blocks"),
                                .place = cru_ctx_alloc(l->ctx, nodes, sizeof(int32_t)),
                                .inside = cru_ctx_alloc(l->ctx, nodes, sizeof(int32_t)),
                                .all = {all, nodes}};
    if (s->minibatch == CRU_MINIBATCH_CLUSTERS)
        open_clusters(l);
    else if (s->minibatch != CRU_MINIBATCH_WHOLE)
        l->nodes->batches = cru_batches_create(l->ctx, l->task->split.train, s->nodes, false);
}

/* ---- what a pass goes over ------------------------------------------------------------------------------- */

/* A minibatch: its layers, and the features that the lowest reads. */
typedef struct some_nodes {
    cru_wanted wanted;
    cru_graphs graphs;
    int64_t offsets[2];
} some_nodes;

/* The entries of a layer that gives these rows, for a minibatch of so many items. Kind WHOLE: all of them. */
static cru_csr draw(cru_learner *l, cru_ids rows, cru_minibatch kind, int64_t items)
{
    cru_node_feed *f = l->nodes;
    const cru_pool pool = cru_tape_pool(l->tape);
    const cru_csr *g = &l->graphs.host;
    if (kind == CRU_MINIBATCH_NEIGHBOURS) return cru_sample_neighbours(pool, g, rows, f->settings->fanout, &f->rng);
    if (kind == CRU_MINIBATCH_LAYERS) return cru_sample_layer(pool, g, rows, f->settings->fanout * items, &f->rng);
    return cru_block_entries(pool, g, rows, kind == CRU_MINIBATCH_WHOLE ? NULL : f->inside);
}

/* Layers from the last, which gives the items, down to the features. */
static void stack_layers(cru_learner *l, some_nodes *some, cru_ids items, cru_minibatch kind)
{
    cru_tape *t = l->tape;
    cru_ids rows = items;
    for (int64_t layer = l->hops - 1; layer >= 0; layer--) {
        const cru_csr drawn = draw(l, rows, kind, items.count);
        const cru_block block = cru_block_of(cru_tape_pool(t), &l->graphs.host, rows, &drawn, l->nodes->place);
        some->wanted.hop[layer] = (cru_hop){
            .adj = cru_sparse_step(t, &block.adj), .own = cru_index_step(t, block.own, rows.count), .some = true};
        some->graphs.host = block.adj;
        some->graphs.adj = some->wanted.hop[layer].adj;
        rows = block.nodes;
    }
    some->offsets[1] = items.count;
    some->wanted.learner = l;
    some->wanted.hops = l->hops;
    some->graphs.count = 1;
    some->graphs.offsets = some->offsets;
    some->graphs.x = cru_input_rows(t, &l->x, cru_index_step(t, rows.ids, rows.count));
    some->graphs.wanted = &some->wanted;
}

static cru_tensor *scores_of(cru_learner *l, cru_ids items, cru_minibatch kind)
{
    some_nodes some = {0};
    stack_layers(l, &some, items, kind);
    cru_tensor *z = l->method->forward(l, l->model, l->tape, &some.graphs);
    if (!z) learner_gave_nothing(l, "forward");
    if (cru_ctx_status(l->ctx)) return NULL;
    cru_assert(cru_tensor_rows(z) == items.count && cru_tensor_cols(z) == l->task->classes,
               "forward: %lld x %lld for %lld nodes of %d classes", (long long)cru_tensor_rows(z),
               (long long)cru_tensor_cols(z), (long long)items.count, l->task->classes);
    return z;
}

/* ---- training -------------------------------------------------------------------------------------------- */

/* Marks the nodes of some clusters; the training nodes among them are what is learned from. */
static cru_ids join_clusters(cru_learner *l, cru_ids parts, cru_ids *marked)
{
    const cru_node_feed *f = l->nodes;
    int64_t count = 0, learned = 0;
    for (int64_t p = 0; p < parts.count; p++) count += f->from[parts.ids[p] + 1] - f->from[parts.ids[p]];
    int32_t *nodes = cru_tape_alloc(l->tape, count, sizeof *nodes),
            *items = cru_tape_alloc(l->tape, count, sizeof *items);
    count = 0;
    for (int64_t p = 0; p < parts.count; p++)
        for (int64_t i = f->from[parts.ids[p]]; i < f->from[parts.ids[p] + 1]; i++) {
            nodes[count++] = f->members[i];
            if (f->learned[f->members[i]]) items[learned++] = f->members[i];
        }
    *marked = (cru_ids){nodes, count};
    return (cru_ids){items, learned};
}

static cru_ids walk(cru_learner *l, cru_ids roots)
{
    const int32_t length = (int32_t)l->nodes->settings->walk_length;
    const int64_t count = roots.count * (length + 1);
    int32_t *visited = cru_tape_alloc(l->tape, count, sizeof *visited);
    cru_walk_uniform(&l->graphs.host, roots, length, &l->nodes->rng, visited);
    return (cru_ids){visited, count};
}

/* One step; false without a training node, and after a failure. */
static bool step(cru_learner *l, double *loss)
{
    const cru_minibatch kind = kind_of(l);
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_ids items = cru_batches_next(&l->nodes->batches), marked = {0};
    if (kind == CRU_MINIBATCH_CLUSTERS) items = join_clusters(l, items, &marked);
    if (kind == CRU_MINIBATCH_WALKS) marked = walk(l, items);
    if (!items.count) return false;
    for (int64_t i = 0; i < marked.count; i++) l->nodes->inside[marked.ids[i]] = 1;
    cru_tensor *z = scores_of(l, items, kind);
    for (int64_t i = 0; i < marked.count; i++) l->nodes->inside[marked.ids[i]] = 0;
    if (z) *loss = cru_learner_step(l, l->optim, cru_learner_batch_loss(l, l->tape, z, items));
    return z != NULL;
}

double nodes_pass(cru_learner *l)
{
    const int64_t batches = cru_batches_per_pass(&l->nodes->batches);
    int64_t steps = 0;
    double sum = 0;
    for (int64_t i = 0; i < batches && !cru_ctx_status(l->ctx); i++) {
        double loss = 0;
        steps += step(l, &loss);
        sum += loss;
    }
    return steps ? sum / (double)steps : NAN;
}

/* ---- evaluation ------------------------------------------------------------------------------------------ */

cru_status nodes_evaluate(cru_learner *l)
{
    const cru_ids wanted = l->validation_only ? l->task->split.val : l->nodes->all;
    const int64_t most = l->nodes->settings->inference, classes = l->task->classes;
    for (int64_t first = 0; first < wanted.count; first += most) {
        const int64_t left = wanted.count - first;
        const cru_ids items = {wanted.ids + first, left < most ? left : most};
        cru_tape_begin(l->tape, CRU_EVAL);
        const cru_tensor *z = scores_of(l, items, CRU_MINIBATCH_WHOLE);
        if (!z) return cru_ctx_status(l->ctx);
        float *scores = cru_tape_alloc(l->tape, items.count * classes, sizeof *scores);
        cru_tensor_download(l->tape, z, scores);
        for (int64_t i = 0; i < items.count; i++)
            memcpy(l->scores + items.ids[i] * classes, scores + i * classes, (size_t)classes * sizeof *scores);
        learner_gather(l, items.ids, items.count);
    }
    return cru_ctx_status(l->ctx);
}
