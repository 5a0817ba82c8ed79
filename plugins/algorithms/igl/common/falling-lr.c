// SPDX-License-Identifier: Apache-2.0
#include "falling-lr.h"

#include <math.h>

void falling_lr_after_epoch(cru_learner *learner, void *model)
{
    (void)model;
    const falling_lr *rule = learner->settings; /* their first member */
    const double lr = learner->train->lr;
    const int64_t steps = learner->epoch + 2 - rule->after; /* the next epoch, counted from 1 */
    if (steps > 0) cru_optim_set_lr(learner->optim, fmax(fmin(rule->floor, lr), lr * pow(rule->decay, (double)steps)));
}
