// SPDX-License-Identifier: Apache-2.0
/* Who is larger than whom. */
#include <check.h>

#include <crucible/imbalance.h>

/* The number of ids before x in the right order: all with a larger size, and those of its own with lower numbers. */
static int64_t rank_of(const int64_t *size, const int32_t *ids, int64_t count, int32_t x)
{
    int64_t before = 0;
    for (int64_t i = 0; i < count; i++) before += size[ids[i]] > size[x] || (size[ids[i]] == size[x] && ids[i] < x);
    return before;
}

START_TEST(largest_first_with_ties_by_number)
{
    static const int64_t counts[] = {0, 1, 15, 16, 17, 1000};
    int64_t size[2000];
    int32_t ids[1000], given[1000];
    const int64_t count = counts[_i];
    for (int32_t i = 0; i < 2000; i++) size[i] = i * 37 % 11;
    for (int32_t i = 0; i < count; i++) ids[i] = given[i] = 1999 - 2 * (i * 7 % (int32_t)count);
    cru_largest_first(ids, count, size);
    for (int64_t i = 0; i < count; i++) ck_assert_int_eq(rank_of(size, given, count, ids[i]), i);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance");
    TCase *c = tcase_create("imbalance");
    tcase_add_loop_test(c, largest_first_with_ties_by_number, 0, 6);
    suite_add_tcase(s, c);
    return s;
}
