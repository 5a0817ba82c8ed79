// SPDX-License-Identifier: Apache-2.0
/* content-cites: citation graphs as LINQS publishes them (Cora, CiteSeer).
 *
 *   content   "paper <tab> feature ... <tab> class", one line a paper; paper and class are any text
 *   cites     "cited <tab> citing", one line a citation: an edge from the citing to the cited paper. Papers without
 *             content occur in CiteSeer; their citations are left out, as published loaders do.
 *
 * Sen, Namata, Bilgic, Getoor, Gallagher, Eliassi-Rad. Collective Classification in Network Data. AI Magazine 2008. */
#include <math.h>
#include <stdlib.h>

#include <crucible/crucible.h>

#include "csv-table.h"
#include "matrix.h"
#include "names.h"
#include "node-data.h"
#include "source.h"

typedef struct reading {
    const node_only *s;
    csv_table content, cites;
    names papers, classes;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
} reading;

static cru_status fail_row(const reading *r, const csv_table *t, int64_t row, const char *what)
{
    return cru_fail(r->err, CRU_BAD_INPUT, "%s:%lld: %s", t->path, (long long)t->line[row], what);
}

static cru_status column_names(const reading *r, int64_t column, names *out)
{
    name_ref *items = malloc((size_t)r->content.rows * sizeof *items);
    if (!items) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for names", r->content.path);
    for (int64_t row = 0; row < r->content.rows; row++)
        items[row] = (name_ref){csv_field(&r->content, row, column), row};
    *out = names_make(items, r->content.rows);
    return CRU_OK;
}

static cru_status read_tables(reading *r, const cru_source *source)
{
    const char *content, *cites;
    cru_status status = source_need(source, "content", &content, r->err);
    if (!status) status = source_need(source, "cites", &cites, r->err);
    if (!status) status = csv_read(content, &r->content, r->err);
    if (!status) status = csv_read(cites, &r->cites, r->err);
    if (status) return status;
    if (r->content.rows < 1 || r->content.rows > INT32_MAX || r->content.cols < 2)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: expected papers with features and a class", content);
    if (r->cites.rows > 0 && r->cites.cols != 2) return fail_row(r, &r->cites, 0, "expected two papers a line");
    status = column_names(r, 0, &r->papers);
    return status ? status : column_names(r, r->content.cols - 1, &r->classes);
}

static cru_status read_labels(const reading *r)
{
    int32_t *labels = cru_arena_alloc(r->arena, r->content.rows, sizeof *labels);
    for (int64_t row = 0; row < r->content.rows; row++) {
        const char *paper = csv_field(&r->content, row, 0);
        if (r->papers.items[names_find(&r->papers, paper)].place != row)
            return fail_row(r, &r->content, row, "a paper for the second time");
        int64_t class = names_find(&r->classes, csv_field(&r->content, row, r->content.cols - 1));
        labels[row] = (int32_t) class;
    }
    node_label_list list = {r->content.path, labels, r->content.rows};
    return node_store_labels(&r->s->node, list, r->data, r->err);
}

static cru_status read_features(const reading *r)
{
    int64_t cols = r->content.cols - 2;
    float *x = cru_arena_alloc(r->arena, r->content.rows * cols, sizeof *x);
    for (int64_t row = 0; row < r->content.rows; row++)
        for (int64_t c = 0; c < cols; c++) {
            char *end;
            const char *text = csv_field(&r->content, row, c + 1);
            float value = strtof(text, &end);
            if (end == text || *end || !isfinite(value))
                return fail_row(r, &r->content, row, "a feature that is not a number");
            x[row * cols + c] = value;
        }
    return matrix_store_features(x, cols, r->data, r->err);
}

static cru_status read_cites(const reading *r)
{
    edge_list list = {0};
    cru_status status = CRU_OK;
    for (int64_t row = 0; row < r->cites.rows && !status; row++) {
        int64_t cited = names_find(&r->papers, csv_field(&r->cites, row, 0));
        int64_t citing = names_find(&r->papers, csv_field(&r->cites, row, 1));
        if (cited < 0 || citing < 0) continue;
        status = edge_list_add(&list, (edge){r->papers.items[citing].place, r->papers.items[cited].place, 1}, r->err);
    }
    return node_graph_take(status, &r->s->node, &list, r->data, r->err);
}

static cru_status load(const cru_loading *l)
{
    reading r = {.s = l->settings, .arena = cru_arena_create(), .data = l->data, .err = l->err};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    cru_status status = read_tables(&r, l->source);
    if (!status) status = read_labels(&r);
    if (!status) status = read_features(&r);
    if (!status) status = read_cites(&r);
    names_free(&r.papers);
    names_free(&r.classes);
    csv_free(&r.content);
    csv_free(&r.cites);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(node_only, node_only_params),
    .name = "content-cites",
    .version = "1.0",
    .summary = "citation graphs as NAME.content and NAME.cites",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
