/* Interrupted, killed and shared runs end with the same store as an undisturbed one. */
#include "fixture.h"

#include <glob.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "runner/agenda.h"

#define PLUGINS "runner-secret runner-accuracy runner-epochs runner-corruptor good-algorithm fit-fail fit-crash"

static const char *const grid =
    "[experiment]\nname = grid\nmetrics = runner-accuracy\nseeds = 0..3\n[dataset runner-secret]\n"
    "[corruptor runner-corruptor]\n[algorithm runner-epochs]\npeak = 2, 9\n[algorithm good-algorithm]\n"
    "[algorithm fit-fail]\n[algorithm fit-crash]\n[run]\njobs = 2\n";
enum { TRIALS = 20, GOOD = 12 };

typedef struct session {
    fixture f;
    char db[128];
    store *store;
    runner *runner;
    agenda agenda;
    int ended;
    int events;        /* calls of next, done and tick so far */
    int fatal;         /* the event at which the process kills itself; 0: never */
    int signal;        /* the result after which SIGINT is sent; 0: never */
    int known, waited; /* trials */
    int other;         /* pipe to another process, which is told when this one waits; -1: none */
} session;

static void event(session *s)
{
    if (++s->events == s->fatal) kill(getpid(), SIGKILL);
}

static runner_next next(void *user, trial *t, char key[SHA256_HEX])
{
    session *s = user;
    event(s);
    return agenda_next(&s->agenda, t, key);
}

static void done(void *user, const runner_result *result)
{
    session *s = user;
    (void)result;
    event(s);
    if (++s->ended == s->signal) kill(getpid(), SIGINT);
}

static void known(void *user, const char *key)
{
    (void)key;
    ((session *)user)->known++;
}

static void waiting(void *user, int64_t count)
{
    session *s = user;
    s->waited += (int)count;
    if (s->other >= 0 && write(s->other, "", 1) != 1) abort();
}

static void begin(session *s, agenda_again again)
{
    cru_error err = {0};
    s->ended = s->events = s->known = s->waited = 0;
    ck_assert_msg(store_open(s->db, &(store_options){.batch_trials = 3}, &s->store, &err) == CRU_OK, "%s", err.text);
    runner_options options = {.experiment = s->f.experiment, .plugins = s->f.plugins, .store = s->store};
    ck_assert_msg(runner_open(&options, &s->runner, &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(agenda_open(s->runner, s->store, again, &s->agenda, &err) == CRU_OK, "%s", err.text);
}

static cru_status go_on(session *s, runner_summary *summary, cru_error *err)
{
    runner_source source = {.next = next, .done = done, .known = known, .waiting = waiting, .user = s};
    return runner_run(s->runner, &source, summary, err);
}

static void end(session *s)
{
    cru_error err = {0};
    runner_close(s->runner);
    agenda_close(&s->agenda);
    ck_assert_msg(store_close(s->store, &err) == CRU_OK, "%s", err.text);
}

/* Opens everything, runs, closes. */
static runner_summary run(session *s, agenda_again again)
{
    cru_error err = {0};
    runner_summary summary;
    begin(s, again);
    ck_assert_msg(go_on(s, &summary, &err) == CRU_OK, "%s", err.text);
    end(s);
    return summary;
}

static void session_open(session *s)
{
    *s = (session){.other = -1};
    fixture_open(&s->f, PLUGINS, grid);
    snprintf(s->db, sizeof s->db, "%s/results.db", s->f.folder);
}

/* ---- what a store holds ---------------------------------------------------------------------------------- */

typedef struct contents {
    char keys[TRIALS][SHA256_HEX];
    store_outcome outcomes[TRIALS];
    char messages[TRIALS][100]; /* the first line */
    int64_t best_epochs[TRIALS];
    double numbers[TRIALS][8];
    int number_counts[TRIALS];
    int count;
} contents;

static bool take_trial(void *user, const store_trial_view *view)
{
    contents *c = user;
    int i = c->count++;
    ck_assert_int_lt(i, TRIALS);
    snprintf(c->keys[i], SHA256_HEX, "%s", view->key);
    c->outcomes[i] = view->outcome;
    c->best_epochs[i] = view->best_epoch;
    snprintf(c->messages[i], sizeof c->messages[i], "%.*s", (int)strcspn(view->message ? view->message : "", "\n"),
             view->message ? view->message : "");
    return true;
}

static bool take_number(void *user, int64_t index, const store_number *number)
{
    contents *c = user;
    ck_assert_int_lt(c->number_counts[index], 8);
    c->numbers[index][c->number_counts[index]++] = number->value;
    return true;
}

static void read_store(const session *s, contents *c)
{
    cru_error err = {0};
    store *db;
    int64_t id;
    memset(c, 0, sizeof *c);
    ck_assert_int_eq(store_open(s->db, NULL, &db, &err), CRU_OK);
    ck_assert_int_eq(store_find_experiment(db, "grid", &id, &err), CRU_OK);
    ck_assert_int_eq(store_each_trial(db, id, take_trial, c, &err), CRU_OK);
    ck_assert_int_eq(store_each_number(db, id, take_number, c, &err), CRU_OK);
    ck_assert_int_eq(store_close(db, &err), CRU_OK);
}

/* An undisturbed run, in a store of its own. */
static void expected_contents(contents *c)
{
    session s;
    session_open(&s);
    runner_summary summary = run(&s, AGENDA_MISSING);
    ck_assert_int_eq(summary.ended[STORE_OK], GOOD);
    read_store(&s, c);
    ck_assert_int_eq(c->count, TRIALS);
    fixture_close(&s.f);
}

static void expect_same(const session *s, const contents *expected)
{
    contents found;
    read_store(s, &found);
    ck_assert_int_eq(found.count, expected->count);
    for (int i = 0; i < found.count; i++) {
        ck_assert_str_eq(found.keys[i], expected->keys[i]);
        ck_assert_msg(found.outcomes[i] == expected->outcomes[i], "trial %d: outcome %d (%s), not %d", i,
                      (int)found.outcomes[i], found.messages[i], (int)expected->outcomes[i]);
        ck_assert_str_eq(found.messages[i], expected->messages[i]);
        ck_assert_int_eq(found.best_epochs[i], expected->best_epochs[i]);
        ck_assert_int_eq(found.number_counts[i], expected->number_counts[i]);
    }
    ck_assert_mem_eq(found.numbers, expected->numbers, sizeof found.numbers);
}

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

/* The host kills itself at each of many points; whatever it leaves behind, the next run completes it. Orphans would
 * become children of this process, and waiting for them would never end if one lived on. */
START_TEST(a_killed_run_goes_on_where_it_stopped)
{
    session s;
    contents expected;
    expected_contents(&expected);
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    session_open(&s);
    int kills = 0;
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        int status;
        if (child == 0) {
            s.fatal = 1 + 7 * i % 23;
            run(&s, AGENDA_MISSING);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        kills += WIFSIGNALED(status);
        while (waitpid(-1, NULL, 0) > 0) continue;
    }
    ck_assert_int_ge(kills, 5);
    s.fatal = 0;
    runner_summary last = run(&s, AGENDA_MISSING);
    ck_assert_int_eq(last.elsewhere, 0);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

START_TEST(two_processes_share_the_work)
{
    session s;
    contents expected;
    expected_contents(&expected);
    session_open(&s);
    pid_t children[2];
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            run(&s, AGENDA_MISSING);
            _exit(s.ended);
        }
    }
    int total = 0, status;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert(WIFEXITED(status));
        total += WEXITSTATUS(status);
    }
    ck_assert_int_eq(total, TRIALS);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

/* ---- a trial of another process -------------------------------------------------------------------------- */

/* Claims the first trial, says so, and waits to be told that it is waited for. Then it stores a result, or dies. */
static _Noreturn void hold(const session *s, const int pipes[2][2], bool finish)
{
    char byte;
    bool won;
    store *db;
    store_result result = {.outcome = STORE_OK, .seconds_total = 1};
    if (store_open(s->db, NULL, &db, NULL) != CRU_OK) _exit(1);
    if (store_claim(db, s->agenda.keys[0], &won, NULL) != CRU_OK || !won) _exit(2);
    if (write(pipes[0][1], "", 1) != 1 || read(pipes[1][0], &byte, 1) != 1) _exit(3);
    if (finish && store_finish(db, s->agenda.keys[0], &result, NULL) != CRU_OK) _exit(4);
    _exit(0);
}

START_TEST(a_trial_of_another_process_is_waited_for)
{
    bool finish = _i;
    session s;
    cru_error err = {0};
    runner_summary summary;
    int pipes[2][2], status;
    char byte;
    session_open(&s);
    begin(&s, AGENDA_MISSING);
    ck_assert(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    pid_t child = fork();
    if (child == 0) hold(&s, (const int(*)[2])pipes, finish);
    ck_assert_int_eq(read(pipes[0][0], &byte, 1), 1);
    s.other = pipes[1][1];
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
    tcase_add_test(t, a_killed_run_goes_on_where_it_stopped);
    tcase_add_test(t, two_processes_share_the_work);
    tcase_add_loop_test(t, a_trial_of_another_process_is_waited_for, 0, 2);
    tcase_add_test(t, the_scratch_folder_of_a_killed_run_is_removed_by_the_next);
    tcase_add_test(t, a_run_goes_on_after_the_disk_was_full);
    suite_add_tcase(s, t);
    return s;
}
