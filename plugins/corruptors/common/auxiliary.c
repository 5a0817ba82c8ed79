#include "auxiliary.h"

#include <math.h>
#include <omp.h>

#include <crucible/nn.h>
#include <crucible/train.h>

#include "item-features.h"

typedef enum network { MLP, RESNET } network;
static const char *const networks[] = {"mlp", "resnet", NULL};

const cru_param auxiliary_params[] = {
    CRU_CHOICE(auxiliary, network, MLP, networks, "what learns the labels: a perceptron, or ResNet-32 for images"),
    CRU_INT(auxiliary, hidden, 500, 1, 65536, "width of the perceptron"),
    CRU_INT(auxiliary, epochs, 20, 0, 1e6, "passes over the labels"),
    CRU_INT(auxiliary, batch, 256, 1, 1e6, "items in a minibatch"),
    CRU_FLOAT(auxiliary, lr, 1e-3, 0, CRU_NO_MAX, "learning rate"),
    CRU_FLOAT(auxiliary, weight_decay, 1e-5, 0, CRU_NO_MAX, "L2 penalty"),
    CRU_END,
};

typedef struct learner {
    const auxiliary *set;
    const auxiliary_job *job;
    cru_ctx *ctx;
    cru_tape *tape;
    cru_net *net;
    cru_mlp mlp;
    cru_resnet *resnet;
    cru_fc head;
    float *rows;     /* batch x cols */
    int32_t *labels; /* batch */
} learner;

static void build(learner *l)
{
    const cru_data *data = l->job->data;
    const cru_mlp_shape shape = {.in = data->x.cols, .hidden = l->set->hidden, .out = data->classes, .layers = 2};
    l->tape = cru_tape_create(l->ctx);
    l->net = cru_net_create(l->ctx, "auxiliary");
    l->rows = cru_ctx_alloc(l->ctx, l->set->batch * data->x.cols, sizeof *l->rows);
    l->labels = cru_ctx_alloc(l->ctx, l->set->batch, sizeof *l->labels);
    if (l->set->network == MLP) {
        l->mlp = cru_mlp_create(l->net, "mlp", &shape);
        return;
    }
    l->resnet = cru_resnet_create(l->net, "resnet", &(cru_resnet_shape){data->x.channels, 5, 16});
    l->head = cru_fc_create(l->net, "head", cru_resnet_features(l->resnet), data->classes);
}

static cru_tensor *forward(learner *l, cru_ids items)
{
    const cru_features *x = &l->job->data->x;
    for (int64_t i = 0; i < items.count; i++) item_features(l->job->data, items.ids[i], l->rows + i * x->cols);
    if (l->set->network == MLP)
        return cru_mlp_apply(l->tape, &l->mlp,
                             cru_tensor_upload(l->tape, 2, (const int64_t[]){items.count, x->cols}, l->rows));
    const int64_t dim[] = {items.count, x->channels, x->height, x->width};
    cru_tensor *h = cru_resnet_apply(l->tape, l->resnet, cru_tensor_upload(l->tape, 4, dim, l->rows));
    return cru_fc_apply(l->tape, &l->head, h);
}

static void train(learner *l, cru_ids items)
{
    cru_batches batches = cru_batches_create(l->ctx, items, l->set->batch, false);
    const cru_optim_spec spec = {.kind = CRU_ADAM, .lr = l->set->lr, .decay = l->set->weight_decay};
    cru_optim *optim = cru_optim_create(l->ctx, &spec);
    const int64_t steps = l->set->epochs * cru_batches_per_pass(&batches);
    cru_optim_add(optim, l->net, NULL);
    for (int64_t step = 0; step < steps; step++) {
        const cru_ids batch = cru_batches_next(&batches);
        cru_tape_begin(l->tape, CRU_TRAIN);
        for (int64_t i = 0; i < batch.count; i++) l->labels[i] = l->job->data->labels[batch.ids[i]];
        const cru_targets targets = {.labels = cru_index_step(l->tape, l->labels, batch.count)};
        cru_backward(l->tape, cru_cross_entropy(l->tape, forward(l, batch), &targets));
        cru_optim_step(optim);
    }
}

static cru_status predict(learner *l, float *logits)
{
    const cru_data *data = l->job->data;
    int32_t *ids = cru_ctx_alloc(l->ctx, l->set->batch, sizeof *ids);
    for (int64_t from = 0; from < data->items; from += l->set->batch) {
        int64_t count = data->items - from < l->set->batch ? data->items - from : l->set->batch;
        for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)(from + i);
        cru_tape_begin(l->tape, CRU_EVAL);
        cru_tensor_download(l->tape, forward(l, (cru_ids){ids, count}), logits + from * data->classes);
    }
    for (int64_t i = 0; i < data->items * data->classes; i++)
        if (!isfinite(logits[i])) return cru_fail(l->job->err, CRU_DIVERGED, "the auxiliary network diverged");
    return CRU_OK;
}

static cru_status check(const auxiliary *set, const cru_data *data, cru_error *err)
{
    if (data->x.cols == 0) return cru_fail(err, CRU_UNSUPPORTED, "there are no features to learn from");
    if (set->network == RESNET && !data->x.channels)
        return cru_fail(err, CRU_UNSUPPORTED, "network = resnet is for images; use mlp");
    return CRU_OK;
}

cru_status auxiliary_learn(const auxiliary *settings, const auxiliary_job *job, float *logits)
{
    const cru_data *data = job->data;
    cru_status status = check(settings, data, job->err);
    if (status) return status;
    learner l = {.set = settings, .job = job};
    l.ctx = cru_ctx_create(&(cru_ctx_options){.seed = job->seed, .threads = omp_get_max_threads()});
    int32_t *ids = cru_ctx_alloc(l.ctx, data->items, sizeof *ids);
    int64_t count = 0;
    for (int32_t i = 0; i < data->items; i++)
        if (job->chosen[i] && data->labels[i] != CRU_UNLABELLED) ids[count++] = i;
    if (count == 0) {
        status = cru_fail(job->err, CRU_UNSUPPORTED, "there are no labels to learn from");
    } else {
        build(&l);
        train(&l, (cru_ids){ids, count});
        status = predict(&l, logits);
    }
    cru_ctx_destroy(l.ctx);
    return status;
}
