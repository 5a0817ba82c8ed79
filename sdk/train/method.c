// SPDX-License-Identifier: Apache-2.0
/* The algorithm vtable of methods. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <crucible/nn.h>
#include <crucible/scoring.h>
#include <crucible/train.h>

#include "context/watch.h"
#include "train/feed.h"
#include "train/learner.h"
#include "train/nodes.h"

/* ---- what may stand together ----------------------------------------------------------------------------- */

/* What a method says of itself, as bits. */
enum {
    LOGITS = 1,
    FORWARD = 2,
    CLASSIFY = 4, /* or backbone */
    LOSS = 8,
    BATCH_LOSS = 16,
    AFTER_STEP = 32,
    EPOCH = 64,
    AFTER_EPOCH = 128,
    ADJACENCY = 256,
    GRAPHS = 512,
    VIEWS = 1024,
    TRAIN = 2048,
    GCN = 4096,
    NODES = 8192,
};

static uint32_t bits_of(const cru_method *m)
{
    return (m->logits ? LOGITS : 0u) | (m->forward ? FORWARD : 0u) | (m->classify || m->backbone ? CLASSIFY : 0u) |
           (m->loss ? LOSS : 0u) | (m->batch_loss ? BATCH_LOSS : 0u) | (m->after_step ? AFTER_STEP : 0u) |
           (m->epoch ? EPOCH : 0u) | (m->after_epoch ? AFTER_EPOCH : 0u) | (m->adjacency ? ADJACENCY : 0u) |
           (m->graphs ? GRAPHS : 0u) | (m->views ? VIEWS : 0u) | (m->train ? TRAIN : 0u) | (m->gcn ? GCN : 0u) |
           (m->nodes ? NODES : 0u);
}

/* Wrong are all of `all` together with none of `none`. */
static const struct rule {
    uint32_t all, none;
    const char *fault;
} rules[] = {
    {0, TRAIN, "it does not say where its settings have the cru_train (.train)"},
    {0, LOGITS | FORWARD | CLASSIFY | GCN,
     "it has none of logits, gcn, forward, classify and backbone: nothing would predict"},
    {GCN | FORWARD, 0, "it has gcn and forward: one of them predicts"},
    {GCN | CLASSIFY, 0, "it has gcn and classify (or backbone): one of them predicts"},
    {GCN | ADJACENCY, 0, "it has .gcn and .adjacency: the settings of gcn hold an adjacency already"},
    {GCN | GRAPHS, 0, "it has .gcn and .graphs: there is one l->adj"},
    {LOGITS | FORWARD, 0, "it has both logits and forward: one of them predicts"},
    {LOGITS | CLASSIFY, 0, "it has logits and classify (or backbone): one of them predicts"},
    {FORWARD | CLASSIFY, 0, "it has forward and classify (or backbone): one of them predicts"},
    {FORWARD, GRAPHS | NODES, "forward needs .graphs or .nodes, the place of a cru_graph_settings or cru_node_batches"},
    {NODES, FORWARD, ".nodes needs forward: it computes the nodes that it is given"},
    {NODES | LOSS, 0, "it has .nodes and loss: minibatches of nodes learn by the default loss"},
    {NODES | EPOCH, 0, "it has .nodes and epoch: minibatches of nodes have epochs of their own"},
    {ADJACENCY | GRAPHS, 0, "it has .adjacency and .graphs: the settings of graphs hold an adjacency already"},
    {BATCH_LOSS, CLASSIFY | GRAPHS, "batch_loss needs classify, backbone or .graphs: there are no minibatches"},
    {AFTER_STEP, CLASSIFY | GRAPHS, "after_step needs classify, backbone or .graphs: there are no minibatches"},
    {VIEWS, CLASSIFY, "views need classify or backbone: they are of rows and images"},
    {CLASSIFY | LOSS, 0, "a method that classifies rows learns in steps: batch_loss instead of loss"},
    {CLASSIFY | EPOCH, 0, "a method that classifies rows learns in steps: it has no epoch of its own"},
    {CLASSIFY | AFTER_EPOCH, 0, "a method that classifies rows learns in steps: after_step instead of after_epoch"},
};

static bool outside(const cru_plugin *plugin, size_t at, size_t size)
{
    return at && at - 1 + size > plugin->settings_size;
}

const char *method_fault(const cru_plugin *plugin)
{
    const cru_method *m = plugin->method;
    if (!m) return "it has the vtable of train.h and no method";
    const uint32_t bits = bits_of(m);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if ((bits & rules[i].all) == rules[i].all && !(bits & rules[i].none) && (rules[i].all || rules[i].none))
            return rules[i].fault;
    if (outside(plugin, m->train, sizeof(cru_train)) || outside(plugin, m->adjacency, sizeof(cru_adjacency)) ||
        outside(plugin, m->gcn, sizeof(cru_gcn_settings)) || outside(plugin, m->nodes, sizeof(cru_node_batches)) ||
        outside(plugin, m->graphs, sizeof(cru_graph_settings)) ||
        outside(plugin, m->backbone, sizeof(cru_backbone_choice)))
        return "a place that it names lies outside its settings";
    return NULL;
}

/* ---- creation -------------------------------------------------------------------------------------------- */

void cru_learner_refuse(cru_learner *learner, const char *format, ...)
{
    char text[sizeof cru_ctx_error(learner->ctx)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cru_ctx_fail(learner->ctx, CRU_UNSUPPORTED, "%s", text);
}

static cru_index observed_labels(cru_ctx *ctx, const cru_task *task)
{
    cru_ids train = task->split.train;
    if (!task->labels || task->candidates) return (cru_index){0};
    int32_t *labels = cru_ctx_alloc(ctx, train.count, sizeof *labels);
    for (int64_t i = 0; i < train.count; i++) labels[i] = task->labels[train.ids[i]];
    return cru_index_create(ctx, labels, train.count);
}

float *cru_class_weights_create(cru_ctx *ctx, const cru_task *task, cru_class_weights rule)
{
    if (rule == CRU_WEIGHTS_EQUAL || !task->labels || task->candidates) return NULL;
    int64_t *size = cru_ctx_alloc(ctx, task->classes, sizeof *size), largest = 0;
    for (int64_t i = 0; i < task->split.train.count; i++) size[task->labels[task->split.train.ids[i]]]++;
    for (int32_t c = 0; c < task->classes; c++) largest = size[c] > largest ? size[c] : largest;
    float *weight = cru_ctx_alloc(ctx, task->classes, sizeof *weight);
    for (int32_t c = 0; c < task->classes; c++) weight[c] = size[c] ? (float)largest / (float)size[c] : 1;
    return weight;
}

static cru_status accept_task(const cru_plugin *plugin, const cru_task *task, cru_ctx *ctx)
{
    const cru_method *method = plugin->method;
    const char *fault = method_fault(plugin);
    if (fault) return cru_ctx_fail(ctx, CRU_FAILED, "the method is put together wrongly: %s", fault);
    cru_status status = cru_task_claim(task, plugin->problems, ctx);
    if (!status && task->x.cols == 0 && !method->featureless)
        status = cru_ctx_fail(ctx, CRU_UNSUPPORTED, "the method learns from features, and this task has none");
    if (!status && method->labelled && task->candidates)
        status = cru_ctx_fail(ctx, CRU_UNSUPPORTED, "the method learns from one label per item, not from candidates");
    return status;
}

static void open_graphs(cru_learner *l)
{
    const cru_graph_settings *s = settings_at(l, l->method->graphs);
    cru_csr adj = cru_adjacency_graph(l->ctx, &l->task->graph, &s->adjacency);
    l->graphs = cru_graphs_all(l, &adj);
    l->adj = l->graphs.adj;
    if (l->task->problem == CRU_GRAPHS) l->batches = cru_batches_create(l->ctx, l->task->split.train, s->batch, false);
}

/* What the method's settings ask for, in the learner's members. */
static void open_parts(cru_learner *l)
{
    const cru_method *method = l->method;
    const cru_adjacency *adjacency = settings_at(l, method->adjacency);
    const cru_gcn_settings *gcn = settings_at(l, method->gcn);
    const cru_backbone_choice *backbone = settings_at(l, method->backbone);
    if (gcn) adjacency = &gcn->adjacency;
    if (adjacency) l->adj = cru_adjacency_create(l->ctx, &l->task->graph, adjacency);
    if (gcn) l->gcn = cru_learner_gcn(l, l->net, gcn);
    if (method->graphs) open_graphs(l);
    if (method->forward && !method->loss && l->task->problem != CRU_GRAPHS) {
        l->wanted = cru_ctx_alloc(l->ctx, 1, sizeof *l->wanted);
        l->wanted->learner = l;
    }
    if (backbone) l->network = cru_classifier_create(l->net, backbone, l->task);
    if (method->classify || backbone) l->feed = feed_create(l);
}

cru_status method_create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx)
{
    const cru_method *method = plugin->method;
    cru_status status = accept_task(plugin, task, ctx);
    if (status) return status;
    cru_learner *l = cru_ctx_alloc(ctx, 1, sizeof *l);
    *l = (cru_learner){.plugin = plugin, .method = method, .ctx = ctx, .task = task, .settings = settings};
    l->model = cru_ctx_alloc(ctx, 1, method->model_size);
    l->train = settings_at(l, method->train);
    l->tape = cru_tape_create(ctx);
    l->x = cru_input_create(ctx, &task->x);
    l->train_rows = cru_index_create(ctx, task->split.train.ids, task->split.train.count);
    l->train_labels = observed_labels(ctx, task);
    l->class_weights = cru_class_weights_create(ctx, task, (cru_class_weights)l->train->class_weights);
    l->scores = cru_ctx_alloc(ctx, task->items * task->classes, sizeof *l->scores);
    l->net = cru_learner_net(l, "net");
    open_parts(l);
    if (!cru_ctx_status(ctx) && method->build) method->build(l, l->model);
    if (!cru_ctx_status(ctx) && method->nodes) nodes_open(l);
    if (cru_ctx_status(ctx)) {
        if (method->release) method->release(l, l->model);
        return cru_ctx_status(ctx);
    }
    if (!l->optim) l->optim = cru_learner_optim(l, l->nets, l->net_count);
    *self = l;
    return CRU_OK;
}

/* ---- after creation -------------------------------------------------------------------------------------- */

static cru_status fit(void *self, cru_monitor *monitor)
{
    cru_learner *l = self;
    if (l->method->prepare) l->method->prepare(l, l->model);
    cru_status status = cru_ctx_status(l->ctx);
    if (!status) status = l->feed ? steps_fit(l, monitor) : epochs_fit(l, monitor);
    ctx_warn_of_losses(l->ctx);
    if (status) return status;
    for (int64_t i = 0; i < l->net_count && l->kept; i++) cru_snapshot_restore(l->best[i]);
    return cru_ctx_status(l->ctx);
}

/* The model on the task that is predicted. */
static cru_learner *now_on(void *self)
{
    cru_learner *l = self;
    return l->wider ? l->wider : l;
}

static cru_status predict(void *self, float *scores)
{
    cru_learner *l = now_on(self);
    cru_status status = learner_evaluate(l);
    if (status) return status;
    const int64_t n = l->task->items * l->task->classes;
    memcpy(scores, l->scores, (size_t)n * sizeof *scores);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(scores[i]))
            return cru_ctx_fail(l->ctx, CRU_DIVERGED, "the score of item %lld is not a finite number",
                                (long long)(i / l->task->classes));
    return CRU_OK;
}

/* What the layers note; where they note nothing, the output of the last one. */
static cru_status embed_noted(cru_learner *l, const float **rows, int64_t *cols)
{
    cru_noted found = {0};
    l->noted = &found;
    const cru_status status = learner_evaluate(l);
    l->noted = NULL;
    const bool noted = found.rows && !found.none;
    *rows = noted ? found.rows : l->scores;
    *cols = noted ? found.cols : l->task->classes;
    return status;
}

static cru_status embed(void *self, const float **rows, int64_t *cols)
{
    cru_learner *l = now_on(self);
    if (!l->method->embed) return embed_noted(l, rows, cols);
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor *h = l->method->embed(l, l->model, l->tape);
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    float *host = cru_ctx_alloc(l->ctx, cru_tensor_count(h), sizeof *host);
    cru_tensor_download(l->tape, h, host);
    *rows = host;
    *cols = cru_tensor_cols(h);
    return cru_ctx_status(l->ctx);
}

void cru_label_log_likelihood(const cru_learner *learner, double *weights)
{
    const cru_task *task = learner->task;
    const int32_t classes = task->classes;
    for (int64_t i = 0; i < task->split.train.count; i++) {
        const int32_t item = task->split.train.ids[i];
        const float *row = learner->scores + (int64_t)item * classes;
        weights[i] = (double)row[task->labels[item]] - cru_log_sum_exp(row, classes);
    }
}

/* What the trained model says, or the scores of the task that is predicted: its training items are those that were
 * learned from, in their order. */
static void report_label_weights(cru_learner *trained, cru_report *report)
{
    const cru_learner *l = now_on(trained);
    const int64_t count = l->task->split.train.count;
    if (!l->task->labels || l->task->candidates) return;
    double *weights = cru_ctx_alloc(l->ctx, count, sizeof *weights);
    if (l->method->label_weights)
        l->method->label_weights(trained, trained->model, weights);
    else
        cru_label_log_likelihood(l, weights);
    cru_report_vector(report, CRU_LABEL_WEIGHT, weights, count);
}

static cru_status report(void *self, cru_report *report)
{
    cru_learner *l = now_on(self);
    if (l->method->report) l->method->report(l, l->model, report);
    if (!cru_ctx_status(l->ctx)) report_label_weights(self, report);
    return cru_ctx_status(l->ctx);
}

void method_destroy(void *self)
{
    cru_learner *l = self;
    if (l->wider) method_destroy(l->wider);
    if (l->method->release) l->method->release(l, l->model);
}

const cru_algorithm cru_method_vtable = {.size = sizeof(cru_algorithm),
                                         .create = method_create,
                                         .fit = fit,
                                         .predict = predict,
                                         .destroy = method_destroy,
                                         .embed = embed,
                                         .save = method_save,
                                         .load = method_load,
                                         .widen = method_widen,
                                         .select = method_select,
                                         .report = report};
