// SPDX-License-Identifier: Apache-2.0
/* Parts of a graph with nodes numbered anew. */
#include <crucible/draft/blocks.h>
#include <crucible/draft/sampling.h>

#include "graph/cases.h"

enum { NODES = 40, ROWS = 5 };

static const int32_t some_rows[ROWS] = {17, 3, 38, 0, 21};
static const cru_ids rows = {some_rows, ROWS};
static int32_t place[NODES];

static cru_csr weighted_graph(void)
{
    return random_graph(NODES, 400, true, 5);
}

static double sum_of(const cru_csr *a, int64_t row)
{
    double sum = 0;
    for (int64_t e = a->offsets[row]; e < a->offsets[row + 1]; e++) sum += a->values ? (double)a->values[e] : 1;
    return sum;
}

static void check_numbering(const cru_block *b)
{
    for (int64_t i = 1; i < b->nodes.count; i++) ck_assert_int_gt(b->nodes.ids[i], b->nodes.ids[i - 1]);
    for (int64_t i = 0; i < ROWS; i++) ck_assert_int_eq(b->nodes.ids[b->own[i]], some_rows[i]);
    for (int64_t v = 0; v < NODES; v++) ck_assert_int_eq(place[v], 0);
}

START_TEST(a_block_of_all_entries_is_those_rows)
{
    const cru_csr g = weighted_graph(), all = cru_block_entries(pool, &g, rows, NULL);
    const cru_block b = cru_block_of(pool, &g, rows, &all, place);
    check_numbering(&b);
    ck_assert_int_eq(b.adj.cols, b.nodes.count);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t from = g.offsets[some_rows[i]], count = g.offsets[some_rows[i] + 1] - from;
        ck_assert_int_eq(b.adj.offsets[i + 1] - b.adj.offsets[i], count);
        for (int64_t k = 0; k < count; k++) {
            ck_assert_int_eq(b.nodes.ids[b.adj.ids[b.adj.offsets[i] + k]], g.ids[from + k]);
            ck_assert_float_eq(b.adj.values[b.adj.offsets[i] + k], g.values[from + k]);
        }
    }
}
END_TEST

START_TEST(a_row_with_entries_left_out_keeps_its_sum)
{
    const cru_csr g = weighted_graph();
    cru_rng rng = cru_rng_stream(4, "test", 0);
    const cru_csr drawn = cru_sample_neighbours(pool, &g, rows, 3, &rng);
    const cru_block b = cru_block_of(pool, &g, rows, &drawn, place);
    check_numbering(&b);
    for (int64_t i = 0; i < ROWS; i++) {
        ck_assert_double_eq_tol(sum_of(&b.adj, i), sum_of(&g, some_rows[i]), 1e-4);
        for (int64_t e = b.adj.offsets[i] + 1; e < b.adj.offsets[i + 1]; e++) /* shares stay as they were */
            ck_assert_float_eq_tol(b.adj.values[e] * drawn.values[e - 1], b.adj.values[e - 1] * drawn.values[e], 1e-3f);
    }
}
END_TEST

START_TEST(a_pattern_of_which_some_is_left_out_is_weighted)
{
    const cru_csr g = undirected(4, (const int32_t[][2]){{0, 1}, {0, 2}, {0, 3}}, 3);
    cru_rng rng = cru_rng_stream(4, "test", 0);
    const cru_ids two = {(const int32_t[]){0, 1}, 2};
    const cru_csr drawn = cru_sample_neighbours(pool, &g, two, 2, &rng);
    const cru_block b = cru_block_of(pool, &g, two, &drawn, place);
    ck_assert_ptr_null(drawn.values);
    ck_assert_float_eq(b.adj.values[0], 1.5f);
    ck_assert_float_eq(b.adj.values[1], 1.5f);
    ck_assert_float_eq(b.adj.values[2], 1);
}
END_TEST

START_TEST(rows_without_entries_are_their_own_columns)
{
    const cru_csr g = undirected(3, (const int32_t[][2]){{0, 1}}, 1);
    const cru_ids alone = {(const int32_t[]){2}, 1};
    const cru_csr drawn = cru_block_entries(pool, &g, alone, NULL);
    const cru_block b = cru_block_of(pool, &g, alone, &drawn, place);
    ck_assert_int_eq(b.nodes.count, 1);
    ck_assert_int_eq(b.nodes.ids[0], 2);
    ck_assert_int_eq(b.adj.offsets[1], 0);
}
END_TEST

START_TEST(entries_inside_a_set_leave_the_others_out)
{
    const cru_csr g = weighted_graph();
    int32_t inside[NODES] = {0};
    for (int v = 0; v < NODES; v += 2) inside[v] = 1;
    const cru_csr some = cru_block_entries(pool, &g, rows, inside);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t at = some.offsets[i];
        for (int64_t e = g.offsets[some_rows[i]]; e < g.offsets[some_rows[i] + 1]; e++) {
            if (g.ids[e] % 2) continue;
            ck_assert_int_eq(some.ids[at], g.ids[e]);
            ck_assert_float_eq(some.values[at++], g.values[e]);
        }
        ck_assert_int_eq(at, some.offsets[i + 1]);
    }
}
END_TEST

/* Node 0 reads 1 with weight 3 and 2 with weight 1: shares of the squares are 0.9 and 0.1. One is drawn. */
START_TEST(a_layer_draws_nodes_by_the_squares_of_what_is_read)
{
    enum { DRAWS = 4000 };
    const cru_coo entries = {3, 3, 2, (const int32_t[]){0, 0}, (const int32_t[]){1, 2}, (const float[]){3, 1}};
    const cru_csr g = cru_csr_from_coo(pool, &entries, CRU_DUP_FIRST);
    const cru_ids one = {(const int32_t[]){0}, 1};
    cru_rng rng = cru_rng_stream(6, "test", 0);
    double mean = 0;
    int64_t heavy = 0;
    for (int i = 0; i < DRAWS; i++) {
        const cru_csr drawn = cru_sample_layer(pool, &g, one, 1, &rng);
        ck_assert_int_eq(cru_csr_nnz(&drawn), 1);
        ck_assert_float_eq_tol(drawn.values[0], drawn.ids[0] == 1 ? 3 / 0.9f : 1 / 0.1f, 1e-4f);
        heavy += drawn.ids[0] == 1;
        mean += (double)drawn.values[0] / DRAWS;
    }
    ck_assert_double_eq_tol((double)heavy / DRAWS, 0.9, 5 * sqrt(0.9 * 0.1 / DRAWS));
    ck_assert_double_eq_tol(mean, 4, 5 * 2 / sqrt(DRAWS)); /* sum of the row; the deviation of a draw is 2 */
}
END_TEST

START_TEST(a_layer_with_room_for_all_is_everything)
{
    const cru_csr g = weighted_graph(), all = cru_block_entries(pool, &g, rows, NULL);
    cru_rng rng = cru_rng_stream(7, "test", 0);
    const cru_csr drawn = cru_sample_layer(pool, &g, rows, NODES, &rng);
    ck_assert_int_eq(cru_csr_nnz(&drawn), cru_csr_nnz(&all));
    ck_assert_mem_eq(drawn.ids, all.ids, (size_t)cru_csr_nnz(&all) * sizeof *all.ids);
    ck_assert_mem_eq(drawn.values, all.values, (size_t)cru_csr_nnz(&all) * sizeof *all.values);
}
END_TEST

START_TEST(a_layer_shares_its_nodes_and_keeps_the_rows_themselves)
{
    cru_csr g = weighted_graph();
    g = cru_graph_loops(pool, &g, CRU_LOOPS_FILL);
    cru_rng rng = cru_rng_stream(8, "test", 0);
    const cru_csr drawn = cru_sample_layer(pool, &g, rows, 4, &rng);
    int32_t seen[NODES] = {0};
    int64_t nodes = 0, own = 0;
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t e = drawn.offsets[i]; e < drawn.offsets[i + 1]; e++) {
            own += drawn.ids[e] == some_rows[i];
            nodes += !seen[drawn.ids[e]]++;
        }
    ck_assert_int_eq(own, ROWS);
    ck_assert_int_le(nodes, ROWS + 4);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("blocks");
    TCase *c = tcase_create("blocks");
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_test(c, a_block_of_all_entries_is_those_rows);
    tcase_add_test(c, a_row_with_entries_left_out_keeps_its_sum);
    tcase_add_test(c, a_pattern_of_which_some_is_left_out_is_weighted);
    tcase_add_test(c, rows_without_entries_are_their_own_columns);
    tcase_add_test(c, entries_inside_a_set_leave_the_others_out);
    tcase_add_test(c, a_layer_draws_nodes_by_the_squares_of_what_is_read);
    tcase_add_test(c, a_layer_with_room_for_all_is_everything);
    tcase_add_test(c, a_layer_shares_its_nodes_and_keeps_the_rows_themselves);
    suite_add_tcase(s, c);
    return s;
}
