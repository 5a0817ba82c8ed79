// SPDX-License-Identifier: Apache-2.0
/* Attention over edges: GAT, and scaled dot products (transformer). */
#include <math.h>

#include <crucible/draft/nn.h>
#include <crucible/draft/ops-basic.h>
#include <crucible/nn.h>

#include "nn/naming.h"

/* ---- gat ------------------------------------------------------------------------------------------------- */

cru_gat cru_gat_create(cru_net *net, const char *name, const cru_gat_shape *shape)
{
    cru_init glorot = {.kind = CRU_INIT_GLOROT_UNIFORM}, zeros = {.kind = CRU_INIT_ZEROS};
    int64_t wide = shape->heads * shape->out, width = shape->average ? shape->out : wide;
    const cru_dims att = cru_2d(shape->heads, shape->out);
    return (cru_gat){
        .w = cru_net_weight(net, name_of(name, "weight").text, cru_2d(shape->in, wide), glorot),
        .a_src = cru_net_weight(net, name_of(name, "att_src").text, att, glorot),
        .a_dst = cru_net_weight(net, name_of(name, "att_dst").text, att, glorot),
        .b = cru_net_weight(net, name_of(name, "bias").text, cru_1d(width), zeros),
        .heads = shape->heads,
        .out = shape->out,
        .concat = !shape->average,
        .slope = shape->slope != 0 ? shape->slope : 0.2f,
        .attention_dropout = shape->attention_dropout,
    };
}

/* heads x out -> (heads * out) x heads: the weights of head h in column h, zeros elsewhere. */
static cru_tensor *apart(cru_tape *t, const cru_gat *layer, cru_tensor *a)
{
    int64_t heads = layer->heads, width = heads * layer->out;
    cru_tensor *column = cru_as_matrix(t, a, width, 1);
    if (heads == 1) return column;
    float *own = cru_tape_alloc(t, width * heads, sizeof *own);
    for (int64_t i = 0; i < width; i++) own[i * heads + i / layer->out] = 1;
    return cru_mul(t, column, cru_tensor_upload(t, cru_2d(width, heads), own));
}

/* <a_h, h_vh> for every node and head: n x (heads * out) -> n x heads. One product: it is faster than reading only the
 * part of a row that each head needs. */
static cru_tensor *head_scores(cru_tape *t, const cru_gat *layer, cru_tensor *h, cru_tensor *a)
{
    return cru_matmul(t, h, apart(t, layer, a));
}

/* n x (heads * out) -> n x out */
static cru_tensor *mean_of_heads(cru_tape *t, const cru_gat *layer, cru_tensor *y)
{
    const int64_t cube[3] = {cru_tensor_rows(y), layer->heads, layer->out};
    return cru_mean(t, cru_reshape(t, y, cru_nd(3, cube)), 1);
}

static cru_tensor *attend(cru_tape *t, const cru_gat *layer, cru_sparse *adj, cru_tensor *h)
{
    cru_tensor *source = head_scores(t, layer, h, layer->a_src), *target = head_scores(t, layer, h, layer->a_dst);
    cru_tensor *score = cru_edge_add(t, adj, target, source);
    cru_tensor *alpha = cru_edge_softmax(t, adj, cru_leaky_relu(t, score, layer->slope));
    alpha = cru_dropout(t, alpha, layer->attention_dropout);
    cru_tensor *y = cru_spmm_weighted(t, adj, alpha, h);
    if (!layer->concat) y = mean_of_heads(t, layer, y);
    return layer->b ? cru_add(t, y, layer->b) : y;
}

cru_tensor *cru_gat_apply(cru_tape *t, const cru_gat *layer, cru_sparse *adj, cru_tensor *x)
{
    return attend(t, layer, adj, cru_matmul(t, x, layer->w));
}

cru_tensor *cru_gat_input(cru_tape *t, const cru_gat *layer, cru_sparse *adj, const cru_input *x)
{
    return attend(t, layer, adj, cru_input_linear(t, x, layer->w, NULL));
}

/* ---- scaled dot products --------------------------------------------------------------------------------- */

cru_attention cru_attention_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t heads)
{
    cru_assert(heads > 0 && out % heads == 0, "attention: %lld columns in %lld heads", (long long)out,
               (long long)heads);
    return (cru_attention){.query = cru_fc_create(net, name_of(name, "query").text, in, out),
                           .key = cru_fc_create(net, name_of(name, "key").text, in, out),
                           .value = cru_fc_create(net, name_of(name, "value").text, in, out),
                           .out = cru_fc_create(net, name_of(name, "out").text, out, out),
                           .heads = heads};
}

/* n x (heads * d) -> heads x n x d */
static cru_tensor *split_heads(cru_tape *t, cru_tensor *x, int64_t heads)
{
    int64_t n = cru_tensor_rows(x), d = cru_tensor_cols(x) / heads;
    cru_tensor *cube = cru_reshape(t, x, cru_3d(n, heads, d));
    return cru_permute(t, cube, (const int32_t[]){1, 0, 2, 3});
}

static cru_tensor *over_all_rows(cru_tape *t, const cru_attention *layer, cru_tensor *const qkv[3])
{
    int64_t n = cru_tensor_rows(qkv[0]), width = cru_tensor_cols(qkv[0]);
    cru_tensor *q = split_heads(t, qkv[0], layer->heads), *k = split_heads(t, qkv[1], layer->heads);
    cru_tensor *v = split_heads(t, qkv[2], layer->heads);
    float scale = 1 / sqrtf((float)(width / layer->heads));
    cru_tensor *alpha = cru_softmax(t, cru_scale(t, cru_bmm(t, q, k, CRU_NT), scale), -1);
    cru_tensor *mixed = cru_permute(t, cru_bmm(t, alpha, v, CRU_NN), (const int32_t[]){1, 0, 2, 3});
    return cru_as_matrix(t, mixed, n, width);
}

cru_tensor *cru_attention_apply(cru_tape *t, const cru_attention *layer, cru_sparse *adj, cru_tensor *x)
{
    cru_tensor *q = cru_fc_apply(t, &layer->query, x), *k = cru_fc_apply(t, &layer->key, x);
    cru_tensor *v = cru_fc_apply(t, &layer->value, x);
    cru_tensor *mixed;
    if (adj) {
        float scale = 1 / sqrtf((float)(cru_tensor_cols(q) / layer->heads));
        cru_tensor *score = cru_scale(t, cru_sddmm(t, adj, q, k, layer->heads), scale);
        mixed = cru_spmm_weighted(t, adj, cru_edge_softmax(t, adj, score), v);
    } else {
        mixed = over_all_rows(t, layer, (cru_tensor *[]){q, k, v});
    }
    return cru_fc_apply(t, &layer->out, mixed);
}
