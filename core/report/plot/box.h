// SPDX-License-Identifier: Apache-2.0
/* box.h: boxes with whiskers, and error bars. */
#ifndef CORE_REPORT_BOX_H
#define CORE_REPORT_BOX_H

#include "report/plot/panel.h"

/* A box from the first to the third quartile with a line at the median, whiskers to the last values within 1.5 times
 * its height, dots beyond; of at most BOX_POINTS values all are drawn over it. Lies along y, or along x. */
typedef struct box {
    double *values; /* sorted by box_draw */
    int64_t count;
    double from, to;     /* pixels across */
    const char *classes; /* of the box, or */
    const char *colour;  /* its ink */
    bool lying;          /* along x */
} box;

enum { BOX_POINTS = 12 };

void box_draw(panel *p, const box *b);

/* A line with caps between two values of y at x. */
void box_error(panel *p, double x, const double ends[2]);

#endif
