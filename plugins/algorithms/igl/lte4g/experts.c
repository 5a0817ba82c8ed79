// SPDX-License-Identifier: Apache-2.0
#include "experts.h"

#include <math.h>

#include <crucible/imbalance.h>

cru_tensor *focal_mean_loss(cru_tape *t, cru_tensor *z, const cru_targets *weighed, double gamma)
{
    const cru_targets plain = {.rows = weighed->rows, .labels = weighed->labels};
    cru_tensor *sure = cru_exp(t, cru_neg(t, cru_cross_entropy(t, z, &plain)));
    cru_tensor *factor = cru_pow(t, cru_affine(t, sure, -1, 1), gamma);
    return cru_mul(t, factor, cru_cross_entropy(t, z, weighed));
}

cru_tensor *distillation_loss(cru_tape *t, cru_tensor *teacher, cru_tensor *student, double temperature)
{
    cru_tensor *p = cru_softmax(t, cru_scale(t, teacher, 1 / temperature), 1);
    cru_tensor *log_q = cru_log_softmax(t, cru_scale(t, student, 1 / temperature), 1);
    return cru_scale(t, cru_kl(t, p, log_q), temperature * temperature / (double)cru_tensor_cols(student));
}

double curriculum(int64_t epoch, int64_t epochs)
{
    return cos(M_PI * (double)epoch / (2 * (double)epochs));
}

int32_t head_classes(const int64_t *counts, int32_t classes)
{
    const int32_t place = (int32_t)floor(0.7 * classes);
    int32_t least = 0, more = 0;
    for (int32_t c = 0; c < classes; c++) {
        least += counts[c] >= counts[place];
        more += counts[c] > counts[place];
    }
    if (least == classes && more == 0) return (int32_t)ceil(0.7 * classes);
    const double of_least = least < classes ? fabs((double)least / (classes - least) - 7.0 / 3) : INFINITY;
    const double of_more = more > 0 ? fabs((double)more / (classes - more) - 7.0 / 3) : INFINITY;
    return of_least <= of_more + 1e-9 ? least : more;
}

class_division divide_classes(cru_ctx *ctx, const cru_task *task)
{
    const int32_t k = task->classes;
    const cru_ids *members = cru_class_members(cru_ctx_pool(ctx), task);
    int64_t *size = cru_ctx_alloc(ctx, k, sizeof *size), *sorted = cru_ctx_alloc(ctx, k, sizeof *sorted);
    class_division d = {.order = cru_ctx_alloc(ctx, k, sizeof *d.order),
                        .place = cru_ctx_alloc(ctx, k, sizeof *d.place)};
    d.weights = cru_ctx_alloc(ctx, k, sizeof *d.weights);
    for (int32_t c = 0; c < k; c++) {
        d.order[c] = c;
        size[c] = members[c].count;
        d.weights[c] = size[c] ? 1 / (float)size[c] : 0;
    }
    cru_largest_first(d.order, k, size);
    for (int32_t i = 0; i < k; i++) sorted[i] = size[d.order[i]], d.place[d.order[i]] = i;
    d.heads = head_classes(sorted, k);
    return d;
}
