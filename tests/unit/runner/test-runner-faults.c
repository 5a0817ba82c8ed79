// SPDX-License-Identifier: Apache-2.0
/* Whatever a method, a corruptor or a metric does costs its own trials and nothing else. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "fixture.h"
#include "worker/sandbox.h"

/* AddressSanitizer makes limits on memory impossible. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_MEMORY_LIMIT false
#else
#define HAS_MEMORY_LIMIT true
#endif

#define BASE                                                                                                           \
    "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\n"                                              \
    "[run]\njobs = 2\ntimeout = 100\nmemory = 300\n"
#define FIVE_SEEDS "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\nseeds = 0..4\n"
#define MANY_SEEDS "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\nseeds = 0..59\n"
#define COMMON     "runner-secret runner-accuracy "

/* Runs one method under `BASE` and more lines, and gives its result. */
static ended run_one(const char *plugin, const char *more)
{
    fixture f;
    char ini[1024], plugins[256];
    snprintf(ini, sizeof ini, BASE "%s\n[algorithm %s]\n", more, plugin);
    snprintf(plugins, sizeof plugins, COMMON "%s", plugin);
    fixture_open(&f, plugins, ini);
    fixture_run(&f, &(runner_options){0});
    ck_assert_int_eq(f.count, 1);
    ended e = f.ended[0];
    fixture_close(&f);
    return e;
}

static ended leave_by(const char *door)
{
    fixture f;
    char ini[1024];
    snprintf(ini, sizeof ini, BASE "[algorithm runner-epochs]\ndoor = %s\nprint = true\n", door);
    fixture_open(&f, COMMON "runner-epochs", ini);
    fixture_run(&f, &(runner_options){0});
    ended e = f.ended[0];
    fixture_close(&f);
    return e;
}

START_TEST(a_good_method_is_scored)
{
    ended e = leave_by("none");
    ck_assert_int_eq(e.outcome, STORE_OK);
    ck_assert_double_eq(ended_number(&e, "runner-accuracy"), 1);
    ck_assert_double_eq(ended_number(&e, "validation"), 1);
    ck_assert_int_eq(e.best_epoch, 4);
    ck_assert_int_gt(e.peak_bytes, 0);
}
END_TEST

START_TEST(a_crash_names_its_signal_and_leaves_a_backtrace)
{
    ended e = run_one("fit-crash", "");
    expect_outcome(&e, STORE_CRASHED, "SIGSEGV at address 0x40");
    expect_outcome(&e, STORE_CRASHED, "fit-crash.so");
}
END_TEST

START_TEST(an_abort_is_a_crash_and_keeps_what_was_printed)
{
    ended e = leave_by("abort");
    expect_outcome(&e, STORE_CRASHED, "SIGABRT");
    expect_outcome(&e, STORE_CRASHED, "printed\nlogged\n");
}
END_TEST

START_TEST(an_assertion_is_a_crash_with_its_message)
{
    ended e = leave_by("panic");
    expect_outcome(&e, STORE_CRASHED, "shapes 3x4 and 5x6");
}
END_TEST

START_TEST(leaving_the_process_is_a_crash)
{
    ended e = leave_by("exit");
    expect_outcome(&e, STORE_CRASHED, "ended the process with exit code");
}
END_TEST

START_TEST(closing_the_connection_ends_the_trial)
{
    ended e = leave_by("close");
    expect_outcome(&e, STORE_FAILED, "closed its connection");
}
END_TEST

START_TEST(a_status_without_message_is_named)
{
    ended e = leave_by("status");
    expect_outcome(&e, STORE_FAILED, "diverged");
}
END_TEST

START_TEST(a_status_with_message_is_passed_on)
{
    ended e = run_one("fit-fail", "");
    expect_outcome(&e, STORE_FAILED, "the method gave up on purpose");
}
END_TEST

START_TEST(scores_that_are_not_finite_fail)
{
    ended e = run_one("predict-nan", "");
    expect_outcome(&e, STORE_FAILED, "not all finite");
}
END_TEST

START_TEST(an_endless_loop_times_out)
{
    fixture f;
    fixture_open(&f, COMMON "fit-loop", BASE "[algorithm fit-loop]\n");
    f.experiment->run.timeout = 0.2;
    fixture_run(&f, &(runner_options){0});
    expect_outcome(&f.ended[0], STORE_TIMEOUT, "no result after 0.2 s");
    fixture_close(&f);
}
END_TEST

START_TEST(cpu_time_is_limited_too)
{
    fixture f;
    fixture_open(&f, COMMON "fit-loop", BASE "[algorithm fit-loop]\n");
    f.experiment->run.cpu = 1;
    fixture_run(&f, &(runner_options){0});
    expect_outcome(&f.ended[0], STORE_TIMEOUT, "CPU time");
    fixture_close(&f);
}
END_TEST

START_TEST(memory_is_limited)
{
    if (!HAS_MEMORY_LIMIT) return;
    ended engine = run_one("fit-allocate", ""), careless = leave_by("bomb");
    expect_outcome(&engine, STORE_OOM, "out of memory");
    expect_outcome(&careless, STORE_OOM, "ran out of memory");
    ck_assert_int_lt(engine.peak_bytes, INT64_C(500) << 20);
}
END_TEST

START_TEST(the_sandbox_forbids_what_a_method_does_not_need)
{
    ended forks = run_one("fit-fork", ""), connects = run_one("fit-connect", "");
    ended writes = run_one("fit-write", ""), kills = leave_by("kill");
    expect_outcome(&forks, STORE_FAILED, "fork is forbidden");
    expect_outcome(&connects, STORE_FAILED, "the network is forbidden");
    expect_outcome(&writes, STORE_FAILED, "writing is forbidden");
    expect_outcome(&kills, STORE_FAILED, "killing is forbidden");
}
END_TEST

START_TEST(the_scratch_folder_can_be_written)
{
    if (!sandbox_probe(0).landlock) return;
    ended e = leave_by("scratch");
    ck_assert_msg(e.outcome == STORE_OK, "%s", e.message);
}
END_TEST

START_TEST(processes_of_an_unsandboxed_method_are_killed_with_it)
{
    fixture f;
    fixture_open(&f, COMMON "fit-fork", BASE "sandbox = off\n[algorithm fit-fork]\n");
    f.experiment->run.timeout = 0.5;
    fixture_run(&f, &(runner_options){0});
    expect_outcome(&f.ended[0], STORE_TIMEOUT, "no result");
    fixture_close(&f);
}
END_TEST

/* The descendant of a process that has this name; 0: there is none yet. */
static pid_t find_child(pid_t parent, const char *wanted)
{
    char path[64], list[4096] = "", name[32];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (!fgets(list, sizeof list, file)) list[0] = '\0';
    fclose(file);
    pid_t found = 0;
    for (char *rest, *word = strtok_r(list, " ", &rest); word && !found; word = strtok_r(NULL, " ", &rest)) {
        snprintf(path, sizeof path, "/proc/%s/comm", word);
        file = fopen(path, "r");
        bool same = file && fgets(name, sizeof name, file) && strncmp(name, wanted, strlen(wanted)) == 0;
        if (file) fclose(file);
        found = same ? (pid_t)atoi(word) : find_child((pid_t)atoi(word), wanted);
    }
    return found;
}

static pid_t find_worker(void)
{
    return find_child(getpid(), "crucible-trial");
}

static void kill_worker(void *user, const trial *const *running, int32_t count)
{
    (void)user;
    (void)running;
    pid_t pid = count ? find_worker() : 0;
    if (pid) ck_assert_int_eq(kill(pid, SIGKILL), 0);
}

/* As by hand: the method sleeps until then. */
START_TEST(a_worker_that_is_killed_from_outside_is_a_crash)
{
    fixture f;
    cru_error err = {0};
    runner *r;
    fixture_open(&f, COMMON "fit-sleep", BASE "[algorithm fit-sleep]\n");
    ck_assert_int_eq(runner_open(&(runner_options){.experiment = f.experiment, .plugins = f.plugins}, &r, &err),
                     CRU_OK);
    runner_source source = {.next = fixture_next, .done = fixture_done, .tick = kill_worker, .user = &f};
    ck_assert_msg(runner_run(r, &source, &f.summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
    expect_outcome(&f.ended[0], STORE_CRASHED, "killed by SIGKILL");
    fixture_close(&f);
}
END_TEST

START_TEST(a_task_that_is_not_claimed_fails_with_a_reason)
{
    fixture f;
    fixture_open(&f, COMMON "create-choosy", BASE "[algorithm create-choosy]\n");
    fixture_run(&f, &(runner_options){0});
    ck_assert_int_eq(f.ended[0].outcome, STORE_FAILED);
    ck_assert_int_ne(f.ended[0].message[0], 0);
    fixture_close(&f);
}
END_TEST

/* ---- the judge ------------------------------------------------------------------------------------------- */

typedef struct judge_case {
    const char *fault, *expected;
    double seconds;
} judge_case;

static const judge_case metric_cases[] = {
    {"crash", "metric runner-metric crashed (SIGSEGV)", 0},
    {"hang", "metric runner-metric took too long", 1},
    {"panic", "metric runner-metric: an assertion of the test", 0},
    {"exit", "metric runner-metric ended the process", 0},
    {"status", "metric runner-metric: cannot be done", 0},
};

/* Two methods on one problem; the metric is at fault for both, and both trials say so. */
START_TEST(a_metric_fails_the_trial_it_judges)
{
    const judge_case *c = &metric_cases[_i];
    fixture f;
    char ini[512];
    snprintf(ini, sizeof ini,
             "[experiment]\ndatasets = runner-secret\n[metric runner-metric]\nfault = %s\n[run]\njobs = 2\n"
             "[algorithm runner-epochs]\npeak = 1, 2\n",
             c->fault);
    fixture_open(&f, "runner-secret runner-metric runner-epochs", ini);
    fixture_run(&f, &(runner_options){.judge_seconds = c->seconds});
    ck_assert_int_eq(f.count, 2);
    for (int i = 0; i < 2; i++) expect_outcome(&f.ended[i], STORE_FAILED, c->expected);
    fixture_close(&f);
}
END_TEST

/* The one place where a plugin of the judge may write: the cache, with a file in it. */
static void make_cache(char *folder, char file[64])
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, 64, "%s/file", folder);
    int fd = open(file, O_WRONLY | O_CREAT, 0600);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

/* A judge that keeps one problem makes, in this order, those of seeds 0 and 1 and, to score it, that of seed 0 again;
 * so the data is gone when a problem is prepared, when another is under way, when it is scored, and not at all. */
START_TEST(data_that_is_gone_ends_the_run_and_fails_no_trial)
{
    fixture f;
    char ini[400], folder[] = "/tmp/crucible-cache-XXXXXX", file[64];
    make_cache(folder, file);
    int fd = open(file, O_RDWR);
    ck_assert_int_eq(ftruncate(fd, _i), 0);
    snprintf(ini, sizeof ini,
             "[experiment]\nseeds = 0, 1\nmetrics = runner-accuracy\n[dataset runner-secret]\nloads = %s\n"
             "[algorithm good-algorithm]\n[paths]\ncache = %s\n",
             file, folder);
    fixture_open(&f, COMMON "good-algorithm", ini);
    runner_options options = {.experiment = f.experiment, .plugins = f.plugins, .jobs = 1, .judge_bytes = 1};
    cru_error err = {0};
    runner *r;
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = fixture_next, .done = fixture_done, .user = &f};
    cru_status status = runner_run(r, &source, &f.summary, &err);
    runner_close(r);
    ck_assert_int_eq(status, _i < 3 ? CRU_IO : CRU_OK);
    ck_assert_str_eq(err.text, _i < 3 ? "runner-secret: its file is gone" : "");
    for (int i = 0; i < f.count; i++) ck_assert_int_eq(f.ended[i].outcome, STORE_OK);
    if (_i == 0) ck_assert_int_eq(f.count, 0);
    if (_i == 1) ck_assert_int_eq(f.count, 1); /* what was under way has come to its end */
    if (_i == 2) ck_assert_int_le(f.count, 1);
    if (_i == 3) ck_assert_int_eq(f.count, 2);
    fixture_close(&f);
    close(fd);
    unlink(file);
    rmdir(folder);
}
END_TEST

/* The host hears nothing of the worker that is running until that has ended, or waits for the host: all that it sent
 * lies there at once. */
static void done_and_wait(void *user, const runner_result *result)
{
    enum { LOOKS_MOST = 100000 };
    char path[64], text[256];
    fixture_done(user, result);
    pid_t worker = find_child(getpid(), "crucible-trial");
    snprintf(path, sizeof path, "/proc/%d/stat", (int)worker);
    bool over = worker == 0;
    for (int i = 0; !over && i < LOOKS_MOST; i++) {
        FILE *file = fopen(path, "r");
        const char *state = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
        over = !state || state[2] == 'Z';
        if (file) fclose(file);
    }
}

START_TEST(a_worker_that_ends_with_much_unread_is_heard_to_its_last_word)
{
    fixture f;
    cru_error err = {0};
    runner *r;
    fixture_open(&f, COMMON "runner-epochs",
                 "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\nseeds = 0..7\n"
                 "[monitor]\nepochs = 140\ncriterion = loss\n"
                 "[algorithm runner-epochs]\nepochs = 1000000\npeak = 0\nsurer = yes\n");
    runner_options options = {.experiment = f.experiment, .plugins = f.plugins, .jobs = 2};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = fixture_next, .done = done_and_wait, .user = &f};
    ck_assert_msg(runner_run(r, &source, &f.summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
    ck_assert_int_eq(f.count, 8);
    for (int i = 0; i < f.count; i++) ck_assert_msg(f.ended[i].outcome == STORE_OK, "%s", f.ended[i].message);
    fixture_close(&f);
}
END_TEST

enum { MANY = 60 }; /* seeds of MANY_SEEDS */

/* Another file takes the place of the method's, as when it is built anew: between two trials, or in the middle of one
 * that then fails. */
static void build_anew(fixture *f)
{
    char path[128];
    trial t;
    experiment_trial(f->experiment, 0, &t);
    snprintf(path, sizeof path, "%s/%s.so", f->folder, t.algorithm->name);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink(TEST_PLUGINS "/fit-tiny.so", path), 0);
}

static void done_and_build(void *user, const runner_result *r)
{
    fixture_done(user, r);
    build_anew(user);
}

static void build_meanwhile(void *user, const trial *const *running, int32_t count)
{
    (void)running;
    if (count) build_anew(user);
}

START_TEST(a_method_that_is_built_anew_during_a_run_fails_no_trial)
{
    fixture f;
    cru_error err = {0};
    runner *r;
    const bool between = _i == 0;
    fixture_open(&f, between ? COMMON "good-algorithm" : COMMON "fit-loop",
                 between ? MANY_SEEDS "[algorithm good-algorithm]\n" : BASE "[algorithm fit-loop]\n");
    f.experiment->run.timeout = 2;
    runner_options options = {.experiment = f.experiment, .plugins = f.plugins, .jobs = 1};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = fixture_next,
                            .done = between ? done_and_build : fixture_done,
                            .tick = between ? NULL : build_meanwhile,
                            .user = &f};
    ck_assert_int_eq(runner_run(r, &source, &f.summary, &err), CRU_FAILED);
    runner_close(r);
    ck_assert_ptr_nonnull(strstr(err.text, "has changed since the run began"));
    ck_assert_int_lt(f.count, between ? MANY : 1); /* some may be under way when the first is judged */
    for (int i = 0; i < f.count; i++) ck_assert_int_eq(f.ended[i].outcome, STORE_OK);
    fixture_close(&f);
}
END_TEST

/* Nothing but the times of the file have changed. */
static void done_and_touch(void *user, const runner_result *r)
{
    fixture *f = user;
    char path[128];
    fixture_done(user, r);
    snprintf(path, sizeof path, "%s/copy.so", f->folder);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, (struct timespec[2]){{1, 0}, {f->count, 0}}, 0), 0);
}

START_TEST(a_method_that_is_written_again_as_it_was_goes_on)
{
    fixture f;
    cru_error err = {0};
    runner *r;
    char command[700];
    fixture_open(&f, COMMON "good-algorithm", FIVE_SEEDS "[algorithm good-algorithm]\n");
    snprintf(command, sizeof command, "cp %s/good-algorithm.so %s/copy.so && ln -sf copy.so %s/good-algorithm.so",
             TEST_PLUGINS, f.folder, f.folder);
    ck_assert_int_eq(system(command), 0);
    runner_options options = {.experiment = f.experiment, .plugins = f.plugins, .jobs = 1};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = fixture_next, .done = done_and_touch, .user = &f};
    ck_assert_msg(runner_run(r, &source, &f.summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
    ck_assert_int_eq(f.count, 5);
    fixture_close(&f);
}
END_TEST

/* The good corruptor's trials are untouched by the crashes of the bad one. */
START_TEST(a_corruptor_fails_the_trials_of_its_problem_only)
{
    fixture f;
    fixture_open(&f, "runner-secret runner-accuracy runner-epochs runner-corruptor",
                 "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\nseeds = 0, 1\n"
                 "[corruptor runner-corruptor]\nfault = none, crash\n[algorithm runner-epochs]\n[run]\njobs = 2\n");
    fixture_run(&f, &(runner_options){0});
    ck_assert_int_eq(f.count, 4);
    ck_assert_int_eq(f.summary.ended[STORE_OK], 2);
    for (int i = 0; i < 4; i++)
        if (f.ended[i].outcome != STORE_OK)
            expect_outcome(&f.ended[i], STORE_FAILED, "corruptor runner-corruptor crashed (SIGSEGV)");
        else
            ended_number(&f.ended[i], "runner-corruptor.item");
    fixture_close(&f);
}
END_TEST

/* ---- the truth ------------------------------------------------------------------------------------------- */

static ended rob(const char *settings, const char *run)
{
    fixture f;
    char ini[1024];
    snprintf(ini, sizeof ini, BASE "%s\n[algorithm runner-thief]\n%s\n", run, settings);
    fixture_open(&f, COMMON "runner-thief", ini);
    fixture_run(&f, &(runner_options){0});
    ended e = f.ended[0];
    fixture_close(&f);
    return e;
}

START_TEST(a_thief_would_find_what_is_there)
{
    ended e = rob("plant = true\nprocesses = 0", "sandbox = off");
    expect_outcome(&e, STORE_FAILED, "found the labels in its own memory");
}
END_TEST

START_TEST(the_truth_is_in_no_memory_that_a_method_reaches)
{
    ended inside = rob("", "sandbox = on");
    ck_assert_msg(inside.outcome == STORE_OK, "%s", inside.message);
    /* Without a sandbox the worker and the host must still be clean; root could read the judge. */
    ended outside = rob("processes = 0", "sandbox = off");
    ck_assert_msg(outside.outcome == STORE_OK, "%s", outside.message);
}
END_TEST

START_TEST(files_outside_the_libraries_cannot_be_read)
{
    fixture f;
    char ini[1024], folder[] = "/tmp/crucible-cache-XXXXXX", path[64];
    struct stat info;
    make_cache(folder, path);
    snprintf(ini, sizeof ini,
             "[experiment]\nmetrics = runner-accuracy\n[dataset runner-secret]\npath = %s\n"
             "[algorithm runner-thief]\nfiles = %s:/etc/hostname:/proc/self/maps:/proc/self/environ\n[paths]\ncache = "
             "%s\n",
             path, path, folder);
    fixture_open(&f, COMMON "runner-thief", ini);
    fixture_run(&f, &(runner_options){0});
    ck_assert_msg(f.ended[0].outcome == STORE_OK, "%s", f.ended[0].message);
    ck_assert(stat(path, &info) == 0 && info.st_size > 0); /* there was something to find */
    f.experiment->run.sandbox = RUN_SANDBOX_OFF;
    f.experiment->run.timeout = 100;
    fixture_run(&f, &(runner_options){0});
    expect_outcome(&f.ended[0], STORE_FAILED, "found the labels in");
    fixture_close(&f);
    unlink(path);
    rmdir(folder);
}
END_TEST

static ended run_asker(const char *way, const char *rule)
{
    fixture f;
    char ini[512];
    snprintf(ini, sizeof ini, BASE "[algorithm runner-asker]\nway = %s\n[monitor]\nrule = %s\n", way, rule);
    fixture_open(&f, COMMON "runner-asker", ini);
    fixture_run(&f, &(runner_options){0});
    ended e = f.ended[0];
    fixture_close(&f);
    return e;
}

/* The judge's opinion is for the rule oracle-early, and what it is stays between judge and host. */
START_TEST(a_method_cannot_learn_of_the_truth_from_the_judge)
{
    ended asked = run_asker("ask", "validation"), peeked = run_asker("peek", "oracle-early");
    expect_outcome(&asked, STORE_FAILED, "asked for an opinion on a checkpoint");
    ck_assert_msg(peeked.outcome == STORE_OK, "%s", peeked.message);
    ck_assert_int_eq(peeked.best_epoch, 0);
}
END_TEST

/* The method would crash: it never gets to. */
START_TEST(data_that_a_metric_cannot_judge_fails_before_training)
{
    fixture f;
    fixture_open(&f, COMMON "fit-crash runner-candidates",
                 "[experiment]\ndatasets = runner-secret\nmetrics = runner-candidates\n[algorithm fit-crash]\n");
    fixture_run(&f, &(runner_options){0});
    expect_outcome(&f.ended[0], STORE_FAILED, "metric runner-candidates needs candidate sets");
    fixture_close(&f);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("runner-faults");
    TCase *t = tcase_create("methods");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, a_good_method_is_scored);
    tcase_add_test(t, a_crash_names_its_signal_and_leaves_a_backtrace);
    tcase_add_test(t, an_abort_is_a_crash_and_keeps_what_was_printed);
    tcase_add_test(t, an_assertion_is_a_crash_with_its_message);
    tcase_add_test(t, leaving_the_process_is_a_crash);
    tcase_add_test(t, closing_the_connection_ends_the_trial);
    tcase_add_test(t, a_status_without_message_is_named);
    tcase_add_test(t, a_status_with_message_is_passed_on);
    tcase_add_test(t, scores_that_are_not_finite_fail);
    tcase_add_test(t, data_that_a_metric_cannot_judge_fails_before_training);
    tcase_add_test(t, an_endless_loop_times_out);
    tcase_add_test(t, cpu_time_is_limited_too);
    tcase_add_test(t, memory_is_limited);
    tcase_add_test(t, the_sandbox_forbids_what_a_method_does_not_need);
    tcase_add_test(t, the_scratch_folder_can_be_written);
    tcase_add_test(t, processes_of_an_unsandboxed_method_are_killed_with_it);
    tcase_add_test(t, a_worker_that_is_killed_from_outside_is_a_crash);
    tcase_add_test(t, a_task_that_is_not_claimed_fails_with_a_reason);
    suite_add_tcase(s, t);
    t = tcase_create("judge");
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, a_metric_fails_the_trial_it_judges, 0, sizeof metric_cases / sizeof *metric_cases);
    tcase_add_loop_test(t, data_that_is_gone_ends_the_run_and_fails_no_trial, 0, 4);
    tcase_add_test(t, a_corruptor_fails_the_trials_of_its_problem_only);
    tcase_add_test(t, a_worker_that_ends_with_much_unread_is_heard_to_its_last_word);
    tcase_add_loop_test(t, a_method_that_is_built_anew_during_a_run_fails_no_trial, 0, 2);
    tcase_add_test(t, a_method_that_is_written_again_as_it_was_goes_on);
    suite_add_tcase(s, t);
    t = tcase_create("truth");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, a_thief_would_find_what_is_there);
    tcase_add_test(t, the_truth_is_in_no_memory_that_a_method_reaches);
    tcase_add_test(t, files_outside_the_libraries_cannot_be_read);
    tcase_add_test(t, a_method_cannot_learn_of_the_truth_from_the_judge);
    suite_add_tcase(s, t);
    return s;
}
