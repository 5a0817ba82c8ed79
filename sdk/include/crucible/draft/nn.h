// SPDX-License-Identifier: Apache-2.0
/* draft/nn.h: looking into nets, and layers that one method or none uses so far. Continues nn.h. */
#ifndef CRUCIBLE_DRAFT_NN_H
#define CRUCIBLE_DRAFT_NN_H

#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-image.h>
#include <crucible/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- nets --------------------------------------------------------------------------------------------- */

CRU_API int64_t cru_net_weight_count(const cru_net *net);
CRU_API cru_tensor *cru_net_weight_at(const cru_net *net, int64_t i);
CRU_API const char *cru_net_weight_name(const cru_net *net, int64_t i);
CRU_API cru_tensor *cru_net_find(const cru_net *net, const char *name); /* weight or buffer; NULL when there is none */

/* Draws all weights anew, each continuing its stream; buffers go back to their first values. */
CRU_API void cru_net_reset(cru_net *net);

/* Calls `visit` for every weight, then for every buffer, in the order in which they were made. */
typedef void cru_net_visitor(void *user, const char *name, cru_tensor *tensor);
CRU_API void cru_net_visit(cru_net *net, cru_net_visitor *visit, void *user);

/* As many weights and buffers, of the same sizes. */
CRU_API bool cru_net_alike(const cru_net *a, const cru_net *b);

/* ---- dense layers ------------------------------------------------------------------------------------- */

/* What follows the first linear layer, whose result is h: for those who compute that product in an order of their
 * own. */
CRU_API cru_tensor *cru_mlp_after_first(cru_tape *t, const cru_mlp *mlp, cru_tensor *h);

/* ---- graph layers -------------------------------------------------------------------------------------
 *
 * `adj` is a matrix from graph.h, already normalised as the layer's formula says. */

/* cru_gcn_input with an activation and dropout in one go; the bias of `then` is the layer's, whatever it says. */
CRU_API cru_tensor *cru_gcn_input_then(cru_tape *t, const cru_gcn *layer, cru_sparse *adj, const cru_input *x,
                                       const cru_then *then);

/* Some rows of cru_gcn_stack_input, for a loss over these alone: `last` holds those rows of adj (cru_csr_rows), and the
 * last convolution goes over it. As many rows as `last` has, and the same bits. */
CRU_API cru_tensor *cru_gcn_stack_rows(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *adj, cru_sparse *last,
                                       const cru_input *x);

/* As cru_gcn_stack_rows, with a matrix for each convolution: blocks (draft/blocks.h), whose last has the rows that are
 * wanted. */
CRU_API cru_tensor *cru_gcn_stack_over(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *const *adj,
                                       const cru_input *x);

/* x W_self + reduce(neighbours) W_neigh + b, as SAGEConv; adj unweighted without self-loops. */
typedef struct cru_sage {
    cru_fc self, neighbour; /* bias on `neighbour`, as in PyTorch Geometric */
    cru_reduce op;
} cru_sage;
CRU_API cru_sage cru_sage_create(cru_net *net, const char *name, int64_t in, int64_t out, cru_reduce op);
CRU_API cru_tensor *cru_sage_apply(cru_tape *t, const cru_sage *layer, cru_sparse *adj, cru_tensor *x);

/* Graph attention (Velickovic et al.): e_vu = leaky(a_dst . W x_v + a_src . W x_u), alpha = softmax over in-edges,
 * y_v = sum alpha W x_u; heads side by side (concat) or averaged. W and a Glorot uniform, b 0, as GATConv; adj with
 * self-loops. */
typedef struct cru_gat {
    cru_tensor *w, *a_src, *a_dst, *b;
    int64_t heads, out;
    bool concat;
    double slope, attention_dropout;
} cru_gat;
typedef struct cru_gat_shape {
    int64_t in, out, heads; /* out per head */
    bool average;           /* mean over the heads instead of side by side */
    double slope;           /* 0 means 0.2 */
    double attention_dropout;
} cru_gat_shape;
CRU_API cru_gat cru_gat_create(cru_net *net, const char *name, const cru_gat_shape *shape);
CRU_API cru_tensor *cru_gat_apply(cru_tape *t, const cru_gat *layer, cru_sparse *adj, cru_tensor *x);
CRU_API cru_tensor *cru_gat_input(cru_tape *t, const cru_gat *layer, cru_sparse *adj, const cru_input *x);

/* One layer of a cru_gin_stack: the formula is in nn.h. */
CRU_API cru_gin cru_gin_create(cru_net *net, const char *name, const cru_mlp_shape *shape, bool learn_eps);
CRU_API cru_tensor *cru_gin_apply(cru_tape *t, const cru_gin *layer, cru_sparse *adj, cru_tensor *x);

/* Sparse input is multiplied by the first matrix before it is summed, which changes rounding only. */
CRU_API cru_tensor *cru_gin_input(cru_tape *t, const cru_gin *layer, cru_sparse *adj, const cru_input *x);

/* cru_gin_stack_input with a matrix for each layer: blocks (draft/blocks.h), of which own[i] has the place of each row
 * among the columns. own NULL: row v is column v. */
CRU_API cru_tensor *cru_gin_stack_over(cru_tape *t, const cru_gin_stack *stack, cru_sparse *const *adj,
                                       const cru_index *own, const cru_input *x);

/* sum_k T_k(L) x W_k + b with Chebyshev polynomials of the scaled Laplacian, as ChebConv; Glorot uniform, b 0. */
typedef struct cru_cheb {
    cru_tensor *w[CRU_MAX_LAYERS], *b;
    int64_t order; /* number of terms K */
} cru_cheb;
CRU_API cru_cheb cru_cheb_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t order);
CRU_API cru_tensor *cru_cheb_apply(cru_tape *t, const cru_cheb *layer, cru_sparse *laplacian, cru_tensor *x);

/* [x | A x | ... | A^hops x] side by side: n x c -> n x ((hops + 1) c); hops up to CRU_MAX_LAYERS */
CRU_API cru_tensor *cru_powers(cru_tape *t, cru_sparse *adj, cru_tensor *x, int64_t hops);

/* sum over relations of (A_r x) W_r + x W_self + b; basis decomposition when 0 < bases < relations. */
typedef struct cru_rgcn {
    cru_tensor *basis, *coefficient, *self, *b; /* bases x (in*out); relations x bases or NULL; in x out; out */
    int64_t relations, in, out;
} cru_rgcn;
typedef struct cru_rgcn_shape {
    int64_t in, out, relations, bases;
} cru_rgcn_shape;
CRU_API cru_rgcn cru_rgcn_create(cru_net *net, const char *name, const cru_rgcn_shape *shape);
CRU_API cru_tensor *cru_rgcn_apply(cru_tape *t, const cru_rgcn *layer, cru_sparse *const *adj, cru_tensor *x);

/* Attention over the edges of a graph (graph transformer) or, with adj NULL, over all rows: softmax(q k^T / sqrt(d)) v,
 * per head, then a linear layer. */
typedef struct cru_attention {
    cru_fc query, key, value, out;
    int64_t heads;
} cru_attention;
CRU_API cru_attention cru_attention_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t heads);
CRU_API cru_tensor *cru_attention_apply(cru_tape *t, const cru_attention *layer, cru_sparse *adj, cru_tensor *x);

/* ---- images -------------------------------------------------------------------------------------------------------
 * Images are b x channels x height x width. */

/* A convolution without bias, drawn from N(0, 2 / (kernel^2 out)), for use before a batch norm. */
typedef struct cru_conv_layer {
    cru_tensor *w; /* out x in x kernel x kernel */
    cru_conv_shape shape;
} cru_conv_layer;
typedef struct cru_conv_size {
    int64_t in, out, kernel;
    int64_t stride; /* 0 means 1; padded by kernel / 2, so that stride 1 keeps the size for an odd kernel */
} cru_conv_size;
CRU_API cru_conv_layer cru_conv_create(cru_net *net, const char *name, cru_conv_size size);
CRU_API cru_tensor *cru_conv_apply(cru_tape *t, const cru_conv_layer *layer, cru_tensor *x);

/* relu(bn(conv3x3(relu(bn(conv3x3(x))))) + shortcut(x)). The first convolution has the stride. The shortcut is x
 * itself, or bn(conv1x1(x)) with the stride where the stride is not 1 or the width changes. */
typedef struct cru_res_block {
    cru_conv_layer conv[2], shortcut;
    cru_batch_norm_layer norm[2], shortcut_norm;
    bool projected; /* there is a shortcut layer */
} cru_res_block;
CRU_API cru_res_block cru_res_block_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t stride);
CRU_API cru_tensor *cru_res_block_apply(cru_tape *t, const cru_res_block *block, cru_tensor *x);

/* [x, conv3x3(relu(bn(.)))] where . is conv1x1(relu(bn(x))) to `bottleneck` channels, or x itself when that is 0. The
 * `growth` new channels come after those of x. */
typedef struct cru_dense_block {
    cru_conv_layer narrow, grow;
    cru_batch_norm_layer narrow_norm, grow_norm;
    bool narrowed; /* there is a bottleneck */
} cru_dense_block;
typedef struct cru_dense_block_shape {
    int64_t in, growth, bottleneck;
} cru_dense_block_shape;
CRU_API cru_dense_block cru_dense_block_create(cru_net *net, const char *name, const cru_dense_block_shape *shape);
CRU_API cru_tensor *cru_dense_block_apply(cru_tape *t, const cru_dense_block *block, cru_tensor *x);

/* conv1x1(relu(bn(x))), then the mean over windows of 2 x 2. */
typedef struct cru_dense_transition {
    cru_batch_norm_layer norm;
    cru_conv_layer conv;
} cru_dense_transition;
CRU_API cru_dense_transition cru_dense_transition_create(cru_net *net, const char *name, int64_t in, int64_t out);
CRU_API cru_tensor *cru_dense_transition_apply(cru_tape *t, const cru_dense_transition *transition, cru_tensor *x);

/* conv3x3, bn, relu; three stages of residual blocks, `width`, 2 and 4 `width` channels wide, the second and third
 * beginning with stride 2; mean over the image. */
typedef struct cru_resnet cru_resnet;
typedef struct cru_resnet_shape {
    int64_t channels; /* of the image */
    int64_t blocks;   /* per stage; 5 is ResNet-32 */
    int64_t width;    /* of the first stage; 16 */
} cru_resnet_shape;
CRU_API cru_resnet *cru_resnet_create(cru_net *net, const char *name, const cru_resnet_shape *shape);
CRU_API int64_t cru_resnet_features(const cru_resnet *resnet);
CRU_API cru_tensor *cru_resnet_apply(cru_tape *t, const cru_resnet *resnet, cru_tensor *images);

/* conv3x3 to 2 `growth` channels; three runs of dense blocks with a transition after the first and the second; bn,
 * relu, mean over the image. A run has (depth - 4) / 3 blocks, half as many with bottlenecks (4 `growth` channels). */
typedef struct cru_densenet cru_densenet;
typedef struct cru_densenet_shape {
    int64_t channels;   /* of the image */
    int64_t growth;     /* 12 */
    int64_t depth;      /* 22 */
    double compression; /* a transition divides the number of channels by this, rounded down; 2 */
    bool bottleneck;
} cru_densenet_shape;
CRU_API cru_densenet *cru_densenet_create(cru_net *net, const char *name, const cru_densenet_shape *shape);
CRU_API int64_t cru_densenet_features(const cru_densenet *densenet);
CRU_API cru_tensor *cru_densenet_apply(cru_tape *t, const cru_densenet *densenet, cru_tensor *images);

#ifdef __cplusplus
}
#endif
#endif
