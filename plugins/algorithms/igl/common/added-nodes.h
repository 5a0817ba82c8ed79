// SPDX-License-Identifier: Apache-2.0
/* added-nodes.h: nodes that methods add to minority classes for one step.
 *
 * New nodes hear from nodes of the task and from themselves; no other node hears from them. */
#ifndef IGL_ADDED_NODES_H
#define IGL_ADDED_NODES_H

#include "layer-choice.h"

typedef struct added_nodes {
    int64_t count;
    int32_t *labels;
    cru_tensor *x;     /* count x features */
    cru_csr heard;     /* count x nodes: whom each hears, each with 1 / (their number + 1) */
    cru_sparse *links; /* the same for operators, */
    cru_tensor *own;   /* count x 1: and the node's own part */
} added_nodes;

/* Writes whom new node i hears, at most `most`; how many they are. */
typedef int64_t added_draw(void *user, cru_tape *t, int64_t i, int64_t most, int32_t *ids);

/* Fills the last three: new node i hears whom `draw` says, at most as many as row sources[i] of g has; NULL: that row.
 * Who is drawn twice counts twice. */
void added_link(cru_tape *t, added_nodes *added, const cru_csr *g, const int32_t *sources, added_draw *draw,
                void *user);

/* One convolution over means, A x W + b. x W is that of the nodes; adj their means. both: the nodes' result and, where
 * nodes were added, theirs, in place of what entered. */
void added_convolve(cru_tape *t, const added_nodes *added, cru_sparse *adj, const cru_gcn *layer, cru_tensor *xw,
                    cru_tensor *both[2]);

/* An encoder without a head for the task's nodes, with their matrix; layers conv0, conv1, ... in the learner's net. */
cru_encoder added_encoder(cru_learner *learner, const layer_choice *choice, int64_t hidden, int64_t layers);

/* ln(n) / n for a training node of a class of n of them: how likely each is to be a partner. In the context. */
double *added_partner_weights(cru_ctx *ctx, const cru_task *task);

/* What an encoder makes of the graph, with the new nodes as its last if there are any (added NULL: none). *watched,
 * unless NULL: the features of the task's nodes, of which the gradient can be asked for. */
cru_tensor *added_encode(const cru_learner *learner, cru_tape *t, const cru_encoder *encoder, const added_nodes *added,
                         cru_tensor **watched);

/* Training nodes and, after them, `count` new ones: rows of the logits and their classes. Of the step. */
typedef struct added_labels {
    int64_t count;
    int32_t *rows, *classes;
} added_labels;

added_labels added_labelled(const cru_learner *learner, cru_tape *t, const int32_t *labels, int64_t count);

/* For each of these: whom it hears in g or, a new one, in `added`, and itself once. */
cru_csr added_around(cru_tape *t, const cru_csr *g, const added_nodes *added, const added_labels *labelled);

/* The mean cross-entropy over the training nodes and `count` nodes more: rows of z after those of the task's nodes. */
cru_tensor *added_loss(const cru_learner *learner, cru_tape *t, cru_tensor *z, const int32_t *labels, int64_t count);

#endif
