// SPDX-License-Identifier: Apache-2.0
/* The division of an experiment among machines: whole, balanced, stable; and plans that are written down. */
#include "config/bench.h"
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
    tcase_add_test(c, a_shard_is_written_as_part_of_so_many);
    tcase_add_test(c, a_plan_is_read_as_it_was_written_and_only_for_its_trials);
    suite_add_tcase(s, c);
    return s;
}
