// SPDX-License-Identifier: Apache-2.0
#include "base-data.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <crucible/csr.h>

static const char *base_path(const cru_source *source)
{
    for (int64_t i = 0; i < source->count; i++)
        if (strcmp(source->files[i].role, "base") == 0) return source->files[i].path;
    return NULL;
}

cru_status base_open(const cru_source *source, cru_data **base, cru_error *err)
{
    *base = NULL;
    const char *path = base_path(source);
    if (!path) return cru_fail(err, CRU_BAD_INPUT, "%s: needs a base dataset", source->name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    cru_status status = cru_data_map(fd, base, err);
    close(fd);
    if (status != CRU_OK) return status;
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
