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
    cru_fc layer; /* TODO your layers (nn.h), graphs (graph.h) and tables */
} model;

/* Makes layers. The learner has the task, its features x and the net that is trained. Memory of the context
 * (cru_ctx_alloc) is freed by the host. */
static void build(cru_learner *l, void *self)
{
    model *m = self;
    m->layer = cru_fc_create(l->net, "linear", l->x.cols, l->task->classes);
}

/* The scores of all items, items x classes: called in training and in evaluation. */
static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_input x = cru_input_dropout(t, &l->x, s->dropout);
    return cru_fc_input(t, &m->layer, &x); /* TODO the forward pass */
}

/* TODO a loss of your own: add .loss = loss below.
 *
 *     static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *logits)
 *     {
 *         cru_tensor *plain = cru_learner_loss(l, t, logits);       // mean cross-entropy of the training items
 *         return cru_plus(t, plain, weight, ...);
 *     }
 *
 * TODO a graph: give the settings a cru_adjacency, the schema CRU_ADJACENCY_SETTINGS, and say
 * .adjacency = CRU_AT(settings, adjacency) below; the normalised matrix is then l->adj. */

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits), .name = "@name@",
    .version = "0.1", /* part of every result's key: change it when results change */
    /* TODO what it can learn from: CRU_NODES, CRU_ANOMALY (nodes of a graph), CRU_GRAPHS, CRU_ROWS (tables, images) */
    .problems = CRU_NODES | CRU_ANOMALY | CRU_ROWS, .summary = "softmax regression on the features",
    .authors = NULL,    /* TODO */
    .citation = NULL,   /* TODO "Authors. Title. Venue Year." */
    .license = NULL,    /* TODO an SPDX identifier */
    .categories = NULL, /* TODO a comma list, may stay NULL */
};
