// SPDX-License-Identifier: Apache-2.0
/* Graphs put together: more edges, several graphs as one, several relations as one. */
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/graph.h>
#include <crucible/graph.h>

#include "memory/heap.h"
#include "sparse/draft.h"

/* A list of entries being collected from graphs. */
typedef struct entry_list {
    int32_t *row, *col;
    float *values; /* NULL: all 1 */
    int64_t count;
} entry_list;

static entry_list entry_list_create(int64_t room, bool with_values)
{
    return (entry_list){heap_alloc(room, sizeof(int32_t)), heap_alloc(room, sizeof(int32_t)),
                        with_values ? heap_alloc(room, sizeof(float)) : NULL, 0};
}

static void entry_list_destroy(entry_list *list)
{
    free(list->row);
    free(list->col);
    free(list->values);
}

static void entry_list_add_graph(entry_list *list, const cru_csr *g)
{
    int64_t nnz = cru_csr_nnz(g);
    if (nnz) cru_csr_entry_rows(g, list->row + list->count);
    if (nnz) memcpy(list->col + list->count, g->ids, (size_t)nnz * sizeof *list->col);
    for (int64_t e = 0; list->values && e < nnz; e++) list->values[list->count + e] = csr_value(g, e);
    list->count += nnz;
}

static void entry_list_add_coo(entry_list *list, const cru_coo *c)
{
    if (c->count) memcpy(list->row + list->count, c->row, (size_t)c->count * sizeof *list->row);
    if (c->count) memcpy(list->col + list->count, c->col, (size_t)c->count * sizeof *list->col);
    for (int64_t e = 0; list->values && e < c->count; e++)
        list->values[list->count + e] = c->values ? c->values[e] : 1.0f;
    list->count += c->count;
}

static cru_csr entry_list_matrix(cru_pool pool, const entry_list *list, int64_t n, cru_duplicates rule)
{
    return cru_csr_from_coo(pool, &(cru_coo){n, n, list->count, list->row, list->col, list->values}, rule);
}

cru_csr cru_graph_append(cru_pool pool, const cru_csr *g, const cru_coo *edges, cru_duplicates rule)
{
    cru_assert(edges->rows == edges->cols && edges->rows >= g->rows, "append: %lld x %lld edges to %lld nodes",
               (long long)edges->rows, (long long)edges->cols, (long long)g->rows);
    entry_list all = entry_list_create(cru_csr_nnz(g) + edges->count, g->values || edges->values);
    entry_list_add_graph(&all, g);
    entry_list_add_coo(&all, edges);
    cru_csr result = entry_list_matrix(pool, &all, edges->rows, rule);
    entry_list_destroy(&all);
    return result;
}

cru_csr cru_graph_merge(cru_pool pool, const cru_relation *relations, int64_t count, cru_duplicates rule)
{
    cru_assert(count > 0, "merge: no relations");
    int64_t n = relations[0].graph.rows, room = 0;
    bool weights = false;
    for (int64_t r = 0; r < count; r++) {
        cru_assert(relations[r].graph.rows == n && relations[r].graph.cols == n, "merge: relation %lld has %lld nodes",
                   (long long)r, (long long)relations[r].graph.rows);
        room += cru_csr_nnz(&relations[r].graph);
        weights |= relations[r].graph.values != NULL;
    }
    entry_list all = entry_list_create(room, weights);
    for (int64_t r = 0; r < count; r++) entry_list_add_graph(&all, &relations[r].graph);
    cru_csr result = entry_list_matrix(pool, &all, n, rule);
    entry_list_destroy(&all);
    return result;
}

/* Rows first .. first+rows-1 of `from`, whose columns lie in the same range, become the rows of the draft from row `at`
 * on. Their counts are already in its offsets. */
static void copy_block(const draft *d, int64_t at, const cru_csr *from, int64_t first, int64_t rows)
{
    int64_t out = d->offsets[at];
    for (int64_t e = from->offsets[first]; rows && e < from->offsets[first + rows]; e++, out++) {
        d->ids[out] = (int32_t)(from->ids[e] - first + at);
        if (d->values) d->values[out] = csr_value(from, e);
    }
}

static void count_block(const draft *d, int64_t at, const cru_csr *from, int64_t first, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++) d->offsets[at + i + 1] = from->offsets[first + i + 1] - from->offsets[first + i];
}

cru_csr cru_graph_batch(cru_pool pool, const cru_csr *graphs, int64_t count, int64_t *offsets)
{
    bool weights = false;
    offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        offsets[i + 1] = offsets[i] + graphs[i].rows;
        weights |= graphs[i].values != NULL;
    }
    draft d = draft_begin(pool, offsets[count], offsets[count]);
    for (int64_t i = 0; i < count; i++) count_block(&d, offsets[i], &graphs[i], 0, graphs[i].rows);
    draft_entries(&d, weights);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) copy_block(&d, offsets[i], &graphs[i], 0, graphs[i].rows);
    return draft_done(&d);
}

cru_csr cru_graph_batch_select(cru_pool pool, cru_blocks blocks, cru_ids ids, int64_t *chosen_offsets)
{
    const int64_t *from = blocks.offsets;
    chosen_offsets[0] = 0;
    for (int64_t i = 0; i < ids.count; i++)
        chosen_offsets[i + 1] = chosen_offsets[i] + from[ids.ids[i] + 1] - from[ids.ids[i]];
    int64_t n = chosen_offsets[ids.count];
    draft d = draft_begin(pool, n, n);
    for (int64_t i = 0; i < ids.count; i++)
        count_block(&d, chosen_offsets[i], blocks.graph, from[ids.ids[i]], chosen_offsets[i + 1] - chosen_offsets[i]);
    draft_entries(&d, blocks.graph->values != NULL);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < ids.count; i++)
        copy_block(&d, chosen_offsets[i], blocks.graph, from[ids.ids[i]], chosen_offsets[i + 1] - chosen_offsets[i]);
    return draft_done(&d);
}
