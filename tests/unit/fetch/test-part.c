// SPDX-License-Identifier: Apache-2.0
/* What is left of a download, and when the next one may go on from it. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fetch/part.h"

static char folder[64], final_name[128], part_name[136], from_name[144];
static const char url[] = "https://example.org/abc";
static const char sum_of_abc[] =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; /* FIPS 180-2, B.1 */
static cru_error err;

static void set_up(void)
{
    strcpy(folder, "/tmp/crucible-part-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(final_name, sizeof final_name, "%s/toy/abc", folder);
    snprintf(part_name, sizeof part_name, "%s.part", final_name);
    snprintf(from_name, sizeof from_name, "%s.from", part_name);
    err = (cru_error){0};
}

static void tear_down(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static part_goal goal_with(const char *sha256)
{
    return (part_goal){.path = final_name, .url = url, .sha256 = sha256};
}

/* A download that stopped after `bytes`; `mark` may be NULL. */
static void interrupted(const part_goal *goal, const char *bytes, const char *mark)
{
    part p;
    ck_assert_int_eq(part_open(goal, &p, &err), CRU_OK);
    part_mark(&p, mark);
    ck_assert_int_eq(part_append(&p, bytes, strlen(bytes), &err), CRU_OK);
    part_close(&p);
}

static int64_t size_on_reopening(const part_goal *goal)
{
    part p;
    ck_assert_int_eq(part_open(goal, &p, &err), CRU_OK);
    int64_t size = p.size;
    part_close(&p);
    return size;
}

START_TEST(a_whole_file_appears_under_its_name_only_when_finished)
{
    part_goal goal = goal_with(sum_of_abc);
    part p;
    char hex[SHA256_HEX];
    ck_assert_int_eq(part_open(&goal, &p, &err), CRU_OK);
    ck_assert_int_eq(part_append(&p, "ab", 2, &err), CRU_OK);
    ck_assert_int_eq(part_append(&p, "c", 1, &err), CRU_OK);
    ck_assert(exists(part_name) && !exists(final_name));
    ck_assert_int_eq(part_finish(&p, hex, &err), CRU_OK);
    part_close(&p);
    ck_assert(exists(final_name) && !exists(part_name) && !exists(from_name));
    ck_assert_str_eq(hex, sum_of_abc);
}
END_TEST

START_TEST(bytes_with_a_wrong_checksum_are_thrown_away)
{
    part_goal goal = goal_with(sum_of_abc);
    part p;
    char hex[SHA256_HEX];
    ck_assert_int_eq(part_open(&goal, &p, &err), CRU_OK);
    ck_assert_int_eq(part_append(&p, "abd", 3, &err), CRU_OK);
    ck_assert_int_eq(part_finish(&p, hex, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, sum_of_abc));
    ck_assert_int_eq(p.size, 0);
    part_close(&p);
    ck_assert(!exists(final_name) && !exists(part_name));
}
END_TEST

START_TEST(without_a_known_checksum_any_bytes_will_do)
{
    part_goal goal = goal_with(NULL);
    part p;
    char hex[SHA256_HEX];
    ck_assert_int_eq(part_open(&goal, &p, &err), CRU_OK);
    ck_assert_int_eq(part_append(&p, "abc", 3, &err), CRU_OK);
    ck_assert_int_eq(part_finish(&p, hex, &err), CRU_OK);
    part_close(&p);
    ck_assert_str_eq(hex, sum_of_abc);
    ck_assert(exists(final_name));
}
END_TEST

START_TEST(an_empty_file_can_be_finished)
{
    part_goal goal = goal_with(NULL);
    part p;
    char hex[SHA256_HEX];
    ck_assert_int_eq(part_open(&goal, &p, &err), CRU_OK);
    ck_assert_int_eq(part_finish(&p, hex, &err), CRU_OK);
    part_close(&p);
    ck_assert(exists(final_name));
}
END_TEST

START_TEST(a_known_checksum_lets_any_download_go_on)
{
    part_goal goal = goal_with(sum_of_abc);
    interrupted(&goal, "ab", NULL);
    ck_assert_int_eq(size_on_reopening(&goal), 2);
    goal.url = "https://example.com/elsewhere";
    ck_assert_int_eq(size_on_reopening(&goal), 2);
}
END_TEST

START_TEST(without_checksum_the_mark_of_the_same_address_lets_it_go_on)
{
    part_goal goal = goal_with(NULL);
    part p;
    interrupted(&goal, "ab", "\"v1\"");
    ck_assert_int_eq(part_open(&goal, &p, &err), CRU_OK);
    ck_assert_int_eq(p.size, 2);
    ck_assert_str_eq(p.mark, "\"v1\"");
    part_close(&p);
}
END_TEST

START_TEST(without_checksum_and_mark_it_starts_anew)
{
    part_goal goal = goal_with(NULL);
    interrupted(&goal, "ab", NULL);
    ck_assert_int_eq(size_on_reopening(&goal), 0);
    interrupted(&goal, "ab", "W/\"weak\"");
    ck_assert_int_eq(size_on_reopening(&goal), 0);
    interrupted(&goal, "ab", "\"v1\"");
    goal.url = "https://example.com/elsewhere";
    ck_assert_int_eq(size_on_reopening(&goal), 0);
}
END_TEST

START_TEST(a_torn_note_is_no_mark)
{
    part_goal goal = goal_with(NULL);
    interrupted(&goal, "ab", "\"v1\"");
    ck_assert_int_eq(truncate(from_name, sizeof url + 1), 0);
    ck_assert_int_eq(size_on_reopening(&goal), 0);
}
END_TEST

START_TEST(a_restart_forgets_bytes_and_mark)
{
    part_goal goal = goal_with(sum_of_abc);
    part p;
    char hex[SHA256_HEX];
    interrupted(&goal, "xyz and more", "\"v1\"");
    ck_assert_int_eq(part_open(&goal, &p, &err), CRU_OK);
    ck_assert_int_eq(part_restart(&p, &err), CRU_OK);
    ck_assert_str_eq(p.mark, "");
    ck_assert(!exists(from_name));
    ck_assert_int_eq(part_append(&p, "abc", 3, &err), CRU_OK);
    ck_assert_int_eq(part_finish(&p, hex, &err), CRU_OK);
    part_close(&p);
}
END_TEST

START_TEST(only_one_process_downloads_a_file)
{
    part_goal goal = goal_with(sum_of_abc);
    part first, second;
    ck_assert_int_eq(part_open(&goal, &first, &err), CRU_OK);
    ck_assert_int_eq(part_append(&first, "ab", 2, &err), CRU_OK);
    ck_assert_int_eq(part_open(&goal, &second, &err), CRU_FAILED);
    ck_assert_ptr_nonnull(strstr(err.text, "another process"));
    part_close(&first);
    ck_assert_int_eq(size_on_reopening(&goal), 2);
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_named)
{
    part_goal goal = {.path = "/proc/no/such/place", .url = url};
    part p;
    ck_assert_int_eq(part_open(&goal, &p, &err), CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/proc/no/such/place.part: "));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("part");
    TCase *t = tcase_create("part");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, a_whole_file_appears_under_its_name_only_when_finished);
    tcase_add_test(t, bytes_with_a_wrong_checksum_are_thrown_away);
    tcase_add_test(t, without_a_known_checksum_any_bytes_will_do);
    tcase_add_test(t, an_empty_file_can_be_finished);
    tcase_add_test(t, a_known_checksum_lets_any_download_go_on);
    tcase_add_test(t, without_checksum_the_mark_of_the_same_address_lets_it_go_on);
    tcase_add_test(t, without_checksum_and_mark_it_starts_anew);
    tcase_add_test(t, a_torn_note_is_no_mark);
    tcase_add_test(t, a_restart_forgets_bytes_and_mark);
    tcase_add_test(t, only_one_process_downloads_a_file);
    tcase_add_test(t, a_folder_that_cannot_be_written_is_named);
    suite_add_tcase(s, t);
    return s;
}
