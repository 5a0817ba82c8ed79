// SPDX-License-Identifier: Apache-2.0
/* Optimiser steps with PyTorch's formulas. */
#include <cmath>

#include "cuda.h"

void cuda_adam(cru_device *device, const cru_adam_args *args)
{
    const cru_adam_args a = *args;
    const double step = static_cast<double>(a.step), lr = a.lr;
    const float shrink = a.decoupled ? static_cast<float>(1.0 - lr * static_cast<double>(a.decay)) : 1.0f;
    const float decay = a.decoupled ? 0.0f : a.decay;
    const float rate = static_cast<float>(lr / (1.0 - std::pow(static_cast<double>(a.beta1), step)));
    const float unbias = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(static_cast<double>(a.beta2), step)));
    const float new1 = static_cast<float>(1.0 - static_cast<double>(a.beta1));
    const float new2 = static_cast<float>(1.0 - static_cast<double>(a.beta2));
    each(device, a.n, [=] __device__(int64_t i) {
        const float w = a.w[i] * shrink, g = a.g[i] + decay * w;
        const float m = a.beta1 * a.m[i] + new1 * g, v = a.beta2 * a.v[i] + new2 * g * g;
        float top = v;
        if (a.amsgrad) {
            top = a.vmax[i] > v ? a.vmax[i] : v;
            a.vmax[i] = top;
        }
        a.m[i] = m;
        a.v[i] = v;
        a.w[i] = w - rate * m / (sqrtf(top) * unbias + a.eps);
    });
}

void cuda_sgd(cru_device *device, const cru_sgd_args *args)
{
    const cru_sgd_args a = *args;
    /* The first step starts the velocity at the gradient itself, undamped. */
    const bool first = a.step == 1;
    each(device, a.n, [=] __device__(int64_t i) {
        const float g = a.g[i] + a.decay * a.w[i];
        if (!a.velocity) {
            a.w[i] -= a.lr * g;
            return;
        }
        const float v = first ? g : a.momentum * a.velocity[i] + (1.0f - a.dampening) * g;
        a.velocity[i] = v;
        a.w[i] -= a.lr * (a.nesterov ? g + a.momentum * v : v);
    });
}
