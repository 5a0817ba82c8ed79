// SPDX-License-Identifier: Apache-2.0
/* truth-mean.h: the mean of a loss over the judged items whose truth is known. */
#ifndef METRICS_TRUTH_MEAN_H
#define METRICS_TRUTH_MEAN_H

#include <crucible/plugin.h>

typedef double row_loss(const float *scores, int32_t classes, int32_t truth);

/* NAN without such items. */
double truth_mean(const cru_judging *j, row_loss *loss);

#endif
