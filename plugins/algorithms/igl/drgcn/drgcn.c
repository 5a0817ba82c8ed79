// SPDX-License-Identifier: Apache-2.0
/* drgcn: a GCN whose class scores are kept near a normal distribution and near what a conditional GAN makes of them.
 *
 *     Z = softmax(S Drop(ReLU(S Drop(X) W_0 + b_0)) W_1 + b_1)      S = D^-1/2 (A + I) D^-1/2, A made symmetric
 *     G = softmax(tanh(MLP([noise, one-hot y])))      D = MLP([x, one-hot y]), a logit
 *
 * Every epoch: a step of (1 - alpha) L_gcn + alpha L_kl; then, for half as many nodes as are labelled, of a list in
 * which every class is as long as the largest, a step of L_D and one of L_G with the same noise (gan-losses.h).
 *
 * variant = bench: these two move whatever has a gradient, the GCN included, as the study's code does; paper: L_D moves
 * the discriminator and L_G the generator alone.
 *
 * Shi, Tang, Zhu, Wilson, Liu. Multi-Class Imbalanced Graph Convolutional Network Learning. IJCAI 2020. */
#include <crucible/imbalance.h>

#include "gan-losses.h"

typedef struct settings {
    int64_t gcn_hidden, hidden, noise, variant;
    double alpha, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, gcn_hidden, 20, 1, 65536, "width of the GCN"),
    CRU_INT(settings, hidden, 164, 1, 65536, "width of generator and discriminator"),
    CRU_INT(settings, noise, 20, 1, 65536, "random numbers for the generator"),
    CRU_FLOAT(settings, alpha, 0.7, 0, 1, "share of the normal distribution in the GCN's loss",
              .search = CRU_ONE_OF(0.5, 0.6, 0.7, 0.8, 0.9)),
    CRU_DROPOUT(settings, dropout, 0, .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: the GAN's steps move all weights; paper: only its own"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.005, 0),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_csr around; /* neighbours and the node itself */
    cru_sparse *adj;
    cru_gcn_stack convs;
    cru_mlp generator, discriminator;
    cru_optim *made, *judged; /* of L_G and L_D */
    cru_ids list;             /* labelled nodes, all classes equally long */
    float *feed;              /* this epoch's noise */
} model;

/* A batch of the list in one step of the tape. */
typedef struct batch {
    int64_t count;
    cru_index nodes;
    cru_tensor *classes; /* one-hot */
    cru_sparse *neighbours;
} batch;

static int64_t batch_size(const cru_learner *l)
{
    const int64_t half = l->task->split.train.count / 2;
    return half ? half : 1;
}

static cru_ids fill_classes(cru_learner *l, cru_rng *rng)
{
    const cru_ids *members = cru_class_members(cru_ctx_pool(l->ctx), l->task);
    int64_t largest = 0, count = 0;
    for (int32_t c = 0; c < l->task->classes; c++)
        if (members[c].count > largest) largest = members[c].count;
    int32_t *ids = cru_ctx_alloc(l->ctx, largest * l->task->classes, sizeof *ids);
    for (int32_t c = 0; c < l->task->classes; c++)
        for (int64_t i = 0; members[c].count && i < largest; i++)
            ids[count++] = members[c].ids[i < members[c].count ? i : cru_rng_below(rng, members[c].count)];
    cru_rng_shuffle(rng, ids, count);
    return (cru_ids){ids, count};
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t k = l->task->classes;
    const cru_csr both = cru_learner_undirected(l), adj = cru_graph_gcn(cru_ctx_pool(l->ctx), &both, CRU_LOOPS_ADD);
    cru_net *generator = cru_learner_net(l, "generator"), *discriminator = cru_learner_net(l, "discriminator");
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->around = cru_csr_pattern(&adj);
    m->adj = cru_sparse_create(l->ctx, &adj);
    m->convs = cru_gcn_stack_create(l->net, "conv",
                                    &(cru_gcn_shape){.in = l->x.cols,
                                                     .hidden = s->gcn_hidden,
                                                     .out = k,
                                                     .layers = 2,
                                                     .draw = CRU_DRAW_GLOROT,
                                                     .dropout = s->dropout});
    cru_mlp_shape shape = {.in = s->noise + k, .hidden = s->hidden, .out = k, .layers = 2, .draw = CRU_DRAW_GLOROT};
    m->generator = cru_mlp_create(generator, "generator", &shape);
    shape.in = 2 * k, shape.out = 1;
    m->discriminator = cru_mlp_create(discriminator, "discriminator", &shape);
    const bool all = s->variant == CRU_BENCH;
    m->made = cru_learner_optim(l, all ? l->nets : &generator, all ? l->net_count : 1);
    m->judged = cru_learner_optim(l, all ? l->nets : &discriminator, all ? l->net_count : 1);
    m->list = fill_classes(l, &m->rng);
    m->feed = cru_ctx_alloc(l->ctx, batch_size(l) * s->noise, sizeof *m->feed);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const cru_input x = cru_input_dropout(t, &l->x, s->dropout);
    return cru_gcn_stack_input(t, &m->convs, m->adj, &x);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    (void)self;
    const settings *s = l->settings;
    return gan_gcn_loss(t, z, &(cru_targets){.rows = &l->train_rows, .labels = l->train_labels}, s->alpha);
}

static batch take(const cru_learner *l, const model *m, cru_tape *t)
{
    const int64_t size = batch_size(l);
    int32_t *ids = cru_tape_alloc(t, size, sizeof *ids), *classes = cru_tape_alloc(t, size, sizeof *classes);
    for (int64_t i = 0; i < size; i++) {
        ids[i] = m->list.ids[(l->epoch * size + i) % m->list.count];
        classes[i] = l->task->labels[ids[i]];
    }
    const cru_csr rows = cru_csr_rows(cru_tape_pool(t), &m->around, ids, size);
    const cru_index labels = cru_index_step(t, classes, size);
    return (batch){size, cru_index_step(t, ids, size), cru_one_hot(t, labels, l->task->classes),
                   cru_sparse_step(t, &rows)};
}

static cru_tensor *judge(cru_tape *t, const model *m, cru_tensor *x, cru_tensor *classes)
{
    return cru_mlp_apply(t, &m->discriminator, cru_concat_cols(t, (cru_tensor *[]){x, classes}, 2));
}

static void gan_step(cru_learner *l, model *m, cru_optim *optim)
{
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    const batch b = take(l, m, t);
    cru_tensor *seed = cru_tensor_upload(t, cru_2d(b.count, s->noise), m->feed);
    cru_tensor *z = cru_softmax(t, logits(l, m, t), 1);
    cru_tensor *raw = cru_mlp_apply(t, &m->generator, cru_concat_cols(t, (cru_tensor *[]){seed, b.classes}, 2));
    cru_tensor *made = cru_softmax(t, cru_tanh(t, raw), 1), *near = gan_distance(t, b.neighbours, made, z);
    cru_tensor *fake = judge(t, m, made, b.classes);
    if (optim == m->made)
        cru_learner_step(l, optim, gan_generator_loss(t, fake, near));
    else
        cru_learner_step(l, optim,
                         gan_discriminator_loss(t, judge(t, m, cru_gather(t, z, b.nodes), b.classes), fake, near));
    for (int64_t i = 0; i < l->net_count; i++) cru_net_clear(l->nets[i]); /* variant = paper: of the others */
}

static void after_epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    if (!m->list.count) return;
    cru_rng_fill_uniform(&m->rng, m->feed, batch_size(l) * s->noise, 0, 1);
    gan_step(l, m, m->judged);
    gan_step(l, m, m->made);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .loss = loss,
               .after_epoch = after_epoch, .widen = cru_weights_only, .state = cru_no_state),
    .name = "drgcn",
    .version = "1.0",
    .summary = "a GCN with a conditional GAN and a normal distribution on its class scores",
    .citation = "Shi, Tang, Zhu, Wilson, Liu. Multi-Class Imbalanced Graph Convolutional Network Learning. IJCAI 2020.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
