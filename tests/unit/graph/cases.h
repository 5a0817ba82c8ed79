// SPDX-License-Identifier: Apache-2.0
/* cases.h: small random graphs and dense oracles for the tests of the graph toolbox. */
#ifndef TEST_GRAPH_CASES_H
#define TEST_GRAPH_CASES_H

#include <check.h>
#include <math.h>
#include <string.h>

#include <crucible/graph.h>

/* Every test allocates here; a checked fixture makes and destroys it. */
static cru_arena *arena;
static cru_pool pool;

static inline void open_pool(void)
{
    arena = cru_arena_create();
    pool = cru_arena_pool(arena);
}

static inline void close_pool(void)
{
    cru_arena_destroy(arena);
}

static inline uint32_t next_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* Entries with duplicates, self-loops and empty rows; weights are small integers, so that sums are exact. */
static inline cru_coo random_entries(int64_t rows, int64_t cols, int64_t count, bool weighted, uint64_t seed)
{
    if (!rows || !cols) count = 0;
    int32_t *row = cru_pool_alloc(pool, count, sizeof *row), *col = cru_pool_alloc(pool, count, sizeof *col);
    float *values = weighted ? cru_pool_alloc(pool, count, sizeof *values) : NULL;
    for (int64_t e = 0; e < count; e++) {
        row[e] = (int32_t)(next_number(&seed) % (uint64_t)rows);
        col[e] = (int32_t)(next_number(&seed) % (uint64_t)cols);
        if (values) values[e] = (float)(1 + next_number(&seed) % 7);
    }
    return (cru_coo){rows, cols, count, row, col, values};
}

static inline cru_csr random_graph(int64_t n, int64_t edges, bool weighted, uint64_t seed)
{
    cru_coo entries = random_entries(n, n, edges, weighted, seed);
    return cru_csr_from_coo(pool, &entries, CRU_DUP_FIRST);
}

/* An undirected, loop-free graph from pairs. */
static inline cru_csr undirected(int64_t n, const int32_t (*pairs)[2], int64_t count)
{
    int32_t *row = cru_pool_alloc(pool, count, sizeof *row), *col = cru_pool_alloc(pool, count, sizeof *col);
    for (int64_t e = 0; e < count; e++) {
        row[e] = pairs[e][0];
        col[e] = pairs[e][1];
    }
    cru_csr g = cru_csr_from_coo(pool, &(cru_coo){n, n, count, row, col, NULL}, CRU_DUP_FIRST);
    return cru_graph_symmetrise(pool, &g, CRU_SYM_OR);
}

static inline cru_csr random_undirected(int64_t n, int64_t edges, uint64_t seed)
{
    cru_csr g = random_graph(n, edges, false, seed);
    g = cru_graph_loops(pool, &g, CRU_LOOPS_REMOVE);
    return cru_graph_symmetrise(pool, &g, CRU_SYM_OR);
}

/* Element (i, j), duplicates summed. */
static inline double at(const cru_csr *a, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
        if (a->ids[e] == j) sum += a->values ? (double)a->values[e] : 1;
    return sum;
}

static inline bool stored(const cru_csr *a, int64_t i, int64_t j)
{
    for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
        if (a->ids[e] == j) return true;
    return false;
}

/* Well formed, strictly ascending. */
static inline void check_form(const cru_csr *a)
{
    cru_error err = {0};
    ck_assert_msg(cru_csr_check(a, "matrix", &err) == CRU_OK, "%s", err.text);
}

/* The ten-node graph of many fixtures: a triangle, a bridge, a triangle and a cycle with a tail. */
static const int32_t toy_edges[12][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}, {4, 5},
                                         {5, 6}, {4, 6}, {6, 7}, {7, 8}, {3, 8}, {8, 9}};

static inline cru_csr toy_graph(void)
{
    return undirected(10, toy_edges, 12);
}

#endif
