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
    tcase_add_test(c, nnz_is_the_last_offset);
    suite_add_tcase(s, c);
    return s;
}
