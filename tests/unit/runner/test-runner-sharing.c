// SPDX-License-Identifier: Apache-2.0
/* One training for several selection rules: what it gives is what trainings of their own give, bit for bit. */
#include <math.h>
#include <sys/wait.h>

#include "../../plugins/runner-secret.h"
#include "fixture.h"
#include "host/agenda.h"
#include "protocol/sharing.h"

#define PLUGINS "runner-secret runner-accuracy runner-learner runner-epochs"
#define START   "[experiment]\nmetrics = runner-accuracy\nseeds = 0, 1\n[dataset runner-secret]\n"
#define KEEP    "[run]\ncurves = true\npredictions = true\n"

enum { MOST = 32 };

/* All of a result but how long it took and how much memory. */
typedef struct full {
    const char *rule;
    bool filled;
    store_outcome outcome;
    char message[200]; /* the first line */
    int64_t best_epoch;
    double validation, numbers[4];
    int64_t number_count;
    double curve[2][64]; /* loss and validation */
    int64_t points, score_count;
    float *scores;
} full;

typedef struct bench {
    fixture f;
    bool given[MOST];
    full results[MOST];
    runner_summary summary;
} bench;

static int64_t index_of(const char *key)
{
    return strtoll(key, NULL, 10);
}

static void give(bench *b, int64_t index, trial *t, char *key)
{
    b->given[index] = true;
    experiment_trial(b->f.experiment, index, t);
    snprintf(key, SHA256_HEX, "%lld", (long long)index);
}

static runner_next next(void *user, trial *t, char key[SHA256_HEX])
{
    bench *b = user;
    for (int64_t i = 0; i < experiment_trial_count(b->f.experiment); i++) {
        if (b->given[i]) continue;
        give(b, i, t, key);
        return RUNNER_TRIAL;
    }
    return RUNNER_END;
}

static bool partner(void *user, const trial *t, trial *other, char key[SHA256_HEX])
{
    bench *b = user;
    for (int64_t i = 0; i < experiment_trial_count(b->f.experiment); i++) {
        experiment_trial(b->f.experiment, i, other);
        if (b->given[i] || !trials_share_training(t, other)) continue;
        give(b, i, other, key);
        return true;
    }
    return false;
}

static void done(void *user, const runner_result *r)
{
    bench *b = user;
    const store_result *s = &r->result;
    full *f = &b->results[index_of(r->key)];
    ck_assert(!f->filled);
    *f = (full){.filled = true,
                .rule = r->trial->monitor->text,
                .outcome = s->outcome,
                .best_epoch = s->best_epoch,
                .validation = r->validation,
                .number_count = s->number_count,
                .points = s->curve_count ? s->curves[0].count : 0,
                .score_count = s->score_rows * s->score_cols};
    snprintf(f->message, sizeof f->message, "%.*s", (int)strcspn(s->message ? s->message : "", "\n"),
             s->message ? s->message : "");
    ck_assert_int_le(f->number_count, 4);
    ck_assert_int_le(f->points, 64);
    for (int64_t i = 0; i < s->number_count; i++) f->numbers[i] = s->numbers[i].value;
    for (int i = 0; i < 2 && f->points; i++)
        memcpy(f->curve[i], s->curves[i].values, (size_t)f->points * sizeof(double));
    if (s->scores) {
        f->scores = malloc((size_t)f->score_count * sizeof(float));
        ck_assert_ptr_nonnull(f->scores);
        memcpy(f->scores, s->scores, (size_t)f->score_count * sizeof(float));
    }
}

static void bench_run(bench *b, const char *ini, bool share, int32_t jobs)
{
    cru_error err = {0};
    runner *r;
    memset(b, 0, sizeof *b);
    fixture_open(&b->f, PLUGINS, ini);
    ck_assert_int_le(experiment_trial_count(b->f.experiment), MOST);
    runner_options options = {.experiment = b->f.experiment, .plugins = b->f.plugins, .jobs = jobs};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = next, .partner = share ? partner : NULL, .done = done, .user = b};
    ck_assert_msg(runner_run(r, &source, &b->summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
}

static void bench_close(bench *b)
{
    for (int i = 0; i < MOST; i++) free(b->results[i].scores);
    fixture_close(&b->f);
}

/* NaN is equal to NaN here. */
static void expect_equal(const full *a, const full *b)
{
    ck_assert_msg(a->outcome == b->outcome, "%s%s against %s", a->rule, a->message, b->message);
    ck_assert_str_eq(a->message, b->message);
    ck_assert_int_eq(a->best_epoch, b->best_epoch);
    ck_assert_mem_eq(&a->validation, &b->validation, sizeof a->validation);
    ck_assert_int_eq(a->number_count, b->number_count);
    ck_assert_mem_eq(a->numbers, b->numbers, sizeof a->numbers);
    ck_assert_int_eq(a->points, b->points);
    ck_assert_mem_eq(a->curve, b->curve, sizeof a->curve);
    ck_assert_int_eq(a->score_count, b->score_count);
    if (a->scores) ck_assert_mem_eq(a->scores, b->scores, (size_t)a->score_count * sizeof *a->scores);
}

/* Runs the experiment both ways. *shared is for the caller to look at and to close. */
static void run_both_ways(const char *ini, bench *shared)
{
    static bench apart;
    bench_run(&apart, ini, false, 2);
    bench_run(shared, ini, true, 2);
    int64_t count = experiment_trial_count(shared->f.experiment);
    ck_assert_int_ge(apart.summary.trainings, shared->summary.trainings);
    for (int64_t i = 0; i < count; i++) {
        ck_assert(apart.results[i].filled && shared->results[i].filled);
        expect_equal(&apart.results[i], &shared->results[i]);
    }
    bench_close(&apart);
}

static bench shared;

/* ---- results --------------------------------------------------------------------------------------------- */

START_TEST(one_training_gives_what_trainings_of_their_own_give)
{
    run_both_ways(START KEEP "[algorithm runner-learner]\n[monitor]\n"
                             "rule = validation, last, oracle, oracle-early\nskip = 1\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 2); /* one per seed for four rules */
    ck_assert_int_eq(shared.summary.ended[STORE_OK], 8);
    const full *validation = &shared.results[0], *last = &shared.results[1], *early = &shared.results[3];
    ck_assert_int_eq(validation->points, 12);
    ck_assert_int_lt(validation->best_epoch, 11); /* or the comparison would say little */
    ck_assert_int_lt(early->best_epoch, 11);
    ck_assert_mem_ne(validation->scores, last->scores, (size_t)last->score_count * sizeof(float));
    bench_close(&shared);
}
END_TEST

START_TEST(rules_may_look_at_different_checkpoints)
{
    run_both_ways(START KEEP "[algorithm runner-learner]\n[monitor]\nrule = validation, oracle-early\n"
                             "criterion = metric, loss\nevery = 1, 5\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 2);
    ck_assert_int_eq(shared.summary.ended[STORE_OK], 16);
    bench_close(&shared);
}
END_TEST

START_TEST(weights_before_the_step_are_shared_too)
{
    run_both_ways(START KEEP
                  "[algorithm runner-learner]\n[monitor]\nrule = validation, last\nbefore_step = yes\nepochs = 7\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 2);
    bench_close(&shared);
}
END_TEST

/* ---- who shares ------------------------------------------------------------------------------------------ */

START_TEST(rules_that_may_stop_train_apart)
{
    run_both_ways(START KEEP "[algorithm runner-learner]\n[monitor]\nrule = validation, last\npatience = 2\n", &shared);
    ck_assert_int_eq(shared.summary.trainings, 4);
    bench_close(&shared);
}
END_TEST

START_TEST(rules_for_different_epochs_train_apart)
{
    run_both_ways(START KEEP "[algorithm runner-learner]\n[monitor]\nrule = validation, last\nepochs = 5, 9\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 4); /* two seeds, two numbers of epochs */
    bench_close(&shared);
}
END_TEST

/* It keeps its own scores, not weights in nets of the SDK. */
START_TEST(a_method_of_another_make_trains_once_for_every_rule)
{
    run_both_ways(START KEEP "[algorithm runner-epochs]\n[monitor]\nrule = validation, last, oracle-early\n", &shared);
    ck_assert_int_eq(shared.summary.trainings, 6);
    ck_assert_int_eq(shared.summary.ended[STORE_OK], 6);
    bench_close(&shared);
}
END_TEST

/* Which graphs are scored together may depend on which are wanted, and oracle-early wants all of them. */
START_TEST(rules_that_want_other_graphs_train_apart)
{
    run_both_ways(START "graphs = true\n" KEEP
                        "[algorithm runner-learner]\n[monitor]\nrule = validation, oracle-early\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 4);
    bench_close(&shared);
    run_both_ways(START "graphs = true\n" KEEP "[algorithm runner-learner]\n[monitor]\nrule = validation, oracle\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 2);
    ck_assert_int_eq(shared.summary.ended[STORE_OK], 4);
    bench_close(&shared);
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------------------- */

START_TEST(a_rule_that_does_not_suit_fails_alone)
{
    run_both_ways(START KEEP "[algorithm runner-learner]\n[monitor]\nrule = covering-rate, validation, last\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 2);
    ck_assert_int_eq(shared.summary.ended[STORE_FAILED], 2);
    ck_assert_int_eq(shared.summary.ended[STORE_OK], 4);
    bench_close(&shared);
}
END_TEST

START_TEST(weights_that_predict_nothing_fail_the_rules_that_chose_them)
{
    run_both_ways(START KEEP "[algorithm runner-learner]\nend = nan\n"
                             "[monitor]\nrule = last, validation, oracle, oracle-early\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 2);
    ck_assert_int_eq(shared.summary.ended[STORE_FAILED], 4);
    ck_assert_int_eq(shared.summary.ended[STORE_OK], 4);
    for (int i = 0; i < MOST; i++) {
        const full *f = &shared.results[i];
        if (f->filled && f->outcome == STORE_OK) ck_assert(f->best_epoch >= 0 && f->best_epoch < 11);
    }
    bench_close(&shared);
}
END_TEST

/* A network of NaNs predicts class 0; the split keeps the shares of the classes. */
START_TEST(weights_that_predict_nothing_are_judged_where_the_experiment_says_so)
{
    enum { ITEMS = 400 };
    double share = 0;
    for (int64_t i = 0; i < ITEMS; i++) share += (double)(secret_label(i) == 0) / ITEMS;
    run_both_ways(START KEEP "[algorithm runner-learner]\nend = nan\n"
                             "[monitor]\nnonfinite = keep\nrule = last, validation, oracle, oracle-early\n",
                  &shared);
    ck_assert_int_eq(shared.summary.ended[STORE_OK], 8);
    for (int i = 0; i < MOST; i++) {
        const full *f = &shared.results[i];
        if (!f->filled || f->best_epoch >= 0) continue;
        ck_assert_double_eq_tol(f->numbers[0], share, 0.03);
        for (int64_t k = 0; k < f->score_count; k++) ck_assert(isnan(f->scores[k]));
    }
    bench_close(&shared);
}
END_TEST

START_TEST(a_crash_is_the_outcome_of_all_that_share_it)
{
    run_both_ways(START "[algorithm runner-learner]\nend = crash\n[monitor]\nrule = last, validation, oracle-early\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 2);
    ck_assert_int_eq(shared.summary.ended[STORE_CRASHED], 6);
    bench_close(&shared);
}
END_TEST

START_TEST(a_broken_problem_fails_every_trial)
{
    run_both_ways(START "[algorithm runner-learner]\n[monitor]\nrule = last, validation\n[split]\nscheme = official\n",
                  &shared);
    ck_assert_int_eq(shared.summary.trainings, 0);
    ck_assert_int_eq(shared.summary.ended[STORE_FAILED], 4);
    bench_close(&shared);
}
END_TEST

/* ---- with a store ---------------------------------------------------------------------------------------- */

/* The agenda gives partners away, and what has a result is no partner. */
START_TEST(the_agenda_gives_every_trial_once)
{
    fixture f;
    cru_error err = {0};
    char db[128];
    store *s;
    runner *r;
    fixture_open(&f, PLUGINS, START "[algorithm runner-learner]\nlr = 0.01, 0.05\n[monitor]\nrule = last, oracle\n");
    snprintf(db, sizeof db, "%s/results.db", f.folder);
    ck_assert_int_eq(store_open(db, NULL, &s, &err), CRU_OK);
    ck_assert_int_eq(
        runner_open(&(runner_options){.experiment = f.experiment, .plugins = f.plugins, .store = s}, &r, &err), CRU_OK);
    for (int round = 0; round < 2; round++) {
        agenda a;
        runner_summary summary;
        ck_assert_msg(agenda_open(r, s, AGENDA_MISSING, &a, &err) == CRU_OK, "%s", err.text);
        ck_assert_int_eq(a.todo_count, round ? 0 : 8);
        runner_source source = {.next = agenda_next, .partner = agenda_partner, .user = &a};
        ck_assert_msg(runner_run(r, &source, &summary, &err) == CRU_OK, "%s", err.text);
        ck_assert_int_eq(summary.ended[STORE_OK], round ? 0 : 8);
        ck_assert_int_eq(summary.trainings, round ? 0 : 4);
        agenda_close(&a);
    }
    runner_close(r);
    ck_assert_int_eq(store_close(s, &err), CRU_OK);
    fixture_close(&f);
}
END_TEST

/* Runs the experiment as one of several processes; returns how often it trained. */
static int run_beside_others(const fixture *f, const char *db)
{
    cru_error err = {0};
    store *s;
    runner *r;
    agenda a;
    runner_summary summary;
    runner_options options = {.experiment = f->experiment, .plugins = f->plugins, .jobs = 2};
    ck_assert_msg(store_open(db, &(store_options){.batch_trials = 3}, &s, &err) == CRU_OK, "%s", err.text);
    options.store = s;
    ck_assert_int_eq(runner_open(&options, &r, &err), CRU_OK);
    ck_assert_msg(agenda_open(r, s, AGENDA_MISSING, &a, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = agenda_next, .partner = agenda_partner, .user = &a};
    ck_assert_msg(runner_run(r, &source, &summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
    agenda_close(&a);
    ck_assert_int_eq(store_close(s, &err), CRU_OK);
    return (int)summary.trainings;
}

START_TEST(processes_share_trials_that_share_trainings)
{
    fixture f;
    cru_error err = {0};
    char db[128];
    int status, trainings = 0;
    int64_t id, counts[STORE_OUTCOMES];
    pid_t children[2];
    store *s;
    fixture_open(&f, PLUGINS,
                 START "[algorithm runner-learner]\nlr = 0.01, 0.02, 0.05\n"
                       "[monitor]\nrule = last, oracle, validation, oracle-early\n");
    snprintf(db, sizeof db, "%s/results.db", f.folder);
    for (int i = 0; i < 2; i++)
        if ((children[i] = fork()) == 0) _exit(run_beside_others(&f, db));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert(WIFEXITED(status));
        trainings += WEXITSTATUS(status);
    }
    ck_assert_int_ge(trainings, 6);
    ck_assert_int_le(trainings, 24);
    ck_assert_int_eq(store_open(db, NULL, &s, &err), CRU_OK);
    ck_assert_int_eq(store_find_experiment(s, NULL, &id, &err), CRU_OK);
    ck_assert_int_eq(store_count(s, id, counts, &err), CRU_OK);
    ck_assert_int_eq(counts[STORE_OK], 24);
    ck_assert_int_eq(store_close(s, &err), CRU_OK);
    fixture_close(&f);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("runner-sharing");
    TCase *t = tcase_create("sharing");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, one_training_gives_what_trainings_of_their_own_give);
    tcase_add_test(t, rules_may_look_at_different_checkpoints);
    tcase_add_test(t, weights_before_the_step_are_shared_too);
    tcase_add_test(t, rules_that_may_stop_train_apart);
    tcase_add_test(t, rules_for_different_epochs_train_apart);
    tcase_add_test(t, a_method_of_another_make_trains_once_for_every_rule);
    tcase_add_test(t, rules_that_want_other_graphs_train_apart);
    tcase_add_test(t, a_rule_that_does_not_suit_fails_alone);
    tcase_add_test(t, weights_that_predict_nothing_fail_the_rules_that_chose_them);
    tcase_add_test(t, weights_that_predict_nothing_are_judged_where_the_experiment_says_so);
    tcase_add_test(t, a_crash_is_the_outcome_of_all_that_share_it);
    tcase_add_test(t, a_broken_problem_fails_every_trial);
    tcase_add_test(t, the_agenda_gives_every_trial_once);
    tcase_add_test(t, processes_share_trials_that_share_trainings);
    suite_add_tcase(s, t);
    return s;
}
