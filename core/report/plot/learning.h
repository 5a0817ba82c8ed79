// SPDX-License-Identifier: Apache-2.0
/* learning.h: a picture of learning curves: training loss and validation value over the epochs. */
#ifndef CORE_REPORT_LEARNING_H
#define CORE_REPORT_LEARNING_H

#include <stdint.h>
#include <stdio.h>

typedef struct learning_curve {
    const char *title;  /* shown under the pointer */
    const char *series; /* curves of one series have one colour and one line in the legend */
    int64_t trial;
    int64_t *epochs;
    double *loss, *validation; /* NAN: none */
    int64_t count;
} learning_curve;

typedef struct learning_plot {
    const char *title;
    const learning_curve *curves;
    int64_t count;
} learning_plot;

/* Two panels side by side, one line a curve. An SVG file of its own. */
void plot_learning(const learning_plot *p, FILE *out);

#endif
