/* @name@: TODO one line: the idea.
 *
 *     logits = X W + b                                           TODO the formulas of the paper, in its own letters
 *
 * TODO Authors. Title. Venue Year.
 *
 * As it stands this is softmax regression on the features, trained by the SDK: loop, optimiser, early stopping and the
 * best checkpoint come from train.h. Change build and logits first, then loss if yours is not cross-entropy.
 *
 *     gcc -O2 -shared -fPIC @name@.c -o @name@.so $(pkg-config --cflags --libs crucible)
 *     crucible check ./@name@.so && crucible run @name@.ini
 */
#include <crucible/crucible.h>

/* TODO what it can learn from: CRU_NODES, CRU_ANOMALY (nodes of a graph), CRU_GRAPHS, CRU_ROWS (tables, images) */
enum { PROBLEMS = CRU_NODES | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    double dropout;
    cru_train train; /* epochs, lr, weight_decay, optimiser */
} settings;

/* One line a setting: default, range, help, and what a search may draw. The host validates, documents and searches. */
static const cru_param schema[] = {
    CRU_FLOAT(settings, dropout, 0.0, 0, 0.99, "of the features", .search = CRU_ONE_OF(0, 0.3, 0.5)),
    /* TODO your own */
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.05, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_learner base; /* first: the SDK's part, with the task, its features x and the net that is trained */
    cru_fc layer;     /* TODO your layers (nn.h), graphs (graph.h) and tables */
} model;

/* Makes layers; memory of the context (cru_ctx_alloc) is freed by the host. */
static cru_status build(void *self)
{
    model *m = self;
    /* TODO for example: m->adj = cru_sparse_create(m->base.ctx, &normalised) after cru_adjacency_graph */
    m->layer = cru_fc_create(m->base.net, "linear", m->base.x.cols, m->base.task->classes);
    return cru_ctx_status(m->base.ctx);
}

/* The scores of all items, items x classes: called in training and in evaluation. */
static cru_tensor *logits(void *self, cru_tape *t)
{
    model *m = self;
    const settings *s = m->base.settings;
    cru_input x = cru_input_dropout(t, &m->base.x, (float)s->dropout);
    return cru_fc_input(t, &m->layer, &x); /* TODO the forward pass */
}

/* TODO a loss of your own: add .loss = loss below.
 *
 *     static cru_tensor *loss(void *self, cru_tape *t, cru_tensor *logits)
 *     {
 *         model *m = self;
 *         cru_tensor *plain = cru_learner_loss(&m->base, t, logits);       // mean cross-entropy of the training items
 *         return cru_add(t, plain, ...);
 *     }
 */

static const cru_method method = {
    .model_size = sizeof(model),
    .train = offsetof(settings, train),
    .problems = PROBLEMS,
    .build = build,
    .logits = logits,
};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "@name@",
    .version = "0.1", /* part of every result's key: change it when results change */
    .summary = "softmax regression on the features",
    .authors = NULL,  /* TODO */
    .citation = NULL, /* TODO "Authors. Title. Venue Year." */
    .license = NULL,  /* TODO an SPDX identifier */
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
