// SPDX-License-Identifier: Apache-2.0
/* From cards to what is to be downloaded, without downloading. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fetch/fetch.h"

static char folder[64], cards[96], files[96], mirror[96];
static data_places places;
static fetch_plan plan;
static cru_error err;

static void set_up(void)
{
    strcpy(folder, "/tmp/crucible-plan-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(cards, sizeof cards, "%s/cards", folder);
    snprintf(files, sizeof files, "%s/files", folder);
    snprintf(mirror, sizeof mirror, "%s/a mirror", folder);
    ck_assert(mkdir(cards, 0777) == 0 && mkdir(files, 0777) == 0 && mkdir(mirror, 0777) == 0);
    unsetenv("CRUCIBLE_MIRROR");
    places = (data_places){.cards = cards, .files = files, .cache = ""};
    plan = (fetch_plan){.places = &places, .mirror = mirror};
    err = (cru_error){0};
}

static void tear_down(void)
{
    char command[128];
    fetch_clear(&plan);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *base, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", base, name);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

/* abc, FIPS 180-2, B.1 */
#define SUM  "[sha256]\nrows = ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
#define HEAD "[dataset]\nname = toy\nformat = csv\n"
#define ROWS "[files]\nrows = rows.csv\n"
#define URL  "[urls]\nrows = https://example.org/rows.csv\n"

static const fetch_dataset *planned(const char *text)
{
    write_file(cards, "toy.ini", text);
    ck_assert_int_eq(fetch_add(&plan, "toy", &err), CRU_OK);
    ck_assert_int_eq(plan.count, 1);
    return &plan.datasets[0];
}

static void has(const char *text, const char *wanted)
{
    ck_assert_msg(text && strstr(text, wanted), "'%s' does not say '%s'", text ? text : "(null)", wanted);
}

/* <base>/toy/rows.csv */
static void put_rows(const char *base, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/toy", base);
    mkdir(path, 0777);
    write_file(path, "rows.csv", text);
}

START_TEST(an_absent_file_comes_from_its_address_into_the_download_folder)
{
    const fetch_dataset *d = planned(HEAD ROWS URL);
    ck_assert_int_eq(d->status, CRU_OK);
    ck_assert_str_eq(d->files[0].sources[0].url, "https://example.org/rows.csv");
    ck_assert_str_eq(d->files[0].name, "toy/rows.csv");
    has(fetch_path(&d->files[0]), "/files/toy/rows.csv");
    ck_assert_ptr_null(d->files[0].sources[0].pack.path);
}
END_TEST

START_TEST(a_mirror_goes_before_the_address_and_before_terms)
{
    put_rows(mirror, "abc");
    const fetch_dataset *d = planned(HEAD "terms = Ask first\n" ROWS URL);
    ck_assert_int_eq(d->status, CRU_OK);
    has(d->files[0].sources[0].url, "file:///");
    has(d->files[0].sources[0].url, "/a%20mirror/toy/rows.csv");
}
END_TEST

START_TEST(what_is_here_is_not_downloaded)
{
    put_rows(files, "abc");
    const fetch_dataset *d = planned(HEAD ROWS URL SUM);
    ck_assert_int_eq(d->status, CRU_OK);
    ck_assert_int_eq(d->files[0].source_count, 0);
}
END_TEST

START_TEST(a_damaged_download_is_downloaded_again)
{
    put_rows(files, "abd");
    const fetch_dataset *d = planned(HEAD ROWS URL SUM);
    ck_assert_int_eq(d->status, CRU_OK);
    ck_assert_str_eq(d->files[0].sources[0].url, "https://example.org/rows.csv");
}
END_TEST

START_TEST(a_damaged_file_of_the_user_is_an_error)
{
    write_file(cards, "rows.csv", "abd");
    const fetch_dataset *d = planned(HEAD ROWS URL SUM);
    ck_assert_int_eq(d->status, CRU_BAD_INPUT);
    has(d->error.text, "remove or replace it");
}
END_TEST

START_TEST(terms_and_unknown_addresses_are_refused_with_what_to_do)
{
    const fetch_dataset *d = planned(HEAD "terms = Ask first\n" ROWS URL);
    ck_assert_int_eq(d->status, CRU_UNSUPPORTED);
    has(d->error.text, "toy: Ask first; then get rows.csv from https://example.org/rows.csv and save it as /");
    fetch_clear(&plan);
    d = planned(HEAD ROWS);
    ck_assert_int_eq(d->status, CRU_UNSUPPORTED);
    has(d->error.text, "get it from its authors and save it as /");
}
END_TEST

START_TEST(a_member_of_a_zip_file_is_taken_apart)
{
    const fetch_dataset *d = planned(HEAD ROWS "[urls]\nrows = https://example.org/d/pack.zip!/deep/rows.csv\n");
    ck_assert_str_eq(d->files[0].sources[0].pack.url, "https://example.org/d/pack.zip");
    ck_assert_str_eq(d->files[0].sources[0].pack.member, "deep/rows.csv");
    has(d->files[0].sources[0].pack.path, "/files/toy/pack.zip.pack");
}
END_TEST

START_TEST(several_addresses_are_lined_up_behind_the_mirror)
{
    put_rows(mirror, "abc");
    const fetch_dataset *d = planned(HEAD ROWS "[urls]\nrows = https://example.org/a, https://example.org/b.zip!/c\n");
    ck_assert_int_eq(d->files[0].source_count, 3);
    has(d->files[0].sources[0].url, "file:///");
    ck_assert_str_eq(d->files[0].sources[1].url, "https://example.org/a");
    ck_assert_str_eq(d->files[0].sources[2].pack.member, "c");
}
END_TEST

START_TEST(either_form_will_do_and_an_address_makes_the_last)
{
    static const char forms[] = HEAD "[files]\nrows = rows.csv, rows-plain.csv\n" URL;
    const fetch_dataset *d = planned(forms);
    has(fetch_path(&d->files[0]), "/files/toy/rows-plain.csv");
    fetch_clear(&plan);
    put_rows(files, "abc");
    d = planned(forms);
    ck_assert_int_eq(d->files[0].source_count, 0);
    has(fetch_path(&d->files[0]), "/files/toy/rows.csv");
}
END_TEST

START_TEST(a_conversion_is_made_from_a_download_of_its_own)
{
    const fetch_dataset *d = planned(HEAD ROWS URL "[convert]\nrows = first 2\n");
    has(d->files[0].sources[0].pack.path, "/files/toy/rows.csv.pack");
    ck_assert_ptr_null(d->files[0].sources[0].pack.member);
}
END_TEST

START_TEST(a_web_page_in_the_download_folder_is_no_dataset)
{
    put_rows(files, "<!doctype HTML><title>Sign in</title>");
    const fetch_dataset *d = planned(HEAD ROWS URL);
    ck_assert_int_eq(d->files[0].source_count, 1);
    has(d->files[0].bad, "/files/toy/rows.csv");
}
END_TEST

START_TEST(a_reason_is_given_instead_of_an_address)
{
    const fetch_dataset *d = planned(HEAD "by-hand = it comes by post\n" ROWS);
    ck_assert_int_eq(d->status, CRU_UNSUPPORTED);
    has(d->error.text, "toy: rows.csv must be got by hand, because it comes by post; save it as /");
}
END_TEST

START_TEST(cards_with_one_folder_share_its_files)
{
    put_rows(files, "abc");
    write_file(cards, "other.ini", "[dataset]\nname = other\nformat = csv\nfolder = toy\n" ROWS URL);
    ck_assert_int_eq(fetch_add(&plan, "other", &err), CRU_OK);
    ck_assert_int_eq(plan.datasets[0].files[0].source_count, 0);
}
END_TEST

START_TEST(a_dataset_is_added_once)
{
    planned(HEAD ROWS URL);
    ck_assert_int_eq(fetch_add(&plan, "toy", &err), CRU_OK);
    ck_assert_int_eq(plan.count, 1);
}
END_TEST

START_TEST(an_unknown_name_is_an_error)
{
    ck_assert_int_eq(fetch_add(&plan, "no-such", &err), CRU_BAD_INPUT);
    has(err.text, "there is no dataset card 'no-such'");
}
END_TEST

START_TEST(an_absolute_file_is_never_downloaded)
{
    const fetch_dataset *d = planned(HEAD "[files]\nrows = /no/such/rows.csv\n" URL);
    ck_assert_int_eq(d->status, CRU_UNSUPPORTED);
    ck_assert_int_eq(d->files[0].source_count, 0);
    has(d->error.text, "save it as /no/such/rows.csv");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("plan");
    TCase *t = tcase_create("plan");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, an_absent_file_comes_from_its_address_into_the_download_folder);
    tcase_add_test(t, a_mirror_goes_before_the_address_and_before_terms);
    tcase_add_test(t, what_is_here_is_not_downloaded);
    tcase_add_test(t, a_damaged_download_is_downloaded_again);
    tcase_add_test(t, a_damaged_file_of_the_user_is_an_error);
    tcase_add_test(t, terms_and_unknown_addresses_are_refused_with_what_to_do);
    tcase_add_test(t, a_member_of_a_zip_file_is_taken_apart);
    tcase_add_test(t, several_addresses_are_lined_up_behind_the_mirror);
    tcase_add_test(t, either_form_will_do_and_an_address_makes_the_last);
    tcase_add_test(t, a_conversion_is_made_from_a_download_of_its_own);
    tcase_add_test(t, a_web_page_in_the_download_folder_is_no_dataset);
    tcase_add_test(t, a_reason_is_given_instead_of_an_address);
    tcase_add_test(t, cards_with_one_folder_share_its_files);
    tcase_add_test(t, a_dataset_is_added_once);
    tcase_add_test(t, an_unknown_name_is_an_error);
    tcase_add_test(t, an_absolute_file_is_never_downloaded);
    suite_add_tcase(s, t);
    return s;
}
