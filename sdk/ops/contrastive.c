/* Contrastive losses over cosine similarities. */
#include <crucible/ops-loss.h>

#include "autograd/tape.h"

static cru_tensor *scaled_similarity(cru_tape *t, cru_tensor *a, cru_tensor *b, float temperature)
{
    return cru_scale(t, cru_cosine_matrix(t, a, b, 1e-8f), 1 / temperature);
}

/* 0, 1, 2, ... shifted by `shift` modulo n */
static cru_index shifted_ids(cru_tape *t, int64_t n, int64_t shift)
{
    int32_t *ids = cru_tape_alloc(t, n, sizeof *ids);
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)((i + shift) % n);
    return cru_index_step(t, ids, n);
}

cru_tensor *cru_info_nce(cru_tape *t, cru_tensor *a, cru_tensor *b, float temperature)
{
    cru_targets diagonal = {.labels = shifted_ids(t, cru_tensor_rows(a), 0)};
    return cru_cross_entropy(t, scaled_similarity(t, a, b, temperature), &diagonal);
}

/* A matrix that takes the diagonal out of a softmax: -1e9 there, 0 elsewhere. */
static cru_tensor *without_self(cru_tape *t, int64_t n)
{
    return cru_scale(t, cru_one_hot(t, shifted_ids(t, n, 0), n), -1e9f);
}

cru_tensor *cru_nt_xent(cru_tape *t, cru_tensor *a, cru_tensor *b, float temperature)
{
    int64_t n = cru_tensor_rows(a);
    cru_tensor *views = cru_concat_rows(t, (cru_tensor *[]){a, b}, 2);
    cru_tensor *similarity = scaled_similarity(t, views, views, temperature);
    cru_targets other_view = {.labels = shifted_ids(t, 2 * n, n)};
    return cru_cross_entropy(t, cru_add(t, similarity, without_self(t, 2 * n)), &other_view);
}

/* L = mean over anchors i with positives P(i) of  -1/|P(i)| sum_{p in P(i)} log softmax_{a != i}(s_i)_p */
cru_tensor *cru_sup_con(cru_tape *t, cru_tensor *features, cru_index labels, float temperature)
{
    int64_t n = cru_tensor_rows(features);
    int32_t *host = cru_tape_alloc(t, n, sizeof *host);
    t->device->backend->download(t->device, host, labels.ids, (size_t)n * sizeof *host);
    float *positive = cru_tape_alloc(t, n * n, sizeof *positive); /* 1/|P(i)| at the positives of i */
    int64_t anchors = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) count += j != i && host[j] == host[i];
        anchors += count > 0;
        for (int64_t j = 0; j < n && count; j++)
            if (j != i && host[j] == host[i]) positive[i * n + j] = 1.0f / (float)count;
    }
    cru_tensor *share = cru_tensor_upload(t, 2, (const int64_t[]){n, n}, positive);
    cru_tensor *similarity = scaled_similarity(t, features, features, temperature);
    cru_tensor *log_p = cru_log_softmax(t, cru_add(t, similarity, without_self(t, n)), 1);
    cru_tensor *total = cru_sum(t, cru_mul(t, share, log_p), CRU_ALL);
    return cru_scale(t, total, anchors ? -1.0f / (float)anchors : 0);
}
