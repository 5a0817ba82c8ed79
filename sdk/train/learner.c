// SPDX-License-Identifier: Apache-2.0
/* The parts of training that every gradient-trained method shares. */
#include "train/learner.h"

#include <math.h>
#include <string.h>

#include <crucible/draft/tensor.h>
#include <crucible/draft/train.h>
#include <crucible/nn.h>

#include "context/watch.h"
#include "train/feed.h"
#include "train/nodes.h"
#include "train/shelf.h"
#include "train/whole-graphs.h"

const char *const cru_optimiser_names[] = {"adam", "adamw", "sgd", "adamw-matrices", NULL};
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

cru_csr cru_learner_undirected(const cru_learner *learner)
{
    return cru_graph_symmetrise(cru_ctx_pool(learner->ctx), &learner->task->graph, CRU_SYM_OR);
}

cru_gcn_stack cru_learner_gcn(cru_learner *learner, cru_net *net, const cru_gcn_settings *settings)
{
    if (!settings) settings = settings_at(learner, learner->method->gcn);
    cru_assert(settings, "cru_learner_gcn: no settings, and the method has no .gcn");
    return cru_gcn_stack_create(net, "conv",
                                &(cru_gcn_shape){.in = learner->task->x.cols,
                                                 .hidden = settings->hidden,
                                                 .out = learner->task->classes,
                                                 .layers = settings->layers,
                                                 .draw = CRU_DRAW_GLOROT,
                                                 .dropout = settings->dropout});
}

cru_encoder cru_learner_encoder(cru_learner *learner, cru_net *net, const cru_encoder_settings *settings)
{
    const cru_task *task = learner->task;
    const bool gcn = settings->backbone == CRU_ENCODER_GCN;
    const cru_encoder_kind *kind = cru_encoder_kind_of((cru_encoder_choice)settings->backbone);
    cru_encoder e = {.kind = kind, .adjacency = settings->adjacency};
    if (gcn)
        e.gcn = cru_learner_gcn(
            learner, net, &(cru_gcn_settings){settings->layers, settings->hidden, settings->dropout, e.adjacency});
    else
        e = cru_encoder_create_of(net, "conv", kind,
                                  &(cru_encoder_shape){.in = task->x.cols,
                                                       .hidden = settings->hidden,
                                                       .layers = settings->layers,
                                                       .out = task->classes,
                                                       .dropout = settings->dropout});
    e.adj = gcn && learner->adj ? learner->adj : cru_adjacency_create(learner->ctx, &task->graph, &e.adjacency);
    return e;
}

/* q_ik = 1/|S_i| on the candidates of item i */
static cru_tensor *uniform_candidates(const cru_task *task, cru_tape *t, cru_ids items)
{
    float *sets = cru_tape_alloc(t, items.count * task->classes, sizeof *sets);
    feed_candidates(task, items, sets);
    return cru_normalize_l1(t, cru_tensor_upload(t, cru_2d(items.count, task->classes), sets), 1);
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
    if (!loss) learner_gave_nothing(learner, "loss");
    if (cru_ctx_status(learner->ctx)) return NAN;
    cru_backward(learner->tape, loss);
    cru_optim_step(optim);
    const double value = (double)cru_tensor_item(learner->tape, loss);
    ctx_note_loss(learner->ctx, value);
    return value;
}

double cru_learner_val_accuracy(const cru_learner *learner, cru_tape *t, const cru_tensor *logits)
{
    const cru_ids val = learner->task->split.val;
    const int32_t *chosen = cru_index_host(t, cru_argmax(t, logits));
    int64_t right = 0;
    for (int64_t i = 0; i < val.count; i++) right += chosen[val.ids[i]] == learner->task->labels[val.ids[i]];
    return val.count ? (double)right / (double)val.count : 0;
}

void cru_learner_pretrain(cru_learner *learner, cru_optim *optim,
                          cru_tensor *(*logits)(cru_learner *l, void *model, cru_tape *t), int64_t epochs)
{
    cru_tape *t = learner->tape;
    for (int64_t i = 0; i < epochs && !cru_ctx_status(learner->ctx); i++) {
        cru_tape_begin(t, CRU_TRAIN);
        cru_tensor *z = learner_scores_of(learner, t, logits(learner, learner->model, t), "logits");
        cru_learner_step(learner, optim, z ? cru_learner_loss(learner, t, z) : NULL);
    }
}

/* A hook that failed has said so; one that returned NULL without a word gets one here. */
void learner_gave_nothing(cru_learner *l, const char *hook)
{
    if (!cru_ctx_status(l->ctx))
        cru_ctx_fail(l->ctx, CRU_FAILED, "%s returned NULL instead of a tensor, and no error", hook);
}

int64_t cru_outputs(const cru_task *task, bool one_logit)
{
    return one_logit && task->classes == 2 ? 1 : task->classes;
}

cru_tensor *learner_scores_of(cru_learner *l, cru_tape *t, cru_tensor *z, const char *hook)
{
    if (!z) learner_gave_nothing(l, hook);
    if (!z || l->task->classes != 2 || cru_tensor_cols(z) != 1) return z;
    return cru_concat_cols(t, (cru_tensor *[]){cru_tensor_filled(t, cru_2d(cru_tensor_rows(z), 1), 0), z}, 2);
}

cru_tensor *learner_forward(cru_learner *l, cru_tape *t, const cru_graphs *graphs)
{
    return learner_scores_of(l, t, l->method->forward(l, l->model, t, graphs), "forward");
}

cru_tensor *cru_learner_logits(cru_learner *learner, cru_tape *t)
{
    const cru_method *method = learner->method;
    if (method->forward) return learner_forward(learner, t, &learner->graphs);
    if (!method->logits) return cru_gcn_stack_input(t, &learner->gcn, learner->adj, &learner->x);
    return learner_scores_of(learner, t, method->logits(learner, learner->model, t), "logits");
}

cru_tensor *cru_learner_classify(cru_learner *learner, cru_tape *t, const cru_input *x)
{
    const cru_method *method = learner->method;
    cru_tensor *z = method->classify ? method->classify(learner, learner->model, t, x)
                                     : cru_classifier_apply(t, &learner->network, x);
    if (!z) learner_gave_nothing(learner, "classify");
    return z;
}

void learner_gather(cru_learner *l, const int32_t *items, int64_t count)
{
    cru_noted *g = l->noted;
    cru_tensor *h = g && !g->none ? cru_represented(l->tape) : NULL;
    if (!g) return;
    g->none |= !h || cru_tensor_rows(h) != count || (g->rows && cru_tensor_cols(h) != g->cols);
    if (g->none) return;
    g->cols = cru_tensor_cols(h);
    if (!g->rows) g->rows = cru_ctx_alloc(l->ctx, l->task->items * g->cols, sizeof *g->rows);
    const float *some = cru_tensor_host(l->tape, h);
    for (int64_t i = 0; i < count; i++)
        memcpy(g->rows + (items ? items[i] : i) * g->cols, some + i * g->cols, (size_t)g->cols * sizeof *some);
}

static void take_scores(cru_learner *l, const cru_tensor *z)
{
    cru_assert(cru_tensor_rows(z) == l->task->items && cru_tensor_cols(z) == l->task->classes,
               "logits: %lld x %lld for %lld items of %d classes", (long long)cru_tensor_rows(z),
               (long long)cru_tensor_cols(z), (long long)l->task->items, l->task->classes);
    cru_tensor_download(l->tape, z, l->scores);
}

/* Scores of all items with the weights as they are. */
cru_status learner_evaluate(cru_learner *l)
{
    if (l->feed) return steps_evaluate(l);
    if (graphs_in_steps(l)) return graphs_evaluate(l);
    if (nodes_in_blocks(l)) return nodes_evaluate(l);
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor *z = cru_learner_logits(l, l->tape);
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    take_scores(l, z);
    learner_gather(l, NULL, l->task->items);
    return CRU_OK;
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

void cru_learner_forget(cru_learner *learner)
{
    learner->kept = false;
    shelf_forget(learner);
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
    const cru_status status = learner_evaluate(learner);
    learner->validation_only = false;
    return !status && obey(learner, monitor, loss);
}

/* What the method minimises, from the logits of all items. */
static cru_tensor *loss_from(cru_learner *l, cru_tensor *z)
{
    if (!z) return NULL;
    return l->method->loss ? l->method->loss(l, l->model, l->tape, z) : cru_learner_loss(l, l->tape, z);
}

/* What it minimises, from a pass that is yet to be made, of which only the training items may be wanted. */
static cru_tensor *loss_of_pass(cru_learner *l)
{
    if (!l->wanted) return loss_from(l, cru_learner_logits(l, l->tape));
    cru_graphs graphs = l->graphs;
    graphs.wanted = l->wanted;
    l->wanted->given = false;
    cru_tensor *z = learner_forward(l, l->tape, &graphs);
    return l->wanted->given ? loss_of_rows(l, l->tape, z, NULL) : loss_from(l, z);
}

double cru_learner_epoch(cru_learner *learner)
{
    if (graphs_in_batches(learner)) return cru_graphs_pass(learner);
    if (nodes_in_batches(learner)) return nodes_pass(learner);
    cru_tape_begin(learner->tape, CRU_TRAIN);
    return cru_learner_step(learner, learner->optim, loss_of_pass(learner));
}

typedef struct fitting {
    cru_monitor *monitor;
    double loss;      /* of the last step */
    bool own;         /* the method has epochs of its own, or minibatches: it shares nothing with judging */
    bool apart;       /* judging needs a pass of its own */
    bool alike;       /* the last pass that judged after a step was the same in either mode */
    cru_tensor *next; /* logits of the weights after the last step, to learn from; NULL: none yet */
    bool begun;       /* the next step, by the pass that judged the last one */
    bool stop;
} fitting;

/* The end of an epoch whose step was made. */
static cru_status end_epoch(cru_learner *l)
{
    if (!cru_ctx_status(l->ctx) && l->method->after_epoch) l->method->after_epoch(l, l->model);
    return cru_ctx_status(l->ctx);
}

/* An epoch whose forward pass was made. */
static cru_status epoch_from(cru_learner *l, cru_tensor *value, double *loss)
{
    *loss = cru_learner_step(l, l->optim, value);
    return end_epoch(l);
}

static cru_status one_epoch(cru_learner *l, double *loss)
{
    *loss = l->method->epoch ? l->method->epoch(l, l->model) : cru_learner_epoch(l);
    return end_epoch(l);
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
static bool judge_ahead(cru_learner *l, fitting *c)
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
static cru_status next_epoch(cru_learner *l, fitting *c)
{
    if (c->next) return epoch_from(l, loss_from(l, c->next), &c->loss);
    return c->begun ? epoch_from(l, loss_of_pass(l), &c->loss) : one_epoch(l, &c->loss);
}

/* Where the mode makes no difference, the logits that an epoch learns from are those to judge before its step. */
static cru_status judge_and_step(cru_learner *l, fitting *c)
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
static cru_status step_and_judge(cru_learner *l, fitting *c)
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
    return !learner_evaluate(l) && !cru_tape_mode_mattered(l->tape);
}

cru_status epochs_fit(cru_learner *l, cru_monitor *monitor)
{
    const bool before = judges_before_step(l, monitor);
    int64_t limit = cru_monitor_limit(monitor), epochs = l->train->epochs < limit ? l->train->epochs : limit;
    fitting c = {.monitor = monitor,
                 .loss = NAN,
                 .own =
                     l->method->epoch || l->task->problem == CRU_GRAPHS || nodes_in_batches(l) || nodes_in_blocks(l)};
    c.apart = c.own;
    for (l->epoch = 0; l->epoch < epochs; l->epoch++) {
        cru_status status = before ? judge_and_step(l, &c) : step_and_judge(l, &c);
        if (status) return status;
        if (c.stop) break;
    }
    return cru_ctx_status(l->ctx);
}
