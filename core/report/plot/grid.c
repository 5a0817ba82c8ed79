// SPDX-License-Identifier: Apache-2.0
#include "report/plot/grid.h"

#include <math.h>

void grid_begin(grid *g, bool alone, double below, const grid_texts *texts)
{
    if (g->inner == 0) g->inner = GRID_INNER_WIDE;
    g->per_line = g->count < GRID_PER_LINE ? g->count : GRID_PER_LINE;
    g->wide = PANEL_LEFT + g->inner + fmax(20, g->margin + 10);
    g->high = PANEL_TOP + GRID_INNER_HIGH + PANEL_BELOW;
    int64_t lines = (g->count + g->per_line - 1) / g->per_line;
    g->s.width = fmax(g->wide * (double)g->per_line, 420);
    g->legend_from = g->high * (double)lines;
    g->s.height = g->legend_from + fmax(below, 4);
    svg_begin(&g->s, alone, texts->title, texts->description);
}

panel grid_panel(grid *g, int64_t index)
{
    return (panel){.s = &g->s,
                   .corner = {PANEL_LEFT + g->wide * (double)(index % g->per_line),
                              PANEL_TOP + g->high * (double)(index / g->per_line)},
                   .size = {g->inner, GRID_INNER_HIGH}};
}
