// SPDX-License-Identifier: Apache-2.0
#include "momentum.h"

#include <math.h>
#include <string.h>

static const double temperature = 0.07;

void momentum_build(cru_learner *l, momentum *m, const momentum_settings *s, const cru_backbone_choice *backbone)
{
    need_views(l, s->same_views);
    need_whole_batches(l, s->moco_queue, l->train->steps.batch_size);
    if (cru_ctx_status(l->ctx)) return;
    m->settings = s;
    cru_net *key = cru_learner_net(l, "key");
    const cru_classifier second = cru_classifier_create(key, backbone, l->task);
    m->query = encoder_create(l->net, &l->network, s->feat_dim);
    m->key = encoder_create(key, &second, s->feat_dim);
    cru_net_copy(m->key.net, m->query.net);
    l->optim = cru_learner_optim(l, &m->query.net, 1);
    cru_net *memory = cru_learner_net(l, "memory");
    m->queue = cru_net_buffer(memory, "queue", cru_2d(s->moco_queue, s->feat_dim), 0);
    m->prototypes = cru_net_buffer(memory, "prototypes", cru_2d(l->task->classes, s->feat_dim), 0);
    fill_normal(l, m->queue, "queue", true);
    m->queue_labels = cru_ctx_alloc(l->ctx, s->moco_queue, sizeof *m->queue_labels);
    for (int64_t i = 0; i < s->moco_queue; i++) m->queue_labels[i] = -1;
    m->q = cru_learner_candidate_shares(l);
}

void momentum_look(momentum *m, cru_tape *t, const cru_batch *batch)
{
    cru_tensor *features = encoder_features(t, &m->query, &batch->x);
    m->z = cru_fc_apply(t, &m->query.classifier.head, features);
    m->v = encoder_project(t, &m->query, features);
    m->a = cru_matmul_op(t, cru_detach(t, m->v), m->prototypes, CRU_NT);
}

cru_index best_candidate(cru_tape *t, cru_tensor *scores, const cru_batch *batch)
{
    return cru_argmax(t, cru_mul(t, cru_detach(t, scores), batch->candidates));
}

static void move_prototypes(momentum *m, cru_tape *t, const uint8_t *used)
{
    const int64_t rows = cru_tensor_rows(m->v), cols = cru_tensor_cols(m->v), classes = cru_tensor_rows(m->prototypes);
    const float *unit = cru_tensor_host(t, m->v), keep = (float)m->settings->proto_m;
    float *mu = cru_tape_alloc(t, classes * cols, sizeof *mu);
    cru_tensor_download(t, m->prototypes, mu);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols && (!used || used[i]); j++) {
            float *to = mu + m->labels[i] * cols + j;
            *to = keep * *to + (1 - keep) * unit[i * cols + j];
        }
    cru_tensor *moved = cru_tensor_upload(t, cru_2d(classes, cols), mu);
    cru_assign(t, m->prototypes, cru_normalize_l2(t, moved, 1e-12));
}

void momentum_move(momentum *m, cru_tape *t, const cru_batch *batch, const int32_t *labels, const uint8_t *used)
{
    m->labels = labels;
    move_prototypes(m, t, used);
    cru_net_ema(m->key.net, m->query.net, m->settings->moco_m);
    const bool recording = cru_tape_record(t, false);
    m->k = encoder_project(t, &m->key, encoder_features(t, &m->key, &batch->strong));
    cru_tape_record(t, recording);
}

void momentum_confide(momentum *m, cru_tape *t, const cru_batch *batch, cru_index meant, double phi)
{
    cru_tensor *q = cru_gather(t, m->q, batch->rows), *one = cru_one_hot(t, meant, cru_tensor_cols(m->q));
    cru_put_rows(t, m->q, batch->rows, cru_lerp(t, one, q, phi));
}

/* Before the first step the reference has a number of its own. */
double confidence_momentum(const momentum_settings *s, int64_t step, int64_t steps)
{
    if (step == 0) return 0.99;
    const double done = (double)(step - 1) / (double)steps;
    return s->conf_ema_start + done * (s->conf_ema_end - s->conf_ema_start);
}

cru_tensor *momentum_all(const momentum *m, cru_tape *t)
{
    return cru_concat_rows(t, (cru_tensor *[]){m->v, m->k, m->queue}, 3);
}

int32_t *momentum_labels(const momentum *m, cru_tape *t)
{
    const int64_t b = cru_tensor_rows(m->v), size = cru_tensor_rows(m->queue);
    int32_t *all = cru_tape_alloc(t, 2 * b + size, sizeof *all);
    memcpy(all, m->labels, (size_t)b * sizeof *all);
    memcpy(all + b, m->labels, (size_t)b * sizeof *all);
    memcpy(all + 2 * b, m->queue_labels, (size_t)size * sizeof *all);
    return all;
}

cru_tensor *momentum_info_nce(const momentum *m, cru_tape *t)
{
    return cru_info_nce_queue(t, m->v, m->k, m->queue, temperature);
}

cru_tensor *momentum_sup_con(const momentum *m, cru_tape *t)
{
    const int32_t *labels = momentum_labels(m, t);
    return cru_sup_con_anchors(t, momentum_all(m, t), labels, cru_tensor_rows(m->v), temperature);
}

void momentum_enqueue(momentum *m, cru_tape *t, const cru_batch *batch)
{
    const int64_t size = cru_tensor_rows(m->queue);
    for (int64_t i = 0; i < batch->count; i++) m->queue_labels[(m->at + i) % size] = m->labels[i];
    cru_put_rows(t, m->queue, ring_rows(t, m->at, batch->count, size), m->k);
    m->at = (m->at + batch->count) % size;
}

double mixup_share(cru_rng *rng, double alpha)
{
    const double b = cru_rng_beta(rng, alpha, alpha);
    return fmax(b, 1 - b);
}
