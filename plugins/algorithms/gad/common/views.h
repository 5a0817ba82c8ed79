// SPDX-License-Identifier: Apache-2.0
/* views.h: what methods share that convolve over the given graph and over one of nearest neighbours.
 *
 *     H_0 = X      H_l = act(D_in^-1/2 A D_out^-1/2 Drop(H_l-1) W_l + b_l)      X is not dropped */
#ifndef GAD_VIEWS_H
#define GAD_VIEWS_H

#include <crucible/crucible.h>

typedef struct encoder {
    cru_gcn conv[CRU_MAX_LAYERS];
    int64_t layers;
    cru_unary act;
    double dropout;
} encoder;

extern const char *const view_distance_names[]; /* "euclidean", "cosine", NULL: as cru_distance */

/* The encoder and the graph of nearest neighbours beside the given one. */
typedef struct view_settings {
    int64_t layers, hidden, k, distance;
} view_settings;

/* Entries of a schema for a view_settings member. */
#define VIEW_SETTINGS(type_, member_)                                                                                  \
    CRU_INT_KEY(type_, "layers", member_.layers, 2, 1, CRU_MAX_LAYERS, "convolutions",                                 \
                .search = CRU_ONE_OF(1, 2, 3, 4)),                                                                     \
        CRU_INT_KEY(type_, "hidden", member_.hidden, 32, 1, 65536, "width of a hidden layer",                          \
                    .search = CRU_ONE_OF(16, 32, 64)),                                                                 \
        CRU_INT_KEY(type_, "k", member_.k, 5, 1, 1e6, "nearest neighbours", .search = CRU_UNIFORM(3, 50)),             \
        CRU_CHOICE_KEY(type_, "distance", member_.distance, CRU_COSINE, view_distance_names, "between features",       \
                       .search = CRU_ANY_CHOICE)

/* Convolutions conv0, conv1, ... of one width, Glorot, biases 0. */
encoder encoder_create(cru_net *net, int64_t in, int64_t hidden, int64_t layers);
cru_tensor *encoder_apply(cru_tape *t, const encoder *e, cru_sparse *adj, const cru_input *x);

/* Row v lists the k nearest nodes of v by raw features, itself among them, all nodes when there are fewer; no values.
 * Ties as the study's kernel has them. */
cru_csr nearest_graph(cru_learner *l, int64_t k, int64_t distance);

/* D_in^-1/2 A D_out^-1/2 */
cru_sparse *view_create(cru_ctx *ctx, const cru_csr *graph);

#endif
