// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"

static cru_arena *arena;
static cru_error err;
static array a;

static void start(void)
{
    arena = cru_arena_create();
    err = (cru_error){0};
}

static void stop(void)
{
    cru_arena_destroy(arena);
}

/* Parses a version 1 file with that header and `size` bytes of numbers. */
static cru_status parse(const char *header, const void *numbers, size_t size)
{
    uint8_t *file = cru_arena_alloc(arena, 10 + (int64_t)strlen(header) + (int64_t)size, 1);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (uint8_t)strlen(header);
    file[9] = 0;
    memcpy(file + 10, header, strlen(header));
    memcpy(file + 10 + strlen(header), numbers, size);
    return npy_parse(&(blob){"a.npy", file, 10 + (int64_t)strlen(header) + (int64_t)size}, &a, &err);
}

static void says(const char *part)
{
    ck_assert_msg(strstr(err.text, part) != NULL, "'%s' does not say '%s'", err.text, part);
}

START_TEST(a_matrix_of_floats)
{
    float numbers[] = {1, 2, 3, 4, 5, 6}, out[6];
    ck_assert_int_eq(parse("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", numbers, sizeof numbers),
                     CRU_OK);
    ck_assert_int_eq(a.dims, 2);
    ck_assert_int_eq(a.shape[0], 2);
    ck_assert_int_eq(a.shape[1], 3);
    ck_assert_int_eq(array_floats(&a, out, &err), CRU_OK);
    ck_assert_mem_eq(out, numbers, sizeof out);
}
END_TEST

START_TEST(a_column_major_matrix_is_read_row_by_row)
{
    double numbers[] = {1, 4, 2, 5, 3, 6};
    float out[6];
    ck_assert_int_eq(parse("{'shape': (2, 3), 'fortran_order': True, 'descr': '<f8'}", numbers, sizeof numbers),
                     CRU_OK);
    ck_assert_int_eq(array_floats(&a, out, &err), CRU_OK);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(out[i], (float)(i + 1));
}
END_TEST

START_TEST(big_endian_and_signed_numbers)
{
    const uint8_t numbers[] = {0xff, 0xfe, 0x01, 0x02};
    int64_t whole = 0;
    ck_assert_int_eq(parse("{'descr': '>i2', 'fortran_order': False, 'shape': (2,)}", numbers, 4), CRU_OK);
    ck_assert_int_eq(array_whole(&a, 0, (array_range){-10, 1000}, &whole, &err), CRU_OK);
    ck_assert_int_eq(whole, -2);
    ck_assert_double_eq(array_real(&a, 1), 258);
    ck_assert_int_eq(array_whole(&a, 1, (array_range){0, 257}, &whole, &err), CRU_BAD_INPUT);
    says("number 1 is 258");
}
END_TEST

START_TEST(only_whole_floats_are_whole_numbers)
{
    double numbers[] = {3, 0.5, 0.0 / 0.0, 1e300};
    int64_t whole = 0;
    ck_assert_int_eq(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", numbers, sizeof numbers), CRU_OK);
    ck_assert_int_eq(array_whole(&a, 0, (array_range){0, 9}, &whole, NULL), CRU_OK);
    ck_assert_int_eq(whole, 3);
    for (int i = 1; i < 4; i++)
        ck_assert_int_eq(array_whole(&a, i, (array_range){0, INT64_MAX}, &whole, NULL), CRU_BAD_INPUT);
    float out[4];
    ck_assert_int_eq(array_floats(&a, out, &err), CRU_BAD_INPUT);
    says("row 2");
}
END_TEST

START_TEST(lying_headers_are_refused)
{
    uint8_t few[8] = {0};
    static const char *const bad[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", /* 12 bytes wanted */
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'shape': (1,), 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)",
        "",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (cru_error){0};
        ck_assert_msg(parse(bad[i], few, sizeof few) == CRU_BAD_INPUT, "accepted: %s", bad[i]);
        says("a.npy: ");
    }
    err = (cru_error){0};
    ck_assert_int_eq(parse("{'descr': '<U8', 'fortran_order': False, 'shape': (1,)}", few, 8), CRU_UNSUPPORTED);
    says("'<U8'");
}
END_TEST

START_TEST(truncation_anywhere_is_noticed)
{
    static const char whole[] = "\x93NUMPY\x02\x00\x40\x00\x00\x00"
                                "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }      \nab";
    int64_t size = sizeof whole - 1;
    ck_assert_int_eq(npy_parse(&(blob){"v2", (const uint8_t *)whole, size}, &a, &err), CRU_OK);
    ck_assert_double_eq(array_real(&a, 1), 'b');
    for (int64_t cut = 0; cut < size; cut++)
        ck_assert_int_ne(npy_parse(&(blob){"v2", (const uint8_t *)whole, cut}, &a, NULL), CRU_OK);
}
END_TEST

/* Versions differ in the width of the header's length and in its encoding. */
START_TEST(versions_1_to_3_are_read)
{
    static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n";
    for (int version = 1; version <= 4; version++) {
        char file[100] = "\x93NUMPY";
        const int start = version == 1 ? 10 : 12;
        file[6] = (char)version;
        file[8] = sizeof header - 1;
        memcpy(file + start, header, sizeof header - 1);
        memcpy(file + start + sizeof header - 1, "ab", 2);
        const blob whole = {"a.npy", (const uint8_t *)file, start + (int64_t)sizeof header + 1};
        ck_assert_int_eq(npy_parse(&whole, &a, &err), version <= 3 ? CRU_OK : CRU_UNSUPPORTED);
        if (version > 3) break;
        ck_assert_int_eq(a.count, 2);
        ck_assert_double_eq(array_real(&a, 1), 'b');
    }
    says("a.npy: npy version 4");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("npy");
    TCase *c = tcase_create("npy");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, a_matrix_of_floats);
    tcase_add_test(c, a_column_major_matrix_is_read_row_by_row);
    tcase_add_test(c, big_endian_and_signed_numbers);
    tcase_add_test(c, only_whole_floats_are_whole_numbers);
    tcase_add_test(c, versions_1_to_3_are_read);
    tcase_add_test(c, lying_headers_are_refused);
    tcase_add_test(c, truncation_anywhere_is_noticed);
    suite_add_tcase(s, c);
    return s;
}
