// SPDX-License-Identifier: Apache-2.0
/* Several processes and one file: claims, leases, death. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "store/fixture.h"

/* This process under another number: alive on this machine for as long as the test runs. */
static store_owner living_other(void)
{
    store_owner owner;
    store_owner_self(&owner);
    char stat[64];
    snprintf(stat, sizeof stat, "/proc/%d/stat", getppid());
    FILE *file = fopen(stat, "r");
    ck_assert_ptr_nonnull(file);
    long long start = 0;
    int field = 0;
    for (int c = fgetc(file); c != EOF && c != ')'; c = fgetc(file)) {
    }
    for (int c = fgetc(file); c != EOF && field < 20; c = fgetc(file)) field += c == ' ';
    fseek(file, -1, SEEK_CUR);
    ck_assert_int_eq(fscanf(file, "%lld", &start), 1);
    fclose(file);
    owner.pid = getppid();
    owner.start = start;
    return owner;
}

static void prepare_trial(const char *key)
{
    store *s = open_store(NULL);
    add_trial(s, add_experiment(s, "e"), key);
    ok(store_close(s, &err));
}

static void claim_as(const store_owner *owner, int32_t lease_seconds)
{
    store *s = open_store(&(store_options){.owner = owner, .lease_seconds = lease_seconds});
    ck_assert(claim(s, "k"));
    ok(store_close(s, &err));
}

START_TEST(a_trial_held_by_a_living_process_is_not_given_away)
{
    store_owner other = living_other();
    prepare_trial("k");
    claim_as(&other, 600);
    store *s = open_store(NULL);
    ck_assert(!claim(s, "k"));
    store_outcome pending;
    bool held;
    ok(store_status(s, "k", &pending, &held, &err));
    ck_assert(held);
    ok(store_close(s, &err));
}
END_TEST

/* Without a descriptor to look at /proc with, nobody can say that the process is dead. */
START_TEST(a_process_that_cannot_be_looked_at_is_not_taken_for_dead)
{
    store_owner other = living_other();
    prepare_trial("k");
    claim_as(&other, 600);
    store *s = open_store(NULL);
    store_outcome pending;
    bool held;
    ok(store_status(s, "k", &pending, &held, &err)); /* all files of the store are open now */
    struct rlimit old;
    getrlimit(RLIMIT_NOFILE, &old);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max}), 0);
    ok(store_status(s, "k", &pending, &held, &err));
    setrlimit(RLIMIT_NOFILE, &old);
    ck_assert(held);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(the_claim_of_a_dead_process_is_taken_over)
{
    store_owner reused = living_other(), rebooted = living_other();
    reused.start -= 1;
    snprintf(rebooted.boot, sizeof rebooted.boot, "an earlier boot");
    prepare_trial("k");
    claim_as(&reused, 600);
    store *s = open_store(NULL);
    ck_assert(claim(s, "k"));
    ok(store_release(s, "k", &err));
    ok(store_close(s, &err));
    claim_as(&rebooted, 600);
    s = open_store(NULL);
    ck_assert(claim(s, "k"));
    ok(store_close(s, &err));
}
END_TEST

START_TEST(the_claim_of_another_machine_ends_with_its_lease)
{
    store_owner far = {.host = "elsewhere", .boot = "b", .pid = 1, .start = 1};
    prepare_trial("k");
    claim_as(&far, 600);
    store *s = open_store(NULL);
    ck_assert(!claim(s, "k"));
    ok(store_close(s, &err));
    claim_as(&far, -1);
    s = open_store(NULL);
    ck_assert(claim(s, "k"));
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_renewed_lease_holds)
{
    store_owner far = {.host = "elsewhere", .boot = "b", .pid = 1, .start = 1};
    prepare_trial("k");
    claim_as(&far, -1);
    store *theirs = open_store(&(store_options){.owner = &far, .lease_seconds = 600});
    ok(store_renew(theirs, &err));
    store *s = open_store(NULL);
    ck_assert(!claim(s, "k"));
    ok(store_release(theirs, "k", &err));
    ck_assert(claim(s, "k"));
    ok(store_close(theirs, &err));
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_result_that_comes_after_a_takeover_is_dropped)
{
    store_owner far = {.host = "elsewhere", .boot = "b", .pid = 1, .start = 1};
    prepare_trial("k");
    claim_as(&far, -1);
    store *theirs = open_store(&(store_options){.owner = &far}), *s = open_store(NULL);
    ck_assert(claim(s, "k"));
    finish(theirs, "k", 0.1);
    ck_assert_int_eq(outcome(s, "k"), STORE_PENDING);
    finish(s, "k", 0.9);
    finish(theirs, "k", 0.1);
    ck_assert_double_eq(number(s, "k", "accuracy"), 0.9);
    ok(store_close(theirs, &err));
    ok(store_close(s, &err));
}
END_TEST

/* ---- what belongs together ------------------------------------------------------------------------------- */

static bool count_trial(void *user, const store_trial_view *view)
{
    (void)view;
    ++*(int *)user;
    return true;
}

static int trials_of(store *s, int64_t experiment)
{
    int count = 0;
    ok(store_each_trial(s, experiment, count_trial, &count, &err));
    return count;
}

/* Entering an experiment anew empties its list: another process must not see that, nor add to it in between. */
START_TEST(gathered_writes_appear_at_once)
{
    store *s = open_store(&(store_options){.batch_trials = 2}), *other = open_store(&(store_options){.busy_ms = 1});
    int64_t id = add_experiment(s, "e");
    for (int i = 0; i < 3; i++) add_trial(s, id, (const char *[]){"a", "b", "c"}[i]);
    ok(store_flush(s, &err));
    ok(store_gather(s, &err));
    add_experiment(s, "e");
    for (int i = 0; i < 3; i++) {
        add_trial(s, id, (const char *[]){"c", "b", "a"}[i]);
        ck_assert_int_eq(trials_of(other, id), 3);
        bool won;
        ck_assert_int_eq(store_claim(other, "a", &won, NULL), CRU_IO); /* locked */
    }
    add_trial(s, id, "d");
    ok(store_flush(s, &err));
    ck_assert_int_eq(trials_of(other, id), 4);
    ck_assert(claim(other, "a"));
    ok(store_close(s, &err));
    ok(store_close(other, &err));
}
END_TEST

START_TEST(gathered_writes_fail_together)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "a");
    ok(store_gather(s, &err));
    add_experiment(s, "e");
    add_trial(s, id, "b");
    ck_assert_int_eq(store_add_trial(s, id, &(store_trial){.key = "", .canonical = ""}, NULL), CRU_BAD_INPUT);
    ok(store_close(s, &err));
    s = open_store(NULL);
    ck_assert_int_eq(trials_of(s, id), 1);
    ck_assert(claim(s, "a"));
    ok(store_close(s, &err));
}
END_TEST

/* ---- children -------------------------------------------------------------------------------------------- */

static int shared_mappings(void)
{
    char line[512];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) count += strstr(line, "results.db") != NULL;
    if (maps) fclose(maps);
    return count;
}

/* Enough frames for a second piece of the index. */
START_TEST(a_child_does_not_inherit_what_processes_share)
{
    int status;
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    char key[16];
    for (int i = 0; i < 1500; i++) {
        snprintf(key, sizeof key, "%d", i);
        add_trial(s, id, key);
    }
    ck_assert_int_gt(shared_mappings(), 0);
    pid_t child = fork();
    if (child == 0) _exit(shared_mappings());
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ok(store_close(s, &err));
}
END_TEST

enum { TRIALS = 300, PROCESSES = 4 };

static void add_many(void)
{
    store *s = open_store(&(store_options){.batch_trials = 1000});
    int64_t id = add_experiment(s, "e");
    for (int i = 0; i < TRIALS; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        add_trial(s, id, key);
    }
    ok(store_close(s, &err));
}

/* A runner in a process of its own: claims and finishes what it can, then leaves with the number of trials it won. */
static pid_t start_runner(int32_t batch)
{
    pid_t pid = fork();
    if (pid != 0) return pid;
    store *s;
    int won_count = 0;
    if (store_open(path, &(store_options){.batch_trials = batch}, &s, NULL)) _exit(255);
    for (int i = 0; i < TRIALS; i++) {
        char key[16];
        bool won;
        snprintf(key, sizeof key, "%d", i);
        if (store_claim(s, key, &won, NULL)) _exit(255);
        if (!won) continue;
        won_count++;
        store_number value = {"accuracy", i};
        store_result result = {.outcome = STORE_OK, .numbers = &value, .number_count = 1};
        if (store_finish(s, key, &result, NULL)) _exit(255);
        if (i % 16 == 0 && store_flush(s, NULL)) _exit(255);
    }
    if (store_close(s, NULL)) _exit(255);
    _exit(won_count == 0 ? 1 : 0);
}

static void check_all_done(void)
{
    store *s = open_store(NULL);
    int64_t id, counts[STORE_OUTCOMES];
    ok(store_find_experiment(s, "e", &id, &err));
    ok(store_count(s, id, counts, &err));
    ck_assert_int_eq(counts[STORE_OK], TRIALS);
    for (int i = 0; i < TRIALS; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        ck_assert_double_eq(number(s, key, "accuracy"), i);
    }
    ok(store_close(s, &err));
}

START_TEST(processes_share_the_trials_without_running_one_twice)
{
    add_many();
    pid_t pids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) pids[i] = start_runner(_i);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) != 255);
    }
    check_all_done();
}
END_TEST

START_TEST(processes_that_open_a_new_file_at_once_agree_on_its_tables)
{
    pid_t pids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            store *s;
            _exit(store_open(path, NULL, &s, NULL) || store_close(s, NULL));
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        waitpid(pids[i], &status, 0);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}
END_TEST

/* Kills a runner after a varying amount of its work, without clocks: the child stops itself. */
static void run_and_die(int after, int32_t batch)
{
    pid_t pid = fork();
    if (pid == 0) {
        store *s;
        if (store_open(path, &(store_options){.batch_trials = batch, .batch_ms = 100000}, &s, NULL)) _exit(255);
        for (int i = 0, done = 0; i < TRIALS; i++) {
            char key[16];
            bool won;
            snprintf(key, sizeof key, "%d", i);
            if (store_claim(s, key, &won, NULL)) _exit(255);
            if (won && ++done > after) raise(SIGKILL);
            store_number value = {"accuracy", i};
            if (won && store_finish(s, key, &(store_result){.outcome = STORE_OK, .numbers = &value, .number_count = 1},
                                    NULL)) {
                _exit(255);
            }
        }
        _exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

START_TEST(a_killed_process_loses_only_what_was_in_flight)
{
    add_many();
    run_and_die(20, 1);
    store *s = open_store(NULL);
    ck_assert_double_eq(number(s, "19", "accuracy"), 19);
    ck_assert_int_eq(outcome(s, "20"), STORE_PENDING);
    ok(store_close(s, &err));
    for (int i = 0; i < 20; i++) run_and_die(i * 7 % 11, 1 + i % 5);
    pid_t pid = start_runner(8);
    int status;
    waitpid(pid, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_all_done();
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("store-sharing");
    TCase *tc = tcase_create("sharing");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, a_trial_held_by_a_living_process_is_not_given_away);
    tcase_add_test(tc, a_process_that_cannot_be_looked_at_is_not_taken_for_dead);
    tcase_add_test(tc, the_claim_of_a_dead_process_is_taken_over);
    tcase_add_test(tc, the_claim_of_another_machine_ends_with_its_lease);
    tcase_add_test(tc, a_renewed_lease_holds);
    tcase_add_test(tc, a_result_that_comes_after_a_takeover_is_dropped);
    tcase_add_test(tc, gathered_writes_appear_at_once);
    tcase_add_test(tc, gathered_writes_fail_together);
    tcase_add_test(tc, a_child_does_not_inherit_what_processes_share);
    tcase_add_loop_test(tc, processes_share_the_trials_without_running_one_twice, 0, 3);
    tcase_add_loop_test(tc, processes_that_open_a_new_file_at_once_agree_on_its_tables, 0, 30);
    tcase_add_test(tc, a_killed_process_loses_only_what_was_in_flight);
    suite_add_tcase(suite, tc);
    return suite;
}
