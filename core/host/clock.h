// SPDX-License-Identifier: Apache-2.0
/* clock.h: the time that deadlines and rates are measured in. */
#ifndef CORE_RUNNER_CLOCK_H
#define CORE_RUNNER_CLOCK_H

/* Seconds of CLOCK_MONOTONIC. */
double clock_now(void);

#endif
