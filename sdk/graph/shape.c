// SPDX-License-Identifier: Apache-2.0
/* Symmetry, self-loops and degrees. */
#include <math.h>
#include <string.h>

#include <crucible/graph.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/union.h"

static void check_square(const char *what, const cru_csr *g)
{
    cru_assert(g->rows == g->cols, "%s: %lld x %lld is not a graph", what, (long long)g->rows, (long long)g->cols);
}

static double larger(void *user, const csr_union_place *p)
{
    (void)user;
    if (!p->in_a) return p->b;
    if (!p->in_b) return p->a;
    return fmax(p->a, p->b);
}

static double both_directions(void *user, const csr_union_place *p)
{
    (void)user;
    return p->row == p->col ? p->a : (double)p->a + p->b;
}

static void *copy_array(cru_pool pool, const void *from, int64_t count, size_t size)
{
    void *to = cru_pool_alloc(pool, count, size);
    if (count > 0) memcpy(to, from, (size_t)count * size);
    return to;
}

static cru_csr copy(cru_pool pool, const cru_csr *g)
{
    const int64_t nnz = cru_csr_nnz(g);
    return (cru_csr){.rows = g->rows,
                     .cols = g->cols,
                     .offsets = copy_array(pool, g->offsets, g->rows + 1, sizeof *g->offsets),
                     .ids = copy_array(pool, g->ids, nnz, sizeof *g->ids),
                     .values = g->values ? copy_array(pool, g->values, nnz, sizeof *g->values) : NULL};
}

cru_csr cru_graph_symmetrise(cru_pool pool, const cru_csr *g, cru_symmetry rule)
{
    check_square("symmetrise", g);
    static const cru_duplicates merging[] = {CRU_DUP_FIRST, CRU_DUP_MAX, CRU_DUP_SUM};
    const csr_union_rule rules[] = {{NULL, NULL}, {larger, NULL}, {both_directions, NULL}};
    const bool pattern = rule == CRU_SYM_OR || (rule == CRU_SYM_MAX && !g->values);
    const cru_csr kept = pattern ? cru_csr_pattern(g) : *g;
    if (rule != CRU_SYM_SUM && g->offsets && csr_is_strict(g) && csr_is_mirrored(&kept)) return copy(pool, &kept);
    cru_arena *scratch = heap_arena();
    cru_csr merged = cru_csr_merge(cru_arena_pool(scratch), g, merging[rule]);
    cru_csr reverse = cru_csr_transpose(cru_arena_pool(scratch), &merged, NULL);
    cru_csr result = csr_union(pool, &merged, &reverse, pattern ? &rules[CRU_SYM_OR] : &rules[rule]);
    cru_arena_destroy(scratch);
    return result;
}

static bool above_diagonal(void *user, int64_t row, int32_t col, float value)
{
    (void)user;
    (void)value;
    return row < col;
}

cru_csr cru_graph_upper(cru_pool pool, const cru_csr *g)
{
    check_square("upper", g);
    return cru_csr_filter(pool, g, above_diagonal, NULL);
}

bool cru_graph_is_symmetric(const cru_csr *g)
{
    if (g->rows != g->cols) return false;
    if (csr_is_strict(g)) return csr_is_mirrored(g);
    cru_arena *scratch = heap_arena();
    cru_csr merged = cru_csr_merge(cru_arena_pool(scratch), g, CRU_DUP_SUM);
    bool same = csr_is_mirrored(&merged);
    cru_arena_destroy(scratch);
    return same;
}

static double loop_added(void *user, const csr_union_place *p)
{
    (void)user;
    return (double)p->a + p->b;
}

static double loop_filled(void *user, const csr_union_place *p)
{
    (void)user;
    return p->in_a ? p->a : p->b;
}

static double loop_set(void *user, const csr_union_place *p)
{
    (void)user;
    return p->in_b ? p->b : p->a;
}

static bool off_diagonal(void *user, int64_t row, int32_t col, float value)
{
    (void)user, (void)value;
    return row != col;
}

static bool has_loop(const cru_csr *g)
{
    for (int64_t v = 0; v < g->rows; v++)
        if (cru_csr_find(g, v, (int32_t)v) >= 0) return true;
    return false;
}

/* g has strictly ascending rows here. */
static cru_csr change_loops(cru_pool pool, const cru_csr *g, cru_loops rule)
{
    if (rule == CRU_LOOPS_KEEP) return cru_csr_merge(pool, g, CRU_DUP_FIRST);
    if (rule == CRU_LOOPS_REMOVE) return cru_csr_filter(pool, g, off_diagonal, NULL);
    cru_arena *scratch = heap_arena();
    cru_csr identity = csr_diagonal(cru_arena_pool(scratch), NULL, g->rows);
    bool weights = g->values || (rule == CRU_LOOPS_ADD && has_loop(g));
    csr_union_rule how = {NULL, NULL};
    if (weights) how.value = rule == CRU_LOOPS_ADD ? loop_added : rule == CRU_LOOPS_FILL ? loop_filled : loop_set;
    cru_csr result = csr_union(pool, g, &identity, &how);
    cru_arena_destroy(scratch);
    return result;
}

cru_csr cru_graph_loops(cru_pool pool, const cru_csr *g, cru_loops rule)
{
    check_square("loops", g);
    if (csr_is_strict(g)) return change_loops(pool, g, rule);
    cru_arena *scratch = heap_arena();
    cru_csr merged = cru_csr_merge(cru_arena_pool(scratch), g, CRU_DUP_SUM);
    cru_csr result = change_loops(pool, &merged, rule);
    cru_arena_destroy(scratch);
    return result;
}

void cru_graph_in_degrees(const cru_csr *g, int64_t *degree)
{
    for (int64_t v = 0; v < g->rows; v++) degree[v] = g->offsets[v + 1] - g->offsets[v];
}

void cru_graph_out_degrees(const cru_csr *g, int64_t *degree)
{
    memset(degree, 0, (size_t)g->cols * sizeof *degree);
    int64_t nnz = cru_csr_nnz(g);
    for (int64_t e = 0; e < nnz; e++) degree[g->ids[e]]++;
}
