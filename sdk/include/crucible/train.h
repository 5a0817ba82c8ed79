// SPDX-License-Identifier: Apache-2.0
/* train.h: from a model to a plugin.
 *
 * Most methods are a model and a loss. They write two or three functions, name them in CRU_METHOD, and get the rest of
 * the algorithm vtable from here: the epoch or minibatch loop, the optimiser, reports to the monitor, early stopping,
 * the best checkpoint, prediction. A method that differs in one of these replaces that one.
 *
 *     typedef struct settings {
 *         int64_t hidden;
 *         double dropout;
 *         cru_adjacency adjacency;
 *         cru_train train;
 *     } settings;
 *
 *     static const cru_param schema[] = {
 *         CRU_WIDTH(settings, hidden, 64),
 *         CRU_DROPOUT(settings, dropout, 0.5),
 *         CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
 *         CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
 *         CRU_END,
 *     };
 *
 *     typedef struct model {
 *         cru_mlp mlp;
 *     } model;
 *
 *     static void build(cru_learner *l, void *self)
 *     {
 *         model *m = self;
 *         const settings *s = l->settings;
 *         m->mlp = cru_mlp_create(l->net, "mlp",
 *                                 &(cru_mlp_shape){.in = l->x.cols, .hidden = s->hidden, .out = l->task->classes,
 *                                                  .layers = 2, .dropout = s->dropout});
 *     }
 *
 *     static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
 *     {
 *         const model *m = self;
 *         return cru_spmm(t, l->adj, cru_mlp_input(t, &m->mlp, &l->x));                         // items x classes
 *     }
 *
 *     CRU_PLUGIN = {
 *         CRU_METHOD(settings, schema, model, .build = build, .logits = logits,
 *                    .adjacency = CRU_AT(settings, adjacency)),
 *         .name = "smooth", .version = "1.0", .problems = CRU_NODES | CRU_ANOMALY,
 *         .summary = "a perceptron, then one mean over the neighbours",
 *     };
 *
 * Failures live in the context. A hook that cannot go on says why, with cru_learner_refuse for a task that it cannot do
 * or cru_ctx_fail(l->ctx, ...), and returns anything; the learner looks at the context after every hook and stops. */
#ifndef CRUCIBLE_TRAIN_H
#define CRUCIBLE_TRAIN_H

#include <crucible/backbone.h>
#include <crucible/encoder.h>
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

CRU_API extern const char *const cru_optimiser_names[];    /* "adam", "adamw", "sgd", "adamw-matrices", NULL */
CRU_API extern const char *const cru_class_weight_names[]; /* "equal", "balanced", NULL */

/* Entries of a schema for a cru_train member, with the method's own defaults. */
#define CRU_TRAIN_SETTINGS(type_, member_, epochs_, lr_, decay_)                                                       \
    CRU_INT_KEY(type_, "epochs", member_.epochs, epochs_, 0, 1e9, "most training epochs"),                             \
        CRU_FLOAT_KEY(type_, "lr", member_.lr, lr_, 0, CRU_NO_MAX, "learning rate",                                    \
                      .search = CRU_LOG_UNIFORM(1e-4, 1e-1)),                                                          \
        CRU_FLOAT_KEY(type_, "weight_decay", member_.weight_decay, decay_, 0, CRU_NO_MAX,                              \
                      "L2 penalty, as the optimiser defines it", .search = CRU_LOG_UNIFORM(1e-6, 1e-2)),               \
        CRU_CHOICE_KEY(type_, "optimiser", member_.optimiser, CRU_ADAM, cru_optimiser_names,                           \
                       "how gradients become steps")

/* A further entry, for methods that keep the default loss. */
#define CRU_CLASS_WEIGHTS(type_, member_, default_)                                                                    \
    CRU_CHOICE_KEY(type_, "class_weights", member_.class_weights, default_, cru_class_weight_names,                    \
                   "weight of a class in the loss: all equal, or largest class over own size")

/* A further entry, for methods that ask cru_outputs how wide they end. */
#define CRU_ONE_LOGIT(type_, field_)                                                                                   \
    CRU_BOOL(type_, field_, false, "of two classes: a single output, the score of the second against 0")

/* Entries for a cru_adjacency member: keys `loops` and `normalisation`. */
#define CRU_ADJACENCY_SETTINGS(type_, member_, loops_, norm_)                                                          \
    CRU_CHOICE_KEY(type_, "loops", member_.loops, loops_, cru_loops_names, "self-loops before normalising"),           \
        CRU_CHOICE_KEY(type_, "normalisation", member_.norm, norm_, cru_norm_names, "of the adjacency")

/* From the nodes of a graph to the graph. */
typedef enum cru_readout { CRU_READOUT_SUM, CRU_READOUT_MEAN, CRU_READOUT_MAX } cru_readout;
CRU_API extern const char *const cru_readout_names[]; /* "sum", "mean", "max", NULL */

/* What a method over graphs is told by its settings. */
typedef struct cru_graph_settings {
    cru_adjacency adjacency;
    int64_t readout; /* cru_readout: whole graphs: the sum, the mean or the largest of their nodes */
    int64_t batch;   /* whole graphs: how many in a step */
} cru_graph_settings;

/* Entries for a cru_graph_settings member: those of its adjacency, `readout` and `batch`. */
#define CRU_GRAPH_SETTINGS(type_, member_, loops_, norm_, readout_)                                                    \
    CRU_ADJACENCY_SETTINGS(type_, member_.adjacency, loops_, norm_),                                                   \
        CRU_CHOICE_KEY(type_, "readout", member_.readout, readout_, cru_readout_names,                                 \
                       "whole graphs: from nodes to a graph"),                                                         \
        CRU_INT_KEY(type_, "batch", member_.batch, 128, 1, 1e9, "whole graphs: how many in a step")

/* The GCN inside methods that change how a network is trained, not the network. */
typedef struct cru_gcn_settings {
    int64_t layers, hidden;
    double dropout;
    cru_adjacency adjacency;
} cru_gcn_settings;

/* Entries for a cru_gcn_settings member: `layers`, `hidden`, `dropout` and those of its adjacency, A + I as the studies
 * have it. */
#define CRU_GCN_SETTINGS(type_, member_, layers_, hidden_, dropout_)                                                   \
    CRU_INT_KEY(type_, "layers", member_.layers, layers_, 1, CRU_MAX_LAYERS, "convolutions",                           \
                .search = CRU_ONE_OF(1, 2, 3, 4)),                                                                     \
        CRU_INT_KEY(type_, "hidden", member_.hidden, hidden_, 1, 65536, "width between them",                          \
                    .search = CRU_ONE_OF(16, 32, 64, 128)),                                                            \
        CRU_FLOAT_KEY(type_, "dropout", member_.dropout, dropout_, 0, 0.99, "after each activation",                   \
                      .search = CRU_UNIFORM(0.1, 0.9)),                                                                \
        CRU_ADJACENCY_SETTINGS(type_, member_.adjacency, CRU_LOOPS_ADD, CRU_NORM_SYM)

/* What a step learns from where the items are nodes. All but CLUSTERS take some training nodes in shuffled passes and
 * learn from these alone; what they leave out of a row scales up what they keep (draft/blocks.h). */
typedef enum cru_minibatch {
    CRU_MINIBATCH_WHOLE,      /* the whole graph, one step an epoch */
    CRU_MINIBATCH_NEIGHBOURS, /* for each node of each layer some of its neighbours. Hamilton et al., NeurIPS 2017 */
    CRU_MINIBATCH_LAYERS,     /* one draw of nodes for all of a layer (draft/blocks.h). Zou et al., NeurIPS 2019 */
    CRU_MINIBATCH_CLUSTERS,   /* four of many parts that METIS made, and the edges within. Chiang et al., KDD 2019 */
    CRU_MINIBATCH_WALKS,      /* the nodes of random walks and the edges between. Zeng et al. GraphSAINT. ICLR 2020 */
} cru_minibatch;

CRU_API extern const char *const cru_minibatch_names[]; /* "whole", "neighbours", "layers", "clusters", "walks", NULL */

typedef struct cru_node_batches {
    int64_t minibatch; /* cru_minibatch */
    int64_t nodes, fanout, walk_length, inference;
} cru_node_batches;

/* Entries for a cru_node_batches member. */
#define CRU_NODE_BATCH_SETTINGS(type_, member_)                                                                        \
    CRU_CHOICE_KEY(type_, "minibatch", member_.minibatch, CRU_MINIBATCH_WHOLE, cru_minibatch_names,                    \
                   "what a step learns from: the whole graph, or sampled neighbours, layers, clusters or walks"),      \
        CRU_INT_KEY(type_, "batch_nodes", member_.nodes, 1024, 1, 1e9,                                                 \
                    "minibatches: training nodes in a step; with clusters all nodes in it, about"),                    \
        CRU_INT_KEY(type_, "fanout", member_.fanout, 10, 1, 1e9,                                                       \
                    "minibatches: neighbours of a node; with layers nodes of a layer for each in the batch"),          \
        CRU_INT_KEY(type_, "walk_length", member_.walk_length, 3, 1, 1e6, "minibatches of walks: steps of a walk"),    \
        CRU_INT_KEY(type_, "inference_nodes", member_.inference, 0, 0, 1e9,                                            \
                    "nodes scored at a time with all that they read; 0: all nodes at once")

/* ---- graphs ---------------------------------------------------------------------------------------------- */

/* Graphs side by side in one block-diagonal matrix: all of a task's, or a minibatch of them. */
typedef struct cru_graphs {
    int64_t count;
    const int64_t *offsets;    /* count + 1, host: the nodes of each graph */
    cru_csr host;              /* the matrix, where the host can read it */
    cru_sparse *adj;           /* the same for operators */
    cru_input x;               /* of the nodes */
    struct cru_wanted *wanted; /* private: see cru_graphs_logits */
} cru_graphs;

/* ---- the learner: what every hook is handed -------------------------------------------------------------- */

enum { CRU_MAX_NETS = 8 };

/* Made by the SDK, never by a plugin, so that it can grow. Read its members freely; build may set those that say so. */
typedef struct cru_learner {
    const cru_plugin *plugin;
    const struct cru_method *method; /* that of the plugin */
    cru_ctx *ctx;
    const cru_task *task;
    const void *settings;
    const cru_train *train; /* inside settings */
    cru_tape *tape;
    cru_input x;            /* the task's features */
    cru_sparse *adj;        /* methods with `adjacency`, `gcn` or `graphs`: the matrix that the settings ask for */
    cru_graphs graphs;      /* methods with `graphs`: all of them, or all nodes as one */
    cru_batches batches;    /* methods with `graphs` on whole graphs: the training ones; build may put others here */
    cru_classifier network; /* methods with `backbone`: the network that the settings ask for, in `net` */
    cru_index train_rows;   /* the training items */
    cru_index train_labels; /* their observed labels; empty when labels are candidate sets */
    float *class_weights;   /* one per class for the default loss, host; NULL: equal; build may set it */
    cru_net *net;           /* a first net, "net"; more with cru_learner_net */
    cru_optim *optim;       /* of the next step: over all nets, unless build puts another here; hooks may change it */
    cru_net *nets[CRU_MAX_NETS];
    cru_snapshot *best[CRU_MAX_NETS]; /* the weights that the monitor chose */
    int64_t net_count;
    bool kept;                   /* `best` holds something */
    int64_t epoch;               /* now running, from 0; a step where the method trains in steps */
    float *scores;               /* items x classes, host: the last evaluation */
    bool validation_only;        /* set during an evaluation of which only the scores of validation items count */
    void *model;                 /* the method's own struct, zeroed before build */
    struct cru_learner *wider;   /* the same model on the task that widen brought, or NULL */
    struct cru_feed *feed;       /* private: minibatches of rows; NULL unless the method classifies rows */
    struct cru_wanted *wanted;   /* private: the rows of logits that the default loss asks for */
    struct cru_shelf *shelf;     /* private: the weights that several rules chose; NULL unless there are several */
    struct cru_noted *noted;     /* private: an evaluation of which representations are wanted; else NULL */
    cru_gcn_stack gcn;           /* methods with `gcn`: the convolutions that the settings ask for, in `net` */
    int64_t hops;                /* methods with `nodes`: how many layers read neighbours; build sets it */
    struct cru_node_feed *nodes; /* private: minibatches of nodes; NULL unless the method has `nodes` */
} cru_learner;

/* Where a member lies in the settings, for cru_method: its offset plus 1, so that 0 means none. */
#define CRU_AT(type_, member_) (offsetof(type_, member_) + 1)

/* What a trained model consists of, on its way to a file or from it; see cru_method.state. */
typedef struct cru_state cru_state;

/* Names a part of the state: `count` numbers of `size` bytes in memory of the host, or a tensor. When a model is saved
 * they are read, when one is loaded they are written; the same calls in the same order do both. A file whose parts have
 * other names or sizes is refused before anything is written. */
CRU_API void cru_state_values(cru_state *state, const char *name, void *values, int64_t count, size_t size);
CRU_API void cru_state_tensor(cru_state *state, const char *name, cru_tensor *tensor);

/* A method: where its settings are, and its hooks. Every hook is handed the learner and the model. What may stand
 * together is checked when an instance is made; a wrong combination is refused with a sentence. Exactly one of `logits`
 * (or `gcn` instead), `forward` and `classify` (or `backbone` instead of the last) must be there. */
typedef struct cru_method {
    size_t model_size; /* sizeof the model struct */
    size_t train;      /* CRU_AT of the cru_train */
    size_t adjacency;  /* CRU_AT of a cru_adjacency, or 0: makes l->adj */
    size_t graphs;     /* CRU_AT of a cru_graph_settings, or 0: makes l->graphs */
    size_t backbone;   /* CRU_AT of a cru_backbone_choice, or 0: makes l->network, which classifies unless there is a
                        * hook of that name */
    bool featureless;  /* can do without features; otherwise a task without any is refused */
    bool labelled;     /* learns from one observed label per item: candidate sets are refused */
    uint32_t views;    /* with `classify`: cru_view bits that a batch must hold besides the weak view */

    /* Makes layers and graphs. The learner is filled except for optim; a method whose nets want other learning rates,
     * decays or optimisers puts its own there: l->optim = cru_learner_optim(l, nets, count), cru_optim_add(...). May be
     * NULL. */
    void (*build)(cru_learner *l, void *model);

    /* items x classes, or of two classes one column z, which stands for the scores 0 and z: their cross-entropy is the
     * binary one of z. Called in train and in eval mode, for the default epoch in one step of the tape: in eval mode to
     * judge the weights, then in train mode to learn from them. Must not change what the next call computes. */
    cru_tensor *(*logits)(cru_learner *l, void *model, cru_tape *t);

    /* Instead of `logits`, with `graphs`: graphs x classes (or nodes x classes) of the given graphs, which are all of
     * them or, when the items are graphs, some. A method with `graphs` and `logits` decides itself which of them it
     * computes together. */
    cru_tensor *(*forward)(cru_learner *l, void *model, cru_tape *t, const cru_graphs *graphs);

    /* Instead of `logits`, for methods that train in steps on minibatches of rows or images (minibatch.h), with none of
     * `loss`, `epoch` and `after_epoch`: rows of x x classes. Called in train and in eval mode. */
    cru_tensor *(*classify)(cru_learner *l, void *model, cru_tape *t, const cru_input *x);

    /* Optional: the scalar to minimise, given this epoch's logits. Default: mean cross-entropy of the training items
     * with their observed labels (for candidate sets: with the uniform distribution over the candidates). */
    cru_tensor *(*loss)(cru_learner *l, void *model, cru_tape *t, cru_tensor *logits);

    /* Optional, with `classify`: the scalar to minimise in this step; NULL: there is nothing to learn, and no step is
     * made. Default: the default loss of the scores of batch->x.
     *
     * With `graphs`, where the items are graphs, it is called for minibatches of whole graphs: batch->items are the
     * training graphs to learn from, for cru_graphs_select, and nothing else of the batch but its count is filled.
     * Default: the default loss of what `forward` gives for them. */
    cru_tensor *(*batch_loss)(cru_learner *l, void *model, cru_tape *t, const cru_batch *batch);

    /* Optional, where batch_loss is called or its default: after the step, also one without loss; on the same tape in
     * train mode, with nothing recorded. */
    void (*after_step)(cru_learner *l, void *model, cru_tape *t, const cru_batch *batch);

    /* Optional: called after build and before the first epoch: pre-training, estimates. */
    void (*prepare)(cru_learner *l, void *model);

    /* Optional: replaces one epoch of training (forward, loss, backward, step) by the method's own; several networks,
     * several phases, minibatches. Returns the training loss for the record: cru_learner_step(l, l->optim, loss). */
    double (*epoch)(cru_learner *l, void *model);

    /* Optional: after the step of every epoch, before the evaluation: update tables, labels, graphs. */
    void (*after_epoch)(cru_learner *l, void *model);

    /* Optional: the representation of every item, items x any: what comes before a separate classifier. Without it the
     * representation is what the method's logits note with cru_represent (nn.h), and the scores where they note
     * nothing. */
    cru_tensor *(*embed)(cru_learner *l, void *model, cru_tape *t);

    /* Optional: names numbers that were learned (cru_report_number, _vector, _matrix), after the training, with the
     * weights that predict; see cru_algorithm.report. */
    void (*report)(cru_learner *l, void *model, cru_report *report);

    /* Optional: frees what is not in the context. Called also when build failed. */
    void (*release)(cru_learner *l, void *model);

    /* Inductive learning: `model` was just built on a task with more nodes and has the weights of `trained`; copies
     * what else the trained model predicts with. A method with any of prepare, epoch and after_epoch may have such
     * state, so without this function it is refused there; one that has none says cru_weights_only. */
    void (*widen)(cru_learner *l, void *model, const void *trained);

    /* Optional: how much each training label is trusted at the end, in the order of task->split.train, on any scale;
     * finite. Called after the scores of all items were computed (l->scores). Default: cru_label_log_likelihood. Not
     * called where labels are candidate sets. */
    void (*label_weights)(cru_learner *l, void *model, double *weights);

    /* Optional: names what predict needs beside the weights and buffers of all nets and what build makes anew. A method
     * with any of prepare, epoch, after_epoch and after_step may have such state, so without this function it cannot be
     * saved; one that has none says cru_no_state. */
    void (*state)(cru_learner *l, void *model, cru_state *state);

    /* CRU_AT of a cru_gcn_settings, or 0: makes l->adj and l->gcn as cru_learner_gcn does, which gives the logits
     * unless there is a hook of that name. */
    size_t gcn;

    /* CRU_AT of a cru_node_batches, or 0. With `forward`, where the items are nodes: lets the settings
     * choose minibatches of nodes. build sets l->hops, and l->graphs where the method has no `graphs`; forward asks
     * cru_graphs_hop for the matrix of each layer. */
    size_t nodes;
} cru_method;

/* For cru_method.state: names nothing. */
CRU_API void cru_no_state(cru_learner *l, void *model, cru_state *state);

/* Minus the cross-entropy of each training label under the scores of the last evaluation, log softmax(scores)[label]:
 * small losses speak for a label. The default of cru_method.label_weights. */
CRU_API void cru_label_log_likelihood(const cru_learner *learner, double *weights);

/* The algorithm vtable of all methods. Its functions find the method in the plugin that create is handed. */
CRU_API extern const cru_algorithm cru_method_vtable;

/* The first entries of the CRU_PLUGIN of a method. The settings have their cru_train in a member `train`. */
#define CRU_METHOD(settings_, schema_, model_, ...)                                                                    \
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM), .settings_size = sizeof(settings_), .params = (schema_),                    \
                                           .vtable = &cru_method_vtable, .method = &(const cru_method)                 \
    {                                                                                                                  \
        .model_size = sizeof(model_), .train = CRU_AT(settings_, train), __VA_ARGS__                                   \
    }

/* For CRU_METHOD of a method that keeps nothing of its own. */
typedef struct cru_no_model {
    char none;
} cru_no_model;

/* For cru_method.widen: does nothing. */
CRU_API void cru_weights_only(cru_learner *l, void *model, const void *trained);

/* A task that the method cannot do, with the reason: CRU_UNSUPPORTED in the context. For build. */
CRU_API void cru_learner_refuse(cru_learner *learner, const char *format, ...) CRU_PRINTF(2, 3);

/* ---- parts for methods that write their own epoch -------------------------------------------------------- */

/* A further net of the model: trained by the learner's optimiser, kept and restored with the others. Call in build. */
CRU_API cru_net *cru_learner_net(cru_learner *learner, const char *name);

/* Convolutions from the features to the classes in `net`, Glorot, with biases; named conv0, conv1, ... NULL: those of
 * the settings that `gcn` names. */
CRU_API cru_gcn_stack cru_learner_gcn(cru_learner *learner, cru_net *net, const cru_gcn_settings *settings);
/* The network that the settings name, from the features to the classes, with the matrix that it goes over in `adj`: for
 * gcn that of the learner when the method has `adjacency` or `gcn`. */
CRU_API cru_encoder cru_learner_encoder(cru_learner *learner, cru_net *net, const cru_encoder_settings *settings);

/* `epochs` steps of `optim` on the default loss of what `logits` gives (as cru_method.logits): pre-training, of which
 * the monitor hears nothing. */
CRU_API void cru_learner_pretrain(cru_learner *learner, cru_optim *optim,
                                  cru_tensor *(*logits)(cru_learner *l, void *model, cru_tape *t), int64_t epochs);

/* The scores of rows by `classify`, or by the network of `backbone`. */
CRU_API cru_tensor *cru_learner_classify(cru_learner *learner, cru_tape *t, const cru_input *x);

/* How many columns of logits there are: as many as classes, or 1 for two classes and `one_logit`; see
 * cru_method.logits. */
CRU_API int64_t cru_outputs(const cru_task *task, bool one_logit);

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
 * cru_graphs_pass. Returns the loss. */
CRU_API double cru_learner_epoch(cru_learner *learner);

/* backward, a step of `optim`, and the loss as a number. A loss that is NaN because its set was empty steps with zero
 * gradients. After a failure, which is in the context, nothing is done and the number is NAN. */
CRU_API double cru_learner_step(cru_learner *learner, cru_optim *optim, cru_tensor *loss);

/* An optimiser as the settings say, for nets that want one of their own. */
CRU_API cru_optim *cru_learner_optim(cru_learner *learner, cru_net *const *nets, int64_t count);

/* The accuracy of some logits of all items on the observed labels of the validation part, 0 when that is empty: for
 * methods that choose among states of their own. What the monitor judges by is not told. */
CRU_API double cru_learner_val_accuracy(const cru_learner *learner, cru_tape *t, const cru_tensor *logits);

/* ---- parts for methods over graphs ----------------------------------------------------------------------- */

/* The task's graph with every edge in both directions and no weights (CRU_SYM_OR), in memory of the context. */
CRU_API cru_csr cru_learner_undirected(const cru_learner *learner);

/* Some graphs of all, for this step. */
CRU_API cru_graphs cru_graphs_select(cru_tape *t, const cru_graphs *all, cru_ids graphs);

/* From nodes to items: a graph is the sum, the mean or, column by column, the largest of its nodes, as the method's
 * cru_graph_settings say; where the items are nodes, h itself. */
CRU_API cru_tensor *cru_graphs_readout(cru_tape *t, const cru_learner *learner, const cru_graphs *graphs,
                                       cru_tensor *h);

/* All graphs of the learner's task with the matrix `adj`; for other tasks one graph of all nodes. */
CRU_API cru_graphs cru_graphs_all(const cru_learner *learner, const cru_csr *adj);

/* What a layer goes over. */
typedef struct cru_hop {
    cru_sparse *adj; /* a row for each node whose value is asked for */
    cru_index own;   /* for each row its place among the columns, where `some`; else row v is column v */
    bool some;
} cru_hop;

/* What layer `layer`, counted from the features, goes over: the whole matrix or a block. */
CRU_API cru_hop cru_graphs_hop(const cru_graphs *graphs, int64_t layer);

/* Of the values that a layer reads, those of the nodes that it gives. */
CRU_API cru_tensor *cru_hop_own(cru_tape *t, const cru_hop *hop, cru_tensor *h);

#ifdef __cplusplus
}
#endif
#endif
