// SPDX-License-Identifier: Apache-2.0
#include "contrast.h"

#include <math.h>

encoder encoder_create(cru_net *net, const cru_classifier *classifier, int64_t width)
{
    encoder e = {.net = net, .classifier = *classifier};
    const int64_t features = classifier->backbone.features;
    e.projection[0] = cru_fc_create(net, "head.0", features, features);
    e.projection[1] = cru_fc_create(net, "head.2", features, width);
    return e;
}

encoder encoder_second(cru_learner *l, const char *name, const cru_backbone_choice *choice, int64_t width)
{
    cru_net *net = cru_learner_net(l, name);
    const cru_classifier classifier = cru_classifier_create(net, choice, l->task);
    return encoder_create(net, &classifier, width);
}

cru_tensor *encoder_features(cru_tape *t, const encoder *e, const cru_input *x)
{
    return cru_backbone_apply(t, &e->classifier.backbone, x);
}

cru_tensor *encoder_project(cru_tape *t, const encoder *e, cru_tensor *features)
{
    cru_tensor *h = cru_relu(t, cru_fc_apply(t, &e->projection[0], features));
    return cru_normalize_l2(t, cru_fc_apply(t, &e->projection[1], h), 1e-12);
}

void need_views(cru_learner *l, bool same_views)
{
    if (!l->task->x.channels && !same_views)
        cru_learner_refuse(l, "contrasts two views of an image, and rows have only one; "
                              "same_views = true runs it all the same");
}

void need_whole_batches(cru_learner *l, int64_t queue, int64_t batch_size)
{
    if (queue % batch_size != 0)
        cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "moco_queue = %lld is no multiple of batch_size = %lld", (long long)queue,
                     (long long)batch_size);
}

void fill_normal(cru_learner *l, cru_tensor *table, const char *stream, bool unit)
{
    const int64_t rows = cru_tensor_rows(table), cols = cru_tensor_cols(table);
    float *values = cru_ctx_alloc(l->ctx, rows * cols, sizeof *values);
    cru_rng rng = cru_ctx_stream(l->ctx, stream);
    cru_rng_fill_normal(&rng, values, rows * cols, 0, 1);
    for (int64_t j = 0; unit && j < cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) sum += (double)values[i * cols + j] * (double)values[i * cols + j];
        for (int64_t i = 0; i < rows; i++) values[i * cols + j] /= (float)sqrt(sum);
    }
    cru_tensor_set(l->ctx, table, values);
}

cru_index ring_rows(cru_tape *t, int64_t at, int64_t count, int64_t size)
{
    int32_t *ids = cru_tape_alloc(t, count, sizeof *ids);
    for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)((at + i) % size);
    return cru_index_step(t, ids, count);
}

cru_tensor *off_diagonal(cru_tape *t, int64_t rows, int64_t cols)
{
    return cru_affine(t, cru_one_hot(t, ring_rows(t, 0, rows, rows), cols), -1, 1);
}

cru_tensor *weighted_contrast(cru_tape *t, cru_tensor *x, cru_tensor *weights, double temperature, double eps)
{
    const int64_t rows = cru_tensor_rows(weights);
    cru_tensor *others = off_diagonal(t, rows, cru_tensor_rows(x));
    cru_tensor *a = cru_matmul_op(t, cru_slice_rows(t, x, 0, rows), x, CRU_NT);
    a = cru_scale(t, a, 1 / temperature);
    a = cru_sub(t, a, cru_as_matrix(t, cru_detach(t, cru_max(t, a, 1)), rows, 1));
    cru_tensor *sum = row_sums(t, cru_mul(t, cru_exp(t, a), others));
    cru_tensor *log_p = cru_sub(t, a, cru_log(t, cru_affine(t, sum, 1, eps)));
    cru_tensor *each = cru_mul(t, cru_mul(t, weights, others), log_p);
    return cru_scale(t, cru_sum(t, each, CRU_ALL), -temperature / 0.07 / (double)rows);
}
