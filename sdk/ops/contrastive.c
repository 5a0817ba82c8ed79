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

/* 1/|P(i)| at the positives of every anchor, one row per item; `anchors` lists the items that have a positive. */
static cru_tensor *positive_shares(cru_tape *t, cru_index labels, cru_index *anchors)
{
    int64_t n = labels.count, found = 0;
    int32_t *label = cru_tape_alloc(t, n, sizeof *label), *ids = cru_tape_alloc(t, n, sizeof *ids);
    t->device->backend->download(t->device, label, labels.ids, (size_t)n * sizeof *label);
    float *share = cru_tape_alloc(t, n * n, sizeof *share);
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) count += j != i && label[j] == label[i];
        if (count) ids[found++] = (int32_t)i;
        for (int64_t j = 0; j < n && count; j++)
            if (j != i && label[j] == label[i]) share[i * n + j] = 1.0f / (float)count;
    }
    *anchors = cru_index_step(t, ids, found);
    return cru_tensor_upload(t, 2, (const int64_t[]){n, n}, share);
}

/* L = mean over anchors i with positives P(i) of  -1/|P(i)| sum_{p in P(i)} log softmax_{a != i}(s_i)_p */
cru_tensor *cru_sup_con(cru_tape *t, cru_tensor *features, cru_index labels, float temperature)
{
    int64_t n = cru_tensor_rows(features);
    cru_assert(labels.count == n, "sup_con: %lld labels for %s", (long long)labels.count, tape_text(features).text);
    cru_index anchors;
    cru_tensor *share = positive_shares(t, labels, &anchors);
    cru_tensor *similarity = scaled_similarity(t, features, features, temperature);
    cru_tensor *log_p = cru_log_softmax(t, cru_add(t, similarity, without_self(t, n)), 1);
    cru_tensor *each = cru_as_matrix(t, cru_sum(t, cru_mul(t, share, log_p), 1), n, 1);
    return cru_neg(t, cru_mean(t, cru_gather(t, each, anchors), CRU_ALL));
}
