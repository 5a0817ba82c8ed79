// SPDX-License-Identifier: Apache-2.0
#include "base-data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <crucible/csr.h>

static const char *base_path(const cru_source *source)
{
    for (int64_t i = 0; i < source->count; i++)
        if (strcmp(source->files[i].role, "base") == 0) return source->files[i].path;
    return NULL;
}

cru_status base_open_any(const cru_source *source, cru_data **base, cru_error *err)
{
    *base = NULL;
    const char *path = base_path(source);
    if (!path) return cru_fail(err, CRU_BAD_INPUT, "%s: needs a base dataset", source->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    cru_status status = cru_data_map(fd, base, err);
    close(fd);
    return status;
}

cru_status base_open(const cru_source *source, cru_data **base, cru_error *err)
{
    cru_status status = base_open_any(source, base, err);
    if (status) return status;
    const cru_data *b = *base;
    if ((b->problem & (CRU_NODES | CRU_ANOMALY)) && b->x.cols > 0 && b->classes > 0) return CRU_OK;
    cru_data_destroy(*base);
    *base = NULL;
    return cru_fail(err, CRU_BAD_INPUT, "%s: the base must be one graph with features and labels", source->name);
}

cru_status base_copy_rows(const cru_data *base, const int32_t *rows, cru_data *data, cru_error *err)
{
    const cru_features *from = &base->x;
    data->x = (cru_features){.rows = data->nodes, .cols = from->cols};
    if (!from->dense) {
        data->x.sparse = cru_csr_rows(cru_data_pool(data), &from->sparse, rows, data->nodes);
        return CRU_OK;
    }
    int64_t cells;
    float *x = NULL;
    if (!__builtin_mul_overflow(data->nodes, from->cols, &cells)) x = cru_data_alloc(data, cells, sizeof *x);
    if (!x) return cru_fail(err, CRU_NO_MEMORY, "no memory for the features of the base");
    for (int64_t i = 0; i < data->nodes; i++)
        memcpy(x + i * from->cols, from->dense + rows[i] * from->cols, (size_t)from->cols * sizeof *x);
    data->x.dense = x;
    return CRU_OK;
}

/* ---- a copy ---------------------------------------------------------------------------------------------- */

/* NULL for NULL. *short_of is set when there is no memory. */
static void *copy_array(cru_data *data, const void *from, int64_t count, size_t size, bool *short_of)
{
    if (!from) return NULL;
    void *to = cru_data_alloc(data, count, size);
    if (to && count > 0) memcpy(to, from, (size_t)count * size);
    *short_of |= !to;
    return to;
}

static cru_csr copy_csr(cru_data *data, const cru_csr *from, bool *short_of)
{
    cru_csr to = *from;
    if (!from->offsets) return to;
    const int64_t nnz = cru_csr_nnz(from);
    to.offsets = copy_array(data, from->offsets, from->rows + 1, sizeof *from->offsets, short_of);
    to.ids = copy_array(data, from->ids, nnz, sizeof *from->ids, short_of);
    to.values = copy_array(data, from->values, nnz, sizeof *from->values, short_of);
    return to;
}

static cru_features copy_features(cru_data *data, const cru_features *from, bool *short_of)
{
    cru_features to = *from;
    to.dense = copy_array(data, from->dense, from->rows * from->cols, sizeof *from->dense, short_of);
    to.sparse = copy_csr(data, &from->sparse, short_of);
    return to;
}

static char *copy_text(cru_data *data, const char *from, bool *short_of)
{
    return copy_array(data, from, (int64_t)strlen(from) + 1, 1, short_of);
}

static void copy_names(const cru_data *base, cru_data *data, bool *short_of)
{
    const char **names = base->class_names ? cru_data_alloc(data, base->classes, sizeof *names) : NULL;
    *short_of |= base->class_names && !names;
    for (int32_t c = 0; names && c < base->classes; c++) names[c] = copy_text(data, base->class_names[c], short_of);
    data->class_names = names;
}

static void copy_relations(const cru_data *base, cru_data *data, bool *short_of)
{
    data->relations = copy_array(data, base->relations, base->relation_count, sizeof *base->relations, short_of);
    for (int32_t r = 0; data->relations && r < base->relation_count; r++)
        data->relations[r] = (cru_relation){copy_text(data, base->relations[r].name, short_of),
                                            copy_csr(data, &base->relations[r].graph, short_of)};
    data->relation_count = data->relations ? base->relation_count : 0;
}

cru_status base_copy(const cru_data *base, cru_data *data, cru_error *err)
{
    bool short_of = false;
    data->problem = base->problem;
    data->items = base->items;
    data->nodes = base->nodes;
    data->classes = base->classes;
    data->graph = copy_csr(data, &base->graph, &short_of);
    data->graph_offsets =
        copy_array(data, base->graph_offsets, base->items + 1, sizeof *base->graph_offsets, &short_of);
    data->x = copy_features(data, &base->x, &short_of);
    data->truth = copy_array(data, base->truth, base->items, sizeof *base->truth, &short_of);
    data->labels = copy_array(data, base->labels, base->items, sizeof *base->labels, &short_of);
    data->candidates = copy_array(data, base->candidates, base->items * base->classes, 1, &short_of);
    copy_names(base, data, &short_of);
    copy_relations(base, data, &short_of);
    return short_of ? cru_fail(err, CRU_NO_MEMORY, "no memory for a copy of the base") : CRU_OK;
}
