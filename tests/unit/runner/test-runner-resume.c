// SPDX-License-Identifier: Apache-2.0
/* Interrupted and shared runs end with the same store as an undisturbed one. */
#include <glob.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "session.h"

/* ---- tests ----------------------------------------------------------------------------------------------- */

START_TEST(a_second_run_has_nothing_to_do)
{
    session s;
    contents expected;
    expected_contents(&expected);
    session_open(&s);
    run(&s, AGENDA_MISSING);
    expect_same(&s, &expected);
    runner_summary again = run(&s, AGENDA_MISSING);
    ck_assert_int_eq(s.ended, 0);
    ck_assert_int_eq(again.elsewhere, 0);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

START_TEST(failed_trials_or_all_can_be_run_again)
{
    session s;
    contents expected;
    session_open(&s);
    run(&s, AGENDA_MISSING);
    read_store(&s, &expected);
    run(&s, AGENDA_FAILED);
    ck_assert_int_eq(s.ended, TRIALS - GOOD);
    expect_same(&s, &expected);
    run(&s, AGENDA_ALL);
    ck_assert_int_eq(s.ended, TRIALS);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

START_TEST(an_interrupted_run_goes_on_where_it_stopped)
{
    session s;
    contents expected;
    expected_contents(&expected);
    session_open(&s);
    s.signal = 5;
    runner_summary first = run(&s, AGENDA_MISSING);
    ck_assert(first.interrupted);
    int before = s.ended;
    ck_assert_int_ge(before, 5);
    ck_assert_int_lt(before, TRIALS);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* all children are reaped */
    s.signal = 0;
    runner_summary second = run(&s, AGENDA_MISSING);
    ck_assert(!second.interrupted);
    ck_assert_int_eq(s.ended, TRIALS - before);
    ck_assert_int_eq(second.elsewhere, 0);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

static int run_missing(void *user)
{
    session *s = user;
    run(s, AGENDA_MISSING);
    return s->ended;
}

START_TEST(two_processes_share_the_work)
{
    session s;
    contents expected;
    expected_contents(&expected);
    session_open(&s);
    ck_assert_int_eq(ended_in_two_processes(run_missing, &s), TRIALS);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

/* ---- a trial of another process -------------------------------------------------------------------------- */

/* Ends of two pipes: from this process to the other one, and back. */
typedef struct ends {
    int in, out;
} ends;

/* Is told a key, claims that trial, says so, and waits to be told that it is waited for. Then it stores a result, or
 * dies. */
static _Noreturn void hold(const session *s, ends e, bool finish)
{
    char key[SHA256_HEX], byte;
    bool won;
    store *db;
    store_result result = {.outcome = STORE_OK, .seconds_total = 1};
    if (read(e.in, key, sizeof key) != sizeof key) _exit(1);
    if (store_open(s->db, NULL, &db, NULL) != CRU_OK) _exit(2);
    if (store_claim(db, key, &won, NULL) != CRU_OK || !won) _exit(3);
    if (write(e.out, "", 1) != 1 || read(e.in, &byte, 1) != 1) _exit(4);
    if (finish && store_finish(db, key, &result, NULL) != CRU_OK) _exit(5);
    _exit(0);
}

/* Forked before the store is opened: SQLite's files must not be carried into a child that opens them, too. */
static pid_t start_holder(const session *s, bool finish, ends *mine)
{
    int there[2], back[2];
    ck_assert(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(there[1]);
        hold(s, (ends){there[0], back[1]}, finish);
    }
    close(there[0]);
    close(back[1]); /* its death shows as the end of the pipe */
    *mine = (ends){back[0], there[1]};
    return child;
}

START_TEST(a_trial_of_another_process_is_waited_for)
{
    bool finish = _i;
    session s;
    cru_error err = {0};
    runner_summary summary;
    ends other;
    int status;
    char byte;
    session_open(&s);
    pid_t child = start_holder(&s, finish, &other);
    begin(&s, AGENDA_MISSING);
    ck_assert_int_eq(write(other.out, s.agenda.keys[0], SHA256_HEX), SHA256_HEX);
    ck_assert_int_eq(read(other.in, &byte, 1), 1);
    s.other = other.out;
    ck_assert_msg(go_on(&s, &summary, &err) == CRU_OK, "%s", err.text);
    end(&s);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    ck_assert_int_eq(s.waited, 1);
    ck_assert_int_eq(s.known, finish);
    ck_assert_int_eq(summary.elsewhere, finish);
    ck_assert_int_eq(s.ended, TRIALS - finish);
    fixture_close(&s.f);
}
END_TEST

/* ---- what is left behind --------------------------------------------------------------------------------- */

static size_t scratch_folders(const session *s)
{
    char pattern[128];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/crucible-scratch-*", s->f.folder);
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

/* And a run that is still alive keeps its own. */
START_TEST(the_scratch_folder_of_a_killed_run_is_removed_by_the_next)
{
    session s, other;
    int status;
    session_open(&s);
    setenv("TMPDIR", s.f.folder, 1);
    pid_t child = fork();
    if (child == 0) {
        s.fatal = 5;
        run(&s, AGENDA_MISSING);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status));
    ck_assert_uint_eq(scratch_folders(&s), 1);
    begin(&s, AGENDA_MISSING);
    ck_assert_uint_eq(scratch_folders(&s), 1);
    session_open(&other);
    run(&other, AGENDA_MISSING);
    ck_assert_uint_eq(scratch_folders(&s), 1);
    end(&s);
    ck_assert_uint_eq(scratch_folders(&s), 0);
    fixture_close(&other.f);
    fixture_close(&s.f);
}
END_TEST

/* The file-size limit makes the store's writes fail in the middle of the run, as a full disk does. */
START_TEST(a_run_goes_on_after_the_disk_was_full)
{
    session s;
    contents expected;
    cru_error err = {0};
    runner_summary summary;
    struct rlimit old, tight;
    struct stat log;
    char path[160];
    expected_contents(&expected);
    session_open(&s);
    begin(&s, AGENDA_MISSING);
    snprintf(path, sizeof path, "%s-wal", s.db);
    ck_assert_int_eq(stat(path, &log), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    tight = (struct rlimit){.rlim_cur = (rlim_t)log.st_size + 150000, .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
    ck_assert_int_eq(go_on(&s, &summary, &err), CRU_IO);
    ck_assert_msg(strstr(err.text, s.db), "%s", err.text);
    int before = s.ended;
    ck_assert_int_gt(before, 0);
    ck_assert_int_lt(before, TRIALS);
    setrlimit(RLIMIT_FSIZE, &old);
    end(&s);
    run(&s, AGENDA_MISSING);
    ck_assert_int_lt(s.ended, TRIALS); /* what was stored before is not run again */
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("runner-resume");
    TCase *t = tcase_create("store");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_second_run_has_nothing_to_do);
    tcase_add_test(t, failed_trials_or_all_can_be_run_again);
    tcase_add_test(t, an_interrupted_run_goes_on_where_it_stopped);
    tcase_add_test(t, two_processes_share_the_work);
    tcase_add_loop_test(t, a_trial_of_another_process_is_waited_for, 0, 2);
    tcase_add_test(t, the_scratch_folder_of_a_killed_run_is_removed_by_the_next);
    tcase_add_test(t, a_run_goes_on_after_the_disk_was_full);
    suite_add_tcase(s, t);
    return s;
}
