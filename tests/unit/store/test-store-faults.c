// SPDX-License-Identifier: Apache-2.0
/* Files that are not ours, disks that are full. */
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/resource.h>

#include "store/fixture.h"

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void run_sql(const char *sql)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void refuse(cru_status status, const char *reason)
{
    store *s;
    ck_assert_int_eq(store_open(path, NULL, &s, &err), status);
    ck_assert_ptr_null(s);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    ck_assert_msg(strstr(err.text, reason) != NULL, "%s", err.text);
}

START_TEST(a_file_that_is_no_database_is_refused_and_left_alone)
{
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    write_file(text);
    refuse(CRU_BAD_INPUT, "not a result store");
    FILE *file = fopen(path, "r");
    ck_assert_int_eq(fgetc(file), 'x');
    fclose(file);
}
END_TEST

START_TEST(a_database_of_another_program_is_refused)
{
    run_sql("CREATE TABLE trial(id)");
    refuse(CRU_BAD_INPUT, "not a result store");
}
END_TEST

START_TEST(a_newer_layout_is_refused_with_both_numbers)
{
    ok(store_close(open_store(NULL), &err));
    run_sql("PRAGMA user_version = 99");
    refuse(CRU_BAD_INPUT, "layout 99");
}
END_TEST

static bool is_plain(void *user, const store_trial_view *view)
{
    ck_assert_int_eq(view->tried, 0);
    ck_assert_double_nan(view->seconds_construct);
    ck_assert_double_nan(view->seconds_train);
    ++*(int *)user;
    return true;
}

/* Layout 1 knew no searches, and older files no parts of the time. Either can be read as it is, and is renewed by the
 * first who may write. */
START_TEST(an_older_layout_is_read_and_renewed)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "a");
    ok(store_close(s, &err));
    run_sql("DROP TABLE spent");
    if (_i == 1) run_sql("ALTER TABLE member DROP COLUMN tried; PRAGMA user_version = 1");
    for (int writing = 0; writing < 2; writing++) {
        int seen = 0;
        s = open_store(&(store_options){.read_only = !writing});
        ok(store_each_trial(s, id, is_plain, &seen, &err));
        ck_assert_int_eq(seen, 1);
        ok(store_close(s, &err));
    }
    s = open_store(NULL);
    add_trial(s, id, "b");
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_missing_file_is_not_created_for_reading)
{
    store *s;
    ck_assert_int_eq(store_open(path, &(store_options){.read_only = true}, &s, &err), CRU_IO);
    ck_assert_ptr_null(s);
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_folder_that_does_not_exist_is_an_error)
{
    store *s;
    char absent[120];
    snprintf(absent, sizeof absent, "%s/absent/results.db", folder);
    ck_assert_int_eq(store_open(absent, NULL, &s, &err), CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, absent));
}
END_TEST

START_TEST(a_read_only_store_refuses_writes)
{
    ok(store_close(open_store(NULL), &err));
    store *s = open_store(&(store_options){.read_only = true});
    int64_t id;
    ck_assert_int_eq(store_add_experiment(s, &(store_experiment){.name = "e"}, &id, NULL), CRU_IO);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_refused_write_does_not_take_the_batch_with_it)
{
    store *s = open_store(&(store_options){.batch_trials = 100, .batch_ms = 100000});
    int64_t id = add_experiment(s, "e"), counts[STORE_OUTCOMES];
    add_trial(s, id, "a");
    const store_setting twice[] = {{"seed", "1"}, {"seed", "2"}};
    store_trial bad = {.key = "b", .canonical = "", .settings = twice, .setting_count = 2};
    ck_assert_int_eq(store_add_trial(s, id, &bad, NULL), CRU_BAD_INPUT);
    bool won;
    ck_assert_int_eq(store_claim(s, "nobody", &won, NULL), CRU_BAD_INPUT);
    ck_assert_int_eq(store_finish(s, "nobody", &(store_result){.outcome = STORE_OK}, NULL), CRU_BAD_INPUT);
    add_trial(s, id, "c");
    ok(store_close(s, &err));
    s = open_store(NULL);
    ok(store_count(s, id, counts, &err));
    ck_assert_int_eq(counts[STORE_PENDING], 2);
    ok(store_close(s, &err));
}
END_TEST

/* Adds trials until the disk is full; returns how many the store said it kept. */
static int fill(store *s, int64_t id, cru_status *status)
{
    static char text[4000];
    memset(text, 'x', sizeof text - 1);
    *status = CRU_OK;
    for (int i = 0; i < 10000; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        *status = store_add_trial(s, id, &(store_trial){.key = key, .canonical = text}, &err);
        if (*status) return i;
    }
    return 10000;
}

/* The file-size limit makes the system's writes fail in the middle, as a full disk does. */
START_TEST(a_full_disk_is_an_error_and_what_was_kept_stays)
{
    store *s = open_store(&(store_options){.batch_trials = _i});
    int64_t id = add_experiment(s, "e"), counts[STORE_OUTCOMES];
    ok(store_flush(s, &err));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, tiny;
    getrlimit(RLIMIT_FSIZE, &old);
    tiny = (struct rlimit){.rlim_cur = 400000, .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tiny);
    cru_status status;
    int kept = fill(s, id, &status);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert_int_eq(status, CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    ck_assert_int_gt(kept, 0);
    err = (cru_error){0};
    add_trial(s, id, "after");
    ok(store_close(s, &err));
    s = open_store(NULL);
    ok(store_count(s, id, counts, &err));
    if (_i == 1) {
        ck_assert_int_eq(counts[STORE_PENDING], kept + 1);
    } else {
        ck_assert_int_eq(counts[STORE_PENDING] % _i, 1); /* whole batches, and the one afterwards */
    }
    ok(store_close(s, &err));
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("store-faults");
    TCase *tc = tcase_create("faults");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, a_file_that_is_no_database_is_refused_and_left_alone);
    tcase_add_test(tc, a_database_of_another_program_is_refused);
    tcase_add_loop_test(tc, an_older_layout_is_read_and_renewed, 1, 3);
    tcase_add_test(tc, a_newer_layout_is_refused_with_both_numbers);
    tcase_add_test(tc, a_missing_file_is_not_created_for_reading);
    tcase_add_test(tc, a_folder_that_does_not_exist_is_an_error);
    tcase_add_test(tc, a_read_only_store_refuses_writes);
    tcase_add_test(tc, a_refused_write_does_not_take_the_batch_with_it);
    tcase_add_loop_test(tc, a_full_disk_is_an_error_and_what_was_kept_stays, 1, 2);
    tcase_add_loop_test(tc, a_full_disk_is_an_error_and_what_was_kept_stays, 10, 11);
    suite_add_tcase(suite, tc);
    return suite;
}
