// SPDX-License-Identifier: Apache-2.0
/* gamma.h: the gamma function's logarithmic derivative, and how a gamma variable moves with its shape. */
#ifndef CRUCIBLE_STATS_GAMMA_H
#define CRUCIBLE_STATS_GAMMA_H

/* psi(x) = d ln Gamma / dx; infinite at 0, NaN at the negative integers. */
double gamma_digamma(double x);

/* d ln g / d shape of a gamma variable g at constant probability P(shape, g), scale 1: the derivative of a sample with
 * respect to its distribution (Figurnov, Mohamed, Mnih. Implicit Reparameterization Gradients. NeurIPS 2018). Takes
 * ln g, because g itself is below the smallest double for small shapes. shape > 0. */
double gamma_slope(double shape, double log_value);

#endif
