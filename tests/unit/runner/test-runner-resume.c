/* Interrupted, killed and shared runs end with the same store as an undisturbed one. */
#include "fixture.h"

#include <signal.h>
#include <sys/prctl.h>
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
    agenda agenda;
    int ended;
    int events; /* calls of next, done and tick so far */
    int fatal;  /* the event at which the process kills itself; 0: never */
    int signal; /* the result after which SIGINT is sent; 0: never */
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

/* Opens everything, runs, closes. */
static runner_summary run(session *s, agenda_again again)
{
    cru_error err = {0};
    store *db;
    runner *r;
    runner_summary summary;
    s->ended = s->events = 0;
    ck_assert_msg(store_open(s->db, &(store_options){.batch_trials = 3}, &db, &err) == CRU_OK, "%s", err.text);
    runner_options options = {.experiment = s->f.experiment, .plugins = s->f.plugins, .store = db};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(agenda_open(r, db, again, &s->agenda, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = next, .done = done, .user = s};
    ck_assert_msg(runner_run(r, &source, &summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
    agenda_close(&s->agenda);
    ck_assert_msg(store_close(db, &err) == CRU_OK, "%s", err.text);
    return summary;
}

static void session_open(session *s)
{
    *s = (session){0};
    fixture_open(&s->f, PLUGINS, grid);
    snprintf(s->db, sizeof s->db, "%s/results.db", s->f.folder);
}

/* ---- what a store holds -------------------------------------------------------------------------------------------
 */

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
    ck_assert_mem_eq(&found, expected, sizeof found);
}

/* ---- tests --------------------------------------------------------------------------------------------------------
 */

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
    suite_add_tcase(s, t);
    return s;
}
