// SPDX-License-Identifier: Apache-2.0
/* patch.h: nodes with some of their neighbours and with new ones, seen by two convolutions of means.
 *
 * New nodes send to their anchor alone and hear from nobody, so only the anchor's own row changes: with K the
 * neighbours that an anchor v has kept and p new nodes whose features sum to y,
 *
 *     d = 1 + |K| + p      h_v = ReLU((x_v + sum_K x_u + y) / d W_0 + b_0)
 *     out_v = (h_v + sum_K h_u + p ReLU(b_0)) / d W_1 + b_1
 *
 * where h_u of the neighbours is that of the whole graph. This is what the subgraph of all nodes within two hops gives,
 * without extracting it. */
#ifndef IGL_PATCH_H
#define IGL_PATCH_H

#include <crucible/crucible.h>

typedef struct egos {
    cru_ids anchors;
    cru_sparse *kept;      /* anchors x nodes: K, in this step */
    cru_tensor *degree;    /* anchors x 1: 1 + |K| */
    cru_tensor *own, *sum; /* x_v; x_v + sum_K x_u */
    cru_tensor *patch;     /* y, or NULL */
    int64_t patches;       /* p */
} egos;

/* Every neighbour is dropped with probability `drop`. g has no loops; x: nodes x features. */
egos egos_create(cru_tape *t, const cru_csr *g, cru_tensor *x, cru_ids anchors, double drop, cru_rng *rng);

/* The neighbours of some nodes, each once, ascending. */
cru_ids egos_neighbours(cru_tape *t, const cru_csr *g, cru_ids nodes);

/* With one more new node each: anchors x features. */
egos egos_patch(cru_tape *t, const egos *e, cru_tensor *feature);

/* First and second line of the formula; h: of all nodes; dropout after ReLU. */
cru_tensor *egos_first(cru_tape *t, const egos *e, const cru_fc *w, double dropout);
cru_tensor *egos_second(cru_tape *t, const egos *e, cru_tensor *hv, cru_tensor *sum, cru_tensor *empty,
                        const cru_fc *w);

/* Makes new nodes: the formula with `first` and `second`, then MLP([ReLU(that); x_v]). */
typedef struct patch_generator {
    cru_fc first, second;
    cru_mlp out;
    double dropout;
} patch_generator;
patch_generator patch_generator_create(cru_net *net, int64_t features, int64_t width, double dropout);

/* The first layer at the neighbours of some nodes, 0 elsewhere: nodes x width. spread: means of features. */
cru_tensor *patch_near(cru_tape *t, const patch_generator *g, const cru_csr *graph, cru_tensor *spread, cru_ids of);

/* The features of a new node for every anchor. */
cru_tensor *patch_generate(cru_tape *t, const patch_generator *g, const egos *e, cru_tensor *near);

/* KL(softmax(target) || softmax(z)), summed over the samples of an anchor, mean over anchors; target: (anchors *
 * samples) x classes. By samples: both softmaxes run over the samples instead of the classes, as in the authors' code,
 * which leaves nothing to learn, since z is the same for all of them. */
cru_tensor *patch_loss(cru_tape *t, cru_tensor *target, cru_tensor *z, int64_t samples, bool by_samples);

#endif
