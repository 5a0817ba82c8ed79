// SPDX-License-Identifier: Apache-2.0
#include "mat-nodes.h"

#include <math.h>

#include <crucible/csr.h>

#include "id-files.h"
#include "index-lists.h"
#include "matrix.h"
#include "source.h"

cru_status mat_nodes_get(const mat_reading *r, const char *const *names, mat_matrix *out)
{
    const char *name = mat_first(r->file, names);
    if (!name) return cru_fail(r->err, CRU_BAD_INPUT, "%s: has no variable '%s' or of like meaning", r->path, names[0]);
    return mat_read(r->file, name, r->arena, out, r->err);
}

double mat_nodes_cell(const mat_matrix *vector, int64_t i)
{
    return vector->rows > 1 ? mat_at(vector, i, 0) : mat_at(vector, 0, i);
}

cru_status mat_nodes_labels(const mat_reading *r, mat_labels c)
{
    int32_t *labels = cru_arena_alloc(r->arena, c.count, sizeof *labels);
    for (int64_t i = 0; i < c.count; i++) {
        double label = c.column >= 0 ? mat_at(c.m, i, c.column) : mat_nodes_cell(c.m, i);
        label -= (double)c.offset;
        if (label != floor(label) || label < -1 || label >= NODE_MOST_CLASSES)
            return cru_fail(r->err, CRU_BAD_INPUT, "%s: label %lld is %g", c.m->name, (long long)i,
                            label + (double)c.offset);
        labels[i] = i < r->unlabelled ? CRU_UNLABELLED : (int32_t)label;
    }
    return node_store_labels(r->s, (node_label_list){c.m->name, labels, c.count}, r->data, r->err);
}

cru_status mat_nodes_features(const mat_reading *r, const char *const *names)
{
    mat_matrix m;
    cru_status status = mat_nodes_get(r, names, &m);
    if (status) return status;
    if (m.rows != r->data->nodes || m.cols > INT32_MAX)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: %lld x %lld features for %lld labels", m.name, (long long)m.rows,
                        (long long)m.cols, (long long)r->data->nodes);
    if (!m.dense) {
        matrix_sparse_features(cru_csr_merge(cru_data_pool(r->data), &m.sparse, CRU_DUP_SUM), r->data);
        return CRU_OK;
    }
    float *x = cru_arena_alloc(r->arena, m.rows * m.cols, sizeof *x);
    for (int64_t i = 0; i < m.rows * m.cols; i++) x[i] = (float)m.dense[i];
    return matrix_store_features(x, m.cols, r->data, r->err);
}

cru_status mat_nodes_splits(const mat_reading *r, const cru_source *source)
{
    const char *splits = source_file(source, "splits");
    if (splits) return index_lists_read(splits, r->arena, r->data, r->err);
    return id_files_read(source, r->arena, r->data, r->err);
}
