// SPDX-License-Identifier: Apache-2.0
#include "tam-margins.h"

#include <math.h>

#include <crucible/imbalance.h>

double *tam_sharpness(cru_ctx *ctx, const cru_task *task, const tam_rule *rule)
{
    const cru_ids *members = cru_class_members(cru_ctx_pool(ctx), task);
    double *tau = cru_ctx_alloc(ctx, task->classes, sizeof *tau), largest = 0;
    for (int32_t c = 0; c < task->classes; c++) {
        tau[c] = rule->gamma * (double)members[c].count / fmax(1, (double)task->split.train.count) + 1 - rule->gamma;
        largest = fmax(largest, tau[c]);
    }
    for (int32_t c = 0; c < task->classes; c++) tau[c] = rule->phi * (tau[c] + 1 - largest);
    return tau;
}

/* nodes x classes: softmax(tau o), and the labels where they are known */
static double *predict(cru_tape *t, const cru_tensor *z, const tam_labelled *l, const double *tau)
{
    const int64_t nodes = cru_tensor_rows(z), k = cru_tensor_cols(z);
    const float *o = cru_tensor_host(t, z);
    double *q = cru_tape_alloc(t, nodes * k, sizeof *q);
    for (int64_t v = 0; v < nodes; v++) {
        double top = -INFINITY, sum = 0;
        for (int64_t c = 0; c < k; c++) top = fmax(top, (double)o[v * k + c] * tau[c]);
        for (int64_t c = 0; c < k; c++) sum += q[v * k + c] = exp((double)o[v * k + c] * tau[c] - top);
        for (int64_t c = 0; c < k; c++) q[v * k + c] /= sum;
    }
    for (int64_t i = 0; i < l->count; i++)
        for (int64_t c = 0; c < k; c++) q[l->rows[i] * k + c] = c == l->labels[i];
    return q;
}

static double jsd(const double *p, const double *q, int64_t k)
{
    double sum = 0;
    for (int64_t c = 0; c < k; c++) {
        const double mid = (p[c] + q[c]) / 2;
        sum += (p[c] * log(p[c] / mid) + q[c] * log(q[c] / mid)) / 2;
    }
    return sum;
}

static double *zeros(cru_tape *t, int64_t count)
{
    double *x = cru_tape_alloc(t, count, sizeof *x);
    for (int64_t i = 0; i < count; i++) x[i] = 0;
    return x;
}

static void at_least(double *x, int64_t count, double floor)
{
    for (int64_t i = 0; i < count; i++) x[i] = fmax(x[i], floor);
}

/* d: labelled nodes x classes, M: classes x classes */
static void connect(cru_tape *t, const tam_labelled *l, const double *q, int64_t k, double *d, double *mean)
{
    double *size = zeros(t, k);
    for (int64_t i = 0; i < l->count; i++) size[l->labels[i]]++;
    for (int64_t i = 0; i < l->count; i++) {
        const int64_t y = l->labels[i], first = l->around->offsets[i], end = l->around->offsets[i + 1];
        for (int64_t e = first; e < end; e++)
            for (int64_t c = 0; c < k; c++) d[i * k + c] += q[l->around->ids[e] * k + c] / (double)(end - first);
        for (int64_t c = 0; c < k; c++) mean[y * k + c] += d[i * k + c] / size[y];
    }
    at_least(d, l->count * k, 1e-6);
    at_least(mean, k * k, 1e-6);
}

cru_tensor *tam_margins(cru_tape *t, const cru_tensor *z, const tam_labelled *l, const tam_rule *rule,
                        const double *tau)
{
    const int64_t k = cru_tensor_cols(z);
    double *d = zeros(t, l->count * k), *mean = zeros(t, k * k), *between = zeros(t, k * k);
    float *margin = cru_tape_alloc(t, l->count * k, sizeof *margin);
    connect(t, l, predict(t, z, l, tau), k, d, mean);
    for (int64_t i = 0; i < k * k; i++) between[i] = fmax(jsd(&mean[i / k * k], &mean[i % k * k], k), 1e-6);
    for (int64_t i = 0; i < l->count; i++) {
        const int64_t y = l->labels[i];
        const double *at = &d[i * k], own = jsd(at, &mean[y * k], k);
        for (int64_t j = 0; j < k; j++) {
            const double far = between[y * k + j], other = jsd(at, &mean[j * k], k);
            const double acm = fmin(1, at[y] / mean[y * k + y] * (mean[y * k + j] / at[j]));
            const double adm = (own * own + far * far - other * other) / (2 * far * far);
            margin[i * k + j] = j == y ? 0 : (float)(rule->alpha * log(acm) - rule->beta * adm);
        }
    }
    return cru_tensor_upload(t, cru_2d(l->count, k), margin);
}

cru_tensor *tam_added_loss(const cru_learner *learner, cru_tape *t, cru_tensor *z, const added_nodes *a,
                           const tam_rule_at *rule)
{
    const added_labels both = added_labelled(learner, t, a->labels, a->count);
    const cru_csr around = added_around(t, &learner->task->graph, a, &both);
    cru_tensor *margin =
        tam_margins(t, z, &(tam_labelled){both.count, both.rows, both.classes, &around}, rule->rule, rule->tau);
    cru_tensor *own = cru_gather(t, z, cru_index_step(t, both.rows, both.count));
    return cru_cross_entropy(t, cru_add(t, own, margin),
                             &(cru_targets){.labels = cru_index_step(t, both.classes, both.count)});
}
