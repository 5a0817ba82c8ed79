// SPDX-License-Identifier: Apache-2.0
/* A generator whose labels can be recognised. With `path` it also writes them to a file, as raw int32; with `loads` it
 * works as often as that file has bytes, and then fails as a dataset whose file is gone. */
#include "runner-secret.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <crucible/plugin.h>

typedef struct settings {
    int64_t rows;
    const char *path, *loads;
    bool graphs;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, rows, 400, 10, 1000000, "how many rows"),
    CRU_STRING(settings, path, "", "file that receives the labels"),
    CRU_STRING(settings, loads, "", "file with a byte for every time it may be loaded"),
    CRU_BOOL(settings, graphs, false, "every row is a graph of one node"),
    CRU_END,
};

static cru_status make_graphs(cru_data *data, const cru_source *source, cru_error *err)
{
    int64_t n = data->items;
    data->problem = CRU_GRAPHS;
    data->graph_offsets = cru_data_alloc(data, n + 1, sizeof *data->graph_offsets);
    data->graph = (cru_csr){.rows = n,
                            .cols = n,
                            .offsets = cru_data_alloc(data, n + 1, sizeof(int64_t)),
                            .ids = cru_data_alloc(data, 1, sizeof(int32_t))};
    if (!data->graph_offsets || !data->graph.offsets || !data->graph.ids)
        return cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", source->name);
    for (int64_t i = 0; i <= n; i++) data->graph_offsets[i] = i;
    return CRU_OK;
}

static bool may_load(const char *path)
{
    struct stat info;
    return !*path || (stat(path, &info) == 0 && info.st_size > 0 && truncate(path, info.st_size - 1) == 0);
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    if (!may_load(s->loads)) return cru_fail(l->err, CRU_IO, "%s: its file is gone", l->source->name);
    float *x = cru_data_alloc(data, s->rows, sizeof *x);
    data->truth = cru_data_alloc(data, s->rows, sizeof *data->truth);
    data->labels = cru_data_alloc(data, s->rows, sizeof *data->labels);
    if (!x || !data->truth || !data->labels)
        return cru_fail(l->err, CRU_NO_MEMORY, "%s: out of memory", l->source->name);
    for (int64_t i = 0; i < s->rows; i++) {
        x[i] = (float)i;
        data->truth[i] = data->labels[i] = secret_label(i);
    }
    FILE *file = *s->path ? fopen(s->path, "wb") : NULL;
    if (file) {
        fwrite(data->truth, sizeof *data->truth, (size_t)s->rows, file);
        fclose(file);
    }
    data->problem = CRU_ROWS;
    data->items = data->nodes = s->rows;
    data->classes = SECRET_CLASSES;
    data->x = (cru_features){.rows = s->rows, .cols = 1, .dense = x};
    return s->graphs ? make_graphs(data, l->source, l->err) : CRU_OK;
}

static const cru_dataset vtable = {.size = sizeof(cru_dataset), .load = load};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_DATASET),
    .name = "runner-secret",
    .version = "1.0",
    .summary = "labels that can be recognised",
    .problems = CRU_ROWS | CRU_GRAPHS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
