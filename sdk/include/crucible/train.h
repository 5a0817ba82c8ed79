// SPDX-License-Identifier: Apache-2.0
/* train.h: from a model to a plugin.
 *
 * Most methods are a model and a loss. They fill a `cru_method` with two or three functions and get the rest of the
 * algorithm vtable from here: the epoch or minibatch loop, the optimiser, reports to the monitor, early stopping, the
 * best checkpoint, prediction. A method that differs in one of these replaces that one.
 *
 *     typedef struct settings { int64_t hidden; double dropout; cru_train train; } settings;
 *     static const cru_param schema[] = {
 *         CRU_INT(settings, hidden, 64, 1, 65536, "width of the hidden layer"),
 *         CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "before each layer"),
 *         CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
 *         CRU_END,
 *     };
 *
 *     typedef struct model { cru_learner base; cru_mlp mlp; } model;         // cru_learner comes first
 *
 *     static cru_status build(void *self)
 *     {
 *         model *m = self;
 *         const settings *s = m->base.settings;
 *         m->mlp = cru_mlp_create(m->base.net, "mlp", &(cru_mlp_shape){...});
 *         return cru_ctx_status(m->base.ctx);
 *     }
 *     static cru_tensor *logits(void *self, cru_tape *t) { model *m = self; return cru_mlp_input(t, &m->mlp,
 * &m->base.x); }
 *
 *     enum { PROBLEMS = CRU_NODES | CRU_ROWS };
 *     static const cru_method method = {.model_size = sizeof(model), .train = offsetof(settings, train),
 *                                       .problems = PROBLEMS, .build = build, .logits = logits};
 *     CRU_METHOD_VTABLE(method);
 *     CRU_PLUGIN = {CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM), .name = "mlp", ..., .problems = PROBLEMS, .vtable =
 * &vtable};
 */
#ifndef CRUCIBLE_TRAIN_H
#define CRUCIBLE_TRAIN_H

#include <crucible/graph.h>
#include <crucible/minibatch.h>
#include <crucible/optim.h>
#include <crucible/params.h>
#include <crucible/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings that gradient-trained methods share -------------------------------------------------------- */

typedef struct cru_train {
    int64_t epochs;
    double lr, weight_decay;
    int64_t optimiser;     /* cru_optim_kind */
    int64_t class_weights; /* cru_class_weights; equal unless the schema has CRU_CLASS_WEIGHTS */
    cru_steps steps;       /* of a method that trains in steps, whose schema has CRU_STEP_SETTINGS */
} cru_train;

/* How the default loss weighs an item of class c; the mean is divided by the sum of weights. */
typedef enum cru_class_weights {
    CRU_WEIGHTS_EQUAL = 0,
    CRU_WEIGHTS_BALANCED, /* (size of the largest class) / (size of c), in the training part */
} cru_class_weights;

CRU_API extern const char *const cru_optimiser_names[];    /* "adam", "adamw", "sgd", NULL */
CRU_API extern const char *const cru_class_weight_names[]; /* "equal", "balanced", NULL */

/* Entries of a schema for a cru_train member, with the method's own defaults. */
#define CRU_TRAIN_SETTINGS(type_, member_, epochs_, lr_, decay_)                                                       \
    {.key = "epochs",                                                                                                  \
     .type = CRU_PARAM_INT,                                                                                            \
     .offset = offsetof(type_, member_.epochs),                                                                        \
     .number = (epochs_),                                                                                              \
     .min = 0,                                                                                                         \
     .max = 1e9,                                                                                                       \
     .help = "most training epochs"},                                                                                  \
        {.key = "lr",                                                                                                  \
         .type = CRU_PARAM_FLOAT,                                                                                      \
         .offset = offsetof(type_, member_.lr),                                                                        \
         .number = (lr_),                                                                                              \
         .min = 0,                                                                                                     \
         .max = CRU_NO_MAX,                                                                                            \
         .search = CRU_LOG_UNIFORM(1e-4, 1e-1),                                                                        \
         .help = "learning rate"},                                                                                     \
        {.key = "weight_decay",                                                                                        \
         .type = CRU_PARAM_FLOAT,                                                                                      \
         .offset = offsetof(type_, member_.weight_decay),                                                              \
         .number = (decay_),                                                                                           \
         .min = 0,                                                                                                     \
         .max = CRU_NO_MAX,                                                                                            \
         .search = CRU_LOG_UNIFORM(1e-6, 1e-2),                                                                        \
         .help = "L2 penalty, as the optimiser defines it"},                                                           \
    {                                                                                                                  \
        .key = "optimiser", .type = CRU_PARAM_CHOICE, .offset = offsetof(type_, member_.optimiser),                    \
        .number = CRU_ADAM, .choices = cru_optimiser_names, .help = "how gradients become steps"                       \
    }

/* A further entry, for methods that keep the default loss. */
#define CRU_CLASS_WEIGHTS(type_, member_, default_)                                                                    \
    {                                                                                                                  \
        .key = "class_weights", .type = CRU_PARAM_CHOICE, .offset = offsetof(type_, member_.class_weights),            \
        .number = (default_), .choices = cru_class_weight_names,                                                       \
        .help = "weight of a class in the loss: all equal, or largest class over own size"                             \
    }

/* Entries for a cru_adjacency member: keys `loops` and `normalisation`. */
#define CRU_ADJACENCY_SETTINGS(type_, member_, loops_, norm_)                                                          \
    {.key = "loops",                                                                                                   \
     .type = CRU_PARAM_CHOICE,                                                                                         \
     .offset = offsetof(type_, member_.loops),                                                                         \
     .number = (loops_),                                                                                               \
     .choices = cru_loops_names,                                                                                       \
     .help = "self-loops before normalising"},                                                                         \
    {                                                                                                                  \
        .key = "normalisation", .type = CRU_PARAM_CHOICE, .offset = offsetof(type_, member_.norm), .number = (norm_),  \
        .choices = cru_norm_names, .help = "of the adjacency"                                                          \
    }

/* What a method over graphs is told by its settings. */
typedef struct cru_graph_settings {
    cru_adjacency adjacency;
    int64_t readout; /* whole graphs: the sum, the mean or the largest of their nodes */
    int64_t batch;   /* whole graphs: how many in a step */
} cru_graph_settings;

CRU_API extern const char *const cru_readout_names[]; /* "sum", "mean", "max", NULL */

/* Entries for a cru_graph_settings member: those of its adjacency, `readout` and `batch`. */
#define CRU_GRAPH_SETTINGS(type_, member_, loops_, norm_)                                                              \
    CRU_ADJACENCY_SETTINGS(type_, member_.adjacency, loops_, norm_),                                                   \
        {.key = "readout",                                                                                             \
         .type = CRU_PARAM_CHOICE,                                                                                     \
         .offset = offsetof(type_, member_.readout),                                                                   \
         .choices = cru_readout_names,                                                                                 \
         .help = "whole graphs: from nodes to a graph"},                                                               \
    {                                                                                                                  \
        .key = "batch", .type = CRU_PARAM_INT, .offset = offsetof(type_, member_.batch), .number = 128, .min = 1,      \
        .max = 1e9, .help = "whole graphs: how many in a step"                                                         \
    }

/* The GCN inside methods that change how a network is trained, not the network. */
typedef struct cru_gcn_settings {
    int64_t layers, hidden;
    double dropout;
    cru_adjacency adjacency;
} cru_gcn_settings;

/* Entries for a cru_gcn_settings member: `layers`, `hidden`, `dropout` and those of its adjacency, A + I as the studies
 * have it. */
#define CRU_GCN_SETTINGS(type_, member_, layers_, hidden_, dropout_)                                                   \
    {.key = "layers",                                                                                                  \
     .type = CRU_PARAM_INT,                                                                                            \
     .offset = offsetof(type_, member_.layers),                                                                        \
     .number = (layers_),                                                                                              \
     .min = 1,                                                                                                         \
     .max = CRU_MAX_LAYERS,                                                                                            \
     .search = CRU_ONE_OF(1, 2, 3, 4),                                                                                 \
     .help = "convolutions"},                                                                                          \
        {.key = "hidden",                                                                                              \
         .type = CRU_PARAM_INT,                                                                                        \
         .offset = offsetof(type_, member_.hidden),                                                                    \
         .number = (hidden_),                                                                                          \
         .min = 1,                                                                                                     \
         .max = 65536,                                                                                                 \
         .search = CRU_ONE_OF(16, 32, 64, 128),                                                                        \
         .help = "width between them"},                                                                                \
        {.key = "dropout",                                                                                             \
         .type = CRU_PARAM_FLOAT,                                                                                      \
         .offset = offsetof(type_, member_.dropout),                                                                   \
         .number = (dropout_),                                                                                         \
         .min = 0,                                                                                                     \
         .max = 0.99,                                                                                                  \
         .search = CRU_UNIFORM(0.1, 0.9),                                                                              \
         .help = "after each activation"},                                                                             \
        CRU_ADJACENCY_SETTINGS(type_, member_.adjacency, CRU_LOOPS_ADD, CRU_NORM_SYM)

/* ---- graphs ---------------------------------------------------------------------------------------------- */

/* Graphs side by side in one block-diagonal matrix: all of a task's, or a minibatch of them. */
typedef struct cru_graphs {
    int64_t count;
    const int64_t *offsets; /* count + 1, host: the nodes of each graph */
    cru_csr host;           /* the matrix, where the host can read it */
    cru_sparse *adj;        /* the same for operators */
    cru_input x;            /* of the nodes */
} cru_graphs;

/* ---- the learner: what every model starts with ----------------------------------------------------------- */

enum { CRU_MAX_NETS = 8 };

typedef struct cru_learner {
    const struct cru_method *method;
    cru_ctx *ctx;
    const cru_task *task;
    const void *settings;
    const cru_train *train; /* inside settings */
    cru_tape *tape;
    cru_input x;            /* the task's features */
    cru_graphs graphs;      /* methods with `graphs`: all of them, or all nodes as one */
    cru_batches batches;    /* methods with `graphs` on whole graphs: the training ones */
    cru_index train_rows;   /* the training items */
    cru_index train_labels; /* their observed labels; empty when labels are candidate sets */
    float *class_weights;   /* one per class for the default loss, host; NULL: equal */
    cru_net *net;           /* a first net, "net"; more with cru_learner_net */
    cru_optim *optim;       /* of the next step: over all nets, unless build makes another or a hook changes it */
    cru_net *nets[CRU_MAX_NETS];
    cru_snapshot *best[CRU_MAX_NETS]; /* the weights that the monitor chose */
    int64_t net_count;
    bool kept;                 /* `best` holds something */
    int64_t epoch;             /* now running, from 0; a step where the method trains in steps */
    float *scores;             /* items x classes, host: the last evaluation */
    struct cru_feed *feed;     /* private: minibatches of rows; NULL unless the method has `classify` */
    struct cru_learner *wider; /* the same model on the task that widen brought, or NULL */
    void *reserved[13];        /* NULL; later minor versions take from its end, so that models keep their layout */
    cru_sparse *train_adj;     /* methods with `train_logits`: the rows of graphs.adj that belong to training items */
    bool validation_only;      /* set during an evaluation of which only the scores of validation items count */
    struct cru_shelf *shelf;   /* private: the weights that several rules chose; NULL unless there are several */
} cru_learner;

typedef struct cru_method {
    size_t model_size; /* the model struct, which begins with a cru_learner */
    size_t train;      /* offset of the cru_train in the settings */
    uint32_t problems; /* as in the plugin: other tasks are refused before build */
    bool featureless;  /* can do without features; otherwise a task without any is refused, too */
    bool labelled;     /* learns from one observed label per item: candidate sets are refused */

    /* Makes layers and graphs. The learner is filled except for optim. CRU_UNSUPPORTED for tasks it cannot do. */
    cru_status (*build)(void *model);

    /* items x classes. Called in train and in eval mode, for the default epoch in one step of the tape: in eval mode to
     * judge the weights, then in train mode to learn from them. Must not change the model. */
    cru_tensor *(*logits)(void *model, cru_tape *t);

    /* Instead of `logits`, for methods over graphs: the same for the given graphs, which are all of them or, when the
     * items are graphs, some. `graphs` is the offset of a cru_graph_settings in the settings; a method that has one and
     * `logits` gets the learner's graphs, too, and decides itself which of them it computes together. */
    cru_tensor *(*forward)(void *model, cru_tape *t, const cru_graphs *graphs);
    size_t graphs;

    /* Instead of `logits`, for methods that train in steps on minibatches of rows or images (minibatch.h), with none of
     * `loss`, `epoch` and `after_epoch`: rows of x x classes. Called in train and in eval mode. */
    cru_tensor *(*classify)(void *model, cru_tape *t, const cru_input *x);

    /* Optional, with `classify`: the scalar to minimise in this step; NULL: there is nothing to learn, and no step is
     * made. Default: the default loss of the scores of batch->x.
     *
     * The same for minibatches of whole graphs, with `graphs` where the items are graphs: batch->items are the training
     * graphs to learn from, for cru_graphs_select, and nothing else of the batch but its count is filled. Default: the
     * default loss of what `forward` gives for them. */
    cru_tensor *(*batch_loss)(void *model, cru_tape *t, const cru_batch *batch);

    /* Optional, where batch_loss is called or its default: after the step, also one without loss; on the same tape in
     * train mode, with nothing recorded. */
    void (*after_step)(void *model, cru_tape *t, const cru_batch *batch);
    uint32_t views; /* with `classify`: cru_view bits that a batch must hold besides the weak view */

    /* Optional: the scalar to minimise, given this epoch's logits. Default: mean cross-entropy of the training items
     * with their observed labels (for candidate sets: with the uniform distribution over the candidates). */
    cru_tensor *(*loss)(void *model, cru_tape *t, cru_tensor *logits);

    /* Optional: called after build and before the first epoch: pre-training, estimates. */
    cru_status (*prepare)(void *model);

    /* Optional: replaces one epoch of training (forward, loss, backward, step) by the method's own; several networks,
     * several phases, minibatches. Returns the training loss for the record in *loss. */
    cru_status (*epoch)(void *model, double *loss);

    /* Optional: after the step of every epoch, before the evaluation: update tables, labels, graphs. */
    cru_status (*after_epoch)(void *model);

    /* Optional: the representation of every item, items x any: what comes before a separate classifier. Without it the
     * scores are the representation. */
    cru_tensor *(*embed)(void *model, cru_tape *t);

    /* Optional: frees what is not in the context. */
    void (*release)(void *model);

    /* Inductive learning: `model` was just built on a task with more nodes and has the weights of `trained`; copies
     * what else the trained model predicts with. A method with any of prepare, epoch and after_epoch may have such
     * state, so without this function it is refused there; one that has none says cru_weights_only. */
    cru_status (*widen)(void *model, const void *trained);

    void (*reserved[7])(void); /* NULL; for hooks of later minor versions, which take from its end */

    /* Optional, with `forward` and the default loss: the logits of the training items alone, in their order; the same
     * bits as their rows of all logits. A method that ends in a propagation leaves out the sums that no loss asks for
     * (cru_gcn_stack_rows, with the learner's train_adj). NULL: none to spare, all logits are made instead. */
    cru_tensor *(*train_logits)(void *model, cru_tape *t);
} cru_method;

/* The algorithm vtable of a method. Only `create` must know the method. */
CRU_API cru_status cru_method_create(const cru_method *method, void **self, const void *settings, const cru_task *task,
                                     cru_ctx *ctx);
CRU_API cru_status cru_method_fit(void *self, cru_monitor *monitor);
CRU_API cru_status cru_method_predict(void *self, float *scores);
CRU_API cru_status cru_method_embed(void *self, const float **rows, int64_t *cols);
CRU_API cru_status cru_method_widen(void *self, const cru_task *task);

/* After cru_method_fit under several rules (CRU_KEEP_FOR): goes to the weights that this one chose, or, where it chose
 * none, to those of the end of the training. For hosts; any order, any number of times, but before any widening. */
CRU_API void cru_method_select(void *self, int32_t rule);

/* For cru_method.widen: does nothing. */
CRU_API cru_status cru_weights_only(void *model, const void *trained);
CRU_API void cru_method_destroy(void *self);

#define CRU_METHOD_VTABLE(method_)                                                                                     \
    static cru_status create_instance(void **self_, const void *settings_, const cru_task *task_, cru_ctx *ctx_)       \
    {                                                                                                                  \
        return cru_method_create(&(method_), self_, settings_, task_, ctx_);                                           \
    }                                                                                                                  \
    static const cru_algorithm vtable = {.size = sizeof(cru_algorithm),                                                \
                                         .create = create_instance,                                                    \
                                         .fit = cru_method_fit,                                                        \
                                         .predict = cru_method_predict,                                                \
                                         .destroy = cru_method_destroy,                                                \
                                         .embed = cru_method_embed,                                                    \
                                         .widen = cru_method_widen}

/* ---- parts for methods that write their own epoch -------------------------------------------------------- */

/* A further net of the model: trained by the learner's optimiser, kept and restored with the others. Call in build. */
CRU_API cru_net *cru_learner_net(cru_learner *learner, const char *name);

/* Convolutions from the features to the classes in `net`, Glorot, with biases; named conv0, conv1, ... */
CRU_API cru_gcn_stack cru_learner_gcn(cru_learner *learner, cru_net *net, const cru_gcn_settings *settings);

/* `epochs` steps of `optim` on the default loss of what `logits` gives (as cru_method.logits): pre-training, of which
 * the monitor hears nothing. */
CRU_API cru_status cru_learner_pretrain(cru_learner *learner, cru_optim *optim,
                                        cru_tensor *(*logits)(void *model, cru_tape *t), int64_t epochs);

/* The method's logits of all items. */
CRU_API cru_tensor *cru_learner_logits(cru_learner *learner, cru_tape *t);

/* The weight of every class by a rule, in memory of the context; NULL for equal weights, and where there are only
 * candidate sets to count. */
CRU_API float *cru_class_weights_create(cru_ctx *ctx, const cru_task *task, cru_class_weights rule);

/* The default loss, for methods that add to it. */
CRU_API cru_tensor *cru_learner_loss(cru_learner *learner, cru_tape *t, cru_tensor *logits);

/* The default loss of a minibatch: row i of the logits belongs to training item items.ids[i]. */
CRU_API cru_tensor *cru_learner_batch_loss(cru_learner *learner, cru_tape *t, cru_tensor *logits, cru_ids items);

/* The observed labels of some items, in this step. */
CRU_API cru_index cru_learner_labels(const cru_learner *learner, cru_tape *t, cru_ids items);

/* The default epoch: forward in train mode, loss, backward, one step; whole graphs, with `forward` or `batch_loss`:
 * cru_graphs_pass. */
CRU_API cru_status cru_learner_epoch(cru_learner *learner, double *loss);

/* backward, a step of `optim`, and the loss as a number. A loss that is NaN because its set was empty steps with zero
 * gradients. */
CRU_API double cru_learner_step(cru_learner *learner, cru_optim *optim, cru_tensor *loss);

/* The accuracy of some logits of all items on the observed labels of the validation part, 0 when that is empty: for
 * methods that choose among states of their own. What the monitor judges by is not told. */
CRU_API double cru_learner_val_accuracy(const cru_learner *learner, cru_tape *t, const cru_tensor *logits);

/* An optimiser as the settings say, for nets that want one of their own. */
CRU_API cru_optim *cru_learner_optim(cru_learner *learner, cru_net *const *nets, int64_t count);

/* Evaluates, reports to the monitor, keeps the weights when told to. False: stop. */
CRU_API bool cru_learner_report(cru_learner *learner, cru_monitor *monitor, double loss);

/* ---- parts for methods over graphs ----------------------------------------------------------------------- */

/* All graphs of the learner's task with the matrix `adj`; for other tasks one graph of all nodes. */
CRU_API cru_graphs cru_graphs_all(const cru_learner *learner, const cru_csr *adj);

/* Some of them, for this step. */
CRU_API cru_graphs cru_graphs_select(cru_tape *t, const cru_graphs *all, cru_ids graphs);

/* From nodes to items: a graph is the sum, the mean or, column by column, the largest of its nodes, as the method's
 * cru_graph_settings say; where the items are nodes, h itself. */
CRU_API cru_tensor *cru_graphs_readout(cru_tape *t, const cru_learner *learner, const cru_graphs *graphs,
                                       cru_tensor *h);

/* One pass over learner->batches, the training graphs in minibatches unless build put others there: batch_loss or the
 * default loss, a step, after_step. The default epoch of whole graphs. Returns the mean loss of the steps made, NAN for
 * none; failures are in the context. */
CRU_API double cru_graphs_pass(cru_learner *learner);

/* Scores of graphs, graphs.count x classes, in this step of the tape. */
typedef cru_tensor *(*cru_graph_scorer)(void *user, cru_tape *t, cru_ids graphs);

/* For `logits` of a method whose score of a graph depends on those computed with it, so that it should predict in
 * batches as it learns: all graphs in batches of the settings' size, first the validation part, then the test part,
 * then the others, each part in batches of its own. items x classes; while only validation counts, the rows of other
 * graphs are 0, and those of validation graphs the same as ever. `user` goes to `score`. */
CRU_API cru_tensor *cru_graphs_in_turn(const cru_learner *learner, cru_tape *t, cru_graph_scorer score, void *user);

#ifdef __cplusplus
}
#endif
#endif
