// SPDX-License-Identifier: Apache-2.0
/* encoder.h: graph networks that a method can exchange by a setting.
 *
 * A method that changes how a network is trained, not the network, takes it from here:
 *
 *     typedef struct settings {
 *         cru_encoder_settings encoder;
 *         cru_train train;
 *     } settings;
 *
 *     static const cru_param schema[] = {
 *         CRU_ENCODER_SETTINGS(settings, encoder, 2, 64, 0.5),
 *         CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
 *         CRU_END,
 *     };
 *
 *     static void build(cru_learner *l, void *self)
 *     {
 *         const settings *s = l->settings;
 *         cru_encoder *encoder = self;
 *         *encoder = cru_learner_encoder(l, l->net, &s->encoder);
 *     }
 *
 *     static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
 *     {
 *         const cru_encoder *encoder = self;
 *         return cru_encoder_logits(t, encoder, encoder->adj, &l->x);                           // items x classes
 *     }
 *
 * and `.adjacency = CRU_AT(settings, encoder.adjacency)` in CRU_METHOD shares the matrix of gcn with the learner.
 *
 * A layer, of node v with in-neighbours N(v):
 *
 *     gcn        sum over u of A_vu x_u W + b, A as the method's settings say       relu
 *     gat        8 heads (or the largest number of 4, 2, 1 that divides the width), side by side; each the mean of x_u W
 *                by attention over N(v) and v, coefficients dropped with 0.6        elu
 *     graphsage  (mean of x_u over N(v)) W_n + b + x_v W_s                          relu
 *     gin        MLP(x_v + sum of x_u): linear, batch norm, relu, linear            relu
 *
 * A gcn ends with a convolution that gives the classes. The others have `layers` layers, all of them `hidden` wide and
 * activated, and then dropout and a linear layer. */
#ifndef CRUCIBLE_ENCODER_H
#define CRUCIBLE_ENCODER_H

#include <crucible/nn.h>
#include <crucible/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a kind of layers is made of. Fill one for an encoder of your own: cru_encoder_create_of. */
typedef struct cru_encoder_kind {
    const char *name;
    cru_adjacency adjacency; /* of the matrix that `apply` is handed */
    cru_unary activation;    /* one of cru_activate */
    /* A layer with its weights in the net, in memory of the net's context. */
    void *(*create)(cru_net *net, const char *name, int64_t in, int64_t out);
    /* n x out, not activated */
    cru_tensor *(*apply)(cru_tape *t, const void *layer, cru_sparse *adj, const cru_input *x);
} cru_encoder_kind;

typedef enum cru_encoder_choice {
    CRU_ENCODER_GCN = 0,
    CRU_ENCODER_GAT,
    CRU_ENCODER_SAGE,
    CRU_ENCODER_GIN,
} cru_encoder_choice;
CRU_API extern const char *const cru_encoder_names[]; /* "gcn", "gat", "graphsage", "gin", NULL */

/* A layer of gcn is drawn by Glorot; its matrix is (A + I) normalised on both sides. */
CRU_API const cru_encoder_kind *cru_encoder_kind_of(cru_encoder_choice choice);

typedef struct cru_encoder {
    const cru_encoder_kind *kind;
    cru_adjacency adjacency; /* of the matrix to hand over; the kind's unless a method has its own for gcn */
    cru_sparse *adj;         /* that of the task, when a learner made the encoder */
    cru_gcn_stack gcn;       /* layers > 0: this is the network, and the rest is not used */
    int64_t layers;
    void *layer[CRU_MAX_LAYERS]; /* made by the kind */
    cru_fc head;                 /* w is NULL without one */
    double dropout;              /* between layers, and before the head */
} cru_encoder;

typedef struct cru_encoder_shape {
    int64_t in, hidden, layers;
    int64_t out; /* classes; 0: no head, the last layer gives the result, activated and dropped as the others */
    double dropout;
} cru_encoder_shape;

/* The layers are called `name`0, `name`1, ...; the head "head". */
CRU_API cru_encoder cru_encoder_create_of(cru_net *net, const char *name, const cru_encoder_kind *kind,
                                          const cru_encoder_shape *shape);

/* The matrix for a graph, in the pool. */
CRU_API cru_csr cru_encoder_graph(cru_pool pool, const cru_encoder *encoder, const cru_csr *graph);

/* n x out; without a head n x hidden */
CRU_API cru_tensor *cru_encoder_logits(cru_tape *t, const cru_encoder *encoder, cru_sparse *adj, const cru_input *x);
/* The logits with what enters the last linear map before its dropout: n x hidden, NULL for a gcn of one layer. */
CRU_API cru_gcn_pass cru_encoder_pass(cru_tape *t, const cru_encoder *encoder, cru_sparse *adj, const cru_input *x);

/* ---- settings -------------------------------------------------------------------------------------------------- */

typedef struct cru_encoder_settings {
    int64_t backbone; /* cru_encoder_choice */
    int64_t layers, hidden;
    double dropout;
    cru_adjacency adjacency; /* of gcn */
} cru_encoder_settings;

/* Entries of a schema for such a member: `backbone`, `layers`, `hidden`, `dropout`, and `loops` and `normalisation` of
 * gcn's matrix, A + I as the studies have it. */
#define CRU_ENCODER_SETTINGS(type_, member_, layers_, hidden_, dropout_)                                               \
    CRU_CHOICE_KEY(type_, "backbone", member_.backbone, CRU_ENCODER_GCN, cru_encoder_names, "the network"),            \
        CRU_INT_KEY(type_, "layers", member_.layers, layers_, 1, CRU_MAX_LAYERS, "convolutions",                       \
                    .search = CRU_ONE_OF(1, 2, 3, 4)),                                                                 \
        CRU_INT_KEY(type_, "hidden", member_.hidden, hidden_, 1, 65536, "width between them",                          \
                    .search = CRU_ONE_OF(16, 32, 64, 128)),                                                            \
        CRU_FLOAT_KEY(type_, "dropout", member_.dropout, dropout_, 0, 0.99, "after each activation",                   \
                      .search = CRU_UNIFORM(0.1, 0.9)),                                                                \
        CRU_CHOICE_KEY(type_, "loops", member_.adjacency.loops, CRU_LOOPS_ADD, cru_loops_names,                        \
                       "gcn: self-loops before normalising"),                                                          \
        CRU_CHOICE_KEY(type_, "normalisation", member_.adjacency.norm, CRU_NORM_SYM, cru_norm_names,                   \
                       "gcn: of the adjacency")

#ifdef __cplusplus
}
#endif
#endif
