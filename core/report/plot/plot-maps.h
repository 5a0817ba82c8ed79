// SPDX-License-Identifier: Apache-2.0
/* plot-maps.h: maps of a store: what the metric silhouette reported with map = yes, one for every row and column. */
#ifndef CORE_REPORT_PLOT_MAPS_H
#define CORE_REPORT_PLOT_MAPS_H

#include "report/plot/plot-data.h"
#include "report/table/table.h"

typedef struct plot_maps {
    plot_data *items; /* two columns of places, the true classes, and one prediction; `path` is the title */
    double *silhouettes;
    int64_t count;
    bool more; /* than one picture takes */
    const char **class_names;
    int32_t class_count;
} plot_maps;

enum { PLOT_MAPS_MOST = 40 };

/* Of the trials of every row and column that the request leads to, the first with a map; in the memory of the frame.
 * NULL in *out: there is none. CRU_BAD_INPUT: an unknown key. */
cru_status plot_maps_read(frame *f, const frame_source *sources, int64_t count, const table_request *request,
                          plot_maps **out, cru_error *err);

#endif
