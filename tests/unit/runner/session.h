// SPDX-License-Identifier: Apache-2.0
/* A run with a store that is killed, interrupted or shared, and what the store holds afterwards. */
#ifndef TESTS_RUNNER_SESSION_H
#define TESTS_RUNNER_SESSION_H

#include <signal.h>
#include <sys/wait.h>

#include "fixture.h"
#include "host/agenda.h"

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

static inline void event(session *s)
{
    if (++s->events == s->fatal) kill(getpid(), SIGKILL);
}

static inline runner_next next(void *user, trial *t, char key[SHA256_HEX])
{
    session *s = user;
    event(s);
    return agenda_next(&s->agenda, t, key);
}

static inline void done(void *user, const runner_result *result)
{
    session *s = user;
    (void)result;
    event(s);
    if (++s->ended == s->signal) kill(getpid(), SIGINT);
}

static inline void known(void *user, const char *key)
{
    (void)key;
    ((session *)user)->known++;
}

static inline void waiting(void *user, int64_t count)
{
    session *s = user;
    s->waited += (int)count;
    if (s->other >= 0 && write(s->other, "", 1) != 1) abort();
}

static inline void begin(session *s, agenda_again again)
{
    cru_error err = {0};
    s->ended = s->events = s->known = s->waited = 0;
    ck_assert_msg(store_open(s->db, &(store_options){.batch_trials = 3}, &s->store, &err) == CRU_OK, "%s", err.text);
    runner_options options = {.experiment = s->f.experiment, .plugins = s->f.plugins, .store = s->store};
    ck_assert_msg(runner_open(&options, &s->runner, &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(agenda_open(s->runner, s->store, again, &s->agenda, &err) == CRU_OK, "%s", err.text);
}

static inline cru_status go_on(session *s, runner_summary *summary, cru_error *err)
{
    runner_source source = {.next = next, .done = done, .known = known, .waiting = waiting, .user = s};
    return runner_run(s->runner, &source, summary, err);
}

static inline void end(session *s)
{
    cru_error err = {0};
    runner_close(s->runner);
    agenda_close(&s->agenda);
    ck_assert_msg(store_close(s->store, &err) == CRU_OK, "%s", err.text);
}

/* Opens everything, runs, closes. */
static inline runner_summary run(session *s, agenda_again again)
{
    cru_error err = {0};
    runner_summary summary;
    begin(s, again);
    ck_assert_msg(go_on(s, &summary, &err) == CRU_OK, "%s", err.text);
    end(s);
    return summary;
}

static inline void session_open(session *s)
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

static inline bool take_trial(void *user, const store_trial_view *view)
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

static inline bool take_number(void *user, int64_t index, const store_number *number)
{
    contents *c = user;
    ck_assert_int_lt(c->number_counts[index], 8);
    c->numbers[index][c->number_counts[index]++] = number->value;
    return true;
}

static inline void read_store(const session *s, contents *c)
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
static inline void expected_contents(contents *c)
{
    session s;
    session_open(&s);
    runner_summary summary = run(&s, AGENDA_MISSING);
    ck_assert_int_eq(summary.ended[STORE_OK], GOOD);
    read_store(&s, c);
    ck_assert_int_eq(c->count, TRIALS);
    fixture_close(&s.f);
}

static inline void expect_same(const session *s, const contents *expected)
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

#endif
