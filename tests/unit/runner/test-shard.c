// SPDX-License-Identifier: Apache-2.0
/* The division of an experiment among machines: whole, balanced, stable; and plans that are written down. */
#include "config/bench.h"
#include "host/costs.h"
#include "host/shard.h"

static const char grid[] = "[experiment]\nseeds = 0..9\n[dataset cora]\n[dataset sbm]\n[corruptor uniform]\n"
                           "rate = 0, 0.2, 0.4\n[algorithm gcn]\nhidden = 8, 16\n[algorithm mlp]\n";

/* The shard of every trial; the caller frees it. */
static int64_t *dealt(const experiment *e, int64_t count)
{
    const int64_t trials = experiment_trial_count(e);
    int64_t *parts = calloc((size_t)trials, sizeof *parts);
    shard_groups g = shard_group_trials(e, NULL, NULL);
    shard_deal(g.items, g.count, 1, count);
    for (int64_t i = 0; i < trials; i++) parts[i] = g.items[g.of_trial[i]].part;
    shard_groups_clear(&g);
    return parts;
}

START_TEST(every_trial_is_in_exactly_one_shard_and_shards_are_even)
{
    static const int64_t counts[] = {1, 3, 7, 100};
    bench b = bench_open();
    bench_expect(&b, grid);
    const int64_t trials = experiment_trial_count(b.e);
    ck_assert_int_eq(trials, 2 * 3 * 10 * 3);
    for (int k = 0; k < 4; k++) {
        int64_t *parts = dealt(b.e, counts[k]), *again = dealt(b.e, counts[k]), size[101] = {0};
        for (int64_t i = 0; i < trials; i++) {
            ck_assert(parts[i] >= 1 && parts[i] <= counts[k]);
            ck_assert_int_eq(parts[i], again[i]);
            size[parts[i]]++;
        }
        for (int64_t i = 1; i <= counts[k]; i++)
            ck_assert(size[i] >= trials / counts[k] && size[i] <= trials / counts[k] + 1);
        free(parts);
        free(again);
    }
    bench_close(&b);
}
END_TEST

START_TEST(trials_that_one_training_serves_stay_together)
{
    bench b = bench_open();
    bench_expect(&b, "[experiment]\nseeds = 0..4\n[dataset cora]\n[algorithm gcn]\n[algorithm mlp]\n"
                     "[monitor]\nrule = validation, last\n");
    const int64_t trials = experiment_trial_count(b.e);
    int64_t *parts = dealt(b.e, 3);
    ck_assert_int_eq(trials, 20);
    for (int64_t i = 0; i < trials; i++) {
        int64_t other = experiment_with_monitor(b.e, i, 1);
        ck_assert_int_eq(parts[i], parts[other]);
    }
    free(parts);
    bench_close(&b);
}
END_TEST

START_TEST(costly_groups_are_spread)
{
    enum { GROUPS = 1000, SHARDS = 20 };
    static shard_group groups[GROUPS];
    double load[SHARDS + 5] = {0}, all = 0, most = 0;
    for (int i = 0; i < GROUPS; i++) {
        groups[i].seconds = i % 50 == 0 ? 300 : 1 + i % 7; /* a few that take a hundred times longer */
        all += groups[i].seconds;
    }
    shard_deal(groups, GROUPS, 4, SHARDS);
    for (int i = 0; i < GROUPS; i++) {
        ck_assert(groups[i].part >= 4 && groups[i].part < 4 + SHARDS);
        load[groups[i].part] += groups[i].seconds;
    }
    for (int i = 4; i < 4 + SHARDS; i++) most = load[i] > most ? load[i] : most;
    ck_assert_double_le(most, 1.3 * all / SHARDS);
}
END_TEST

static void store_finished(store *s, int64_t list, const store_trial *t, double seconds)
{
    bool won;
    cru_error err = {0};
    ck_assert_int_eq(store_add_trial(s, list, t, &err), CRU_OK);
    ck_assert_int_eq(store_claim(s, t->key, &won, &err), CRU_OK);
    ck_assert(won);
    const store_result r = {.outcome = STORE_OK, .seconds_total = seconds, .best_epoch = -1};
    ck_assert_int_eq(store_finish(s, t->key, &r, &err), CRU_OK);
}

/* A finished trial of this method on this dataset. */
static void store_time(store *s, int64_t list, const char *method, const char *dataset, double seconds)
{
    char key[64];
    snprintf(key, sizeof key, "%s on %s", method, dataset);
    const store_setting settings[] = {{"algorithm", method}, {"dataset", dataset}};
    store_finished(s, list, &(store_trial){.key = key, .canonical = key, .settings = settings, .setting_count = 2},
                   seconds);
}

/* gcn takes 40 times as long as mlp, and on sbm ten times as long as on cora. */
static costs *known_times(const bench *b)
{
    char path[256];
    store *s;
    costs *known;
    int64_t id;
    cru_error err = {0};
    snprintf(path, sizeof path, "%s/known.db", b->folder);
    ck_assert_int_eq(store_open(path, &(store_options){0}, &s, &err), CRU_OK);
    ck_assert_int_eq(store_add_experiment(s, &(store_experiment){.name = "old"}, &id, &err), CRU_OK);
    store_time(s, id, "gcn", "cora", 40);
    store_time(s, id, "gcn", "sbm", 400);
    store_time(s, id, "mlp", "cora", 1);
    store_time(s, id, "mlp", "sbm", 10);
    ck_assert_int_eq(store_close(s, &err), CRU_OK);
    ck_assert_int_eq(costs_open(path, &known, &err), CRU_OK);
    return known;
}

START_TEST(shards_take_equally_long_by_the_times_of_a_store)
{
    static const int64_t counts[] = {3, 7, 10};
    bench b = bench_open();
    bench_expect(&b, grid);
    costs *known = known_times(&b);
    const int64_t trials = experiment_trial_count(b.e);
    for (int k = 0; k < 3; k++) {
        shard_groups g = shard_group_trials(b.e, known, NULL);
        double load[11] = {0}, all = 0, most = 0;
        shard_deal(g.items, g.count, 1, counts[k]);
        for (int64_t i = 0; i < trials; i++) {
            trial t;
            experiment_trial(b.e, i, &t);
            const bool gcn = strcmp(t.algorithm->name, "gcn") == 0, sbm = strcmp(t.dataset->label, "sbm") == 0;
            const double seconds = (gcn ? 40 : 1) * (sbm ? 10 : 1);
            load[g.items[g.of_trial[i]].part] += seconds;
            all += seconds;
        }
        for (int64_t i = 1; i <= counts[k]; i++) most = load[i] > most ? load[i] : most;
        ck_assert_double_le(most, 1.3 * all / (double)counts[k]);
        shard_groups_clear(&g);
    }
    costs_close(known);
    bench_close(&b);
}
END_TEST

static double seconds_of_width(const trial *t)
{
    return strstr(t->algorithm->text, "hidden=512\n") ? 50 : 1;
}

/* A wide network takes fifty times as long as a narrow one; seeds 0 and 1 of all are in the store. */
static costs *known_widths(const bench *b)
{
    char path[256], key[32];
    store *s;
    costs *known;
    int64_t id;
    cru_error err = {0};
    snprintf(path, sizeof path, "%s/widths.db", b->folder);
    ck_assert_int_eq(store_open(path, &(store_options){0}, &s, &err), CRU_OK);
    ck_assert_int_eq(store_add_experiment(s, &(store_experiment){.name = "old"}, &id, &err), CRU_OK);
    const store_setting settings[] = {{"algorithm", "gcn"}, {"dataset", "cora"}};
    for (int64_t i = 0; i < experiment_trial_count(b->e); i++) {
        trial t;
        experiment_trial(b->e, i, &t);
        if (t.seed > 1) continue;
        char *canonical = trial_text(b->e, &t, "");
        snprintf(key, sizeof key, "%d", (int)i);
        store_finished(s, id,
                       &(store_trial){.key = key, .canonical = canonical, .settings = settings, .setting_count = 2},
                       seconds_of_width(&t));
        free(canonical);
    }
    ck_assert_int_eq(store_close(s, &err), CRU_OK);
    ck_assert_int_eq(costs_open(path, &known, &err), CRU_OK);
    return known;
}

/* With the mean of both for each, trials would be dealt in turn, and all wide ones go to one of two shards. */
START_TEST(settings_that_cost_more_are_spread_as_well)
{
    static const int64_t counts[] = {2, 4, 7};
    bench b = bench_open();
    bench_expect(&b, "[experiment]\nseeds = 0..99\n[dataset cora]\n[algorithm gcn]\nhidden = 8, 512\n");
    costs *known = known_widths(&b);
    for (int k = 0; k < 3; k++) {
        shard_groups g = shard_group_trials(b.e, known, NULL);
        double load[8] = {0}, all = 0, most = 0;
        shard_deal(g.items, g.count, 1, counts[k]);
        for (int64_t i = 0; i < experiment_trial_count(b.e); i++) {
            trial t;
            experiment_trial(b.e, i, &t);
            load[g.items[g.of_trial[i]].part] += seconds_of_width(&t);
            all += seconds_of_width(&t);
        }
        for (int64_t i = 1; i <= counts[k]; i++) most = load[i] > most ? load[i] : most;
        ck_assert_double_le(most, 1.3 * all / (double)counts[k]);
        shard_groups_clear(&g);
    }
    costs_close(known);
    bench_close(&b);
}
END_TEST

START_TEST(a_shard_is_written_as_part_of_so_many)
{
    static const char *const wrong[] = {"", "3", "3/", "/7", "0/7", "8/7", "3/7x", " 3/7", "-1/7", "3 / 7", "1/0"};
    shard s;
    ck_assert(shard_read("3/7", &s));
    ck_assert_int_eq(s.index, 3);
    ck_assert_int_eq(s.count, 7);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) ck_assert_msg(!shard_read(wrong[i], &s), "%s", wrong[i]);
}
END_TEST

START_TEST(a_plan_is_read_as_it_was_written_and_only_for_its_trials)
{
    bench b = bench_open();
    bench_expect(&b, grid);
    const int64_t trials = experiment_trial_count(b.e);
    int64_t *parts = dealt(b.e, 7), *read = calloc((size_t)trials, sizeof *read), count = 0;
    bool there = true;
    cru_error err = {0};
    ck_assert_int_eq(shard_plan_read(b.folder, b.e, read, &count, &there, &err), CRU_OK);
    ck_assert(!there);
    parts[5] = 0; /* a trial that is in no shard */
    shard_subject subject = shard_subject_of(b.e);
    ck_assert_int_eq(shard_plan_write(b.folder, &subject, parts, 7, &err), CRU_OK);
    free(subject.name);
    ck_assert_int_eq(shard_plan_read(b.folder, b.e, read, &count, &there, &err), CRU_OK);
    ck_assert(there);
    ck_assert_int_eq(count, 7);
    ck_assert_mem_eq(parts, read, (size_t)trials * sizeof *read);
    bench_expect(&b, "[experiment]\nseeds = 0\n[dataset cora]\n[algorithm gcn]\n");
    ck_assert_int_eq(shard_plan_read(b.folder, b.e, read, &count, &there, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "main.plan"));
    free(parts);
    free(read);
    bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("shard");
    TCase *c = tcase_create("shard");
    tcase_add_test(c, every_trial_is_in_exactly_one_shard_and_shards_are_even);
    tcase_add_test(c, trials_that_one_training_serves_stay_together);
    tcase_add_test(c, costly_groups_are_spread);
    tcase_add_test(c, shards_take_equally_long_by_the_times_of_a_store);
    tcase_add_test(c, settings_that_cost_more_are_spread_as_well);
    tcase_add_test(c, a_shard_is_written_as_part_of_so_many);
    tcase_add_test(c, a_plan_is_read_as_it_was_written_and_only_for_its_trials);
    suite_add_tcase(s, c);
    return s;
}
