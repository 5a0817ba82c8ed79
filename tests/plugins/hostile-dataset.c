// SPDX-License-Identifier: Apache-2.0
/* A generator that tries what none needs, and fails when any of it worked. */
#include <crucible/plugin.h>

#include "hostile-break-out.h"

enum { ROWS = 40 };

typedef struct settings {
    const char *file;
} settings;

static const cru_param schema[] = {
    CRU_STRING(settings, file, "", "a file that it may not read"),
    CRU_END,
};

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const double done = break_out(((const settings *)l->settings)->file);
    if (done > 0) return cru_fail(l->err, CRU_FAILED, "broke out in %g ways", done);
    float *x = cru_data_alloc(data, ROWS, sizeof *x);
    data->truth = cru_data_alloc(data, ROWS, sizeof *data->truth);
    data->labels = cru_data_alloc(data, ROWS, sizeof *data->labels);
    if (!x || !data->truth || !data->labels) return cru_fail(l->err, CRU_NO_MEMORY, "out of memory");
    for (int32_t i = 0; i < ROWS; i++) {
        x[i] = (float)i;
        data->truth[i] = data->labels[i] = i % 2;
    }
    data->problem = CRU_ROWS;
    data->items = data->nodes = ROWS;
    data->classes = 2;
    data->x = (cru_features){.rows = ROWS, .cols = 1, .dense = x};
    return CRU_OK;
}

static const cru_dataset vtable = {.size = sizeof(cru_dataset), .load = load};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_DATASET),
    .name = "hostile-dataset",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
