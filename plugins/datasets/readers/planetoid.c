// SPDX-License-Identifier: Apache-2.0
/* planetoid: the citation graphs as Planetoid publishes them, eight files ind.NAME.*.
 *
 *   x, y          features (scipy CSR) and one-hot labels (numpy) of the public training nodes; only their number
 *                 counts, the rows are those of allx and ally
 *   allx, ally    the nodes 0 .. k-1
 *   tx, ty        the test nodes, in the order of test-index
 *   graph         a dictionary: node -> list of neighbours
 *   test-index    the numbers of the test nodes, one a line
 *   features      optional, instead of allx and tx: text, one line of decimals a node
 *
 * CiteSeer's test-index leaves out some numbers between its smallest and its largest. Those nodes exist, without
 * features; every published loader gives them class 0, and so does gaps = first-class.
 *
 * The official split: the first len(y) nodes train, the next 500 val, test-index test. Files of role split-0, ...
 * (mask-files.h) take its place.
 *
 * Yang, Cohen, Salakhutdinov. Revisiting Semi-Supervised Learning with Graph Embeddings. ICML 2016. */
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

#include "decimal.h"
#include "mask-files.h"
#include "matrix.h"
#include "node-data.h"
#include "source.h"
#include "text-matrix.h"

typedef struct settings {
    node_settings node;
    int64_t gaps, val;
} settings;

enum { GAPS_FIRST_CLASS, GAPS_UNLABELLED };
static const char *const gap_rules[] = {"first-class", "unlabelled", NULL};

static const cru_param schema[] = {
    CRU_GROUP(settings, node, node_params),
    CRU_CHOICE(settings, gaps, GAPS_FIRST_CLASS, gap_rules, "label of test nodes that the files leave out"),
    CRU_INT(settings, val, 500, 0, 1000000, "validation nodes of the public split"),
    CRU_END,
};

typedef struct reading {
    const cru_loading *l;
    const settings *s;
    cru_arena *arena;
    int32_t *test; /* node of every row of tx */
    int64_t test_count;
    int64_t known, nodes; /* rows of ally; all nodes */
    int64_t train;
} reading;

static cru_status parse(const reading *r, const char *role, const char **path, const pickle_value **out)
{
    blob file;
    cru_status status = source_need(r->l->source, role, path, r->l->err);
    if (!status) status = blob_read(r->arena, *path, &file, r->l->err);
    return status ? status : pickle_parse(&file, r->arena, out, r->l->err);
}

static cru_status parse_array(const reading *r, const char *role, array *out)
{
    const char *path;
    const pickle_value *v;
    cru_status status = parse(r, role, &path, &v);
    if (!status) status = pickle_array(v, path, out, r->l->err);
    return status ? status : array_expect(out, (array_form){2, -1, -1}, r->l->err);
}

static cru_status parse_csr(const reading *r, const char *role, int64_t rows, cru_csr *out)
{
    const char *path;
    const pickle_value *v;
    csr_arrays parts;
    cru_status status = parse(r, role, &path, &v);
    if (!status) status = pickle_csr(v, path, &parts, r->l->err);
    if (!status && parts.rows != rows)
        status = cru_fail(r->l->err, CRU_BAD_INPUT, "%s: has %lld rows, expected %lld", path, (long long)parts.rows,
                          (long long)rows);
    return status ? status : matrix_csr(&parts, cru_arena_pool(r->arena), out, r->l->err);
}

static cru_status read_test_index(reading *r)
{
    const char *path;
    blob file;
    cru_status status = source_need(r->l->source, "test-index", &path, r->l->err);
    if (!status) status = blob_read(r->arena, path, &file, r->l->err);
    if (status) return status;
    cursor c = {(const char *)file.bytes, (const char *)file.bytes + file.size, path, 1};
    r->test = cru_arena_alloc(r->arena, file.size / 2 + 1, sizeof *r->test);
    while (cursor_more(&c)) {
        int64_t node;
        if (!cursor_whole(&c, &node) || !cursor_at_line_end(&c)) return cursor_fail(&c, "not a node number", r->l->err);
        if (node < r->known || node >= INT32_MAX) /* before it decides how much memory the nodes need */
            return cursor_fail(&c, "not the number of a test node", r->l->err);
        r->test[r->test_count++] = (int32_t)node;
        if (node >= r->nodes) r->nodes = node + 1;
    }
    return CRU_OK;
}

/* The column of the 1 in a one-hot row; -1: there is none. */
static int32_t hot_column(const array *rows, int64_t row)
{
    for (int64_t c = 0; c < rows->shape[1]; c++)
        if (array_real(rows, array_place(rows, row, c)) != 0) return (int32_t)c;
    return CRU_UNLABELLED;
}

static cru_status read_labels(reading *r)
{
    array y, ally, ty;
    cru_status status = parse_array(r, "y", &y);
    if (!status) status = parse_array(r, "ally", &ally);
    if (!status) status = parse_array(r, "ty", &ty);
    if (status) return status;
    r->train = y.shape[0];
    r->known = r->nodes = ally.shape[0];
    status = read_test_index(r);
    if (!status) status = array_expect(&ty, (array_form){2, r->test_count, ally.shape[1]}, r->l->err);
    if (status) return status;
    if (r->nodes > 4 * (r->known + r->test_count) || r->train > r->known)
        return cru_fail(r->l->err, CRU_BAD_INPUT, "%s: %lld labels cannot belong to %lld nodes", r->l->source->name,
                        (long long)(r->known + r->test_count), (long long)r->nodes);
    int32_t *labels = cru_arena_alloc(r->arena, r->nodes, sizeof *labels);
    int32_t gap = r->s->gaps == GAPS_FIRST_CLASS ? 0 : CRU_UNLABELLED;
    for (int64_t i = 0; i < r->nodes; i++) labels[i] = gap;
    for (int64_t i = 0; i < r->known; i++) labels[i] = hot_column(&ally, i);
    for (int64_t i = 0; i < r->test_count; i++) labels[r->test[i]] = hot_column(&ty, i);
    for (int64_t i = 0; i < r->nodes; i++)
        if (labels[i] < 0 && i < r->known) labels[i] = gap; /* all zero: unlabelled in the file */
    return node_store_labels(&r->s->node, (node_label_list){r->l->source->name, labels, r->nodes}, r->l->data,
                             r->l->err);
}

/* allx on top, the rows of tx where test-index says; others stay empty. */
static cru_status read_sparse_features(const reading *r)
{
    cru_csr known, test;
    cru_status status = parse_csr(r, "allx", r->known, &known);
    if (!status) status = parse_csr(r, "tx", r->test_count, &test);
    if (status) return status;
    if (known.cols != test.cols)
        return cru_fail(r->l->err, CRU_BAD_INPUT, "%s: allx has %lld columns, tx %lld", r->l->source->name,
                        (long long)known.cols, (long long)test.cols);
    int64_t count = cru_csr_nnz(&known) + cru_csr_nnz(&test);
    int32_t *row = cru_arena_alloc(r->arena, count, sizeof *row), *col = cru_arena_alloc(r->arena, count, sizeof *col);
    float *values = cru_arena_alloc(r->arena, count, sizeof *values);
    int64_t next = 0;
    const cru_csr *parts[] = {&known, &test};
    for (int p = 0; p < 2; p++)
        for (int64_t i = 0; i < parts[p]->rows; i++)
            for (int64_t e = parts[p]->offsets[i]; e < parts[p]->offsets[i + 1]; e++, next++) {
                row[next] = p ? r->test[i] : (int32_t)i;
                col[next] = parts[p]->ids[e];
                values[next] = parts[p]->values ? parts[p]->values[e] : 1;
            }
    bool ones = !known.values && !test.values;
    cru_coo entries = {r->nodes, known.cols, count, row, col, ones ? NULL : values};
    matrix_sparse_features(cru_csr_from_coo(cru_data_pool(r->l->data), &entries, CRU_DUP_FIRST), r->l->data);
    return CRU_OK;
}

static cru_status read_text_features(const reading *r, const char *path)
{
    text_matrix x;
    cru_status status = text_matrix_read(r->arena, path, r->nodes, &x, r->l->err);
    return status ? status : matrix_store_features(x.numbers, x.cols, r->l->data, r->l->err);
}

static cru_status read_neighbours(const reading *r, const pickle_value *node, const pickle_value *list, edge_list *out)
{
    cru_status status = CRU_OK;
    bool sound = node->kind == PICKLE_INT && node->integer >= 0 && node->integer < r->nodes;
    sound = sound && list->kind == PICKLE_LIST;
    for (int64_t i = 0; sound && i < list->count && !status; i++) {
        const pickle_value *other = list->items[i];
        sound = other->kind == PICKLE_INT && other->integer >= 0 && other->integer < r->nodes;
        if (sound) status = edge_list_add(out, (edge){node->integer, other->integer, 1}, r->l->err);
    }
    if (sound) return status;
    return cru_fail(r->l->err, CRU_BAD_INPUT, "%s: graph: not a list of neighbours in 0..%lld", r->l->source->name,
                    (long long)r->nodes - 1);
}

static cru_status read_graph(const reading *r)
{
    const char *path;
    const pickle_value *dict;
    edge_list list = {0};
    cru_status status = parse(r, "graph", &path, &dict);
    if (!status && !pickle_is(dict, PICKLE_DICT))
        status = cru_fail(r->l->err, CRU_BAD_INPUT, "%s: holds no dictionary", path);
    for (int64_t i = 0; !status && i + 1 < dict->count; i += 2)
        status = read_neighbours(r, dict->items[i], dict->items[i + 1], &list);
    return node_graph_take(status, &r->s->node, &list, r->l->data, r->l->err);
}

static int by_number(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static cru_status store_public_split(const reading *r)
{
    int64_t val = r->s->val < r->known - r->train ? r->s->val : r->known - r->train;
    cru_split *split = node_splits(r->l->data, 1, r->l->err);
    int32_t *ids = split ? cru_data_alloc(r->l->data, r->train + val + r->test_count + 1, sizeof *ids) : NULL;
    if (!ids) return cru_fail(r->l->err, CRU_NO_MEMORY, "%s: no memory for the split", r->l->source->name);
    for (int64_t i = 0; i < r->train + val; i++) ids[i] = (int32_t)i;
    int32_t *test = ids + r->train + val;
    if (r->test_count > 0) memcpy(test, r->test, (size_t)r->test_count * sizeof *test);
    qsort(test, (size_t)r->test_count, sizeof *test, by_number);
    *split = (cru_split){{ids, r->train}, {ids + r->train, val}, {test, r->test_count}};
    return CRU_OK;
}

static cru_status load(const cru_loading *l)
{
    reading r = {.l = l, .s = l->settings, .arena = cru_arena_create()};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    const char *features = source_file(l->source, "features");
    cru_status status = read_labels(&r);
    if (!status) status = features ? read_text_features(&r, features) : read_sparse_features(&r);
    if (!status) status = read_graph(&r);
    if (!status)
        status = mask_files_count(l->source) > 0 ? mask_files_read(l->source, r.arena, l->data, l->err)
                                                 : store_public_split(&r);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "planetoid",
    .version = "1.0",
    .summary = "citation graphs in Planetoid's eight files ind.NAME.*",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
