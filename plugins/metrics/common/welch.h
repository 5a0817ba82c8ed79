/* welch.h: do two samples have one mean? */
#ifndef METRICS_WELCH_H
#define METRICS_WELCH_H

#include <stdint.h>

typedef struct welch_test {
    double t, p; /* p: two-sided; both NAN when neither sample varies */
} welch_test;

/* Student's t with unequal variances, two samples of n numbers each. */
welch_test welch_compare(const double *a, const double *b, int64_t n);

/* The regularised incomplete beta function I_x(a, b), 0 <= x <= 1. */
double incomplete_beta(double x, double a, double b);

#endif
