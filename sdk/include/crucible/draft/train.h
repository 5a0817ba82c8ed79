// SPDX-License-Identifier: Apache-2.0
/* draft/train.h: further parts for methods that write their own epoch. Continues train.h. */
#ifndef CRUCIBLE_DRAFT_TRAIN_H
#define CRUCIBLE_DRAFT_TRAIN_H

#include <crucible/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parts for methods that write their own epoch -------------------------------------------------------- */

/* The method's logits of all items. */
CRU_API cru_tensor *cru_learner_logits(cru_learner *learner, cru_tape *t);

/* The accuracy of some logits of all items on the observed labels of the validation part, 0 when that is empty: for
 * methods that choose among states of their own. What the monitor judges by is not told. */
CRU_API double cru_learner_val_accuracy(const cru_learner *learner, cru_tape *t, const cru_tensor *logits);

/* The weights that the monitor chose so far are not kept: those that it chooses from here on predict, or the last ones.
 * The monitor remembers what it saw, so that only what is better than all epochs so far is chosen. For a method with
 * epochs that must not predict. */
CRU_API void cru_learner_forget(cru_learner *learner);

/* Evaluates, reports to the monitor, keeps the weights when told to. False: stop. */
CRU_API bool cru_learner_report(cru_learner *learner, cru_monitor *monitor, double loss);

/* ---- minibatches of nodes --------------------------------------------------------------------------------- */

/* What a step learns from where the items are nodes. All but CLUSTERS take some training nodes in shuffled passes and
 * learn from these alone; what they leave out of a row scales up what they keep (cru_block_of). */
typedef enum cru_minibatch {
    CRU_MINIBATCH_WHOLE,      /* the whole graph, one step an epoch */
    CRU_MINIBATCH_NEIGHBOURS, /* for each node of each layer some of its neighbours. Hamilton et al., NeurIPS 2017 */
    CRU_MINIBATCH_LAYERS,     /* one draw of nodes for all of a layer (cru_sample_layer). Zou et al., NeurIPS 2019 */
    CRU_MINIBATCH_CLUSTERS,   /* four of many parts that METIS made, and the edges within. Chiang et al., KDD 2019 */
    CRU_MINIBATCH_WALKS,      /* the nodes of random walks and the edges between. Zeng et al. GraphSAINT. ICLR 2020 */
} cru_minibatch;

CRU_API extern const char *const cru_minibatch_names[]; /* "whole", "neighbours", "layers", "clusters", "walks", NULL */

typedef struct cru_node_batches {
    int64_t minibatch; /* cru_minibatch */
    int64_t nodes, fanout, walk_length, inference;
} cru_node_batches;

/* Entries for a cru_node_batches member. */
#define CRU_NODE_BATCH_SETTINGS(type_, member_)                                                                        \
    CRU_CHOICE_KEY(type_, "minibatch", member_.minibatch, CRU_MINIBATCH_WHOLE, cru_minibatch_names,                    \
                   "what a step learns from: the whole graph, or sampled neighbours, layers, clusters or walks"),      \
        CRU_INT_KEY(type_, "batch_nodes", member_.nodes, 1024, 1, 1e9,                                                 \
                    "minibatches: training nodes in a step; with clusters all nodes in it, about"),                    \
        CRU_INT_KEY(type_, "fanout", member_.fanout, 10, 1, 1e9,                                                       \
                    "minibatches: neighbours of a node; with layers nodes of a layer for each in the batch"),          \
        CRU_INT_KEY(type_, "walk_length", member_.walk_length, 3, 1, 1e6, "minibatches of walks: steps of a walk"),    \
        CRU_INT_KEY(type_, "inference_nodes", member_.inference, 0, 0, 1e9,                                            \
                    "nodes scored at a time with all that they read; 0: all nodes at once")

/* What a layer goes over. */
typedef struct cru_hop {
    cru_sparse *adj; /* a row for each node whose value is asked for */
    cru_index own;   /* for each row its place among the columns, where `some`; else row v is column v */
    bool some;
} cru_hop;

/* What layer `layer`, counted from the features, goes over: the whole matrix or a block. */
CRU_API cru_hop cru_graphs_hop(const cru_graphs *graphs, int64_t layer);

/* Of the values that a layer reads, those of the nodes that it gives. */
CRU_API cru_tensor *cru_hop_own(cru_tape *t, const cru_hop *hop, cru_tensor *h);
CRU_API cru_input cru_hop_own_input(cru_tape *t, const cru_hop *hop, const cru_input *x);

/* cru_gcn_stack_input over the hops; notes the hidden layer of the items (cru_represent). */
CRU_API cru_tensor *cru_graphs_stack(cru_tape *t, const cru_gcn_stack *stack, const cru_graphs *graphs,
                                     const cru_input *x);

/* ---- parts for methods over graphs ----------------------------------------------------------------------- */

/* All graphs of the learner's task with the matrix `adj`; for other tasks one graph of all nodes. */
CRU_API cru_graphs cru_graphs_all(const cru_learner *learner, const cru_csr *adj);

/* What a stack of convolutions makes of g->adj and x, as the logits of `forward`: nothing may follow it. Where only the
 * training items count, as in an epoch with the default loss, the last convolution leaves out all other rows; same
 * bits. */
CRU_API cru_tensor *cru_graphs_logits(cru_tape *t, const cru_gcn_stack *stack, const cru_graphs *graphs,
                                      const cru_input *x);

/* One pass over learner->batches, the training graphs in minibatches unless build put others there: batch_loss or the
 * default loss, a step, after_step. The default epoch of whole graphs. Returns the mean loss of the steps made, NAN for
 * none; failures are in the context. */
CRU_API double cru_graphs_pass(cru_learner *learner);

/* Scores of graphs, graphs.count x classes, in this step of the tape. */
typedef cru_tensor *(*cru_graph_scorer)(cru_learner *l, void *user, cru_tape *t, cru_ids graphs);

/* For `logits` of a method whose score of a graph depends on those computed with it, so that it should predict in
 * batches as it learns: all graphs in batches of the settings' size, first the validation part, then the test part,
 * then the others, each part in batches of its own. items x classes; while only validation counts, the rows of other
 * graphs are 0, and those of validation graphs are as if all counted. `user` goes to `score`. */
CRU_API cru_tensor *cru_graphs_in_turn(cru_learner *learner, cru_tape *t, cru_graph_scorer score, void *user);

#ifdef __cplusplus
}
#endif
#endif
