// SPDX-License-Identifier: Apache-2.0
/* Selection rules from end to end, and that results depend on nothing but the trial. */
#include "fixture.h"

#define PLUGINS "runner-secret runner-accuracy runner-epochs runner-corruptor"

/* runner-epochs, 10 epochs, best at epoch 4. At epoch 9 it is right on the items i with i % 97 < 97 / 2. */
static ended run_rule(const char *monitor, const char *run)
{
    fixture f;
    char ini[1024];
    snprintf(ini, sizeof ini,
             "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\n[algorithm runner-epochs]\n"
             "[monitor]\n%s\n[run]\n%s\n",
             monitor, run);
    fixture_open(&f, PLUGINS, ini);
    fixture_run(&f, &(runner_options){0});
    ck_assert_int_eq(f.count, 1);
    ck_assert_msg(f.ended[0].outcome == STORE_OK, "%s", f.ended[0].message);
    ended e = f.ended[0];
    fixture_close(&f);
    return e;
}

START_TEST(last_scores_the_last_epoch)
{
    ended e = run_rule("rule = last", "");
    double accuracy = ended_number(&e, "runner-accuracy");
    ck_assert_double_gt(accuracy, 0.3);
    ck_assert_double_lt(accuracy, 0.7);
    ck_assert_int_eq(e.best_epoch, -1);
}
END_TEST

START_TEST(validation_scores_the_best_epoch)
{
    ended e = run_rule("rule = validation", "");
    ck_assert_double_eq(ended_number(&e, "runner-accuracy"), 1);
    ck_assert_double_eq(e.validation, 1);
    ck_assert_int_eq(e.best_epoch, 4);
}
END_TEST

START_TEST(patience_ends_training)
{
    ended e = run_rule("rule = validation\npatience = 2\nrestore = false", "curves = true");
    ck_assert_int_eq(e.curve_points, 7); /* best at 4, then 5 and 6 without gain */
    ck_assert_double_lt(ended_number(&e, "runner-accuracy"), 1);
}
END_TEST

START_TEST(the_experiment_limits_epochs)
{
    ended e = run_rule("rule = last\nepochs = 5", "curves = true");
    ck_assert_int_eq(e.curve_points, 5);
    ck_assert_double_eq(ended_number(&e, "runner-accuracy"), 1);
}
END_TEST

START_TEST(oracle_early_scores_the_checkpoint_that_the_judge_chose)
{
    ended e = run_rule("rule = oracle-early", "");
    ck_assert_double_eq(ended_number(&e, "runner-accuracy"), 1);
    ck_assert_double_eq(e.validation, 1);
    ck_assert_int_eq(e.best_epoch, 4);
}
END_TEST

START_TEST(oracle_early_looks_only_at_checkpoints)
{
    ended e = run_rule("rule = oracle-early\nevery = 3\nskip = 1", ""); /* epochs 3, 6, 9 */
    ck_assert_int_eq(e.best_epoch, 3);
    ck_assert_double_lt(ended_number(&e, "runner-accuracy"), 1);
}
END_TEST

START_TEST(oracle_scores_the_last_epoch_and_ranks_by_truth)
{
    ended e = run_rule("rule = oracle", ""), last = run_rule("rule = last", "");
    ck_assert_double_eq(ended_number(&e, "runner-accuracy"), ended_number(&last, "runner-accuracy"));
    ck_assert_double_lt(e.validation, 1);
}
END_TEST

/* In a process of its own and in this one, which computes as before afterwards. */
START_TEST(methods_train_without_subnormal_numbers)
{
    volatile float small = 1e-30f, product;
    for (int here = 0; here < 2; here++) {
        fixture f;
        fixture_open(&f, PLUGINS " fit-tiny",
                     "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\n[algorithm fit-tiny]\n");
        fixture_run(&f, &(runner_options){.in_process = here});
        ck_assert_int_eq(f.count, 1);
        ck_assert_msg(f.ended[0].outcome == STORE_OK, "%s", f.ended[0].message);
        product = small * 1e-10f;
        ck_assert_float_ne(product, 0);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(in_process_gives_the_same_result)
{
    fixture f;
    fixture_open(&f, PLUGINS,
                 "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\n[algorithm runner-epochs]\n");
    fixture_run(&f, &(runner_options){.in_process = true});
    ck_assert_double_eq(ended_number(&f.ended[0], "runner-accuracy"), 1);
    fixture_close(&f);
}
END_TEST

/* 400 items: the last row is 399, 1, 2. Under oracle-early scores and embedding come from different files. */
START_TEST(metrics_see_embeddings_where_there_are_some)
{
    static const char *const rules[] = {"validation", "oracle-early"};
    fixture f;
    char ini[256];
    snprintf(ini, sizeof ini,
             "[experiment]\ndatasets = runner-secret\nmetrics = runner-embedding\n"
             "algorithms = runner-epochs, good-algorithm\n[monitor]\nrule = %s\n",
             rules[_i]);
    fixture_open(&f, PLUGINS " good-algorithm runner-embedding", ini);
    fixture_run(&f, &(runner_options){.jobs = 1});
    ck_assert_double_eq(ended_number(fixture_find(&f, "runner-epochs"), "runner-embedding"), 402);
    ck_assert_double_nan(ended_number(fixture_find(&f, "good-algorithm"), "runner-embedding"));
    fixture_close(&f);
}
END_TEST

/* ---- independence ---------------------------------------------------------------------------------------- */

static const char *const grid = "[experiment]\nmetrics = runner-accuracy\nseeds = 0..5\n[dataset runner-secret]\n"
                                "[corruptor runner-corruptor]\n"
                                "[algorithm runner-epochs]\npeak = 2, 9\n[algorithm good-algorithm]\n";

static int by_label_and_seed(const void *a, const void *b)
{
    const ended *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    if (order) return order;
    if (x->seed != y->seed) return x->seed < y->seed ? -1 : 1;
    double p = ended_number(x, "runner-accuracy"), q = ended_number(y, "runner-accuracy");
    return (p > q) - (p < q);
}

/* The numbers of all trials, sorted by trial; returns their count. */
static int numbers_with(const runner_options *options, int64_t threads, double *out)
{
    fixture f;
    int count = 0;
    fixture_open(&f, PLUGINS " good-algorithm", grid);
    f.experiment->run.threads = threads;
    fixture_run(&f, options);
    ck_assert_int_eq(f.count, 18);
    qsort(f.ended, 18, sizeof *f.ended, by_label_and_seed);
    for (int i = 0; i < f.count; i++) {
        out[count++] = ended_number(&f.ended[i], "runner-accuracy");
        out[count++] = ended_number(&f.ended[i], "runner-corruptor.item");
        out[count++] = f.ended[i].validation;
    }
    fixture_close(&f);
    return count;
}

START_TEST(results_do_not_depend_on_jobs_threads_or_the_judges_memory)
{
    double first[64], other[64];
    int count = numbers_with(&(runner_options){.jobs = 1}, 1, first);
    const runner_options variations[] = {{.jobs = 2}, {.jobs = 9}, {.jobs = 3, .judge_bytes = 1}};
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(numbers_with(&variations[i], 1 + i, other), count);
        ck_assert_mem_eq(first, other, (size_t)count * sizeof *first);
    }
}
END_TEST

/* For one seed all methods see the same damage; another seed gives another. */
START_TEST(methods_are_paired_by_seed)
{
    fixture f;
    fixture_open(&f, PLUGINS " good-algorithm", grid);
    fixture_run(&f, &(runner_options){.jobs = 2});
    double items[6];
    int different = 0;
    for (int seed = 0; seed < 6; seed++) {
        items[seed] = -1;
        for (int i = 0; i < f.count; i++) {
            if (f.ended[i].seed != (uint64_t)seed) continue;
            double item = ended_number(&f.ended[i], "runner-corruptor.item");
            ck_assert(items[seed] < 0 || items[seed] == item);
            items[seed] = item;
        }
        different += items[seed] != items[0];
    }
    ck_assert_int_gt(different, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(keys_tell_trials_apart_and_repeat)
{
    fixture f;
    runner *r;
    cru_error err = {0};
    char keys[18][SHA256_HEX], again[SHA256_HEX], *text;
    trial t;
    fixture_open(&f, PLUGINS " good-algorithm", grid);
    runner_options options = {.experiment = f.experiment, .plugins = f.plugins};
    ck_assert_int_eq(runner_open(&options, &r, &err), CRU_OK);
    for (int i = 0; i < 18; i++) {
        experiment_trial(f.experiment, i, &t);
        ck_assert_msg(runner_key(r, &t, keys[i], NULL, &err) == CRU_OK, "%s", err.text);
        ck_assert_uint_eq(strlen(keys[i]), 64);
        for (int k = 0; k < i; k++) ck_assert_str_ne(keys[i], keys[k]);
    }
    experiment_trial(f.experiment, 3, &t);
    ck_assert_int_eq(runner_key(r, &t, again, &text, &err), CRU_OK);
    ck_assert_str_eq(again, keys[3]);
    ck_assert_ptr_nonnull(text);
    free(text);
    runner_close(r);
    fixture_close(&f);
}
END_TEST

/* ---- a source that waits --------------------------------------------------------------------------------- */

typedef struct patient {
    fixture f;
    int under_way;
} patient;

/* As a search does: nothing new before the last result. */
static runner_next one_at_a_time(void *user, trial *t, char key[SHA256_HEX])
{
    patient *p = user;
    if (p->under_way) return RUNNER_WAIT;
    runner_next next = fixture_next(&p->f, t, key);
    p->under_way += next == RUNNER_TRIAL;
    return next;
}

static void one_done(void *user, const runner_result *result)
{
    patient *p = user;
    ck_assert_int_eq(p->under_way, 1);
    p->under_way--;
    fixture_done(&p->f, result);
}

START_TEST(a_source_may_wait_for_results)
{
    patient p = {.under_way = 0};
    runner *r;
    cru_error err = {0};
    runner_summary summary;
    fixture_open(&p.f, PLUGINS " good-algorithm", grid);
    runner_options options = {.experiment = p.f.experiment, .plugins = p.f.plugins, .jobs = 4};
    ck_assert_int_eq(runner_open(&options, &r, &err), CRU_OK);
    runner_source source = {.next = one_at_a_time, .done = one_done, .user = &p};
    ck_assert_int_eq(runner_run(r, &source, &summary, &err), CRU_OK);
    runner_close(r);
    ck_assert_int_eq(summary.ended[STORE_OK], 18);
    fixture_close(&p.f);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("runner-rules");
    TCase *t = tcase_create("rules");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, last_scores_the_last_epoch);
    tcase_add_test(t, validation_scores_the_best_epoch);
    tcase_add_test(t, patience_ends_training);
    tcase_add_test(t, the_experiment_limits_epochs);
    tcase_add_test(t, oracle_early_scores_the_checkpoint_that_the_judge_chose);
    tcase_add_test(t, oracle_early_looks_only_at_checkpoints);
    tcase_add_test(t, oracle_scores_the_last_epoch_and_ranks_by_truth);
    tcase_add_test(t, methods_train_without_subnormal_numbers);
    tcase_add_test(t, in_process_gives_the_same_result);
    tcase_add_loop_test(t, metrics_see_embeddings_where_there_are_some, 0, 2);
    suite_add_tcase(s, t);
    t = tcase_create("independence");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, results_do_not_depend_on_jobs_threads_or_the_judges_memory);
    tcase_add_test(t, methods_are_paired_by_seed);
    tcase_add_test(t, keys_tell_trials_apart_and_repeat);
    tcase_add_test(t, a_source_may_wait_for_results);
    suite_add_tcase(s, t);
    return s;
}
