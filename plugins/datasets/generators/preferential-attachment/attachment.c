// SPDX-License-Identifier: Apache-2.0
#include "attachment.h"

#include <math.h>

void attachment_class_weights(int64_t classes, bool normalise, double *weight)
{
    double q = 1;
    for (int64_t i = 1; i < classes / 2; i++) q += 2 * pow(2, (double)i);
    q = 1 / q;
    for (int64_t a = 0; a < classes; a++) {
        double sum = 0;
        for (int64_t b = 0; b < classes; b++) {
            int64_t step = a > b ? a - b : b - a, dist = step < classes - step ? step : classes - step;
            double w = 2 * dist == classes ? q : pow(2, 0.5 * (double)classes - (double)dist) * q;
            weight[a * classes + b] = a == b ? 0 : w;
            sum += weight[a * classes + b];
        }
        for (int64_t b = 0; normalise && b < classes; b++) weight[a * classes + b] /= sum;
    }
}

double attachment_liking(const attachment *a, int32_t from, int32_t to)
{
    return from == to ? a->mu : (1 - a->mu) * a->class_weight[from * a->classes + to];
}

attachment_gaussian attachment_cloud(int64_t label, int64_t classes)
{
    double angle = 2 * M_PI * (double)label / (double)classes, c = cos(angle), s = sin(angle);
    double long_axis = 70 * 350, short_axis = 20 * 350; /* R^T diag(long, short) R, R the rotation by `angle` */
    return (attachment_gaussian){
        .mean = {300 * s, 300 * c},
        .covariance = {{long_axis * c * c + short_axis * s * s, (short_axis - long_axis) * c * s},
                       {(short_axis - long_axis) * c * s, long_axis * s * s + short_axis * c * c}}};
}
