// SPDX-License-Identifier: Apache-2.0
#include "auxiliary.h"

#include <math.h>
#include <omp.h>

#include <crucible/classifier-fit.h>

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

static void read_row(const void *data, int64_t item, float *x)
{
    item_features(data, item, x);
}

static void learn(cru_ctx *ctx, const auxiliary *s, const cru_data *data, cru_ids items, float *logits)
{
    const cru_task task = {.size = sizeof task, .x = data->x, .classes = data->classes};
    const cru_backbone_choice choice = {.kind = s->network == MLP ? CRU_BACKBONE_MLP : CRU_BACKBONE_RESNET,
                                        .hidden = s->hidden,
                                        .layers = 1,
                                        .blocks = 5,
                                        .width = 16};
    const cru_row_source rows = {data->items, data->x.cols, read_row, data};
    const cru_fit fit = {.optim = {.kind = CRU_ADAM, .lr = s->lr, .decay = s->weight_decay},
                         .epochs = s->epochs,
                         .batch = s->batch,
                         .labels = data->labels,
                         .items = items};
    cru_net *net = cru_net_create(ctx, "auxiliary");
    const cru_classifier classifier = cru_classifier_create(net, &choice, &task);
    cru_classifier_fit(net, &classifier, &rows, &fit);
    cru_classifier_scores(net, &classifier, &rows, s->batch, logits);
}

static cru_status check_finite(const cru_data *data, const float *logits, cru_error *err)
{
    for (int64_t i = 0; i < data->items * data->classes; i++)
        if (!isfinite(logits[i])) return cru_fail(err, CRU_DIVERGED, "the auxiliary network diverged");
    return CRU_OK;
}

static cru_status check(const auxiliary *set, const cru_data *data, cru_error *err)
{
    if (data->x.cols == 0) return cru_fail(err, CRU_UNSUPPORTED, "there are no features to learn from");
    if (set->network == RESNET && !data->x.channels)
        return cru_fail(err, CRU_UNSUPPORTED, "network = resnet is for images; use mlp");
    return CRU_OK;
}

cru_status auxiliary_learn(const auxiliary *settings, const cru_damage *d, const uint8_t *chosen, float *logits)
{
    const cru_data *data = d->data;
    const uint64_t seed = cru_rng_u64(d->rng);
    cru_status status = check(settings, data, d->err);
    if (status) return status;
    cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.seed = seed, .threads = omp_get_max_threads()});
    int32_t *ids = cru_ctx_alloc(ctx, data->items, sizeof *ids);
    int64_t count = 0;
    for (int32_t i = 0; i < data->items; i++)
        if (chosen[i] && data->labels[i] != CRU_UNLABELLED) ids[count++] = i;
    if (count) learn(ctx, settings, data, (cru_ids){ids, count}, logits);
    cru_ctx_destroy(ctx);
    if (!count) return cru_fail(d->err, CRU_UNSUPPORTED, "there are no labels to learn from");
    return check_finite(data, logits, d->err);
}
