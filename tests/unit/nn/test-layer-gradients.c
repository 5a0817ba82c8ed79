// SPDX-License-Identifier: Apache-2.0
/* Gradients of layers against differences, in their input and in all their weights. What PyTorch's fixtures cover is in
 * test-parity.c. */
#include <crucible/draft/nn.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

enum { N = 5, IN = 3, OUT = 4 };

static const int64_t offsets[N + 1] = {0, 2, 4, 4, 6, 7};
static const int32_t ids[] = {1, 3, 0, 2, 0, 4, 2};
static const float values[] = {0.5f, 1.5f, -1, 0.7f, 0.75f, 1, 0.25f};
static const cru_csr edges = {N, N, offsets, ids, values};

typedef struct layer {
    cru_net *net;
    cru_sparse *adj, *other;
    union {
        cru_fc fc;
        cru_mlp mlp;
        cru_gcn gcn;
        cru_sage sage;
        cru_sage_cat sage_cat;
        cru_gat gat;
        cru_gin gin;
        cru_cheb cheb;
        cru_rgcn rgcn;
        cru_attention attention;
        cru_layer_norm_layer norm;
    } is;
    cru_tensor *(*apply)(struct layer *l, cru_tape *t, cru_tensor *x);
} layer;

/* ---- layers --------------------------------------------------------------------------------------------------- */

static cru_tensor *fc(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_fc_apply(t, &l->is.fc, x);
}
static void make_fc(layer *l)
{
    l->is.fc = cru_fc_create(l->net, "l", IN, OUT);
    l->apply = fc;
}

static cru_tensor *mlp(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_mlp_apply(t, &l->is.mlp, x);
}
static void make_mlp(layer *l)
{
    l->is.mlp = cru_mlp_create(l->net, "l",
                               &(cru_mlp_shape){.in = IN, .hidden = 6, .out = OUT, .layers = 3, .act = CRU_UNARY_TANH});
    l->apply = mlp;
}
static void make_mlp_with_norm(layer *l)
{
    l->is.mlp = cru_mlp_create(
        l->net, "l",
        &(cru_mlp_shape){.in = IN, .hidden = 6, .out = OUT, .layers = 2, .act = CRU_UNARY_TANH, .batch_norm = true});
    l->apply = mlp;
}

static cru_tensor *gcn(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_gcn_apply(t, &l->is.gcn, l->adj, x);
}
/* Wider than its input, and narrower: the products are made in another order. */
static void make_wide_gcn(layer *l)
{
    l->is.gcn = cru_gcn_create(l->net, "l", IN, OUT);
    l->apply = gcn;
}
static void make_narrow_gcn(layer *l)
{
    l->is.gcn = cru_gcn_create(l->net, "l", IN, 2);
    l->apply = gcn;
}

static cru_tensor *sage(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_sage_apply(t, &l->is.sage, l->adj, x);
}
static void make_mean_sage(layer *l)
{
    l->is.sage = cru_sage_create(l->net, "l", IN, OUT, CRU_REDUCE_MEAN);
    l->apply = sage;
}
static cru_tensor *sage_cat(layer *l, cru_tape *t, cru_tensor *x)
{
    const cru_input in = cru_input_of(x);
    return cru_sage_cat_input(t, &l->is.sage_cat, l->adj, &in);
}
static void make_sage_cat(layer *l)
{
    l->is.sage_cat = cru_sage_cat_create(l->net, "l", IN, OUT);
    l->apply = sage_cat;
}
static void make_max_sage(layer *l)
{
    l->is.sage = cru_sage_create(l->net, "l", IN, OUT, CRU_REDUCE_MAX);
    l->apply = sage;
}

static cru_tensor *gat(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_gat_apply(t, &l->is.gat, l->adj, x);
}
static void make_gat(layer *l)
{
    l->is.gat = cru_gat_create(l->net, "l", &(cru_gat_shape){.in = IN, .out = 2, .heads = 3});
    l->apply = gat;
}
static void make_averaged_gat(layer *l)
{
    l->is.gat = cru_gat_create(l->net, "l", &(cru_gat_shape){.in = IN, .out = 2, .heads = 3, .average = true});
    l->apply = gat;
}

static cru_tensor *gin(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_gin_apply(t, &l->is.gin, l->adj, x);
}
static void make_gin(layer *l)
{
    const cru_mlp_shape shape = {.in = IN, .hidden = 6, .out = OUT, .layers = 2, .act = CRU_UNARY_TANH};
    l->is.gin = cru_gin_create(l->net, "l", &shape, true);
    l->apply = gin;
}

static cru_tensor *cheb(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_cheb_apply(t, &l->is.cheb, l->adj, x);
}
static void make_cheb(layer *l)
{
    l->is.cheb = cru_cheb_create(l->net, "l", IN, OUT, 4);
    l->apply = cheb;
}

/* Simple graph convolution: a linear layer after the propagation. */
static cru_tensor *sgc(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_fc_apply(t, &l->is.fc, cru_propagate(t, l->adj, x, 3));
}
static void make_sgc(layer *l)
{
    make_fc(l);
    l->apply = sgc;
}

static cru_tensor *appnp(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_appnp(t, l->adj, cru_fc_apply(t, &l->is.fc, x), 0.2f, 4);
}
static void make_appnp(layer *l)
{
    make_fc(l);
    l->apply = appnp;
}

static cru_tensor *powers(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_powers(t, l->adj, cru_fc_apply(t, &l->is.fc, x), 2);
}
static void make_powers(layer *l)
{
    make_fc(l);
    l->apply = powers;
}

static cru_tensor *hops(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_hop_features(t, l->adj, cru_fc_apply(t, &l->is.fc, x), 2, CRU_REDUCE_MAX);
}
static void make_hops(layer *l)
{
    make_fc(l);
    l->apply = hops;
}

static cru_tensor *rgcn(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_rgcn_apply(t, &l->is.rgcn, (cru_sparse *[]){l->adj, l->other, l->adj}, x);
}
static void make_rgcn(layer *l)
{
    l->is.rgcn = cru_rgcn_create(l->net, "l", &(cru_rgcn_shape){.in = IN, .out = OUT, .relations = 3});
    l->apply = rgcn;
}
static void make_rgcn_with_bases(layer *l)
{
    l->is.rgcn = cru_rgcn_create(l->net, "l", &(cru_rgcn_shape){.in = IN, .out = OUT, .relations = 3, .bases = 2});
    l->apply = rgcn;
}

static cru_tensor *edge_attention(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_attention_apply(t, &l->is.attention, l->adj, x);
}
static cru_tensor *full_attention(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_attention_apply(t, &l->is.attention, NULL, x);
}
static void make_edge_attention(layer *l)
{
    l->is.attention = cru_attention_create(l->net, "l", IN, OUT, 2);
    l->apply = edge_attention;
}
static void make_full_attention(layer *l)
{
    make_edge_attention(l);
    l->apply = full_attention;
}

static cru_tensor *layer_norm(layer *l, cru_tape *t, cru_tensor *x)
{
    return cru_layer_norm_apply(t, &l->is.norm, x);
}
static void make_layer_norm(layer *l)
{
    l->is.norm = cru_layer_norm_create(l->net, "l", IN);
    l->apply = layer_norm;
}

static const struct {
    const char *name;
    void (*make)(layer *l);
} layers[] = {
    {"fc", make_fc},
    {"mlp", make_mlp},
    {"mlp with batch norm", make_mlp_with_norm},
    {"gcn, wide", make_wide_gcn},
    {"gcn, narrow", make_narrow_gcn},
    {"sage, mean", make_mean_sage},
    {"sage, max", make_max_sage},
    {"sage, own and others", make_sage_cat},
    {"gat", make_gat},
    {"gat, averaged", make_averaged_gat},
    {"gin", make_gin},
    {"cheb", make_cheb},
    {"sgc", make_sgc},
    {"appnp", make_appnp},
    {"powers", make_powers},
    {"hop features", make_hops},
    {"rgcn", make_rgcn},
    {"rgcn with bases", make_rgcn_with_bases},
    {"attention over edges", make_edge_attention},
    {"attention over all rows", make_full_attention},
    {"layer norm", make_layer_norm},
};

/* ---- the comparison ------------------------------------------------------------------------------------------- */

static cru_tensor *apply(void *user, cru_tape *t, operands x)
{
    layer *l = user;
    return l->apply(l, t, x[0]);
}

/* Weights are moved from where they start, so that none is 0; the first operand is the input. */
START_TEST(a_layer_has_the_gradient_of_differences)
{
    enum { MOST = 24 };
    op_bench b = op_bench_open();
    layer l = {.net = cru_net_create(b.ctx, "net"), .adj = cru_sparse_create(b.ctx, &edges)};
    l.other = cru_sparse_create(b.ctx, &(cru_csr){N, N, offsets, ids, NULL});
    layers[_i].make(&l);
    const int64_t weights = cru_net_weight_count(l.net);
    ck_assert_int_lt(weights, MOST);
    cru_tensor *x[MOST] = {op_matrix(&b, N, IN, -1, 1)};
    for (int64_t k = 0; k < weights; k++) {
        x[k + 1] = cru_net_weight_at(l.net, k);
        for (int64_t i = 0; i < cru_tensor_count(x[k + 1]); i++)
            test_add(x[k + 1], i, 0.1f + 0.05f * (float)((i + k) % 5));
    }
    op_probe probe = {.f = apply, .user = &l};
    const double worst = cru_gradcheck(b.tape, op_weigh, &probe, x, weights + 1);
    ck_assert_msg(worst < 4e-3, "%s: gradient off by %g", layers[_i].name, worst);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("gradients of layers");
    TCase *c = tcase_create("layers");
    tcase_add_loop_test(c, a_layer_has_the_gradient_of_differences, 0, (int)(sizeof layers / sizeof *layers));
    suite_add_tcase(s, c);
    return s;
}
