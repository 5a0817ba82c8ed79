// SPDX-License-Identifier: Apache-2.0
/* A generator: `rows` rows with one feature, two classes in turn. */
#include <crucible/plugin.h>

typedef struct settings {
    int64_t rows;
} settings;

static const cru_param schema[] = {CRU_INT(settings, rows, 8, 2, 1000, "how many rows"), CRU_END};

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const int64_t rows = ((const settings *)l->settings)->rows;
    float *x = cru_data_alloc(data, rows, sizeof *x);
    data->truth = cru_data_alloc(data, rows, sizeof *data->truth);
    data->labels = cru_data_alloc(data, rows, sizeof *data->labels);
    if (!x || !data->truth || !data->labels)
        return cru_fail(l->err, CRU_NO_MEMORY, "%s: out of memory", l->source->name);
    for (int64_t i = 0; i < rows; i++) {
        x[i] = (float)i;
        data->truth[i] = data->labels[i] = (int32_t)(i % 2);
    }
    data->problem = CRU_ROWS;
    data->items = data->nodes = rows;
    data->classes = 2;
    data->x = (cru_features){.rows = rows, .cols = 1, .dense = x};
    return CRU_OK;
}

static const cru_dataset vtable = {.size = sizeof(cru_dataset), .load = load};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_DATASET), .name = "good-dataset", .version = "1.0",  .summary = "two classes in turn",
    .settings_size = sizeof(settings),   .params = schema,       .vtable = &vtable,
};
