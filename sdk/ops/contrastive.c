// SPDX-License-Identifier: Apache-2.0
/* Contrastive losses. */
#include <math.h>

#include <crucible/draft/ops-loss.h>
#include <crucible/ops-loss.h>

#include "autograd/tape.h"

static cru_tensor *scaled_similarity(cru_tape *t, cru_tensor *a, cru_tensor *b, float temperature)
{
    return cru_scale(t, cru_cosine_matrix(t, a, b, 1e-8f), 1 / temperature);
}

/* 0, 1, 2, ... shifted by `shift` modulo n */
static cru_index shifted_ids(cru_tape *t, int64_t n, int64_t shift)
{
    int32_t *ids = tape_scratch(t, n, sizeof *ids);
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)((i + shift) % n);
    return cru_index_step(t, ids, n);
}

cru_tensor *cru_info_nce(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature)
{
    cru_targets diagonal = {.labels = shifted_ids(t, cru_tensor_rows(a), 0)};
    return cru_cross_entropy(t, scaled_similarity(t, a, b, (float)temperature), &diagonal);
}

/* A matrix that takes the diagonal out of a softmax: -1e9 there, 0 elsewhere. */
static cru_tensor *without_self(cru_tape *t, int64_t n)
{
    return cru_scale(t, cru_one_hot(t, shifted_ids(t, n, 0), n), -1e9f);
}

cru_tensor *cru_nt_xent(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature)
{
    int64_t n = cru_tensor_rows(a);
    cru_tensor *views = cru_concat_rows(t, (cru_tensor *[]){a, b}, 2);
    cru_tensor *similarity = scaled_similarity(t, views, views, (float)temperature);
    cru_targets other_view = {.labels = shifted_ids(t, 2 * n, n)};
    return cru_cross_entropy(t, cru_add(t, similarity, without_self(t, 2 * n)), &other_view);
}

/* -log(pos / (2 pos + sum)) with log pos = c and log sum = s: log(2 e^c + e^s) = s + softplus(c + log 2 - s) */
static cru_tensor *contrast_of_view(cru_tape *t, cru_tensor *c, cru_tensor *s, bool stable)
{
    if (stable) {
        cru_tensor *soft = cru_softplus(t, cru_affine(t, cru_sub(t, c, s), 1, logf(2)));
        return cru_add(t, cru_sub(t, s, c), soft);
    }
    cru_tensor *pos = cru_exp(t, c), *neg = cru_exp(t, s);
    return cru_neg(t, cru_log(t, cru_div(t, pos, cru_add(t, cru_scale(t, pos, 2), neg))));
}

cru_tensor *cru_view_contrast(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature, bool stable)
{
    const float scale = 1 / (float)temperature;
    cru_tensor *c = cru_scale(t, cru_cosine_rows(t, a, b, 1e-8f), scale);
    cru_tensor *of_a = contrast_of_view(t, c, cru_lse_products(t, a, a, scale), stable);
    cru_tensor *of_b = contrast_of_view(t, c, cru_lse_products(t, b, b, scale), stable);
    return cru_mean(t, cru_scale(t, cru_add(t, of_a, of_b), 0.5f), CRU_ALL);
}

/* 1/|P(i)| at the positives of every anchor, one row per item; `anchors` lists the items that have a positive. */
static cru_tensor *positive_shares(cru_tape *t, cru_index labels, cru_index *anchors)
{
    int64_t n = labels.count, found = 0;
    int32_t *label = tape_scratch(t, n, sizeof *label), *ids = tape_scratch(t, n, sizeof *ids);
    t->device->backend->download(t->device, label, labels.ids, (size_t)n * sizeof *label);
    float *share = tape_scratch(t, n * n, sizeof *share);
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) count += j != i && label[j] == label[i];
        if (count) ids[found++] = (int32_t)i;
        for (int64_t j = 0; j < n && count; j++)
            if (j != i && label[j] == label[i]) share[i * n + j] = 1.0f / (float)count;
    }
    *anchors = cru_index_step(t, ids, found);
    return cru_tensor_upload(t, cru_2d(n, n), share);
}

/* L = mean over anchors i with positives P(i) of  -1/|P(i)| sum_{p in P(i)} log softmax_{a != i}(s_i)_p */
cru_tensor *cru_sup_con(cru_tape *t, cru_tensor *features, cru_index labels, double temperature)
{
    int64_t n = cru_tensor_rows(features);
    cru_assert(labels.count == n, "sup_con: %lld labels for %s", (long long)labels.count, tape_text(features).text);
    cru_index anchors;
    cru_tensor *share = positive_shares(t, labels, &anchors);
    cru_tensor *similarity = scaled_similarity(t, features, features, (float)temperature);
    cru_tensor *log_p = cru_log_softmax(t, cru_add(t, similarity, without_self(t, n)), 1);
    cru_tensor *each = cru_as_matrix(t, cru_sum(t, cru_mul(t, share, log_p), 1), n, 1);
    return cru_neg(t, cru_mean(t, cru_gather(t, each, anchors), CRU_ALL));
}

/* ---- against rows of earlier steps ------------------------------------------------------------------------------ */

cru_tensor *cru_info_nce_queue(cru_tape *t, cru_tensor *queries, cru_tensor *keys, cru_tensor *queue,
                               double temperature)
{
    const int64_t n = cru_tensor_rows(queries);
    cru_tensor *own = cru_as_matrix(t, cru_dot_rows(t, queries, keys), n, 1);
    cru_tensor *others = cru_matmul_op(t, queries, queue, CRU_NT);
    cru_tensor *all = cru_scale(t, cru_concat_cols(t, (cru_tensor *[]){own, others}, 2), 1 / temperature);
    int32_t *first = tape_scratch(t, n, sizeof *first);
    cru_targets targets = {.labels = cru_index_step(t, first, n)};
    return cru_cross_entropy(t, all, &targets);
}

/* 1/|P(i)| at the positives of each anchor */
static cru_tensor *anchor_shares(cru_tape *t, const int32_t *labels, int64_t anchors, int64_t n)
{
    float *share = tape_scratch(t, anchors * n, sizeof *share);
    for (int64_t i = 0; i < anchors; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) count += j != i && labels[j] == labels[i];
        const float each = count ? 1.0f / (float)count : 0;
        for (int64_t j = 0; j < n; j++) share[i * n + j] = j != i && labels[j] == labels[i] ? each : 0;
    }
    return cru_tensor_upload(t, cru_2d(anchors, n), share);
}

cru_tensor *cru_sup_con_anchors(cru_tape *t, cru_tensor *x, const int32_t *labels, int64_t anchors, double temperature)
{
    const int64_t n = cru_tensor_rows(x);
    cru_assert(anchors > 0 && anchors <= n, "sup_con_anchors: %lld of %s", (long long)anchors, tape_text(x).text);
    cru_tensor *a = cru_matmul_op(t, cru_slice_rows(t, x, 0, anchors), x, CRU_NT);
    a = cru_scale(t, a, 1 / temperature);
    a = cru_sub(t, a, cru_as_matrix(t, cru_detach(t, cru_max(t, a, 1)), anchors, 1));
    cru_tensor *self = cru_one_hot(t, shifted_ids(t, anchors, 0), n);
    cru_tensor *others = cru_affine(t, self, -1, 1);
    cru_tensor *sum = cru_sum(t, cru_mul(t, cru_exp(t, a), others), 1);
    cru_tensor *log_sum = cru_as_matrix(t, cru_log(t, cru_affine(t, sum, 1, 1e-12f)), anchors, 1);
    cru_tensor *log_p = cru_sub(t, a, log_sum);
    cru_tensor *each = cru_mul(t, anchor_shares(t, labels, anchors, n), log_p);
    return cru_scale(t, cru_sum(t, each, CRU_ALL), -1.0f / (float)anchors);
}
