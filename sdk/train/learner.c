// SPDX-License-Identifier: Apache-2.0
/* The parts of training that every gradient-trained method shares. */
#include <math.h>
#include <string.h>

#include "train/feed.h"
#include "train/shelf.h"
#include "train/whole-graphs.h"

const char *const cru_optimiser_names[] = {"adam", "adamw", "sgd", NULL};
const char *const cru_class_weight_names[] = {"equal", "balanced", NULL};

cru_net *cru_learner_net(cru_learner *learner, const char *name)
{
    cru_assert(learner->net_count < CRU_MAX_NETS, "learner: more than %d nets", CRU_MAX_NETS);
    cru_net *net = cru_net_create(learner->ctx, name);
    learner->nets[learner->net_count++] = net;
    return net;
}

cru_optim *cru_learner_optim(cru_learner *learner, cru_net *const *nets, int64_t count)
{
    const cru_train *train = learner->train;
    cru_optim_spec spec = {.kind = (cru_optim_kind)train->optimiser, .lr = train->lr, .decay = train->weight_decay};
    cru_optim *optim = cru_optim_create(learner->ctx, &spec);
    for (int64_t i = 0; i < count; i++) cru_optim_add(optim, nets[i], NULL);
    return optim;
}

cru_gcn_stack cru_learner_gcn(cru_learner *learner, cru_net *net, const cru_gcn_settings *settings)
{
    return cru_gcn_stack_create(net, "conv",
                                &(cru_gcn_shape){.in = learner->task->x.cols,
                                                 .hidden = settings->hidden,
                                                 .out = learner->task->classes,
                                                 .layers = settings->layers,
                                                 .draw = CRU_DRAW_GLOROT,
                                                 .dropout = (float)settings->dropout});
}

/* q_ik = 1/|S_i| on the candidates of item i */
static cru_tensor *uniform_candidates(const cru_task *task, cru_tape *t, cru_ids items)
{
    float *sets = cru_tape_alloc(t, items.count * task->classes, sizeof *sets);
    feed_candidates(task, items, sets);
    return cru_normalize_l1(t, cru_tensor_upload(t, 2, (const int64_t[]){items.count, task->classes}, sets), 1);
}

cru_index cru_learner_labels(const cru_learner *learner, cru_tape *t, cru_ids items)
{
    int32_t *labels = cru_tape_alloc(t, items.count, sizeof *labels);
    for (int64_t i = 0; i < items.count; i++) labels[i] = learner->task->labels[items.ids[i]];
    return cru_index_step(t, labels, items.count);
}

cru_tensor *cru_learner_batch_loss(cru_learner *learner, cru_tape *t, cru_tensor *logits, cru_ids items)
{
    const cru_task *task = learner->task;
    if (task->candidates) return cru_soft_cross_entropy(t, logits, uniform_candidates(task, t, items));
    cru_targets targets = {.labels = cru_learner_labels(learner, t, items), .class_weights = learner->class_weights};
    return cru_cross_entropy(t, logits, &targets);
}

/* The default loss of the training items, which are the given rows of the logits; NULL: all rows. */
static cru_tensor *loss_of_rows(cru_learner *l, cru_tape *t, cru_tensor *logits, const cru_index *rows)
{
    if (l->task->candidates) {
        cru_tensor *chosen = rows ? cru_gather(t, logits, *rows) : logits;
        return cru_learner_batch_loss(l, t, chosen, l->task->split.train);
    }
    cru_targets targets = {.rows = rows, .labels = l->train_labels, .class_weights = l->class_weights};
    return cru_cross_entropy(t, logits, &targets);
}

cru_tensor *cru_learner_loss(cru_learner *learner, cru_tape *t, cru_tensor *logits)
{
    return loss_of_rows(learner, t, logits, &learner->train_rows);
}

double cru_learner_step(cru_learner *learner, cru_optim *optim, cru_tensor *loss)
{
    cru_backward(learner->tape, loss);
    cru_optim_step(optim);
    return (double)cru_tensor_item(learner->tape, loss);
}

double cru_learner_val_accuracy(const cru_learner *learner, cru_tape *t, const cru_tensor *logits)
{
    const cru_ids val = learner->task->split.val;
    const int32_t *chosen = cru_index_host(t, cru_argmax(t, logits));
    int64_t right = 0;
    for (int64_t i = 0; i < val.count; i++) right += chosen[val.ids[i]] == learner->task->labels[val.ids[i]];
    return val.count ? (double)right / (double)val.count : 0;
}

cru_status cru_learner_pretrain(cru_learner *learner, cru_optim *optim, cru_tensor *(*logits)(void *model, cru_tape *t),
                                int64_t epochs)
{
    for (int64_t i = 0; i < epochs; i++) {
        cru_tape_begin(learner->tape, CRU_TRAIN);
        cru_tensor *loss = cru_learner_loss(learner, learner->tape, logits(learner, learner->tape));
        if (cru_ctx_status(learner->ctx)) return cru_ctx_status(learner->ctx);
        cru_learner_step(learner, optim, loss);
    }
    return CRU_OK;
}

cru_tensor *cru_learner_logits(cru_learner *learner, cru_tape *t)
{
    const cru_method *method = learner->method;
    return method->forward ? method->forward(learner, t, &learner->graphs) : method->logits(learner, t);
}

static void take_scores(cru_learner *l, const cru_tensor *z)
{
    cru_assert(cru_tensor_rows(z) == l->task->items && cru_tensor_cols(z) == l->task->classes,
               "logits: %lld x %lld for %lld items of %d classes", (long long)cru_tensor_rows(z),
               (long long)cru_tensor_cols(z), (long long)l->task->items, l->task->classes);
    cru_tensor_download(l->tape, z, l->scores);
}

/* Scores of all items with the weights as they are. */
static cru_status evaluate(cru_learner *l)
{
    if (l->feed) return steps_evaluate(l);
    if (graphs_in_steps(l)) return graphs_evaluate(l);
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor *z = cru_learner_logits(l, l->tape);
    if (!cru_ctx_status(l->ctx)) take_scores(l, z);
    return cru_ctx_status(l->ctx);
}

static void keep(cru_learner *l)
{
    for (int64_t i = 0; i < l->net_count; i++) {
        if (l->best[i])
            cru_snapshot_take(l->best[i]);
        else
            l->best[i] = cru_snapshot_create(l->nets[i]);
    }
    l->kept = true;
}

/* Shows the scores to the monitor and does as it says. False: stop. */
static bool obey(cru_learner *l, cru_monitor *monitor, double loss)
{
    uint32_t verdict = cru_monitor_epoch(monitor, l->epoch, loss, l->scores);
    if (verdict & CRU_KEEP) keep(l);
    shelf_keep(l, verdict);
    return !(verdict & CRU_STOP);
}

bool cru_learner_report(cru_learner *learner, cru_monitor *monitor, double loss)
{
    learner->validation_only = cru_monitor_validation_only(monitor);
    const cru_status status = evaluate(learner);
    learner->validation_only = false;
    return !status && obey(learner, monitor, loss);
}

/* ---- the algorithm vtable -------------------------------------------------------------------------------- */

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

static cru_status accept_task(const cru_method *method, const cru_task *task, cru_ctx *ctx)
{
    cru_status status = cru_task_claim(task, method->problems, ctx);
    if (!status && task->x.cols == 0 && !method->featureless)
        status = cru_ctx_fail(ctx, CRU_UNSUPPORTED, "the method learns from features, and this task has none");
    if (!status && method->labelled && task->candidates)
        status = cru_ctx_fail(ctx, CRU_UNSUPPORTED, "the method learns from one label per item, not from candidates");
    return status;
}

static void open_graphs(cru_learner *l)
{
    const cru_graph_settings *s = (const void *)((const char *)l->settings + l->method->graphs);
    cru_csr adj = cru_adjacency_graph(l->ctx, &l->task->graph, &s->adjacency);
    l->graphs = cru_graphs_all(l, &adj);
    if (l->task->problem == CRU_GRAPHS) l->batches = cru_batches_create(l->ctx, l->task->split.train, s->batch, false);
}

static void open_train_adj(cru_learner *l)
{
    const cru_ids train = l->task->split.train;
    const cru_csr rows = cru_csr_rows(cru_ctx_pool(l->ctx), &l->graphs.host, train.ids, train.count);
    l->train_adj = cru_sparse_create(l->ctx, &rows);
}

cru_status cru_method_create(const cru_method *method, void **self, const void *settings, const cru_task *task,
                             cru_ctx *ctx)
{
    cru_status status = accept_task(method, task, ctx);
    if (status) return status;
    cru_learner *l = cru_ctx_alloc(ctx, 1, method->model_size);
    l->method = method;
    l->ctx = ctx;
    l->task = task;
    l->settings = settings;
    l->train = (const cru_train *)(const void *)((const char *)settings + method->train);
    l->tape = cru_tape_create(ctx);
    l->x = cru_input_create(ctx, &task->x);
    l->train_rows = cru_index_create(ctx, task->split.train.ids, task->split.train.count);
    l->train_labels = observed_labels(ctx, task);
    l->class_weights = cru_class_weights_create(ctx, task, (cru_class_weights)l->train->class_weights);
    l->scores = cru_ctx_alloc(ctx, task->items * task->classes, sizeof *l->scores);
    l->net = cru_learner_net(l, "net");
    if (method->forward || method->graphs) open_graphs(l);
    if (method->train_logits && !method->loss && task->problem != CRU_GRAPHS) open_train_adj(l);
    if (method->classify) l->feed = feed_create(l);
    status = cru_ctx_status(ctx);
    if (!status) status = method->build(l);
    if (!status) status = cru_ctx_status(ctx);
    if (status) {
        if (method->release) method->release(l);
        return status;
    }
    if (!l->optim) l->optim = cru_learner_optim(l, l->nets, l->net_count);
    *self = l;
    return CRU_OK;
}

/* What the method minimises, from the logits of all items. */
static cru_tensor *loss_from(cru_learner *l, cru_tensor *z)
{
    return l->method->loss ? l->method->loss(l, l->tape, z) : cru_learner_loss(l, l->tape, z);
}

/* The same from a pass that is yet to be made. */
static cru_tensor *loss_of_pass(cru_learner *l)
{
    cru_tensor *z = l->train_adj ? l->method->train_logits(l, l->tape) : NULL;
    return z ? loss_of_rows(l, l->tape, z, NULL) : loss_from(l, cru_learner_logits(l, l->tape));
}

/* Backward and one step, from this step's loss. */
static cru_status learn_from(cru_learner *l, cru_tensor *value, double *loss)
{
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    *loss = cru_learner_step(l, l->optim, value);
    return CRU_OK;
}

cru_status cru_learner_epoch(cru_learner *l, double *loss)
{
    cru_tape *t = l->tape;
    if (graphs_in_batches(l)) {
        *loss = cru_graphs_pass(l);
        return cru_ctx_status(l->ctx);
    }
    cru_tape_begin(t, CRU_TRAIN);
    return learn_from(l, loss_of_pass(l), loss);
}

static cru_status one_epoch(cru_learner *l, double *loss)
{
    cru_status status = l->method->epoch ? l->method->epoch(l, loss) : cru_learner_epoch(l, loss);
    if (!status && l->method->after_epoch) status = l->method->after_epoch(l);
    return status;
}

typedef struct course {
    cru_monitor *monitor;
    double loss;      /* of the last step */
    bool own;         /* the method has epochs of its own, or minibatches: it shares nothing with judging */
    bool apart;       /* judging needs a pass of its own */
    bool alike;       /* the last pass that judged after a step was the same in either mode */
    cru_tensor *next; /* logits of the weights after the last step, to learn from; NULL: none yet */
    bool begun;       /* the next step, by the pass that judged the last one */
    bool stop;
} course;

/* An epoch whose forward pass was made. */
static cru_status epoch_from(cru_learner *l, cru_tensor *value, double *loss)
{
    cru_status status = learn_from(l, value, loss);
    return !status && l->method->after_epoch ? l->method->after_epoch(l) : status;
}

/* A pass in training mode that serves to judge as well: its logits, or NULL when the mode made a difference. */
static cru_tensor *pass_for_both(cru_learner *l)
{
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_tensor *z = cru_learner_logits(l, l->tape);
    if (cru_ctx_status(l->ctx) || cru_tape_mode_mattered(l->tape)) return NULL;
    take_scores(l, z);
    return z;
}

/* Scores of all items by a pass in eval mode with which the next step begins: its pass in train mode takes over what
 * comes before the first dropout. */
static bool judge_ahead(cru_learner *l, course *c)
{
    if (c->own) return cru_learner_report(l, c->monitor, c->loss);
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_tape_judge(l->tape, true);
    cru_tensor *z = cru_learner_logits(l, l->tape);
    if (!cru_ctx_status(l->ctx)) take_scores(l, z);
    cru_tape_judge(l->tape, false);
    c->begun = !cru_ctx_status(l->ctx);
    return c->begun && obey(l, c->monitor, c->loss);
}

/* An epoch, from where the judging of the last one left it. */
static cru_status next_epoch(cru_learner *l, course *c)
{
    if (c->next) return epoch_from(l, loss_from(l, c->next), &c->loss);
    return c->begun ? epoch_from(l, loss_of_pass(l), &c->loss) : one_epoch(l, &c->loss);
}

/* Where the mode makes no difference, the logits that an epoch learns from are those to judge before its step. */
static cru_status judge_and_step(cru_learner *l, course *c)
{
    cru_tensor *z = c->apart ? NULL : pass_for_both(l);
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    c->apart = !z;
    c->stop = !(z ? obey(l, c->monitor, c->loss) : judge_ahead(l, c));
    if (c->stop) return cru_ctx_status(l->ctx);
    return z ? epoch_from(l, loss_from(l, z), &c->loss) : next_epoch(l, c);
}

/* Where the mode makes no difference, the logits that judge a step are those that the next epoch learns from. The first
 * pass that judges finds out, so that no pass in training mode is wasted: it would move running statistics. */
static cru_status step_and_judge(cru_learner *l, course *c)
{
    cru_status status = next_epoch(l, c);
    if (status) return status;
    c->next = c->alike ? pass_for_both(l) : NULL;
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    c->stop = !(c->next ? obey(l, c->monitor, c->loss) : judge_ahead(l, c));
    if (!c->next) c->alike = !c->own && !cru_tape_mode_mattered(l->tape);
    return cru_ctx_status(l->ctx);
}

/* A pass in eval mode before the first epoch finds out whether the mode matters, where that decides. */
static bool judges_before_step(cru_learner *l, const cru_monitor *monitor)
{
    if (!cru_monitor_before_step(monitor) || !cru_monitor_unless_dropout(monitor))
        return cru_monitor_before_step(monitor);
    return !evaluate(l) && !cru_tape_mode_mattered(l->tape);
}

static cru_status epochs_fit(cru_learner *l, cru_monitor *monitor)
{
    const bool before = judges_before_step(l, monitor);
    int64_t limit = cru_monitor_limit(monitor), epochs = l->train->epochs < limit ? l->train->epochs : limit;
    course c = {.monitor = monitor, .loss = NAN, .own = l->method->epoch || l->task->problem == CRU_GRAPHS};
    c.apart = c.own;
    for (l->epoch = 0; l->epoch < epochs; l->epoch++) {
        cru_status status = before ? judge_and_step(l, &c) : step_and_judge(l, &c);
        if (status) return status;
        if (c.stop) break;
    }
    return cru_ctx_status(l->ctx);
}

cru_status cru_method_fit(void *self, cru_monitor *monitor)
{
    cru_learner *l = self;
    cru_status status = l->method->prepare ? l->method->prepare(l) : CRU_OK;
    if (!status) status = l->feed ? steps_fit(l, monitor) : epochs_fit(l, monitor);
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

cru_status cru_method_predict(void *self, float *scores)
{
    cru_learner *l = now_on(self);
    cru_status status = evaluate(l);
    if (status) return status;
    const int64_t n = l->task->items * l->task->classes;
    memcpy(scores, l->scores, (size_t)n * sizeof *scores);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(scores[i]))
            return cru_ctx_fail(l->ctx, CRU_DIVERGED, "the score of item %lld is not a finite number",
                                (long long)(i / l->task->classes));
    return CRU_OK;
}

cru_status cru_method_embed(void *self, const float **rows, int64_t *cols)
{
    cru_learner *l = now_on(self);
    if (!l->method->embed) { /* the output of the last layer */
        *rows = l->scores;
        *cols = l->task->classes;
        return evaluate(l);
    }
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor *h = l->method->embed(l, l->tape);
    float *host = cru_ctx_alloc(l->ctx, cru_tensor_count(h), sizeof *host);
    cru_tensor_download(l->tape, h, host);
    *rows = host;
    *cols = cru_tensor_cols(h);
    return cru_ctx_status(l->ctx);
}

void cru_method_destroy(void *self)
{
    cru_learner *l = self;
    if (l->wider) cru_method_destroy(l->wider);
    if (l->method->release) l->method->release(l);
}
