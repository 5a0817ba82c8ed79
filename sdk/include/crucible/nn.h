// SPDX-License-Identifier: Apache-2.0
/* nn.h: nets, their initialisation, and layers.
 *
 * A net is a named set of weights and buffers; it lives in the context. Layers are plain structs of tensors that belong
 * to a net: copy them, put other tensors in (the fast weights of a meta-learning step), share them. Weight matrices are
 * in x out, so a layer is x W + b. Defaults of the initialisation are those of PyTorch, or of PyTorch Geometric for
 * graph layers; each layer says which.
 *
 *     cru_net *net = cru_net_create(ctx, "encoder");
 *     cru_gcn first = cru_gcn_create(net, "conv1", task->x.cols, 16);
 *     ...
 *     cru_tensor *h = cru_relu(t, cru_gcn_input(t, &first, adj, &x));          // n x 16 */
#ifndef CRUCIBLE_NN_H
#define CRUCIBLE_NN_H

#include <crucible/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- initialisation -------------------------------------------------------------------------------------- */

typedef enum cru_init_kind {
    CRU_INIT_ZEROS = 0,
    CRU_INIT_CONSTANT,        /* a */
    CRU_INIT_UNIFORM,         /* U(a, b) */
    CRU_INIT_NORMAL,          /* N(a, b^2) */
    CRU_INIT_FAN_IN,          /* U(-1/sqrt(fan_in), 1/sqrt(fan_in)): PyTorch's Linear and Conv2d */
    CRU_INIT_FAN_OUT,         /* U(-1/sqrt(fan_out), 1/sqrt(fan_out)): Kipf's convolution */
    CRU_INIT_GLOROT_UNIFORM,  /* U(-s, s), s = a sqrt(6 / (fan_in + fan_out)); a = gain, 0 means 1 */
    CRU_INIT_GLOROT_NORMAL,   /* N(0, s^2), s = a sqrt(2 / (fan_in + fan_out)) */
    CRU_INIT_KAIMING_UNIFORM, /* U(-s, s), s = a sqrt(3 / fan_in); a = gain, 0 means sqrt(2) */
    CRU_INIT_KAIMING_NORMAL,  /* N(0, s^2), s = a / sqrt(fan_in) */
    CRU_INIT_KAIMING_FAN_OUT, /* N(0, s^2), s = a / sqrt(fan_out) */
    CRU_INIT_VALUES,          /* `values` */
} cru_init_kind;

typedef struct cru_init {
    cru_init_kind kind;
    double a, b;
    int64_t fan_in;      /* when not 0, used instead of the tensor's own: a bias is drawn with the fan of its matrix */
    const float *values; /* one for every element, host memory that outlives the net */
} cru_init;

/* ---- nets --------------------------------------------------------------------------------------------- */

typedef struct cru_net cru_net;
typedef struct cru_snapshot cru_snapshot; /* copies of all weights and buffers of a net */

/* Every weight is drawn from a stream of its own, ("init", name of the net, name of the weight). So two nets of other
 * names start apart, the same net starts the same in every run with one seed, and neither the order in which weights
 * are made nor one more or less of them changes how the others start. Two weights of one name in a net start alike. */
CRU_API cru_net *cru_net_create(cru_ctx *ctx, const char *name);

/* Adds a weight. Its fans: in x out for a matrix; for out x in x h x w (convolution) in*h*w and out*h*w; n for
 * vectors. */
CRU_API cru_tensor *cru_net_weight(cru_net *net, const char *name, cru_dims shape, cru_init init);

/* Adds a tensor that is saved and restored with the net but has no gradient (running statistics). */
CRU_API cru_tensor *cru_net_buffer(cru_net *net, const char *name, cru_dims shape, double value);

/* Forgets all gradients. */
CRU_API void cru_net_clear(cru_net *net);

/* Between nets of the same shape. */
CRU_API void cru_net_copy(cru_net *to, const cru_net *from);
/* to = momentum * to + (1 - momentum) * from, weights only; buffers are copied */
CRU_API void cru_net_ema(cru_net *to, const cru_net *from, double momentum);

/* Where the net lives. */
CRU_API cru_ctx *cru_net_ctx(const cru_net *net);

/* Copies of all weights and buffers. A snapshot made once can be refilled any number of times without allocating. */
CRU_API cru_snapshot *cru_snapshot_create(cru_net *net);
CRU_API void cru_snapshot_take(cru_snapshot *snapshot);
CRU_API void cru_snapshot_restore(const cru_snapshot *snapshot);

/* ---- representations ---------------------------------------------------------------------------------- */

/* Notes h as the representation of this step's items: what comes before the classifier. The last note of a step counts.
 * Methods of train.h are asked for it (cru_algorithm.embed) by a pass in eval mode; it must have a row for each row of
 * the logits, or there is none. Perceptrons, stacks of convolutions and classifiers of this library note what enters
 * their last layer. Returns h; NULL takes a note back. */
CRU_API cru_tensor *cru_represent(cru_tape *t, cru_tensor *h);
/* cru_represent of several side by side, as cru_fc_apply_parts takes them; at most 40. */
CRU_API void cru_represent_parts(cru_tape *t, cru_tensor *const *parts, int64_t count);
/* What was noted in this step, or NULL. */
CRU_API cru_tensor *cru_represented(cru_tape *t);

/* ---- dense layers ------------------------------------------------------------------------------------- */

typedef struct cru_fc {
    cru_tensor *w, *b; /* in x out; out or NULL */
} cru_fc;

/* x W + b, both drawn from U(+-1/sqrt(in)) as PyTorch's Linear. */
CRU_API cru_fc cru_fc_create(cru_net *net, const char *name, int64_t in, int64_t out);
/* cru_fc_create with chosen initialisation; `bias` NULL: no bias. */
CRU_API cru_fc cru_fc_create_with(cru_net *net, const char *name, int64_t in, int64_t out, cru_init weight,
                                  const cru_init *bias);

/* The three ways in which studies draw a linear or convolutional layer; for settings. */
typedef enum cru_draw {
    CRU_DRAW_FAN_IN = 0, /* weight and bias from U(+-1/sqrt(in)): PyTorch */
    CRU_DRAW_FAN_OUT,    /* weight and bias from U(+-1/sqrt(out)): Kipf's first code */
    CRU_DRAW_GLOROT,     /* weight Glorot uniform, bias 0: PyTorch Geometric */
} cru_draw;
CRU_API extern const char *const cru_draw_names[]; /* "fan-in", "fan-out", "glorot", NULL */
CRU_API cru_fc cru_fc_create_drawn(cru_net *net, const char *name, int64_t in, int64_t out, cru_draw draw, bool bias);

CRU_API cru_tensor *cru_fc_apply(cru_tape *t, const cru_fc *layer, cru_tensor *x);
CRU_API cru_tensor *cru_fc_input(cru_tape *t, const cru_fc *layer, const cru_input *x);
/* [x_0 | x_1 | ...] W + b without putting the matrices side by side: the sum of x_i W_i, W_i the rows of W for x_i. */
CRU_API cru_tensor *cru_fc_apply_parts(cru_tape *t, const cru_fc *layer, cru_tensor *const *x, int64_t count);

/* The running statistics of a batch norm: buffers of the layer, channels long. */
typedef struct cru_norm_state {
    cru_tensor *mean, *var;
    float momentum; /* of the new value: 0.1 as in PyTorch */
    float eps;
} cru_norm_state;

/* A batch norm of a perceptron or a stack below. */
typedef struct cru_batch_norm_layer {
    cru_tensor *gain, *shift;
    cru_norm_state state;
} cru_batch_norm_layer;

/* Batch norm with gain 1, shift 0, momentum 0.1, eps 1e-5. */
CRU_API cru_batch_norm_layer cru_batch_norm_create(cru_net *net, const char *name, int64_t channels);
CRU_API cru_tensor *cru_batch_norm_apply(cru_tape *t, const cru_batch_norm_layer *layer, cru_tensor *x);

typedef struct cru_layer_norm_layer {
    cru_tensor *gain, *shift;
} cru_layer_norm_layer;
CRU_API cru_layer_norm_layer cru_layer_norm_create(cru_net *net, const char *name, int64_t cols);
CRU_API cru_tensor *cru_layer_norm_apply(cru_tape *t, const cru_layer_norm_layer *layer, cru_tensor *x);

/* The activations that settings offer, and what they stand for: "relu", "leaky-relu", "tanh", NULL. */
CRU_API extern const char *const cru_activation_names[];
CRU_API extern const cru_unary cru_activations[];
/* relu, leaky relu (slope 0.01), elu (alpha 1), selu, gelu, tanh or sigmoid; others are an assertion. */
CRU_API cru_tensor *cru_activate(cru_tape *t, cru_unary act, cru_tensor *x);

enum { CRU_MAX_LAYERS = 16 };

/* Linear layers with an activation, an optional batch norm and dropout between them, none after the last. */
typedef struct cru_mlp {
    int64_t layers;
    cru_fc layer[CRU_MAX_LAYERS];
    cru_batch_norm_layer norm[CRU_MAX_LAYERS];
    bool normed, norm_last;
    bool input_dropout; /* dropout before the first layer, too */
    cru_unary act;
    double dropout;
} cru_mlp;

typedef struct cru_mlp_shape {
    int64_t in, hidden, out;
    int64_t layers; /* 1: in -> out; 2: in -> hidden -> out; ... */
    bool batch_norm, input_dropout;
    bool norm_last; /* batch norm after the activation instead of before it */
    bool no_bias;   /* of the linear layers */
    cru_draw draw;
    cru_unary act; /* CRU_UNARY_COPY stands for relu */
    double dropout;
} cru_mlp_shape;

CRU_API cru_mlp cru_mlp_create(cru_net *net, const char *name, const cru_mlp_shape *shape);
CRU_API cru_tensor *cru_mlp_apply(cru_tape *t, const cru_mlp *mlp, cru_tensor *x);
CRU_API cru_tensor *cru_mlp_input(cru_tape *t, const cru_mlp *mlp, const cru_input *x);

/* ---- graph layers -------------------------------------------------------------------------------------
 *
 * `adj` is a matrix from graph.h, already normalised as the layer's formula says. */

/* The matrix over which a method propagates, as settings say; the entries are in train.h. */
typedef struct cru_adjacency {
    int64_t loops; /* cru_loops */
    int64_t norm;  /* cru_norm, applied after the loops */
} cru_adjacency;
CRU_API extern const char *const cru_loops_names[]; /* "keep", "add", "fill", "set", "remove", NULL */
CRU_API extern const char *const cru_norm_names[];  /* "sym", "in-out", "rw", "col", "none", NULL */
/* In memory of the context. */
CRU_API cru_csr cru_adjacency_graph(cru_ctx *ctx, const cru_csr *graph, const cru_adjacency *settings);
CRU_API cru_sparse *cru_adjacency_create(cru_ctx *ctx, const cru_csr *graph, const cru_adjacency *settings);

/* A (x W) + b, W Glorot uniform, b 0, as GCNConv; adj = D^-1/2 (A + I) D^-1/2. The product with the narrower side comes
 * first, or A x is kept where x does not change (cru_input_spread), which changes rounding only. */
typedef struct cru_gcn {
    cru_tensor *w, *b;
} cru_gcn;
CRU_API cru_gcn cru_gcn_create(cru_net *net, const char *name, int64_t in, int64_t out);
CRU_API cru_tensor *cru_gcn_apply(cru_tape *t, const cru_gcn *layer, cru_sparse *adj, cru_tensor *x);
CRU_API cru_tensor *cru_gcn_input(cru_tape *t, const cru_gcn *layer, cru_sparse *adj, const cru_input *x);

/* Convolutions with ReLU and dropout between them, none after the last: the backbone of many methods. */
typedef struct cru_gcn_stack {
    int64_t layers;
    cru_gcn layer[CRU_MAX_LAYERS];
    double dropout;
} cru_gcn_stack;
typedef struct cru_gcn_shape {
    int64_t in, hidden, out;
    int64_t layers; /* 1: in -> out; 2: in -> hidden -> out; ... */
    cru_draw draw;
    bool no_bias;
    double dropout;
} cru_gcn_shape;
/* The layers are called `name`0, `name`1, ... */
CRU_API cru_gcn_stack cru_gcn_stack_create(cru_net *net, const char *name, const cru_gcn_shape *shape);
CRU_API cru_tensor *cru_gcn_stack_input(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *adj, const cru_input *x);

/* cru_gcn_stack_input with what enters the last convolution before its dropout: n x hidden, NULL when there is only
 * one. */
typedef struct cru_gcn_pass {
    cru_tensor *hidden, *out;
} cru_gcn_pass;
CRU_API cru_gcn_pass cru_gcn_stack_pass(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *adj, const cru_input *x);

/* mlp((1 + eps) x + A x); eps learned or 0. A x is the sum of the neighbours where adj is not scaled. */
typedef struct cru_gin {
    cru_mlp mlp;
    cru_tensor *eps; /* NULL: fixed at 0 */
} cru_gin;

/* Such layers, each with a perceptron `hidden` wide with batch norm, then dropout of an activation, with outer_norm of
 * a further batch norm before it:     h_0 = x      h_i+1 = drop(act([norm] gin(h_i)))
 * With `max` the largest neighbour in each column stands for A x, whatever the values of adj. */
typedef struct cru_gin_stack {
    int64_t layers;
    cru_gin layer[CRU_MAX_LAYERS];
    cru_batch_norm_layer norm[CRU_MAX_LAYERS];
    bool outer_norm, bare_last, max;
    cru_unary act;
    double dropout;
} cru_gin_stack;
typedef struct cru_gin_shape {
    int64_t in, hidden, out;
    int64_t layers;     /* 1: in -> out; 2: in -> hidden -> out; ... */
    int64_t mlp_layers; /* of each perceptron */
    bool learn_eps, outer_norm;
    bool bare_last; /* the last layer is its perceptron alone: logits */
    bool max;
    cru_unary act; /* CRU_UNARY_COPY stands for relu */
    double dropout;
} cru_gin_shape;
/* The layers are called `name`0, `name`1, ... */
CRU_API cru_gin_stack cru_gin_stack_create(cru_net *net, const char *name, const cru_gin_shape *shape);
CRU_API cru_tensor *cru_gin_stack_input(cru_tape *t, const cru_gin_stack *stack, cru_sparse *adj, const cru_input *x);

/* A linear layer on Beta wavelets (Tang et al., ICML 2022), the band-pass filters of order C:
 *     [W_0 x | ... | W_C x] w + b,     W_i = (L/2)^i (I - L/2)^(C-i) / B(i+1, C-i+1),     L = I - A
 * adj = D^-1/2 A D^-1/2. The filters are polynomials of A: they act on the small w instead of on x, so that a layer
 * costs C products with A. Drawn as PyTorch's Linear. */
typedef struct cru_wavelets {
    cru_fc fc;         /* ((C + 1) in) x out */
    cru_tensor *theta; /* (C + 1) in square: what of A^k x goes into W_i x */
    int64_t order;
} cru_wavelets;
CRU_API cru_wavelets cru_wavelets_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t order);
CRU_API cru_tensor *cru_wavelets_apply(cru_tape *t, const cru_wavelets *layer, cru_sparse *adj, cru_tensor *x);

/* [x | R x | ... | R^hops x] side by side, R a reduction over the in-neighbours, unweighted: n x c ->
 * n x ((hops + 1) c); hops up to CRU_MAX_LAYERS. With the product by A instead: cru_powers. */
CRU_API cru_tensor *cru_hop_features(cru_tape *t, cru_sparse *adj, cru_tensor *x, int64_t hops, cru_reduce op);

/* A^hops x */
CRU_API cru_tensor *cru_propagate(cru_tape *t, cru_sparse *adj, cru_tensor *x, int64_t hops);
/* Z_0 = h;  Z_k+1 = (1 - alpha) A Z_k + alpha h;  Z_hops */
CRU_API cru_tensor *cru_appnp(cru_tape *t, cru_sparse *adj, cru_tensor *h, double alpha, int64_t hops);

/* [x, A x] W without bias, W in two halves and drawn from N(0, 1): the layer of GraphSMOTE and GraphMixup, where A is
 * that of cru_graph_mean_with_self. Weights name.own.weight and name.others.weight. */
typedef struct cru_sage_cat {
    cru_fc own, others;
} cru_sage_cat;
CRU_API cru_sage_cat cru_sage_cat_create(cru_net *net, const char *name, int64_t in, int64_t out);
CRU_API cru_tensor *cru_sage_cat_input(cru_tape *t, const cru_sage_cat *layer, cru_sparse *adj, const cru_input *x);

/* ---- images -------------------------------------------------------------------------------------------------------
 * Images are b x channels x height x width. */

/* The backbones of the partial-label protocol: images to feature vectors, the head is a cru_fc. They live in the
 * context. */

#ifdef __cplusplus
}
#endif
#endif
