// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <stddef.h>

#include <crucible/sparse.h>

static const struct {
    cru_csr csr;
    const char *message; /* NULL: passes */
} cases[] = {
    {{0}, NULL},
    {{.rows = 0, .cols = 5, .offsets = (const int64_t[]){0}}, NULL},
    {{.rows = 2, .cols = 2, .offsets = (const int64_t[]){0, 0, 0}}, NULL},
    {{3, 3, (const int64_t[]){0, 2, 2, 3}, (const int32_t[]){0, 2, 1}, NULL}, NULL},
    {{.rows = -1, .cols = 2}, "g: -1 x 2 is not a possible shape"},
    {{.rows = 1, .cols = -2}, "g: 1 x -2 is not a possible shape"},
    {{.rows = 0, .cols = (int64_t)1 << 31}, "g: 0 x 2147483648 is not a possible shape"},
    {{.rows = 2, .cols = 2}, "g: 2 rows but no offsets"},
    {{1, 3, (const int64_t[]){1, 1}, NULL, NULL}, "g: offsets start at 1, not at 0"},
    {{2, 3, (const int64_t[]){0, 2, 1}, (const int32_t[]){0, 1}, NULL}, "g: offsets fall from 2 to 1 at row 1"},
    {{1, 3, (const int64_t[]){0, 1}, NULL, NULL}, "g: entries but no ids"},
    {{1, 3, (const int64_t[]){0, 1}, (const int32_t[]){3}, NULL}, "g: row 0 has id 3, outside 0..2"},
    {{1, 3, (const int64_t[]){0, 1}, (const int32_t[]){-1}, NULL}, "g: row 0 has id -1, outside 0..2"},
    {{2, 3, (const int64_t[]){0, 1, 3}, (const int32_t[]){2, 1, 1}, NULL}, "g: row 1 has id 1 after 1, not ascending"},
    {{1, 3, (const int64_t[]){0, 2}, (const int32_t[]){2, 0}, NULL}, "g: row 0 has id 0 after 2, not ascending"},
};

START_TEST(each_rule_has_its_message)
{
    cru_error err = {0};
    cru_status status = cru_csr_check(&cases[_i].csr, "g", &err);
    if (cases[_i].message) {
        ck_assert_int_eq(status, CRU_BAD_INPUT);
        ck_assert_str_eq(err.text, cases[_i].message);
    } else {
        ck_assert_int_eq(status, CRU_OK);
    }
}
END_TEST

/* Long enough for the vector code and its rest; one fault at a time, at every place. */
START_TEST(every_single_fault_of_a_large_matrix_is_found)
{
    enum { ROWS = 7, EACH = 100, NNZ = ROWS * EACH };
    int32_t ids[NNZ];
    int64_t offsets[ROWS + 1] = {0};
    const cru_csr csr = {ROWS, 2 * EACH, offsets, ids, NULL};
    for (int i = 0; i < NNZ; i++) ids[i] = 2 * (i % EACH);
    for (int r = 0; r < ROWS; r++) offsets[r + 1] = offsets[r] + EACH;
    ck_assert_int_eq(cru_csr_check(&csr, "g", NULL), CRU_OK);
    for (int i = 0; i < NNZ; i++) {
        const int32_t right = ids[i], wrong[] = {-1, 2 * EACH, INT32_MIN, i % EACH ? right - 2 : right + 2};
        for (int k = 0; k < 4; k++) {
            ids[i] = wrong[k];
            ck_assert_msg(cru_csr_check(&csr, "g", NULL) == CRU_BAD_INPUT, "entry %d: %d", i, wrong[k]);
        }
        ids[i] = right;
    }
}
END_TEST

/* Empty rows share their offset with the next: a fall between rows counts once. */
START_TEST(empty_rows_do_not_hide_a_fall)
{
    const int32_t falls[] = {5, 1, 0}, rises[] = {5, 0, 1};
    cru_csr csr = {6, 6, (const int64_t[]){0, 0, 1, 1, 1, 3, 3}, falls, NULL};
    ck_assert_int_eq(cru_csr_check(&csr, "g", NULL), CRU_BAD_INPUT);
    csr.ids = rises;
    ck_assert_int_eq(cru_csr_check(&csr, "g", NULL), CRU_OK);
}
END_TEST

START_TEST(nnz_is_the_last_offset)
{
    ck_assert_int_eq(cru_csr_nnz(&cases[0].csr), 0);
    ck_assert_int_eq(cru_csr_nnz(&cases[3].csr), 3);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("csr-check");
    TCase *c = tcase_create("csr");
    tcase_add_loop_test(c, each_rule_has_its_message, 0, sizeof cases / sizeof *cases);
    tcase_add_test(c, every_single_fault_of_a_large_matrix_is_found);
    tcase_add_test(c, empty_rows_do_not_hide_a_fall);
    tcase_add_test(c, nnz_is_the_last_offset);
    suite_add_tcase(s, c);
    return s;
}
