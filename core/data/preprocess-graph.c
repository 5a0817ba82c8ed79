// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include <crucible/paths.h>

#include "data/preprocess.h"

void preprocess_direction(cru_data *data, direction_rule rule)
{
    if (rule == DIRECTION_AS_IS) return;
    cru_pool pool = cru_data_pool(data);
    for (int32_t r = -1; r < data->relation_count; r++) {
        cru_csr *g = r < 0 ? &data->graph : &data->relations[r].graph;
        *g = rule == DIRECTION_REVERSE ? cru_csr_transpose(pool, g, NULL)
                                       : cru_graph_symmetrise(pool, g, g->values ? CRU_SYM_MAX : CRU_SYM_OR);
    }
}

void preprocess_loops(cru_data *data, loop_rule rule)
{
    cru_pool pool = cru_data_pool(data);
    if (rule == LOOPS_AS_IS) return;
    data->graph = cru_graph_loops(pool, &data->graph, rule == LOOPS_ADD ? CRU_LOOPS_FILL : CRU_LOOPS_REMOVE);
    for (int32_t r = 0; rule == LOOPS_REMOVE && r < data->relation_count; r++)
        data->relations[r].graph = cru_graph_loops(pool, &data->relations[r].graph, CRU_LOOPS_REMOVE);
}

/* ---- fewer nodes ----------------------------------------------------------------------------------------- */

cru_features features_rows(const cru_features *x, cru_ids rows, cru_pool pool)
{
    cru_features out = *x;
    out.rows = rows.count;
    if (x->sparse.offsets) out.sparse = cru_csr_rows(pool, &x->sparse, rows.ids, rows.count);
    if (!x->dense) return out;
    float *dense = cru_pool_alloc(pool, rows.count * x->cols, sizeof *dense);
    for (int64_t i = 0; i < rows.count; i++)
        memcpy(dense + i * x->cols, x->dense + rows.ids[i] * x->cols, (size_t)x->cols * sizeof *dense);
    out.dense = dense;
    return out;
}

static int32_t *keep_labels(cru_data *data, const int32_t *labels, cru_ids kept)
{
    int32_t *out = cru_pool_alloc(cru_data_pool(data), kept.count, sizeof *out);
    for (int64_t i = 0; i < kept.count; i++) out[i] = labels[kept.ids[i]];
    return out;
}

static void keep_candidates(cru_data *data, cru_ids kept)
{
    if (!data->candidates) return;
    size_t width = (size_t)data->classes;
    uint8_t *out = cru_pool_alloc(cru_data_pool(data), kept.count * data->classes, 1);
    for (int64_t i = 0; i < kept.count; i++)
        memcpy(out + (size_t)i * width, data->candidates + (size_t)kept.ids[i] * width, width);
    data->candidates = out;
}

/* The ids that are kept, under their new numbers and in their old order. */
static cru_ids renumber(cru_data *data, cru_ids old, const int32_t *number)
{
    int32_t *ids = cru_pool_alloc(cru_data_pool(data), old.count, sizeof *ids);
    int64_t count = 0;
    for (int64_t i = 0; i < old.count; i++)
        if (number[old.ids[i]] >= 0) ids[count++] = number[old.ids[i]];
    return (cru_ids){ids, count};
}

static void keep_splits(cru_data *data, cru_ids kept)
{
    cru_pool pool = cru_data_pool(data);
    int32_t *number = cru_pool_alloc(pool, data->items, sizeof *number);
    memset(number, 0xff, (size_t)data->items * sizeof *number);
    for (int64_t i = 0; i < kept.count; i++) number[kept.ids[i]] = (int32_t)i;
    cru_split *official = cru_pool_alloc(pool, data->official_count, sizeof *official);
    for (int32_t k = 0; k < data->official_count; k++) {
        official[k] = (cru_split){.train = renumber(data, data->official[k].train, number),
                                  .val = renumber(data, data->official[k].val, number),
                                  .test = renumber(data, data->official[k].test, number)};
    }
    data->official = official;
}

static cru_status keep_nodes(cru_data *data, cru_ids kept, cru_error *err)
{
    if (kept.count == data->nodes) return CRU_OK;
    if (kept.count == 0) return cru_fail(err, CRU_UNSUPPORTED, "preprocess: no node would remain");
    cru_pool pool = cru_data_pool(data);
    data->graph = cru_graph_induced(pool, &data->graph, kept).graph;
    for (int32_t r = 0; r < data->relation_count; r++)
        data->relations[r].graph = cru_graph_induced(pool, &data->relations[r].graph, kept).graph;
    data->x = features_rows(&data->x, kept, pool);
    keep_splits(data, kept);
    keep_candidates(data, kept);
    data->truth = keep_labels(data, data->truth, kept);
    data->labels = keep_labels(data, data->labels, kept);
    data->items = data->nodes = kept.count;
    return CRU_OK;
}

cru_status preprocess_largest_component(cru_data *data, cru_error *err)
{
    return keep_nodes(data, cru_graph_largest_component(cru_data_pool(data), &data->graph), err);
}

cru_status preprocess_remove_isolated(cru_data *data, cru_error *err)
{
    cru_pool pool = cru_data_pool(data);
    const cru_csr *g = &data->graph;
    uint8_t *linked = cru_pool_alloc(pool, data->nodes, 1);
    for (int64_t v = 0; v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            if (g->ids[e] == v) continue; /* a loop is no neighbour */
            linked[v] = linked[g->ids[e]] = 1;
        }
    }
    int32_t *ids = cru_pool_alloc(pool, data->nodes, sizeof *ids);
    int64_t count = 0;
    for (int64_t v = 0; v < data->nodes; v++)
        if (linked[v]) ids[count++] = (int32_t)v;
    return keep_nodes(data, (cru_ids){ids, count}, err);
}
