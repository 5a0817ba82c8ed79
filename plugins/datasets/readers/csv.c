// SPDX-License-Identifier: Apache-2.0
/* csv: a user's own data as delimited text.
 *
 * - nodes: a table with a header: one row a node (or, without edges, a row to classify). The column `id` names the rows
 *   (absent: they are numbered from 0), `label` holds the class (any text; empty: unlabelled), `split` says train, val
 *   or test, the columns of `ignore` are skipped, and all others are numeric features.
 * - edges: optional; two node ids a line, a third column is a weight. A first line whose ids are both unknown is a
 *   header.
 *
 * csv-table.h has the rules for delimiters and quotes. Errors name file and line. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

#include "csv-table.h"
#include "edge-list.h"
#include "generate.h"
#include "names.h"
#include "source.h"

typedef struct settings {
    const char *id, *label, *split, *ignore;
    int64_t task;
    bool directed;
} settings;

enum { TASK_AUTO, TASK_ANOMALY };
static const char *const tasks[] = {"auto", "anomaly", NULL};

static const cru_param schema[] = {
    CRU_STRING(settings, id, "id", "column that names the rows"),
    CRU_STRING(settings, label, "label", "column of the classes"),
    CRU_STRING(settings, split, "split", "column that says train, val or test; it may be absent"),
    CRU_STRING(settings, ignore, "", "columns that are neither features nor anything else, comma between them"),
    CRU_CHOICE(settings, task, TASK_AUTO, tasks, "auto: classify; anomaly: score class 1 of two classes"),
    CRU_BOOL(settings, directed, false, "keep the direction of the edges: a node aggregates from the first id"),
    CRU_END,
};

typedef struct reading {
    const settings *s;
    csv_table nodes, edges;
    int64_t id, label, split; /* columns of nodes, -1: absent */
    names ids, classes;
    cru_data *data;
    cru_error *err;
} reading;

static cru_status fail_row(const reading *r, const csv_table *t, int64_t row, const char *what, const char *text)
{
    return cru_fail(r->err, CRU_BAD_INPUT, "%s:%lld: '%s' %s", t->path, (long long)t->line[row], text, what);
}

static cru_status read_tables(reading *r, const cru_source *source)
{
    const char *nodes, *edges = source_file(source, "edges");
    cru_status status = source_need(source, "nodes", &nodes, r->err);
    if (!status) status = csv_read(nodes, &r->nodes, r->err);
    if (!status && edges) status = csv_read(edges, &r->edges, r->err);
    if (status) return status;
    if (r->nodes.rows < 2) return cru_fail(r->err, CRU_BAD_INPUT, "%s: needs a header and at least one row", nodes);
    if (r->nodes.rows - 1 > INT32_MAX) return cru_fail(r->err, CRU_BAD_INPUT, "%s: too many rows", nodes);
    if (edges && r->edges.rows > 0 && r->edges.cols != 2 && r->edges.cols != 3)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: needs two columns of ids, or three with weights", edges);
    r->id = csv_column(&r->nodes, r->s->id);
    r->label = csv_column(&r->nodes, r->s->label);
    r->split = csv_column(&r->nodes, r->s->split);
    if (r->label >= 0) return CRU_OK;
    return cru_fail(r->err, CRU_BAD_INPUT,
                    "%s:%lld: there is no column '%s'; name the column of classes with label = ...", nodes,
                    (long long)r->nodes.line[0], r->s->label);
}

/* The distinct texts of a column; empty ones are left out. */
static cru_status column_names(const reading *r, int64_t column, names *out)
{
    int64_t count = 0;
    name_ref *items = malloc((size_t)r->nodes.rows * sizeof *items);
    if (!items) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for names", r->nodes.path);
    for (int64_t row = 1; row < r->nodes.rows; row++) {
        const char *text = csv_field(&r->nodes, row, column);
        if (*text) items[count++] = (name_ref){text, row - 1};
    }
    *out = names_make(items, count);
    return CRU_OK;
}

static cru_status read_ids(reading *r)
{
    if (r->id < 0) return CRU_OK;
    cru_status status = column_names(r, r->id, &r->ids);
    if (status) return status;
    for (int64_t row = 1; row < r->nodes.rows; row++) {
        const char *text = csv_field(&r->nodes, row, r->id);
        if (!*text) return fail_row(r, &r->nodes, row, "is not an id: every row needs one", text);
        if (r->ids.items[names_find(&r->ids, text)].place != row - 1)
            return fail_row(r, &r->nodes, row, "is the id of an earlier row", text);
    }
    return CRU_OK;
}

/* The number of the node that `text` names; -1 when there is none. */
static int64_t node_of(const reading *r, const char *text)
{
    if (r->id >= 0) {
        int64_t found = names_find(&r->ids, text);
        return found < 0 ? -1 : r->ids.items[found].place;
    }
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return end != text && !*end && !errno && number >= 0 && number < r->nodes.rows - 1 ? number : -1;
}

static cru_status read_labels(reading *r)
{
    enum { MOST_CLASSES = 100000 };
    cru_data *data = r->data;
    bool anomaly = r->s->task == TASK_ANOMALY;
    cru_status status = column_names(r, r->label, &r->classes);
    if (status) return status;
    int64_t count = r->classes.count;
    if (count < 1 || count > MOST_CLASSES || (anomaly && count != 2)) {
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: column '%s' holds %lld classes, expected %s", r->nodes.path,
                        r->s->label, (long long)count, anomaly ? "two" : "1 to 100000");
    }
    cru_problem problem = !r->edges.path ? CRU_ROWS : anomaly ? CRU_ANOMALY : CRU_NODES;
    status = generate_begin(data, problem, r->nodes.rows - 1, count, r->err);
    char **text = !status ? cru_data_alloc(data, count, sizeof *text) : NULL;
    if (!text) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for labels", r->nodes.path);
    for (int64_t c = 0; c < count; c++) {
        size_t size = strlen(r->classes.items[c].text) + 1;
        text[c] = cru_data_alloc(data, (int64_t)size, 1);
        if (!text[c]) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for class names", r->nodes.path);
        memcpy(text[c], r->classes.items[c].text, size);
    }
    data->class_names = (const char *const *)text;
    for (int64_t i = 0; i < data->items; i++) {
        const char *name = csv_field(&r->nodes, i + 1, r->label);
        data->truth[i] = *name ? (int32_t)names_find(&r->classes, name) : CRU_UNLABELLED;
    }
    return CRU_OK;
}

static bool is_listed(const char *list, const char *name)
{
    for (size_t size = strlen(name); *list; list += *list == ',') {
        list += strspn(list, " ");
        size_t length = strcspn(list, ","), word = length;
        while (word > 0 && list[word - 1] == ' ') word--;
        if (word == size && strncmp(list, name, size) == 0) return true;
        list += length;
    }
    return false;
}

static cru_status read_column(reading *r, int64_t column, float *x, int64_t stride)
{
    for (int64_t row = 1; row < r->nodes.rows; row++) {
        const char *text = csv_field(&r->nodes, row, column);
        char *end;
        float value = strtof(text, &end);
        if (end == text || *end || !isfinite(value)) {
            return cru_fail(r->err, CRU_BAD_INPUT,
                            "%s:%lld: '%s' in column '%s' is not a number; a column that is no "
                            "feature belongs into ignore = ...",
                            r->nodes.path, (long long)r->nodes.line[row], text, csv_field(&r->nodes, 0, column));
        }
        x[(row - 1) * stride] = value;
    }
    return CRU_OK;
}

static cru_status read_features(reading *r)
{
    int64_t cols = 0;
    int64_t *column = cru_data_alloc(r->data, r->nodes.cols, sizeof *column);
    if (!column) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for features", r->nodes.path);
    for (int64_t c = 0; c < r->nodes.cols; c++)
        if (c != r->id && c != r->label && c != r->split && !is_listed(r->s->ignore, csv_field(&r->nodes, 0, c)))
            column[cols++] = c;
    if (cols == 0) return cru_fail(r->err, CRU_BAD_INPUT, "%s: no column is left for features", r->nodes.path);
    float *x = generate_dense(r->data, cols, r->err);
    cru_status status = x ? CRU_OK : CRU_NO_MEMORY;
    for (int64_t c = 0; c < cols && !status; c++) status = read_column(r, column[c], x + c, cols);
    return status;
}

static cru_status read_edge(reading *r, int64_t row, edge_list *edges)
{
    const char *from = csv_field(&r->edges, row, 0), *to = csv_field(&r->edges, row, 1);
    edge e = {node_of(r, from), node_of(r, to), 1};
    if (row == 0 && e.from < 0 && e.to < 0) return CRU_OK; /* a header */
    if (e.from < 0) return fail_row(r, &r->edges, row, "is not the id of a node", from);
    if (e.to < 0) return fail_row(r, &r->edges, row, "is not the id of a node", to);
    if (r->edges.cols == 3) {
        const char *text = csv_field(&r->edges, row, 2);
        char *end;
        e.weight = strtof(text, &end);
        if (end == text || *end || !isfinite(e.weight)) return fail_row(r, &r->edges, row, "is not a weight", text);
    }
    return edge_list_add(edges, e, r->err);
}

static cru_status read_edges(reading *r)
{
    if (!r->edges.path) return CRU_OK;
    edge_list edges = {0};
    cru_status status = CRU_OK;
    for (int64_t row = 0; row < r->edges.rows && !status; row++) status = read_edge(r, row, &edges);
    if (!status)
        status = edge_list_store(&edges, r->data->nodes, r->s->directed ? EDGE_DIRECTED : EDGE_SYMMETRIC, r->data);
    edge_list_free(&edges);
    return status;
}

static cru_status read_split(reading *r)
{
    static const char *const words[] = {"train", "val", "test"};
    if (r->split < 0) return CRU_OK;
    cru_data *data = r->data;
    int32_t *ids[3];
    int64_t count[3] = {0};
    cru_split *official = cru_data_alloc(data, 1, sizeof *official);
    bool ok = official != NULL;
    for (int p = 0; p < 3; p++) ok = (ids[p] = cru_data_alloc(data, data->items, sizeof *ids[p])) && ok;
    if (!ok) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for the split", r->nodes.path);
    for (int64_t i = 0; i < data->items; i++) {
        const char *word = csv_field(&r->nodes, i + 1, r->split);
        int p = 0;
        while (p < 3 && strcmp(word, words[p]) != 0) p++;
        if (p < 3)
            ids[p][count[p]++] = (int32_t)i;
        else if (*word)
            return fail_row(r, &r->nodes, i + 1, "is none of train, val and test", word);
    }
    *official = (cru_split){{ids[0], count[0]}, {ids[1], count[1]}, {ids[2], count[2]}};
    data->official = official;
    data->official_count = 1;
    return CRU_OK;
}

static cru_status load(const cru_loading *l)
{
    reading r = {.s = l->settings, .data = l->data, .err = l->err};
    cru_status status = read_tables(&r, l->source);
    if (!status) status = read_ids(&r);
    if (!status) status = read_labels(&r);
    if (!status) status = read_features(&r);
    if (!status) status = read_edges(&r);
    if (!status) status = read_split(&r);
    if (!status) generate_end(l->data);
    names_free(&r.ids);
    names_free(&r.classes);
    csv_free(&r.nodes);
    csv_free(&r.edges);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "csv",
    .version = "1.0",
    .summary = "your own data: a table of nodes or rows and, for a graph, a list of edges",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
