// SPDX-License-Identifier: Apache-2.0
/* pignn: neighbours should have similar scores, as far as a second network believes it.
 *
 * Y = A + I, E edges, n nodes; a pair with the inner product s costs
 *     cost(s, y) = pw y log(1 + e^-s) + (1 - y) log(1 + e^s)      pw = (n^2 - E) / E
 * With logits z of the first and v of the second network and N = n^2 / (2 (n^2 - E)):
 *     second: N mean_ij cost(v_i v_j, Y_ij)
 *     first:  mean CE + N mean_ij w_ij cost(z_i z_j, Y_ij)
 *     w_ij = 1 until start_epoch, then sigmoid(v_i v_j) where Y_ij = 1, else 1 - that; no gradient goes to w
 * Every epoch steps the second, then the first, with the v of before the step. All pairs are summed in blocks, and
 * those with Y_ij = 1 corrected. The first predicts.
 *
 * Du, Bian, Rong, Han, Liu, Xu, Huang, Li, Huang. Noise-robust Graph Learning by Estimating and Leveraging Pairwise
 * Interactions. TMLR 2023. */
#include "pair-loss.h"

typedef struct settings {
    int64_t start_epoch;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, start_epoch, 200, 0, 1e9, "the last epoch in which all pairs weigh the same"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 16, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 400, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_gcn_stack second;
    cru_optim *first_optim, *second_optim;
    pair_graph graph;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_net *second = cru_learner_net(l, "second");
    m->second = cru_learner_gcn(l, second, &s->gcn);
    m->first_optim = cru_learner_optim(l, &l->net, 1);
    m->second_optim = cru_learner_optim(l, &second, 1);
    const cru_csr near = cru_graph_loops(cru_ctx_pool(l->ctx), &l->task->graph, CRU_LOOPS_SET);
    m->graph = (pair_graph){cru_sparse_create(l->ctx, &near), cru_csr_nnz(&l->task->graph)};
    if (m->graph.edges == 0) cru_learner_refuse(l, "there are no edges whose ends could be alike");
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *v = cru_gcn_stack_input(t, &m->second, l->adj, &l->x);
    cru_learner_step(l, m->second_optim, pair_loss(t, &m->graph, v, NULL));
    cru_tensor *z = cru_learner_logits(l, t), *plain = cru_learner_loss(l, t, z);
    cru_tensor *alike = pair_loss(t, &m->graph, z, l->epoch > s->start_epoch ? v : NULL);
    return cru_learner_step(l, m->first_optim, cru_add(t, plain, alike));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .gcn = CRU_AT(settings, gcn), .labelled = true, .build = build, .epoch = epoch,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "pignn",
    .version = "1.1",
    .summary = "pairs of neighbours should score alike, weighed by a second network",
    .citation = "Du, Bian, Rong, Han, Liu, Xu, Huang, Li, Huang. Noise-robust Graph Learning by Estimating and "
                "Leveraging Pairwise Interactions. TMLR 2023.",
    .categories = "GLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
