// SPDX-License-Identifier: Apache-2.0
/* Embeddings from walks: against loops in double, and on a graph of two parts. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <crucible/draft/walk-table.h>
#include <crucible/graph.h>

enum { NODES = 7, COUNT = 3, LENGTH = 6 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* The loss of one list written out; with sign -1 for random nodes. Adds to the gradient. */
static double naive(const cru_walk_table *t, const int32_t *ids, int64_t context, double sign, double *gradient)
{
    const int64_t each = context - 1, firsts = LENGTH - each;
    const double pairs = (double)(COUNT * firsts * each);
    double loss = 0;
    for (int64_t w = 0; w < COUNT; w++)
        for (int64_t i = 0; i < firsts; i++)
            for (int64_t j = i + 1; j <= i + each; j++) {
                const int64_t a = ids[w * LENGTH + i] * t->dim, b = ids[w * LENGTH + j] * t->dim;
                double d = 0;
                for (int64_t k = 0; k < t->dim; k++) d += (double)t->rows[a + k] * (double)t->rows[b + k];
                const double s = sigmoid(sign * d), slope = -sign * s * (1 - s) / (s + 1e-15) / pairs;
                loss -= log(s + 1e-15) / pairs;
                for (int64_t k = 0; k < t->dim; k++) {
                    gradient[a + k] += slope * (double)t->rows[b + k];
                    gradient[b + k] += slope * (double)t->rows[a + k];
                }
            }
    return loss;
}

START_TEST(gradients_are_those_of_loops)
{
    static const int64_t dims[] = {1, 15, 16, 17, 128}, contexts[] = {2, 4, LENGTH};
    const int64_t dim = dims[_i / 3], context = contexts[_i % 3];
    int32_t walked[COUNT * LENGTH], random[COUNT * LENGTH];
    cru_arena *arena = cru_arena_create();
    cru_rng rng = cru_rng_stream(7, "walks", 0);
    cru_walk_table t = cru_walk_table_create(cru_arena_pool(arena), NODES, dim, &rng);
    for (int i = 0; i < COUNT * LENGTH; i++) {
        walked[i] = (int32_t)cru_rng_below(&rng, NODES);
        random[i] = (int32_t)cru_rng_below(&rng, NODES); /* a node may meet itself */
    }
    double *gradient = cru_arena_alloc_zeroed(arena, NODES * dim, sizeof *gradient), loss = 0;
    const cru_walk_batch batch = {walked, random, COUNT, LENGTH, context};
    cru_walk_table_learn(&t, &batch, &loss);
    double expected = naive(&t, walked, context, 1, gradient);
    expected += naive(&t, random, context, -1, gradient);
    ck_assert_double_eq_tol(loss, expected, 1e-4 * fabs(expected));
    for (int64_t k = 0; k < NODES * dim; k++)
        ck_assert_double_eq_tol((double)t.gradient[k], gradient[k], 1e-5 * fmax(1, fabs(gradient[k])));
    cru_arena_destroy(arena);
}
END_TEST

/* Node 6 is in no walk: its row stays, whatever the others do, and the gradient is used up. */
START_TEST(a_step_moves_the_rows_of_its_batch)
{
    static const int32_t walked[] = {0, 1, 2, 3}, random[] = {0, 4, 5, 1};
    float before[NODES * 3];
    cru_arena *arena = cru_arena_create();
    cru_rng rng = cru_rng_stream(7, "walks", 0);
    cru_walk_table t = cru_walk_table_create(cru_arena_pool(arena), NODES, 3, &rng);
    const cru_walk_batch batch = {walked, random, 1, 4, 2};
    for (int k = 0; k < NODES * 3; k++) before[k] = t.rows[k];
    cru_walk_table_learn(&t, &batch, NULL);
    cru_walk_table_step(&t, &batch, 0.1);
    for (int k = 0; k < NODES * 3; k++) {
        ck_assert_int_eq(t.rows[k] != before[k], k / 3 != 6);
        ck_assert_float_eq(t.gradient[k], 0);
        if (k / 3 != 6) ck_assert_float_eq_tol(fabsf(t.rows[k] - before[k]), 0.1f, 1e-3f); /* Adam's first step */
    }
    cru_arena_destroy(arena);
}
END_TEST

/* Two cliques of four: products within a part end above those across. */
START_TEST(neighbours_come_together)
{
    int32_t row[24], col[24];
    int64_t count = 0;
    for (int32_t i = 0; i < 8; i++)
        for (int32_t j = 0; j < 8; j++)
            if (i != j && i / 4 == j / 4) row[count] = i, col[count++] = j;
    ck_assert_int_eq(count, 24);
    cru_arena *arena = cru_arena_create();
    cru_rng rng = cru_rng_stream(3, "walks", 0);
    const cru_coo coo = {.rows = 8, .cols = 8, .count = count, .row = row, .col = col};
    const cru_csr g = cru_csr_from_coo(cru_arena_pool(arena), &coo, CRU_DUP_FIRST);
    cru_walk_table t = cru_walk_table_create(cru_arena_pool(arena), 8, 8, &rng);
    const cru_walk_options options = {.walks = 4, .length = 6, .context = 3, .batch = 3, .epochs = 60, .lr = 0.05};
    cru_walk_table_fit(&t, &g, &options, &rng);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < i; j++) {
            double d = 0;
            for (int k = 0; k < 8; k++) d += (double)t.rows[i * 8 + k] * (double)t.rows[j * 8 + k];
            if (i / 4 == j / 4)
                least = fmin(least, d);
            else
                most = fmax(most, d);
        }
    ck_assert_double_gt(least, most);
    cru_arena_destroy(arena);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("walk table");
    TCase *c = tcase_create("walk table");
    tcase_add_loop_test(c, gradients_are_those_of_loops, 0, 15);
    tcase_add_test(c, a_step_moves_the_rows_of_its_batch);
    tcase_add_test(c, neighbours_come_together);
    suite_add_tcase(s, c);
    return s;
}
