// SPDX-License-Identifier: Apache-2.0
/* Whole searches: what is run, what is chosen, what a store holds in the end. */
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "runner/fixture.h"
#include "search/tuning.h"

#define PLUGINS  "runner-secret runner-accuracy runner-learner search-contrary search-drawing fit-fail"
#define CONTRARY "[dataset runner-secret]\n[algorithm search-contrary]\n"
#define NAMED    "[experiment]\nname = tune\nmetrics = runner-accuracy\nseeds = 4, 2\n"

enum { MOST = 64 };

typedef struct session {
    fixture f;
    char db[128];
    tuning *tuning;
    int jobs, ended, events;
    int fatal;  /* the event at which the process kills itself; 0: never */
    bool apart; /* no trial has a partner */
    int64_t trainings;
} session;

static void session_open(session *s, const char *ini)
{
    *s = (session){0};
    fixture_open(&s->f, PLUGINS, ini);
    snprintf(s->db, sizeof s->db, "%s/results.db", s->f.folder);
}

static void event(session *s)
{
    if (++s->events == s->fatal) kill(getpid(), SIGKILL);
}

static runner_next next(void *user, trial *t, char key[SHA256_HEX])
{
    session *s = user;
    event(s);
    return tuning_next(s->tuning, t, key);
}

static bool partner(void *user, const trial *t, trial *other, char key[SHA256_HEX])
{
    session *s = user;
    event(s);
    return !s->apart && tuning_partner(s->tuning, t, other, key);
}

static void done(void *user, const runner_result *result)
{
    session *s = user;
    s->ended++;
    event(s);
    tuning_done(s->tuning, result);
}

static void known(void *user, const char *key)
{
    tuning_known(((session *)user)->tuning, key);
}

/* Opens everything, searches, closes. */
static tuning_figures run(session *s, agenda_again again)
{
    cru_error err = {0};
    store *db;
    runner *r;
    runner_summary summary;
    s->ended = s->events = 0;
    ck_assert_msg(store_open(s->db, &(store_options){.batch_trials = 3}, &db, &err) == CRU_OK, "%s", err.text);
    runner_options options = {.experiment = s->f.experiment, .plugins = s->f.plugins, .store = db, .jobs = s->jobs};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    tuning_options wanted = {.runner = r, .store = db, .experiment = s->f.experiment, .again = again};
    ck_assert_msg(tuning_open(&wanted, &s->tuning, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = next, .partner = partner, .done = done, .known = known, .user = s};
    ck_assert_msg(runner_run(r, &source, &summary, &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(tuning_status(s->tuning, &err) == CRU_OK, "%s", err.text);
    tuning_figures figures = *tuning_count(s->tuning);
    s->trainings = summary.trainings;
    runner_close(r);
    tuning_close(s->tuning);
    ck_assert_msg(store_close(db, &err) == CRU_OK, "%s", err.text);
    return figures;
}

/* ---- what a store holds ---------------------------------------------------------------------------------- */

typedef struct kept {
    char key[SHA256_HEX], alias[32], x[32], seed[8], number[8];
    store_outcome outcome;
    int64_t tried;
    double accuracy, validation;
} kept;

typedef struct contents {
    kept trials[MOST];
    int64_t count;
} contents;

static bool take_trial(void *user, const store_trial_view *view)
{
    contents *c = user;
    ck_assert_int_lt(c->count, MOST);
    ck_assert_int_eq(view->index, c->count);
    kept *k = &c->trials[c->count++];
    snprintf(k->key, sizeof k->key, "%s", view->key);
    snprintf(k->alias, sizeof k->alias, "%s", view->alias);
    k->outcome = view->outcome;
    k->tried = view->tried;
    return true;
}

static bool take_setting(void *user, int64_t index, const store_setting *setting)
{
    kept *k = &((contents *)user)->trials[index];
    if (strcmp(setting->name, "algorithm.x") == 0) snprintf(k->x, sizeof k->x, "%s", setting->value);
    if (strcmp(setting->name, "seed") == 0) snprintf(k->seed, sizeof k->seed, "%s", setting->value);
    if (strcmp(setting->name, "search.number") == 0) snprintf(k->number, sizeof k->number, "%s", setting->value);
    return true;
}

static bool take_number(void *user, int64_t index, const store_number *number)
{
    kept *k = &((contents *)user)->trials[index];
    if (strcmp(number->name, "runner-accuracy") == 0) k->accuracy = number->value;
    if (strcmp(number->name, "validation") == 0) k->validation = number->value;
    return true;
}

static void read_store(const session *s, contents *c)
{
    cru_error err = {0};
    store *db;
    int64_t id;
    memset(c, 0, sizeof *c);
    ck_assert_int_eq(store_open(s->db, NULL, &db, &err), CRU_OK);
    ck_assert_int_eq(store_find_experiment(db, "tune", &id, &err), CRU_OK);
    ck_assert_int_eq(store_each_trial(db, id, take_trial, c, &err), CRU_OK);
    ck_assert_int_eq(store_each_setting(db, id, take_setting, c, &err), CRU_OK);
    ck_assert_int_eq(store_each_number(db, id, take_number, c, &err), CRU_OK);
    ck_assert_int_eq(store_close(db, &err), CRU_OK);
}

/* Of an undisturbed search, in a store of its own. */
static void expected_contents(const char *ini, contents *c)
{
    session s;
    session_open(&s, ini);
    run(&s, AGENDA_MISSING);
    read_store(&s, c);
    fixture_close(&s.f);
}

static void expect_same(const session *s, const contents *expected)
{
    contents found;
    read_store(s, &found);
    ck_assert_mem_eq(&found, expected, sizeof found);
}

static const kept *chosen(const contents *c, const char *seed)
{
    const kept *found = NULL;
    for (int64_t i = 0; i < c->count; i++) {
        if (c->trials[i].tried <= 0 || strcmp(c->trials[i].seed, seed) != 0) continue;
        ck_assert_ptr_null(found);
        found = &c->trials[i];
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

/* ---- the choice ------------------------------------------------------------------------------------------ */

static const char *const random_12 = NAMED CONTRARY "[search]\nmethod = random\ntrials = 12\n";
static const char *const tpe_12 = NAMED CONTRARY "[search]\nmethod = tpe\ntrials = 12\nstartup = 4\nahead = 2\n";

/* The test score of the choice is the worst of all that were tried: nobody looked at it. */
START_TEST(only_validation_scores_decide)
{
    contents c;
    expected_contents(random_12, &c);
    ck_assert_int_eq(c.count, 24);
    static const char *const seeds[] = {"4", "2"};
    for (int k = 0; k < 2; k++) {
        const kept *best = chosen(&c, seeds[k]);
        ck_assert_int_eq(best->tried, 12);
        double worst = 1;
        for (int64_t i = 0; i < c.count; i++) {
            if (strcmp(c.trials[i].seed, seeds[k]) != 0) continue;
            ck_assert_int_eq(c.trials[i].outcome, STORE_OK);
            ck_assert_double_le(c.trials[i].validation, best->validation);
            worst = fmin(worst, c.trials[i].accuracy);
        }
        ck_assert_double_eq(best->accuracy, worst);
        ck_assert_double_lt(best->accuracy, 0.5);
    }
    ck_assert_str_ne(chosen(&c, "4")->x, chosen(&c, "2")->x); /* each seed has a search of its own */
}
END_TEST

START_TEST(the_first_seed_may_choose_for_all)
{
    contents c;
    expected_contents(NAMED CONTRARY "[search]\nmethod = random\ntrials = 12\nper = first-seed\n", &c);
    ck_assert_int_eq(c.count, 12 + 1);
    ck_assert_str_eq(chosen(&c, "2")->x, chosen(&c, "4")->x);
    for (int64_t i = 0; i < c.count; i++)
        if (c.trials[i].tried == STORE_CANDIDATE) ck_assert_str_eq(c.trials[i].seed, "4");
    ck_assert_int_eq(chosen(&c, "2")->tried, 12);
}
END_TEST

START_TEST(the_mean_over_all_seeds_may_choose)
{
    contents c;
    expected_contents(NAMED CONTRARY "[search]\nmethod = random\ntrials = 12\nper = all-seeds\n", &c);
    ck_assert_int_eq(c.count, 24);
    double best = chosen(&c, "4")->validation + chosen(&c, "2")->validation;
    ck_assert_str_eq(chosen(&c, "2")->x, chosen(&c, "4")->x);
    for (int64_t i = 0; i < c.count; i += 2) {
        ck_assert_str_eq(c.trials[i].x, c.trials[i + 1].x);
        ck_assert_double_le(c.trials[i].validation + c.trials[i + 1].validation, best);
    }
}
END_TEST

/* Three values, drawn twelve times: three trials. And a method without open settings is just run. */
START_TEST(settings_drawn_twice_are_run_and_counted_once)
{
    contents c;
    session s;
    session_open(&s, "[experiment]\nname = tune\nmetrics = runner-accuracy\n[dataset runner-secret]\n"
                     "[algorithm search-contrary]\nx = search(one-of 0.25 0.5 0.75)\n[algorithm fit-fail]\n"
                     "[search]\nmethod = random\ntrials = 12\n");
    tuning_figures figures = run(&s, AGENDA_MISSING);
    ck_assert_int_eq(figures.searches, 1);
    ck_assert_int_eq(figures.over, 1);
    ck_assert_int_eq(figures.settings, 3);
    ck_assert_int_eq(s.ended, 4);
    read_store(&s, &c);
    ck_assert_int_eq(c.count, 4);
    ck_assert_int_eq(chosen(&c, "0")->tried, 3);
    ck_assert_str_eq(chosen(&c, "0")->x, "0.75");
    ck_assert_str_eq(c.trials[3].alias, "fit-fail");
    ck_assert_int_eq(c.trials[3].tried, 0);
    fixture_close(&s.f);
}
END_TEST

START_TEST(a_search_in_which_all_fails_chooses_the_first)
{
    contents c;
    expected_contents("[experiment]\nname = tune\nmetrics = runner-accuracy\n[dataset runner-secret]\n"
                      "[algorithm search-contrary]\nx = search(one-of 0 1)\nfail = on\n"
                      "[search]\nmethod = grid\n",
                      &c);
    ck_assert_int_eq(c.count, 2);
    ck_assert_int_ne(c.trials[0].outcome, STORE_OK);
    ck_assert_int_eq(c.trials[0].tried, 2);
    ck_assert_int_eq(c.trials[1].tried, STORE_CANDIDATE);
}
END_TEST

/* ---- draws ----------------------------------------------------------------------------------------------- */

#define LOTS    NAMED "[dataset runner-secret]\nrows = 20000\n[algorithm search-drawing]\n[search]\nmethod = random\n"
#define DRAWING LOTS "trials = 6\n"

/* The trials of the second seed come after the six of the first. */
START_TEST(settings_share_their_draws_unless_they_have_their_own)
{
    static const char *const numbers[] = {"", "1", "2", "3", "4", "5"};
    contents shared, own;
    expected_contents(DRAWING, &shared);
    expected_contents(DRAWING "own_draws = yes\n", &own);
    ck_assert_int_eq(own.count, 12);
    for (int64_t i = 0; i < own.count; i++) {
        const int64_t first = i - i % 6;
        ck_assert_int_eq(own.trials[i].outcome, STORE_OK);
        ck_assert_str_eq(own.trials[i].x, shared.trials[i].x);
        ck_assert_double_eq(shared.trials[i].accuracy, shared.trials[first].accuracy);
        ck_assert_double_eq(own.trials[i].validation, shared.trials[first].validation);
        ck_assert_int_eq(strcmp(own.trials[i].key, shared.trials[i].key) == 0, i == first);
        ck_assert_str_eq(own.trials[i].number, numbers[i - first]);
        for (int64_t k = first; k < i; k++) ck_assert_double_ne(own.trials[i].accuracy, own.trials[k].accuracy);
    }
    ck_assert_double_ne(own.trials[1].accuracy, own.trials[7].accuracy);
}
END_TEST

START_TEST(draws_of_their_own_do_not_depend_on_jobs_or_on_the_length_of_the_search)
{
    session s;
    contents expected, shorter;
    expected_contents(DRAWING "own_draws = yes\n", &expected);
    session_open(&s, DRAWING "own_draws = yes\n");
    s.jobs = 5;
    run(&s, AGENDA_MISSING);
    expect_same(&s, &expected);
    run(&s, AGENDA_MISSING);
    ck_assert_int_eq(s.ended, 0);
    fixture_close(&s.f);
    expected_contents(LOTS "trials = 3\nown_draws = yes\n", &shorter);
    for (int64_t i = 0; i < 6; i++) ck_assert_str_eq(shorter.trials[i].key, expected.trials[i < 3 ? i : i + 3].key);
}
END_TEST

/* Three values, drawn six times, are six trainings. */
START_TEST(a_setting_drawn_twice_has_draws_of_its_own_each_time)
{
    contents c;
    expected_contents("[experiment]\nname = tune\nmetrics = runner-accuracy\n[dataset runner-secret]\n"
                      "[algorithm search-drawing]\nx = search(one-of 0.25 0.5 0.75)\n"
                      "[search]\nmethod = random\ntrials = 6\nown_draws = yes\n",
                      &c);
    ck_assert_int_eq(c.count, 6);
}
END_TEST

/* The other seeds train the setting that the first one chose, with the draws of its number. */
START_TEST(a_choice_keeps_its_number_on_other_seeds)
{
    contents c;
    expected_contents(DRAWING "own_draws = yes\nper = first-seed\nties = last\n", &c);
    ck_assert_int_eq(c.count, 7);
    ck_assert_str_eq(chosen(&c, "4")->number, "5");
    ck_assert_str_eq(chosen(&c, "2")->number, "5");
}
END_TEST

/* ---- again ----------------------------------------------------------------------------------------------- */

START_TEST(a_second_search_has_nothing_to_do_unless_forced)
{
    session s;
    contents expected;
    session_open(&s, tpe_12);
    run(&s, AGENDA_MISSING);
    read_store(&s, &expected);
    tuning_figures again = run(&s, AGENDA_MISSING);
    ck_assert_int_eq(s.ended, 0);
    ck_assert_int_eq(again.known, 24);
    expect_same(&s, &expected);
    run(&s, AGENDA_ALL);
    ck_assert_int_eq(s.ended, 24);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

START_TEST(the_number_of_jobs_changes_nothing)
{
    session s;
    contents expected;
    expected_contents(tpe_12, &expected);
    session_open(&s, tpe_12);
    s.jobs = 5;
    run(&s, AGENDA_MISSING);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

/* The host kills itself at many points; nothing that was stored is run again, and the end is the same. */
START_TEST(a_killed_search_ends_like_an_undisturbed_one)
{
    session s;
    contents expected;
    expected_contents(tpe_12, &expected);
    session_open(&s, tpe_12);
    int kills = 0;
    for (int i = 0; i < 8; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            s.fatal = 2 + 5 * i % 11;
            run(&s, AGENDA_MISSING);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        kills += WIFSIGNALED(status);
    }
    ck_assert_int_ge(kills, 3);
    s.fatal = 0;
    run(&s, AGENDA_MISSING);
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

START_TEST(two_processes_share_a_search)
{
    session s;
    contents expected;
    expected_contents(tpe_12, &expected);
    session_open(&s, tpe_12);
    ck_assert_int_eq(ended_in_two_processes(run_missing, &s), 24);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

/* ---- several rules --------------------------------------------------------------------------------------- */

#define LEARNER                                                                                                        \
    NAMED "[dataset runner-secret]\n[algorithm runner-learner]\n[monitor]\nrule = validation, last, oracle\n"

static void search_both_ways(const char *ini, int64_t trials, int64_t trainings)
{
    session apart, shared;
    contents expected;
    session_open(&apart, ini);
    apart.apart = true;
    run(&apart, AGENDA_MISSING);
    ck_assert_int_eq(apart.trainings, trials);
    read_store(&apart, &expected);
    session_open(&shared, ini);
    run(&shared, AGENDA_MISSING);
    ck_assert_int_eq(shared.trainings, trainings);
    expect_same(&shared, &expected);
    fixture_close(&apart.f);
    fixture_close(&shared.f);
}

START_TEST(searches_under_several_rules_share_their_trainings)
{
    search_both_ways(LEARNER "[search]\nmethod = random\ntrials = 4\n", 24, 8); /* two seeds, three rules */
    search_both_ways(LEARNER "[search]\nmethod = grid\npoints = 2\nper = all-seeds\n", 24, 8);
    search_both_ways(LEARNER "[search]\nmethod = random\ntrials = 4\nown_draws = yes\n", 24, 8);
}
END_TEST

START_TEST(a_killed_search_under_several_rules_ends_like_an_undisturbed_one)
{
    const char *ini = LEARNER "[search]\nmethod = random\ntrials = 3\n";
    contents expected;
    expected_contents(ini, &expected);
    session s;
    session_open(&s, ini);
    for (int i = 0; i < 8; i++) {
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            s.fatal = 3 + 2 * i;
            run(&s, AGENDA_MISSING);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, NULL, 0), child);
    }
    run(&s, AGENDA_MISSING);
    expect_same(&s, &expected);
    fixture_close(&s.f);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("tuning");
    TCase *t = tcase_create("tuning");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, only_validation_scores_decide);
    tcase_add_test(t, the_first_seed_may_choose_for_all);
    tcase_add_test(t, the_mean_over_all_seeds_may_choose);
    tcase_add_test(t, settings_drawn_twice_are_run_and_counted_once);
    tcase_add_test(t, a_search_in_which_all_fails_chooses_the_first);
    tcase_add_test(t, settings_share_their_draws_unless_they_have_their_own);
    tcase_add_test(t, draws_of_their_own_do_not_depend_on_jobs_or_on_the_length_of_the_search);
    tcase_add_test(t, a_setting_drawn_twice_has_draws_of_its_own_each_time);
    tcase_add_test(t, a_choice_keeps_its_number_on_other_seeds);
    tcase_add_test(t, a_second_search_has_nothing_to_do_unless_forced);
    tcase_add_test(t, the_number_of_jobs_changes_nothing);
    tcase_add_test(t, a_killed_search_ends_like_an_undisturbed_one);
    tcase_add_test(t, two_processes_share_a_search);
    tcase_add_test(t, searches_under_several_rules_share_their_trainings);
    tcase_add_test(t, a_killed_search_under_several_rules_ends_like_an_undisturbed_one);
    suite_add_tcase(s, t);
    return s;
}
