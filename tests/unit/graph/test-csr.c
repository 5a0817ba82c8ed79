// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/csr.h>

#include "graph/cases.h"

static const struct shape {
    int64_t rows, cols, count;
} shapes[] = {{0, 0, 0}, {1, 1, 3}, {3, 0, 0}, {0, 4, 0}, {5, 7, 0}, {5, 7, 30}, {64, 33, 400}, {200, 3, 5000}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* What the entries at (i, j) must become. */
static double expected_value(const cru_coo *c, int64_t i, int64_t j, cru_duplicates rule)
{
    double value = 0;
    bool found = false;
    for (int64_t e = 0; e < c->count; e++) {
        if (c->row[e] != i || c->col[e] != j) continue;
        double v = c->values ? (double)c->values[e] : 1;
        if (!found)
            value = v;
        else if (rule == CRU_DUP_SUM)
            value += v;
        else if (rule == CRU_DUP_MAX)
            value = fmax(value, v);
        found = true;
    }
    return value;
}

static void check_from_coo(const cru_coo *c, cru_duplicates rule)
{
    cru_csr a = cru_csr_from_coo(pool, c, rule);
    check_form(&a);
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) ck_assert_double_eq(at(&a, i, j), expected_value(c, i, j, rule));
}

START_TEST(duplicates_follow_the_rule)
{
    cru_coo c = random_entries(shapes[_i].rows, shapes[_i].cols, shapes[_i].count, true, 7);
    cru_coo ones = c;
    ones.values = NULL;
    for (cru_duplicates rule = CRU_DUP_SUM; rule < CRU_DUP_KEEP; rule++) {
        check_from_coo(&c, rule);
        check_from_coo(&ones, rule);
    }
}
END_TEST

START_TEST(kept_duplicates_stay_in_input_order)
{
    cru_coo c = {2, 3, 5, (int32_t[]){1, 0, 1, 1, 1}, (int32_t[]){2, 1, 0, 2, 2}, (float[]){5, 4, 3, 2, 1}};
    cru_csr a = cru_csr_from_coo(pool, &c, CRU_DUP_KEEP);
    ck_assert_int_eq(a.offsets[1], 1);
    ck_assert_int_eq(a.offsets[2], 5);
    ck_assert_mem_eq(a.ids, ((int32_t[]){1, 0, 2, 2, 2}), 5 * sizeof(int32_t));
    ck_assert_mem_eq(a.values, ((float[]){4, 3, 5, 2, 1}), 5 * sizeof(float));
    cru_csr merged = cru_csr_merge(pool, &a, CRU_DUP_SUM);
    ck_assert_double_eq(at(&merged, 1, 2), 8);
    check_form(&merged);
}
END_TEST

START_TEST(unweighted_without_duplicates_stays_unweighted)
{
    cru_coo c = {2, 2, 2, (int32_t[]){1, 0}, (int32_t[]){0, 1}, NULL};
    ck_assert_ptr_null(cru_csr_from_coo(pool, &c, CRU_DUP_SUM).values);
}
END_TEST

START_TEST(transpose_moves_every_entry)
{
    cru_coo c = random_entries(shapes[_i].rows, shapes[_i].cols, shapes[_i].count, true, 11);
    cru_csr a = cru_csr_from_coo(pool, &c, CRU_DUP_KEEP);
    int64_t *entry = cru_pool_alloc(pool, cru_csr_nnz(&a), sizeof *entry);
    int32_t *row = cru_pool_alloc(pool, cru_csr_nnz(&a), sizeof *row);
    cru_csr_entry_rows(&a, row);
    cru_csr t = cru_csr_transpose(pool, &a, entry);
    ck_assert_int_eq(t.rows, a.cols);
    ck_assert_int_eq(cru_csr_nnz(&t), cru_csr_nnz(&a));
    for (int64_t j = 0; j < t.rows; j++) {
        for (int64_t e = t.offsets[j]; e < t.offsets[j + 1]; e++) {
            ck_assert_int_eq(a.ids[entry[e]], j);
            ck_assert_int_eq(row[entry[e]], t.ids[e]);
            ck_assert_float_eq(a.values[entry[e]], t.values[e]);
        }
    }
}
END_TEST

static cru_csr random_matrix(struct shape s, bool weighted, uint64_t seed)
{
    cru_coo c = random_entries(s.rows, s.cols, s.count, weighted, seed);
    return cru_csr_from_coo(pool, &c, CRU_DUP_FIRST);
}

START_TEST(add_is_the_weighted_sum)
{
    cru_csr a = random_matrix(shapes[_i], true, 1), b = random_matrix(shapes[_i], false, 2);
    cru_csr sum = cru_csr_add(pool, &a, 2, &b, -3);
    check_form(&sum);
    for (int64_t i = 0; i < a.rows; i++) {
        for (int64_t j = 0; j < a.cols; j++) {
            ck_assert_double_eq(at(&sum, i, j), 2 * at(&a, i, j) - 3 * at(&b, i, j));
            ck_assert_int_eq(stored(&sum, i, j), stored(&a, i, j) || stored(&b, i, j));
        }
    }
}
END_TEST

START_TEST(without_removes_the_other_pattern)
{
    cru_csr a = random_matrix(shapes[_i], true, 1), b = random_matrix(shapes[_i], false, 2);
    cru_csr rest = cru_csr_without(pool, &a, &b);
    check_form(&rest);
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t j = 0; j < a.cols; j++) ck_assert_double_eq(at(&rest, i, j), stored(&b, i, j) ? 0 : at(&a, i, j));
}
END_TEST

START_TEST(scale_multiplies_both_sides)
{
    cru_csr a = random_matrix(shapes[6], true, 3);
    double *left = cru_pool_alloc(pool, a.rows, sizeof *left), *right = cru_pool_alloc(pool, a.cols, sizeof *right);
    for (int64_t i = 0; i < a.rows; i++) left[i] = (double)i;
    for (int64_t j = 0; j < a.cols; j++) right[j] = 0.5 * (double)j;
    cru_csr s = cru_csr_scale(pool, &a, left, right), only_right = cru_csr_scale(pool, &a, NULL, right);
    for (int64_t i = 0; i < a.rows; i++) {
        for (int64_t j = 0; j < a.cols; j++) {
            ck_assert_double_eq(at(&s, i, j), left[i] * at(&a, i, j) * right[j]);
            ck_assert_double_eq(at(&only_right, i, j), at(&a, i, j) * right[j]);
        }
    }
}
END_TEST

static double product_at(const cru_csr *a, const cru_csr *b, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < a->cols; k++) sum += at(a, i, k) * at(b, k, j);
    return sum;
}

START_TEST(product_is_the_matrix_product)
{
    static const int64_t sizes[][3] = {{0, 0, 0}, {1, 1, 1}, {5, 0, 3}, {17, 9, 31}, {40, 60, 20}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t n = sizes[s][0], k = sizes[s][1], m = sizes[s][2];
        cru_csr a = random_matrix((struct shape){n, k, 3 * n}, true, s),
                b = random_matrix((struct shape){k, m, 2 * k}, true, s + 9);
        cru_csr c = cru_csr_product(pool, &a, &b), pattern = cru_csr_pattern_product(pool, &a, &b);
        check_form(&c);
        check_form(&pattern);
        ck_assert_ptr_null(pattern.values);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < m; j++) {
                ck_assert_double_eq(at(&c, i, j), product_at(&a, &b, i, j));
                ck_assert_int_eq(stored(&pattern, i, j), product_at(&a, &b, i, j) > 0);
            }
        }
    }
}
END_TEST

START_TEST(top_k_keeps_the_largest_and_the_lower_id_of_equals)
{
    cru_coo c = {2,
                 6,
                 8,
                 (int32_t[]){0, 0, 0, 0, 0, 1, 1, 1},
                 (int32_t[]){0, 1, 2, 3, 4, 0, 1, 5},
                 (float[]){1, 5, -2, 5, 5, -1, -3, 0}};
    cru_csr a = cru_csr_from_coo(pool, &c, CRU_DUP_SUM), top = cru_csr_top_k(pool, &a, 2);
    ck_assert_int_eq(cru_csr_nnz(&top), 4);
    ck_assert_mem_eq(top.ids, ((int32_t[]){1, 3, 0, 5}), 4 * sizeof(int32_t));
    cru_csr all = cru_csr_top_k(pool, &a, 9);
    ck_assert_int_eq(cru_csr_nnz(&all), 8);
}
END_TEST

/* Against counting: those of the row with a smaller key, or with the same key and stored before. */
START_TEST(places_in_a_row_go_by_key)
{
    const cru_csr a = random_matrix(shapes[_i], true, 5);
    const int64_t count = cru_csr_nnz(&a);
    double *key = cru_pool_alloc(pool, count, sizeof *key);
    int32_t *place = cru_pool_alloc(pool, count, sizeof *place), *stored = cru_pool_alloc(pool, count, sizeof *stored);
    for (int64_t e = 0; e < count; e++) key[e] = (double)(e * 7 % 5) - 2;
    cru_csr_row_places(&a, key, place);
    cru_csr_row_places(&a, NULL, stored);
    for (int64_t v = 0; v < a.rows; v++)
        for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++) {
            int32_t before = 0;
            for (int64_t f = a.offsets[v]; f < a.offsets[v + 1]; f++)
                before += key[f] < key[e] || (key[f] == key[e] && f < e);
            ck_assert_int_eq(place[e], before);
            ck_assert_int_eq(stored[e], e - a.offsets[v]);
        }
}
END_TEST

static bool is_even(void *user, int64_t row, int32_t col, float value)
{
    (void)user, (void)value;
    return (row + col) % 2 == 0;
}

START_TEST(filter_and_rows_pick_entries)
{
    cru_csr a = random_matrix(shapes[6], true, 4), even = cru_csr_filter(pool, &a, is_even, NULL);
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t j = 0; j < a.cols; j++) ck_assert_double_eq(at(&even, i, j), (i + j) % 2 ? 0 : at(&a, i, j));
    int32_t ids[] = {5, 0, 5, 63};
    cru_csr rows = cru_csr_rows(pool, &a, ids, 4);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < a.cols; j++) ck_assert_double_eq(at(&rows, i, j), at(&a, ids[i], j));
}
END_TEST

START_TEST(select_keeps_the_marked_entries_in_order)
{
    cru_csr a = random_matrix(shapes[6], true, 6);
    const int64_t nnz = cru_csr_nnz(&a);
    uint8_t *mask = cru_pool_alloc(pool, nnz, sizeof *mask);
    for (int64_t e = 0; e < nnz; e++) mask[e] = (uint8_t)(e % 3 ? 0 : e % 2 + 1);
    cru_csr kept = cru_csr_select(pool, &a, mask);
    int64_t n = 0;
    for (int64_t i = 0; i < a.rows; i++) {
        for (int64_t e = a.offsets[i]; e < a.offsets[i + 1]; e++) {
            if (!mask[e]) continue;
            ck_assert_int_eq(kept.ids[n], a.ids[e]);
            ck_assert_float_eq(kept.values[n++], a.values[e]);
        }
        ck_assert_int_eq(kept.offsets[i + 1], n);
    }
    ck_assert_int_eq(n, (nnz + 2) / 3);
}
END_TEST

START_TEST(sums_find_and_dense_agree_with_a_scan)
{
    cru_csr a = random_matrix(shapes[6], true, 5);
    double *rows = cru_pool_alloc(pool, a.rows, sizeof *rows), *cols = cru_pool_alloc(pool, a.cols, sizeof *cols);
    float *dense = cru_pool_alloc(pool, a.rows * a.cols, sizeof *dense);
    cru_csr_row_sums(&a, rows);
    cru_csr_col_sums(&a, cols);
    cru_csr_to_dense(&a, dense);
    cru_csr back = cru_csr_from_dense(pool, dense, a.rows, a.cols);
    for (int64_t i = 0; i < a.rows; i++) {
        for (int64_t j = 0; j < a.cols; j++) {
            int64_t e = cru_csr_find(&a, i, (int32_t)j);
            ck_assert_int_eq(e >= 0, stored(&a, i, j));
            if (e >= 0) ck_assert_int_eq(a.ids[e], j);
            ck_assert_double_eq(at(&back, i, j), at(&a, i, j));
            rows[i] -= at(&a, i, j);
            cols[j] -= at(&a, i, j);
        }
        ck_assert_double_eq(rows[i], 0);
    }
    for (int64_t j = 0; j < a.cols; j++) ck_assert_double_eq(cols[j], 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("csr");
    TCase *c = tcase_create("csr");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_loop_test(c, duplicates_follow_the_rule, 0, SHAPES);
    tcase_add_test(c, kept_duplicates_stay_in_input_order);
    tcase_add_test(c, unweighted_without_duplicates_stays_unweighted);
    tcase_add_loop_test(c, transpose_moves_every_entry, 0, SHAPES);
    tcase_add_loop_test(c, add_is_the_weighted_sum, 0, SHAPES);
    tcase_add_loop_test(c, without_removes_the_other_pattern, 0, SHAPES);
    tcase_add_test(c, scale_multiplies_both_sides);
    tcase_add_test(c, product_is_the_matrix_product);
    tcase_add_test(c, top_k_keeps_the_largest_and_the_lower_id_of_equals);
    tcase_add_loop_test(c, places_in_a_row_go_by_key, 0, SHAPES);
    tcase_add_test(c, filter_and_rows_pick_entries);
    tcase_add_test(c, select_keeps_the_marked_entries_in_order);
    tcase_add_test(c, sums_find_and_dense_agree_with_a_scan);
    suite_add_tcase(s, c);
    return s;
}
