// SPDX-License-Identifier: Apache-2.0
/* A classifier trained by itself. */
#include <crucible/classifier-fit.h>
#include <crucible/draft/minibatch.h>
#include <crucible/minibatch.h>
#include <crucible/nn.h>

/* The scores of some rows in this step. */
static cru_tensor *apply(cru_tape *t, const cru_classifier *c, const cru_row_source *rows, cru_ids items)
{
    float *x = cru_tape_alloc(t, items.count * rows->cols, sizeof *x);
    for (int64_t i = 0; i < items.count; i++) rows->read(rows->user, items.ids[i], x + i * rows->cols);
    const cru_input in = cru_input_of(cru_tensor_upload(t, cru_2d(items.count, rows->cols), x));
    return cru_classifier_apply(t, c, &in);
}

void cru_classifier_fit(cru_net *net, const cru_classifier *classifier, const cru_row_source *rows, const cru_fit *fit)
{
    cru_ctx *ctx = cru_net_ctx(net);
    cru_tape *t = cru_tape_create(ctx);
    cru_batches batches = cru_batches_create(ctx, fit->items, fit->batch, false);
    cru_optim *optim = cru_optim_create(ctx, &fit->optim);
    const int64_t steps = fit->epochs * cru_batches_per_pass(&batches);
    cru_optim_add(optim, net, NULL);
    for (int64_t step = 0; step < steps && !cru_ctx_status(ctx); step++) {
        const cru_ids batch = cru_batches_next(&batches);
        cru_tape_begin(t, CRU_TRAIN);
        int32_t *labels = cru_tape_alloc(t, batch.count, sizeof *labels);
        for (int64_t i = 0; i < batch.count; i++) labels[i] = fit->labels[batch.ids[i]];
        const cru_targets targets = {.labels = cru_index_step(t, labels, batch.count)};
        cru_backward(t, cru_cross_entropy(t, apply(t, classifier, rows, batch), &targets));
        cru_optim_step(optim);
    }
}

void cru_classifier_scores(cru_net *net, const cru_classifier *classifier, const cru_row_source *rows, int64_t batch,
                           float *scores)
{
    cru_tape *t = cru_tape_create(cru_net_ctx(net));
    for (int64_t from = 0; from < rows->rows; from += batch) {
        const int64_t count = rows->rows - from < batch ? rows->rows - from : batch;
        cru_tape_begin(t, CRU_EVAL);
        int32_t *ids = cru_tape_alloc(t, count, sizeof *ids);
        for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)(from + i);
        const cru_tensor *z = apply(t, classifier, rows, (cru_ids){ids, count});
        cru_tensor_download(t, z, scores + from * cru_tensor_cols(z));
    }
}
