// SPDX-License-Identifier: Apache-2.0
/* Learning rates over time. */
#include <math.h>

#include <crucible/draft/optim.h>
#include <crucible/optim.h>

double cru_lr_step(double lr, int64_t step, int64_t every, double gamma)
{
    return lr * pow(gamma, (double)(step / every));
}

double cru_lr_multi_step(double lr, int64_t step, const int64_t *at, int64_t count, double gamma)
{
    for (int64_t i = 0; i < count; i++)
        if (step >= at[i]) lr *= gamma;
    return lr;
}

double cru_lr_cosine(double lr, int64_t step, int64_t total, double floor)
{
    return floor + (lr - floor) * 0.5 * (1 + cos(M_PI * (double)step / (double)total));
}

double cru_lr_warmup(double lr, int64_t step, int64_t warmup)
{
    return step < warmup ? lr * (double)(step + 1) / (double)warmup : lr;
}

static bool improves(const cru_plateau *p, double value)
{
    if (!p->started) return !isnan(value);
    return p->maximise ? value > p->best * (1 + p->threshold) : value < p->best * (1 - p->threshold);
}

double cru_plateau_step(cru_plateau *plateau, double lr, double value)
{
    if (improves(plateau, value)) {
        plateau->best = value;
        plateau->started = true;
        plateau->bad = 0;
        return lr;
    }
    if (++plateau->bad <= plateau->patience) return lr;
    plateau->bad = 0;
    double lower = fmax(lr * plateau->factor, plateau->min_lr);
    return lr - lower > 1e-8 ? lower : lr; /* PyTorch skips changes below its eps */
}
