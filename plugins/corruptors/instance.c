// SPDX-License-Identifier: Apache-2.0
/* instance: a label is lost with a probability of its own, to a class that the item's features point to.
 *
 *     q_n ~ N(rate, deviation^2) within [0, 1]            W ~ N(0, 1), one F x C matrix for each class
 *     a = x_n W[y_n], without its entry y_n
 *     P(label = j) = q_n softmax(a)_j      P(label = y_n) = 1 - q_n
 *
 * For graphs x is the mean over their nodes. With rng = numpy the draws are those of NoisyGL.
 *
 * Xia, Liu, Han, Wang, Gong, Liu, Niu, Tao, Sugiyama. Part-dependent Label Noise: Towards Instance-dependent Label
 * Noise. NeurIPS 2020. */
#include <math.h>

#include <crucible/pool.h>

#include "item-features.h"
#include "label-noise.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS };

typedef struct settings {
    double rate, deviation;
    label_noise noise;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "mean probability that a label changes"),
    CRU_FLOAT(settings, deviation, 0.1, 1e-6, 1, "standard deviation of the probability among items"),
    CRU_GROUP(settings, noise, label_noise_params),
    CRU_END,
};

static double normal_cdf(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* The z in [low, high] below which N(0, 1) has the probability p. */
static double normal_quantile(double p, double low, double high)
{
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) return middle;
        if (normal_cdf(middle) < p)
            low = middle;
        else
            high = middle;
    }
}

/* Normal values cut to [0, 1], one uniform number each. */
static void draw_rates(const settings *s, cru_study_rng *source, double *q, int64_t count)
{
    const double a = (0 - s->rate) / s->deviation, b = (1 - s->rate) / s->deviation;
    const double below = normal_cdf(a), within = normal_cdf(b) - below;
    for (int64_t i = 0; i < count; i++)
        q[i] = s->rate + s->deviation * normal_quantile(below + cru_study_rng_uniform(source) * within, a, b);
}

typedef struct instance {
    const cru_data *data;
    const double *q;
    const float *w; /* classes x cols x classes */
    float *x;       /* cols: the features of one item */
    double *p;      /* classes */
} instance;

/* p = q softmax(x W[label] without label) + (1 - q) at label */
static int32_t draw(void *user, cru_study_rng *source, int64_t item, int32_t label)
{
    const instance *in = user;
    const int64_t classes = in->data->classes, cols = in->data->x.cols;
    const float *w = in->w + label * cols * classes;
    double most = -INFINITY, sum = 0;
    item_features(in->data, item, in->x);
    for (int64_t j = 0; j < classes; j++) in->p[j] = 0;
    for (int64_t k = 0; k < cols; k++)
        for (int64_t j = 0; in->x[k] != 0 && j < classes; j++)
            in->p[j] += (double)in->x[k] * (double)w[k * classes + j];
    for (int64_t j = 0; j < classes; j++)
        if (j != label && in->p[j] > most) most = in->p[j];
    for (int64_t j = 0; j < classes; j++) sum += in->p[j] = j == label ? 0 : exp(in->p[j] - most);
    for (int64_t j = 0; j < classes; j++) in->p[j] *= in->q[item] / sum;
    in->p[label] += 1 - in->q[item];
    return cru_study_rng_choice(source, in->p, (int32_t)classes);
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    const int64_t classes = data->classes, cols = data->x.cols;
    cru_study_rng source;
    if (cols == 0) return cru_fail(d->err, CRU_UNSUPPORTED, "there are no features that the noise could depend on");
    cru_status status = label_noise_start(&s->noise, d, &source);
    if (status) return status;
    if (cols > INT64_MAX / classes / classes) return cru_fail(d->err, CRU_NO_MEMORY, "too many features and classes");
    cru_pool pool = cru_data_pool(data);
    double *q = cru_pool_alloc(pool, data->items, sizeof *q);
    float *w = cru_pool_alloc(pool, classes * cols * classes, sizeof *w);
    draw_rates(s, &source, q, data->items);
    for (int64_t i = 0; i < classes * cols * classes; i++) w[i] = (float)cru_study_rng_normal(&source);
    instance in = {.data = data, .q = q, .w = w};
    in.x = cru_pool_alloc(pool, cols, sizeof *in.x);
    in.p = cru_pool_alloc(pool, classes, sizeof *in.p);
    label_noise_redraw(&s->noise, d, &(noise_drawing){&source, draw, &in});
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "instance",
    .version = "1.0",
    .summary = "label noise that depends on the features of an item",
    .citation = "Xia, Liu, Han, Wang, Gong, Liu, Niu, Tao, Sugiyama. Part-dependent Label Noise: Towards "
                "Instance-dependent Label Noise. NeurIPS 2020.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
