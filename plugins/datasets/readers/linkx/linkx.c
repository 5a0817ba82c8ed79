// SPDX-License-Identifier: Apache-2.0
/* linkx: the large graphs of LINKX. Either a MATLAB file,
 *
 *   graph    edge_index [2 x m], node_feat [n x d], full or sparse, and label [n] (-1: unlabelled) or years [n], which
 *            are cut into `quantiles` classes
 *
 * or Twitch-gamers as SNAP publishes it, two CSV files with headers:
 *
 *   edges    two node numbers a line
 *   nodes    line i is node i: numbers, dates (year-month-day, read as one number), one column `language` (numbered in
 *            the order in which they appear), `numeric_id`, which is no feature, and `mature`, which is the class. The
 *            features are standardised: mean 0, sample variance 1.
 *
 *   splits   optional, in both cases: official splits (index-lists.h)
 *
 * Lim, Hohne, Li, Huang, Gupta, Bhalerao, Lim. Large Scale Learning on Non-Homophilous Graphs. NeurIPS 2021. */
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

#include "edge-text.h"
#include "gamer-table.h"
#include "index-lists.h"
#include "mat-nodes.h"
#include "matrix.h"
#include "quantiles.h"
#include "source.h"

static const cru_param schema[] = {
    CRU_GROUP(quantile_settings, node, node_params),
    CRU_INT(quantile_settings, quantiles, 5, 2, 1000, "classes that are made of years"),
    CRU_END,
};

typedef struct reading {
    mat_reading mat;
    const quantile_settings *s;
    const cru_source *source;
} reading;

/* ---- MATLAB ---------------------------------------------------------------------------------------------- */

static cru_status read_years(const reading *r, const mat_matrix *years, int64_t count)
{
    const mat_reading *m = &r->mat;
    double *values = cru_arena_alloc(m->arena, count, sizeof *values);
    int32_t *labels = cru_arena_alloc(m->arena, count, sizeof *labels);
    for (int64_t i = 0; i < count; i++) values[i] = mat_nodes_cell(years, i);
    quantile_labels(values, count, r->s->quantiles, labels, m->arena);
    return node_store_labels(m->s, (node_label_list){years->name, labels, count}, m->data, m->err);
}

static cru_status read_labels(const reading *r)
{
    static const char *const names[] = {"label", "years", NULL};
    const mat_reading *m = &r->mat;
    mat_matrix v;
    cru_status status = mat_nodes_get(m, names, &v);
    if (status) return status;
    if (v.rows != 1 && v.cols != 1) return cru_fail(m->err, CRU_BAD_INPUT, "%s: not one number a node", v.name);
    int64_t count = v.rows * v.cols;
    bool years = strcmp(mat_first(m->file, names), "years") == 0;
    return years ? read_years(r, &v, count) : mat_nodes_labels(m, (mat_labels){&v, -1, count, 0});
}

static cru_status read_edges(const mat_reading *m)
{
    static const char *const names[] = {"edge_index", NULL};
    mat_matrix v;
    edge_list list = {0};
    cru_status status = mat_nodes_get(m, names, &v);
    if (status) return status;
    if (v.rows != 2 || !v.dense) return cru_fail(m->err, CRU_BAD_INPUT, "%s: not two rows of node numbers", v.name);
    for (int64_t i = 0; i < v.cols && !status; i++) {
        double from = v.dense[i], to = v.dense[v.cols + i], nodes = (double)m->data->nodes;
        bool sound = from >= 0 && from < nodes && from == floor(from) && to >= 0 && to < nodes && to == floor(to);
        if (sound)
            status = edge_list_add(&list, (edge){(int64_t)from, (int64_t)to, 1}, m->err);
        else
            status = cru_fail(m->err, CRU_BAD_INPUT, "%s: edge %lld joins %g and %g of %lld nodes", v.name,
                              (long long)i, from, to, (long long)m->data->nodes);
    }
    return node_graph_take(status, m->s, &list, m->data, m->err);
}

static cru_status read_mat(reading *r)
{
    static const char *const names[] = {"node_feat", NULL};
    cru_status status = mat_open(r->mat.path, &r->mat.file, r->mat.err);
    if (!status) status = read_labels(r);
    if (!status) status = mat_nodes_features(&r->mat, names);
    if (!status) status = read_edges(&r->mat);
    mat_close(r->mat.file);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------------------- */

static cru_status read_tables(const reading *r)
{
    const mat_reading *m = &r->mat;
    const char *nodes, *edges;
    gamer_table table = {0};
    edge_list list = {0};
    blob text;
    cru_status status = source_need(r->source, "nodes", &nodes, m->err);
    if (!status) status = source_need(r->source, "edges", &edges, m->err);
    if (!status) status = gamer_table_read(nodes, m->arena, &table, m->err);
    if (!status) status = node_store_labels(m->s, (node_label_list){nodes, table.labels, table.rows}, m->data, m->err);
    if (!status) status = matrix_store_features(table.features, table.cols, m->data, m->err);
    if (!status) status = blob_read(m->arena, edges, &text, m->err);
    if (!status) status = edge_text_read(&text, table.rows, &list, m->err);
    return node_graph_take(status, m->s, &list, m->data, m->err);
}

static cru_status load(const cru_loading *l)
{
    const quantile_settings *s = l->settings;
    reading r = {.s = s, .source = l->source, .mat = {.s = &s->node, .data = l->data, .err = l->err}};
    const char *splits = source_file(l->source, "splits");
    r.mat.path = source_file(l->source, "graph");
    r.mat.arena = cru_arena_create();
    if (!r.mat.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    cru_status status = r.mat.path ? read_mat(&r) : read_tables(&r);
    if (!status && splits) status = index_lists_read(splits, r.mat.arena, l->data, l->err);
    cru_arena_destroy(r.mat.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(quantile_settings, schema),
    .name = "linkx",
    .version = "1.0",
    .summary = "the large graphs of LINKX: MATLAB files with edge_index, and Twitch-gamers",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
