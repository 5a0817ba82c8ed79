// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot.h"

#include <string.h>

const plot_kind plot_kinds[PLOT_KINDS] = {
    {"bars", "means with error bars", "spread digits", plot_bars},
    {"curve", "mean and spread over a swept number", "spread", plot_curve},
    {"box", "quartiles of the runs", "spread digits", plot_box},
    {"scatter", "seconds against the metric", "", plot_scatter},
    {"ranks", "average ranks with the critical difference", "alpha", plot_ranks},
};

const plot_kind *plot_find(const char *name)
{
    for (int i = 0; i < PLOT_KINDS; i++) {
        if (strcmp(plot_kinds[i].name, name) == 0) return &plot_kinds[i];
    }
    return NULL;
}
