// SPDX-License-Identifier: Apache-2.0
/* Archives of strangers: their bytes come out, and what unpacks them is kept out of this process. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fetch/unpack.h"

enum { BLOCK = 512, MEMBER = 100000 };

static char folder[] = "/tmp/crucible-unpack-XXXXXX";

static unsigned char byte_at(int i)
{
    return (unsigned char)(i * 7 + i / 251);
}

/* A ustar archive with the member data/rows, of which the first `kept` bytes are there. */
static void write_tar(const char *path, long kept)
{
    unsigned char head[BLOCK] = "data/rows", block[BLOCK];
    unsigned sum = 0;
    memcpy(head + 100, "0000644", 8);
    memcpy(head + 108, "0000000", 8);
    memcpy(head + 116, "0000000", 8);
    snprintf((char *)head + 124, 12, "%011o", MEMBER);
    memcpy(head + 136, "00000000000", 12);
    memset(head + 148, ' ', 8);
    head[156] = '0';
    memcpy(head + 257, "ustar", 6);
    memcpy(head + 263, "00", 2);
    for (int i = 0; i < BLOCK; i++) sum += head[i];
    snprintf((char *)head + 148, 8, "%06o", sum);
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(head, 1, BLOCK, out), BLOCK);
    for (int at = 0; at < MEMBER; at += BLOCK) {
        for (int i = 0; i < BLOCK; i++) block[i] = at + i < MEMBER ? byte_at(at + i) : 0;
        ck_assert_uint_eq(fwrite(block, 1, BLOCK, out), BLOCK);
    }
    memset(block, 0, sizeof block);
    for (int i = 0; i < 2; i++) ck_assert_uint_eq(fwrite(block, 1, BLOCK, out), BLOCK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(truncate(path, BLOCK + kept), 0);
}

static bool has_library(const char *name)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, name) != NULL;
    if (maps) fclose(maps);
    return found;
}

static cru_status unpack_rows(const char *tar, char *out, size_t size, cru_error *err)
{
    const card_file file = {.conversion = CARD_AS_IT_IS};
    char hex[SHA256_HEX];
    snprintf(out, size, "%s/rows", folder);
    const unpack_order order = {tar, "data/rows", &file};
    return unpack_file(&order, &(part_goal){.path = out, .url = "x.tar!/data/rows"}, hex, err);
}

START_TEST(a_member_comes_out_of_another_process)
{
    char tar[64], out[64];
    cru_error err = {0};
    snprintf(tar, sizeof tar, "%s/x.tar", folder);
    write_tar(tar, MEMBER + 3 * BLOCK);
    cru_status status = unpack_rows(tar, out, sizeof out, &err);
    if (status == CRU_UNSUPPORTED) {
        printf("skipped: %s\n", err.text);
        return;
    }
    ck_assert_msg(status == CRU_OK, "%s", err.text);
    FILE *in = fopen(out, "rb");
    ck_assert_ptr_nonnull(in);
    for (int i = 0; i < MEMBER; i++) ck_assert_int_eq(fgetc(in), byte_at(i));
    ck_assert_int_eq(fgetc(in), EOF);
    fclose(in);
    ck_assert(!has_library("libarchive"));
}
END_TEST

START_TEST(an_archive_that_is_cut_off_gives_nothing)
{
    char tar[64], out[64];
    cru_error err = {0};
    snprintf(tar, sizeof tar, "%s/x.tar", folder);
    write_tar(tar, MEMBER / 2);
    cru_status status = unpack_rows(tar, out, sizeof out, &err);
    if (status == CRU_UNSUPPORTED) return;
    ck_assert_int_eq(status, CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "x.tar!/data/rows is damaged");
    ck_assert_int_eq(access(out, F_OK), -1);
}
END_TEST

static void make_folder(void)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

Suite *suite(void)
{
    Suite *s = suite_create("unpack");
    TCase *t = tcase_create("archives");
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, a_member_comes_out_of_another_process);
    tcase_add_test(t, an_archive_that_is_cut_off_gives_nothing);
    suite_add_tcase(s, t);
    return s;
}
