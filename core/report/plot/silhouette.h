// SPDX-License-Identifier: Apache-2.0
/* silhouette.h: how well classes keep apart (Rousseeuw, 1987). */
#ifndef CORE_REPORT_SILHOUETTE_H
#define CORE_REPORT_SILHOUETTE_H

#include <stdint.h>

/* Mean over the points of (b - a) / max(a, b), a: mean distance to the others of its class, b: to the nearest other
 * class; 0 for the only point of a class. NAN with fewer than two classes. All pairs are compared. */
double silhouette_of(const float *values, int64_t rows, int64_t cols, const int32_t *classes);

#endif
