// SPDX-License-Identifier: Apache-2.0
/* mat: one graph in a MATLAB file (version 5 or 7.3). The names of its variables tell the layout:
 *
 *   graph      Network, A, or net_upu, net_usu, net_uvu, net_rur, net_rtr, net_rsr: relations, whose union is the graph
 *   features   Attributes, X or features
 *   labels     Label, label, Class or gnd: counted from 0 or from 1 (the smallest decides)
 *   local_info facebook100, instead of features and labels: columns status, gender, major, minor, dorm, year, school;
 *              some copies have the user's number before them.
 *              The class is gender - 1 (0: unknown, unlabelled), every other column is one-hot coded over its values.
 *
 * Further files: splits, an .npy of LINKX (index-lists.h), or train-0, test-0, ... with node numbers (id-files.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

#include "generate.h"
#include "mat-nodes.h"
#include "matrix.h"
#include "source.h"

typedef struct settings {
    node_settings node;
    int64_t unlabelled;
} settings;

static const cru_param schema[] = {
    CRU_GROUP(settings, node, node_params),
    CRU_INT(settings, unlabelled, 0, 0, GENERATE_MOST,
            "so many nodes at the beginning have no label, whatever the file says"),
    CRU_END,
};

typedef mat_reading reading;

static const char *const graph_names[] = {"Network", "A", NULL};
static const char *const relation_names[] = {"net_upu", "net_usu", "net_uvu", "net_rur", "net_rtr", "net_rsr", NULL};
static const char *const feature_names[] = {"Attributes", "X", "features", NULL};
static const char *const label_names[] = {"Label", "label", "Class", "gnd", NULL};
static const char *const info_names[] = {"local_info", NULL};

static cru_status read_labels(const reading *r)
{
    mat_matrix m;
    cru_status status = mat_nodes_get(r, label_names, &m);
    if (status) return status;
    if (m.rows != 1 && m.cols != 1) return cru_fail(r->err, CRU_BAD_INPUT, "%s: not one label a node", m.name);
    double least = INFINITY;
    int64_t count = m.rows * m.cols;
    for (int64_t i = 0; i < count; i++) least = fmin(least, mat_nodes_cell(&m, i));
    return mat_nodes_labels(r, (mat_labels){&m, -1, count, least == 1 ? 1 : 0});
}

static int by_value(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* One-hot codes of a column, its distinct values in ascending order, as features from column *cols on. */
static void code_column(const reading *r, const mat_matrix *m, int64_t column, int32_t *ids, int64_t *cols)
{
    double *values = cru_arena_alloc(r->arena, m->rows, sizeof *values);
    for (int64_t i = 0; i < m->rows; i++) values[i] = mat_at(m, i, column);
    qsort(values, (size_t)m->rows, sizeof *values, by_value);
    int64_t count = 0;
    for (int64_t i = 0; i < m->rows; i++)
        if (count == 0 || values[count - 1] != values[i]) values[count++] = values[i];
    for (int64_t i = 0; i < m->rows; i++) {
        double value = mat_at(m, i, column);
        const double *found = bsearch(&value, values, (size_t)count, sizeof *values, by_value);
        ids[i] = (int32_t)(*cols + (found - values));
    }
    *cols += count;
}

enum { INFO_GENDER = 1, INFO_COLUMNS = 7 };

static cru_status read_local_info(const reading *r)
{
    mat_matrix m;
    cru_status status = mat_nodes_get(r, info_names, &m);
    if (status) return status;
    const int64_t first = m.cols - INFO_COLUMNS; /* of the seven */
    if ((first != 0 && first != 1) || m.rows > INT32_MAX)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: %lld columns, expected 7", m.name, (long long)m.cols);
    status = mat_nodes_labels(r, (mat_labels){&m, first + INFO_GENDER, m.rows, 1});
    if (status) return status;
    enum { CODED = INFO_COLUMNS - 1 };
    int64_t *offsets = cru_data_alloc(r->data, m.rows + 1, sizeof *offsets), cols = 0;
    int32_t *ids = cru_data_alloc(r->data, CODED * m.rows, sizeof *ids);
    int32_t *codes = cru_arena_alloc(r->arena, m.rows, sizeof *codes);
    if (!offsets || !ids) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for features", r->path);
    for (int64_t k = 0; k < CODED; k++) {
        code_column(r, &m, first + (k < INFO_GENDER ? k : k + 1), codes, &cols);
        for (int64_t i = 0; i < m.rows; i++) ids[CODED * i + k] = codes[i];
    }
    for (int64_t i = 0; i <= m.rows; i++) offsets[i] = CODED * i;
    matrix_sparse_features((cru_csr){m.rows, cols, offsets, ids, NULL}, r->data);
    return CRU_OK;
}

/* One variable as a graph of the data. */
static cru_status read_graph(const reading *r, const char *name)
{
    mat_matrix m;
    cru_status status = mat_read(r->file, name, r->arena, &m, r->err);
    if (status) return status;
    cru_csr arcs = mat_csr(&m, r->arena);
    return node_graph(r->s, &arcs, r->data, r->err);
}

/* Every relation that the file has, and their union. */
static cru_status read_relations(const reading *r)
{
    cru_pool pool = cru_data_pool(r->data);
    cru_csr all = {0};
    int32_t count = 0;
    cru_relation *relations = cru_pool_alloc(pool, sizeof relation_names / sizeof *relation_names, sizeof *relations);
    for (const char *const *name = relation_names; *name; name++) {
        if (!mat_first(r->file, (const char *const[]){*name, NULL})) continue;
        cru_status status = read_graph(r, *name);
        if (status) return status;
        cru_csr pattern = cru_csr_pattern(&r->data->graph);
        relations[count++] = (cru_relation){strcpy(cru_pool_alloc(pool, 16, 1), *name + strlen("net_")), pattern};
        all = all.offsets ? cru_csr_add(pool, &all, 1, &pattern, 1) : pattern;
        all = cru_csr_pattern(&all);
    }
    r->data->graph = all;
    r->data->relations = relations;
    r->data->relation_count = count;
    return CRU_OK;
}

static cru_status read_all(const reading *r)
{
    bool facebook = mat_first(r->file, info_names) != NULL;
    cru_status status = facebook ? read_local_info(r) : read_labels(r);
    if (!status && !facebook) status = mat_nodes_features(r, feature_names);
    if (status) return status;
    const char *graph = mat_first(r->file, graph_names);
    if (graph) return read_graph(r, graph);
    if (mat_first(r->file, relation_names)) return read_relations(r);
    return cru_fail(r->err, CRU_BAD_INPUT, "%s: has no graph: no variable Network, A or net_...", r->path);
}

static cru_status load(const cru_loading *l)
{
    const settings *s = l->settings;
    reading r = {.s = &s->node, .unlabelled = s->unlabelled, .data = l->data, .err = l->err};
    cru_status status = source_need(l->source, "graph", &r.path, l->err);
    if (!status) status = mat_open(r.path, &r.file, l->err);
    if (status) return status;
    r.arena = cru_arena_create();
    status = r.arena ? read_all(&r) : cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", r.path);
    if (!status) status = mat_nodes_splits(&r, l->source);
    mat_close(r.file);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "mat",
    .version = "1.0",
    .summary = "a graph in a MATLAB file: attributed networks, multi-relation fraud graphs, facebook100",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
