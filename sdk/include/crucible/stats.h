// SPDX-License-Identifier: Apache-2.0
/* stats.h: tests of whether samples differ. */
#ifndef CRUCIBLE_STATS_H
#define CRUCIBLE_STATS_H

#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_sample {
    const double *values;
    int64_t count; /* at least 2 */
} cru_sample;

typedef struct cru_t_test {
    double t, p; /* p: two-sided; both NAN when neither sample varies */
} cru_t_test;

/* Welch's test: Student's t with unequal variances. */
CRU_API cru_t_test cru_welch(cru_sample a, cru_sample b);

/* The regularised incomplete beta function I_x(a, b), 0 <= x <= 1. */
CRU_API double cru_incomplete_beta(double x, double a, double b);

#ifdef __cplusplus
}
#endif

#endif
