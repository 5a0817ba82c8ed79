// SPDX-License-Identifier: Apache-2.0
#include "bandit.h"

#include <stdlib.h>

void bandit_step(bandit *b, double distance, double step)
{
    if (b->converged) return;
    const bool farther = b->distance < distance;
    if (farther && b->share - step > 0) b->share -= step;
    if (!farther && b->share + step <= 1) b->share += step;
    b->distance = distance;
    b->rewards[b->steps++ % BANDIT_MEMORY] = farther ? -1 : 1;
    int32_t sum = 0;
    for (int i = 0; i < BANDIT_MEMORY; i++) sum += b->rewards[i];
    b->converged = b->steps >= BANDIT_MEMORY && abs(sum) <= 2;
}
