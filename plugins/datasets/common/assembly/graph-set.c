// SPDX-License-Identifier: Apache-2.0
#include "graph-set.h"

#include <stdlib.h>

#include <crucible/graph.h>

#include "blob.h"
#include "generate.h"
#include "matrix.h"
#include "node-data.h"

static int by_value(const void *a, const void *b)
{
    return (*(const int64_t *)a > *(const int64_t *)b) - (*(const int64_t *)a < *(const int64_t *)b);
}

cru_status graph_set_ranks(const int64_t *values, int64_t count, cru_arena *arena, int32_t **ranks, int64_t *distinct)
{
    int64_t *sorted = cru_arena_try(arena, count, sizeof *sorted), kept = 0;
    *ranks = cru_arena_try(arena, count, sizeof **ranks);
    if (!sorted || !*ranks) return CRU_NO_MEMORY;
    for (int64_t i = 0; i < count; i++) sorted[i] = values[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || sorted[kept - 1] != sorted[i]) sorted[kept++] = sorted[i];
    for (int64_t i = 0; i < count; i++) {
        const int64_t *found = bsearch(&values[i], sorted, (size_t)kept, sizeof *sorted, by_value);
        (*ranks)[i] = (int32_t)(found - sorted);
    }
    *distinct = kept;
    return CRU_OK;
}

static cru_status store_tags(const graph_set *set, cru_arena *arena, cru_data *data, cru_error *err)
{
    int32_t *ranks;
    int64_t distinct;
    if (graph_set_ranks(set->tags, data->nodes, arena, &ranks, &distinct) != CRU_OK)
        return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for node tags", set->name);
    data->x.rows = data->nodes;
    if (distinct < 2) return CRU_OK;
    int64_t *offsets = cru_data_alloc(data, data->nodes + 1, sizeof *offsets);
    int32_t *ids = cru_data_alloc(data, data->nodes, sizeof *ids);
    if (!offsets || !ids) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for node tags", set->name);
    for (int64_t v = 0; v < data->nodes; v++) {
        offsets[v + 1] = v + 1;
        ids[v] = ranks[v];
    }
    matrix_sparse_features((cru_csr){data->nodes, distinct, offsets, ids, NULL}, data);
    return CRU_OK;
}

cru_status graph_set_store(const graph_set *set, cru_arena *arena, cru_data *data, cru_error *err)
{
    int32_t *labels;
    int64_t classes, nodes = set->graphs > 0 ? set->offsets[set->graphs] : 0;
    if (set->graphs < 1 || set->graphs > INT32_MAX || nodes > INT32_MAX)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld graphs with %lld nodes", set->name, (long long)set->graphs,
                        (long long)nodes);
    if (graph_set_ranks(set->labels, set->graphs, arena, &labels, &classes) != CRU_OK)
        return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for labels", set->name);
    if (classes > NODE_MOST_CLASSES) return cru_fail(err, CRU_BAD_INPUT, "%s: too many classes", set->name);
    cru_status status = generate_begin(data, CRU_GRAPHS, set->graphs, classes, err);
    if (status) return status;
    data->nodes = nodes;
    data->graph_offsets = cru_data_alloc(data, set->graphs + 1, sizeof *data->graph_offsets);
    if (!data->graph_offsets) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", set->name);
    for (int64_t g = 0; g < set->graphs; g++) {
        data->truth[g] = labels[g];
        data->graph_offsets[g + 1] = set->offsets[g + 1];
    }
    generate_end(data);
    status = edge_list_store(&set->edges, nodes, EDGE_SYMMETRIC, data);
    if (status) return cru_fail(err, status, "%s: no memory for the graph", set->name);
    if (!set->loops) data->graph = cru_graph_loops(cru_data_pool(data), &data->graph, CRU_LOOPS_REMOVE);
    return set->tags ? store_tags(set, arena, data, err) : CRU_OK;
}

cru_status number_table_read(cru_arena *arena, const char *path, int64_t columns, number_table *out, cru_error *err)
{
    blob file;
    cru_status status = blob_read(arena, path, &file, err);
    if (status) return status;
    cursor c = {(const char *)file.bytes, (const char *)file.bytes + file.size, path, 1};
    out->numbers = cru_arena_try(arena, file.size / 2 + columns + 1, sizeof *out->numbers);
    if (!out->numbers) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the file", path);
    out->rows = 0;
    for (; cursor_more(&c); cursor_next_line(&c), out->rows++) {
        for (int64_t k = 0; k < columns; k++, cursor_skip(&c, ","))
            if (!cursor_whole(&c, &out->numbers[out->rows * columns + k]))
                return cursor_fail(&c, "expected a whole number", err);
        if (!cursor_at_line_end(&c)) return cursor_fail(&c, "more numbers than expected", err);
    }
    return CRU_OK;
}
