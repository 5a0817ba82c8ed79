/* Shared by methods against noisy labels. */
#include <math.h>

#include "noisy-labels.h"

const char *const variant_names[] = {"bench", "paper", NULL};

cru_index agreement(cru_tape *t, const cru_tensor *a, const cru_tensor *b, bool agree)
{
    const int64_t n = cru_tensor_rows(a);
    int32_t *first = cru_tape_alloc(t, n, sizeof *first), *second = cru_tape_alloc(t, n, sizeof *second);
    cru_index_download(t, cru_argmax(t, a), first);
    cru_index_download(t, cru_argmax(t, b), second);
    int32_t *positions = cru_tape_alloc(t, n, sizeof *positions);
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++)
        if ((first[i] == second[i]) == agree) positions[count++] = i;
    return cru_index_step(t, positions, count);
}

/* -log(pos / (2 pos + sum)) with log pos = c and log sum = s: log(2 e^c + e^s) = s + softplus(c + log 2 - s) */
static cru_tensor *contrast_of_view(cru_tape *t, cru_tensor *c, cru_tensor *s, bool stable)
{
    if (stable) return cru_add(t, cru_sub(t, s, c), cru_softplus(t, cru_affine(t, cru_sub(t, c, s), 1, logf(2))));
    cru_tensor *pos = cru_exp(t, c);
    return cru_neg(t, cru_log(t, cru_div(t, pos, cru_add(t, cru_scale(t, pos, 2), cru_exp(t, s)))));
}

cru_tensor *contrast(cru_tape *t, const contrast_views *views)
{
    const float scale = 1 / views->tau;
    cru_tensor *c = cru_scale(t, cru_cosine_rows(t, views->a, views->b, 1e-8f), scale);
    cru_tensor *a = contrast_of_view(t, c, cru_lse_products(t, views->a, views->a, scale), views->stable);
    cru_tensor *b = contrast_of_view(t, c, cru_lse_products(t, views->b, views->b, scale), views->stable);
    return cru_mean(t, cru_scale(t, cru_add(t, a, b), 0.5f), CRU_ALL);
}

static int32_t largest(const float *row, int64_t classes)
{
    int32_t best = 0;
    for (int32_t k = 1; k < classes; k++)
        if (row[k] > row[best]) best = k;
    return best;
}

static void softmax_row(const float *logits, int64_t classes, float *out)
{
    const double top = (double)logits[largest(logits, classes)];
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += exp((double)logits[k] - top);
    for (int64_t k = 0; k < classes; k++) out[k] = (float)(exp((double)logits[k] - top) / sum);
}

void transition_from_anchors(const anchor_logits *z, float *matrix, int32_t *anchors)
{
    for (int64_t c = 0; c < z->classes; c++) anchors[c] = -1;
    for (int32_t n = 0; n < z->items; n++) {
        const float *row = z->search + n * z->classes;
        const int32_t c = largest(row, z->classes);
        if (anchors[c] < 0 || row[c] > z->search[anchors[c] * z->classes + c]) anchors[c] = n;
    }
    for (int64_t c = 0; c < z->classes; c++) {
        if (anchors[c] < 0) anchors[c] = 0;
        softmax_row(z->read + anchors[c] * z->classes, z->classes, matrix + c * z->classes);
    }
}
