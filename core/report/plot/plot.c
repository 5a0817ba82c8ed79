// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot.h"

#include <string.h>

const plot_kind plot_kinds[PLOT_KINDS] = {
    {"bars", "means with error bars", "spread digits", plot_bars, PLOT_OF_TABLE},
    {"drop", "bars over levels with the relative decrease", "spread digits ordinal", plot_drop, PLOT_OF_TABLE},
    {"curve", "mean and spread over levels", "spread ordinal metrics", plot_curve, PLOT_OF_TABLE},
    {"box", "quartiles of the runs", "spread digits", plot_box, PLOT_OF_TABLE},
    {"methods", "every method over the columns, coloured by its mean", "", plot_methods, PLOT_OF_TABLE},
    {"histogram", "distribution of the runs", "", plot_histogram, PLOT_OF_TABLE},
    {"scatter", "cost against the metric", "x size", plot_scatter, PLOT_OF_TABLE},
    {"ranks", "average ranks; methods that do not differ are joined", "alpha cliques", plot_ranks, PLOT_OF_TABLE},
    {"heat", "heat map", "digits data vector", plot_heat, PLOT_OF_TABLE},
    {"slope", "from the first to the last level", "digits ordinal", plot_slope, PLOT_OF_TABLE},
    {"profile", "share of runs above every value", "", plot_profile, PLOT_OF_TABLE},
    {"improvement", "probability that a row does better than a column", "", plot_improvement, PLOT_OF_TABLE},
    {"parallel", "settings that were tried, coloured by their score", "", plot_parallel, PLOT_OF_SEARCH},
    {"importance", "how much of the variance each setting explains", "", plot_importance, PLOT_OF_SEARCH},
    {"map", "points on a plane by t-SNE, coloured by class", "data labels", plot_map, PLOT_OF_MAPS},
    {"boundary", "the plane as methods divide it", "data labels", plot_boundary, PLOT_OF_MAPS},
    {"counts", "items of every class, nodes of every degree", "data", plot_counts, PLOT_OF_FILE},
};

const plot_kind *plot_find(const char *name)
{
    for (int i = 0; i < PLOT_KINDS; i++) {
        if (strcmp(plot_kinds[i].name, name) == 0) return &plot_kinds[i];
    }
    return NULL;
}

const char *plot_names(char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < PLOT_KINDS; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? ", " : "", plot_kinds[i].name);
    }
    return text;
}
