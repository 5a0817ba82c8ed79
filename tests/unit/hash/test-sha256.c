// SPDX-License-Identifier: Apache-2.0
/* Checksums against the published vectors of FIPS 180-4. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"

#define EMPTY     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define ABC       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define MILLION_A "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"

START_TEST(bytes_match_the_standard)
{
    char hex[SHA256_HEX];
    sha256_bytes(NULL, 0, hex);
    ck_assert_str_eq(hex, EMPTY);
    sha256_bytes("abc", 3, hex);
    ck_assert_str_eq(hex, ABC);
}
END_TEST

/* Texts of all lengths around the ends of blocks, several at once, against one after the other. */
START_TEST(texts_side_by_side_have_the_checksums_of_each)
{
    char text[SHA256_LANES][300], one[SHA256_HEX], many[SHA256_LANES][SHA256_HEX], (*to[SHA256_LANES])[SHA256_HEX];
    const char *from[SHA256_LANES];
    for (int round = 0; round < 260; round++) {
        const int count = round % SHA256_LANES + 1;
        for (int k = 0; k < count; k++) {
            const int length = (round + 37 * k) % 290;
            for (int i = 0; i < length; i++) text[k][i] = (char)(1 + (i * 7 + round * 13 + k * 31) % 255);
            text[k][length] = 0;
            from[k] = text[k], to[k] = &many[k];
        }
        sha256_texts(from, count, to);
        for (int k = 0; k < count; k++) {
            sha256_bytes(text[k], strlen(text[k]), one);
            ck_assert_str_eq(many[k], one);
        }
    }
}
END_TEST

static void check_file(const char *text, size_t repeats, const char *expected)
{
    char path[] = "/tmp/test-sha256-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *file = fdopen(fd, "wb");
    for (size_t i = 0; i < repeats; i++) fputs(text, file);
    fclose(file);

    char hex[SHA256_HEX];
    cru_error err = {0};
    ck_assert_int_eq(sha256_file(path, hex, &err), CRU_OK);
    ck_assert_str_eq(hex, expected);
    unlink(path);
}

START_TEST(files_match_the_standard_also_when_longer_than_a_buffer)
{
    check_file("", 1, EMPTY);
    check_file("abc", 1, ABC);
    check_file("a", 1000000, MILLION_A);
}
END_TEST

START_TEST(an_unreadable_file_is_an_io_error_that_names_it)
{
    char hex[SHA256_HEX] = "unchanged";
    cru_error err = {0};
    ck_assert_int_eq(sha256_file("/nonexistent/file", hex, &err), CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/file"));
    ck_assert_str_eq(hex, "");

    cru_error folder = {0};
    ck_assert_int_eq(sha256_file("/tmp", hex, &folder), CRU_IO);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("sha256");
    TCase *t = tcase_create("sha256");
    tcase_add_test(t, bytes_match_the_standard);
    tcase_add_test(t, texts_side_by_side_have_the_checksums_of_each);
    tcase_add_test(t, files_match_the_standard_also_when_longer_than_a_buffer);
    tcase_add_test(t, an_unreadable_file_is_an_io_error_that_names_it);
    suite_add_tcase(s, t);
    return s;
}
