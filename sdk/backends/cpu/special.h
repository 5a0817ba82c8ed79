// SPDX-License-Identifier: Apache-2.0
/* Gamma and its logarithmic derivatives, safe to call from several threads. */
#ifndef CRUCIBLE_CPU_SPECIAL_H
#define CRUCIBLE_CPU_SPECIAL_H

float cpu_lgamma(float x);   /* ln |Gamma(x)| */
float cpu_digamma(float x);  /* d ln Gamma / dx; infinite at 0, NaN at the negative integers */
float cpu_trigamma(float x); /* d digamma / dx */

#endif
