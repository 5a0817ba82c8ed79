// SPDX-License-Identifier: Apache-2.0
/* grid.h: small pictures of one size side by side. */
#ifndef CORE_REPORT_GRID_H
#define CORE_REPORT_GRID_H

#include "report/plot/panel.h"
#include "report/plot/plot.h"

enum { GRID_PER_LINE = 3, GRID_INNER_WIDE = 250, GRID_INNER_HIGH = 200 };

typedef struct grid {
    svg s;
    int64_t count, per_line;
    double margin;      /* to the right of every panel, for labels */
    double wide, high;  /* of a cell, with what is around its panel */
    double inner;       /* width of a panel */
    double legend_from; /* where the room below the panels begins */
} grid;

/* What the whole picture is called. */
typedef struct grid_texts {
    const char *title, *description;
} grid_texts;

/* Starts the picture with room for `below` pixels under the panels. Set count, margin, s.out and, when not the usual
 * one, inner before. */
void grid_begin(grid *g, bool alone, double below, const grid_texts *texts);
panel grid_panel(grid *g, int64_t index);

#endif
