// SPDX-License-Identifier: Apache-2.0
/* ogb-nodes: one graph as the Open Graph Benchmark publishes it, in csv.gz files without headers.
 *
 *   edges              "source,target", numbered from 0
 *   node-features      numbers of every node; link property sets have none
 *   labels             the class of every node; with `quantiles` a number that is cut into so many classes
 *   num-nodes          instead of labels, for sets that have none: how many nodes there are
 *   train, val, test   optional: the official split, node numbers; or
 *   splits             optional: official splits as LINKX stores them (index-lists.h)
 *
 * Hu, Fey, Zitnik, Dong, Ren, Liu, Catasta, Leskovec. Open Graph Benchmark. NeurIPS 2020. */
#include <crucible/crucible.h>

#include "graph-set.h"
#include "id-files.h"
#include "index-lists.h"
#include "matrix.h"
#include "node-data.h"
#include "quantiles.h"
#include "source.h"
#include "text-matrix.h"

static const cru_param schema[] = {
    CRU_GROUP(quantile_settings, node, node_params),
    CRU_INT(quantile_settings, quantiles, 0, 0, 1000,
            "cut the labels into so many classes of equal size; 0: they are classes"),
    CRU_END,
};

typedef struct reading {
    const cru_loading *l;
    const quantile_settings *s;
    cru_arena *arena;
} reading;

static cru_status read_labels(const reading *r)
{
    const char *path;
    number_table numbers;
    cru_status status = source_need(r->l->source, "labels", &path, r->l->err);
    if (!status) status = number_table_read(r->arena, path, 1, &numbers, r->l->err);
    if (status) return status;
    int32_t *labels = cru_arena_alloc(r->arena, numbers.rows, sizeof *labels);
    if (r->s->quantiles > 0) {
        double *values = cru_arena_alloc(r->arena, numbers.rows, sizeof *values);
        for (int64_t i = 0; i < numbers.rows; i++) values[i] = (double)numbers.numbers[i];
        quantile_labels(values, numbers.rows, r->s->quantiles, labels, r->arena);
    }
    for (int64_t i = 0; i < numbers.rows && r->s->quantiles == 0; i++) {
        if (numbers.numbers[i] < CRU_UNLABELLED || numbers.numbers[i] >= NODE_MOST_CLASSES)
            return cru_fail(r->l->err, CRU_BAD_INPUT, "%s:%lld: class %lld", path, (long long)i + 1,
                            (long long)numbers.numbers[i]);
        labels[i] = (int32_t)numbers.numbers[i];
    }
    return node_store_labels(&r->s->node, (node_label_list){path, labels, numbers.rows}, r->l->data, r->l->err);
}

static cru_status read_no_labels(const reading *r)
{
    const char *path = source_file(r->l->source, "num-nodes");
    number_table count;
    cru_status status = number_table_read(r->arena, path, 1, &count, r->l->err);
    if (status) return status;
    if (count.rows != 1 || count.numbers[0] < 1)
        return cru_fail(r->l->err, CRU_BAD_INPUT, "%s: expected one number of nodes", path);
    return node_unlabelled(&r->s->node, count.numbers[0], r->l->data, r->l->err);
}

static cru_status read_features(const reading *r)
{
    const char *path;
    text_matrix x;
    if (!source_file(r->l->source, "node-features") && source_file(r->l->source, "num-nodes")) return CRU_OK;
    cru_status status = source_need(r->l->source, "node-features", &path, r->l->err);
    if (!status) status = text_matrix_read(r->arena, path, r->l->data->nodes, &x, r->l->err);
    return status ? status : matrix_store_features(x.numbers, x.cols, r->l->data, r->l->err);
}

static cru_status read_edges(const reading *r)
{
    const char *path;
    number_table pairs;
    edge_list list = {0};
    cru_status status = source_need(r->l->source, "edges", &path, r->l->err);
    if (!status) status = number_table_read(r->arena, path, 2, &pairs, r->l->err);
    for (int64_t i = 0; !status && i < pairs.rows; i++) {
        int64_t from = pairs.numbers[2 * i], to = pairs.numbers[2 * i + 1], nodes = r->l->data->nodes;
        if (from >= 0 && from < nodes && to >= 0 && to < nodes)
            status = edge_list_add(&list, (edge){from, to, 1}, r->l->err);
        else
            status = cru_fail(r->l->err, CRU_BAD_INPUT, "%s:%lld: not an edge between two of %lld nodes", path,
                              (long long)i + 1, (long long)nodes);
    }
    return node_graph_take(status, &r->s->node, &list, r->l->data, r->l->err);
}

static cru_status load(const cru_loading *l)
{
    reading r = {.l = l, .s = l->settings, .arena = cru_arena_create()};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    const char *splits = source_file(l->source, "splits");
    const bool labelled = source_file(l->source, "labels") || !source_file(l->source, "num-nodes");
    cru_status status = labelled ? read_labels(&r) : read_no_labels(&r);
    if (!status) status = read_features(&r);
    if (!status) status = read_edges(&r);
    if (!status) status = id_files_read(l->source, r.arena, l->data, l->err);
    if (!status && splits) status = index_lists_read(splits, r.arena, l->data, l->err);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(quantile_settings, schema),
    .name = "ogb-nodes",
    .version = "1.0",
    .summary = "a graph in the csv.gz files of the Open Graph Benchmark, with its split and labels if it has any",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
