// SPDX-License-Identifier: Apache-2.0
/* Ways round the judge, each of which once worked. One plugin an attack: tests/plugins/hostile-*.c. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "../../plugins/hostile-memory.h"
#include "base/printable.h"
#include "check/check.h"
#include "fixture.h"
#include "report/format/escape.h"
#include "worker/sandbox.h"
#include "worker/scratch.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

#define COMMON "runner-secret runner-accuracy "
#define BASE   "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy\n"

static bool no_landlock(const char *test)
{
    bool none = !sandbox_probe(0).landlock;
    if (none) printf("SKIP %s: this kernel has no Landlock\n", test);
    return none;
}

static void put_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static bool is_there(const char *folder, const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* ---- the scan -------------------------------------------------------------------------------------------- */

/* C1, C4: a folder of plugins, linked under other names. */
static registry *scan(const char *folder, const char *const files[][2], int count)
{
    char target[512], path[200];
    const char *const folders[] = {folder, NULL};
    registry *found;
    cru_error err = {0};
    for (int i = 0; i < count; i++) {
        snprintf(target, sizeof target, "%s/%s.so", TEST_PLUGINS, files[i][0]);
        snprintf(path, sizeof path, "%s/%s", folder, files[i][1]);
        ck_assert_int_eq(symlink(target, path), 0);
    }
    loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    ck_assert_msg(loader_scan(&options, &found, NULL, &err) == CRU_OK, "%s", err.text);
    return found;
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(a_file_that_is_scanned_can_do_nothing)
{
    if (no_landlock("a_file_that_is_scanned_can_do_nothing")) return;
    char folder[] = "/tmp/crucible-hostile-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    put_file(folder, "labels", "1");
    static const char *const files[][2] = {{"hostile-load", "hostile-load.so"}};
    registry *found = scan(folder, files, 1);
    const registry_entry *e = registry_at(found, 0);
    ck_assert_msg(!e->broken, "%s", e->broken);
    ck_assert_str_eq(e->summary, "done:");
    ck_assert(is_there(folder, "labels") && !is_there(folder, "proof"));
    registry_destroy(found);
    remove_folder(folder);
}
END_TEST

START_TEST(a_plugin_that_is_checked_can_do_nothing)
{
    if (no_landlock("a_plugin_that_is_checked_can_do_nothing")) return;
    char folder[] = "/tmp/crucible-hostile-XXXXXX", path[200], from[512];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    put_file(folder, "labels", "1");
    snprintf(from, sizeof from, "cp %s/hostile-load.so %s", TEST_PLUGINS, folder);
    ck_assert_int_eq(system(from), 0);
    snprintf(path, sizeof path, "%s/hostile-load.so", folder);
    check_report report;
    cru_error err = {0};
    ck_assert_msg(check_file(path, &(check_options){.seconds = 60}, &report, &err) == CRU_OK, "%s", err.text);
    ck_assert(is_there(folder, "labels") && !is_there(folder, "proof"));
    check_report_free(&report);
    remove_folder(folder);
}
END_TEST

START_TEST(a_plugin_cannot_speak_for_another)
{
    char folder[] = "/tmp/crucible-hostile-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(folder));
    static const char *const files[][2] = {{"hostile-rival", "a-rival.so"}, {"good-algorithm", "victim.so"}};
    registry *found = scan(folder, files, 2);
    const registry_entry *victim = registry_find(found, CRU_KIND_ALGORITHM, "good-algorithm");
    ck_assert_ptr_nonnull(victim);
    ck_assert_double_eq(victim->params[0].number, 64);
    registry_destroy(found);
    remove_folder(folder);
}
END_TEST

/* ---- workers --------------------------------------------------------------------------------------------- */

/* C2: beside the plugin lies a link, named as a library, to the labels. */
START_TEST(a_link_is_no_library)
{
    if (no_landlock("a_link_is_no_library")) return;
    char cache[] = "/tmp/crucible-cache-XXXXXX", ini[1024], labels[64], link[128];
    fixture f;
    ck_assert_ptr_nonnull(mkdtemp(cache));
    snprintf(labels, sizeof labels, "%s/labels", cache);
    snprintf(ini, sizeof ini,
             "[experiment]\nmetrics = runner-accuracy\n[dataset runner-secret]\npath = %s\n[algorithm runner-thief]\n"
             "files = %s\n[paths]\ncache = %s\n",
             labels, "FOLDER/labels.so", cache);
    fixture_open(&f, COMMON "runner-thief", ini);
    snprintf(link, sizeof link, "%s/labels.so", f.folder);
    ck_assert_int_eq(symlink(labels, link), 0);
    experiment_destroy(f.experiment);
    /* the file's name is known only now */
    char *at = strstr(ini, "FOLDER/labels.so"), rest[512];
    snprintf(rest, sizeof rest, "%s", at + strlen("FOLDER/labels.so"));
    snprintf(at, sizeof ini - (size_t)(at - ini), "%s%s", link, rest);
    put_file(f.folder, "test.ini", ini);
    char path[128];
    snprintf(path, sizeof path, "%s/test.ini", f.folder);
    const char *files[] = {path};
    diagnostics faults = {0};
    ck_assert_int_eq(
        config_load(&(config_request){.files = files, .file_count = 1, .registry = f.plugins}, &f.experiment, &faults),
        CRU_OK);
    fixture_run(&f, &(runner_options){0});
    ck_assert(is_there(cache, "labels"));
    ck_assert_msg(f.ended[0].outcome == STORE_OK, "%s", f.ended[0].message);
    fixture_close(&f);
    remove_folder(cache);
}
END_TEST

static ended run_with(const char *plugin, const char *more, const runner_options *options)
{
    fixture f;
    char ini[1024], plugins[256];
    snprintf(ini, sizeof ini, BASE "[algorithm %s]\n%s\n", plugin, more);
    snprintf(plugins, sizeof plugins, COMMON "%s", plugin);
    fixture_open(&f, plugins, ini);
    fixture_run(&f, options);
    ended e = f.ended[0];
    fixture_close(&f);
    return e;
}

/* C3: the host's heap, stack and environment are full of it when the worker starts. */
START_TEST(nothing_of_the_host_is_in_a_workers_memory)
{
    if (SANITIZED) return; /* its shadow memory has no end */
    enum { COPIES = 4000, SIZE = 512 };
    nursery *parent;
    cru_error err = {0};
    char token[TOKEN + 1] = "", *copies[COPIES];
    token_make(token);
    setenv("HOST_SECRET", token, 1);
    memset(token, 0, sizeof token);
    ck_assert_msg(runner_nursery(&parent, &err) == CRU_OK, "%s", err.text);
    token_make(token);
    setenv("LATER_SECRET", token, 1);
    for (int i = 0; i < COPIES; i++) {
        copies[i] = malloc(SIZE);
        for (int k = 0; k + TOKEN <= SIZE; k += TOKEN) memcpy(copies[i] + k, token, TOKEN);
    }
    ended clean = run_with("hostile-memory", "", &(runner_options){.nursery = parent});
    ended planted = run_with("hostile-memory", "plant = true", &(runner_options){.nursery = parent});
    ck_assert_msg(clean.outcome == STORE_OK, "%s", clean.message);
    ended late = run_with("hostile-memory", "", &(runner_options){0}); /* whose parent knows what we know now */
    expect_outcome(&late, STORE_FAILED, "found it on ");
    expect_outcome(&planted, STORE_FAILED, "found it on ");
    for (int i = 0; i < COPIES; i++) free(copies[i]);
    nursery_close(parent);
}
END_TEST

/* H2: trials one after the other in one slot; H3: another slot beside it. */
START_TEST(trials_do_not_talk_through_their_scratch_folders)
{
    if (no_landlock("trials_do_not_talk_through_their_scratch_folders")) return;
    fixture f;
    fixture_open(&f, COMMON "hostile-scratch", BASE "seeds = 0..5\n[algorithm hostile-scratch]\n");
    fixture_run(&f, &(runner_options){.jobs = 2});
    ck_assert_int_eq(f.count, 6);
    for (int i = 0; i < f.count; i++) /* the host may see the mischief while it lasts, and end it */
        ck_assert_msg(f.ended[i].outcome == STORE_OK || strstr(f.ended[i].message, "scratch folder ([run]"), "%s",
                      f.ended[i].message);
    fixture_close(&f);
}
END_TEST

/* However deep and closed: what is left of it is nothing. */
START_TEST(a_scratch_folder_can_always_be_removed)
{
    enum { DEPTH = 300 };
    char top[] = "/tmp/crucible-hostile-XXXXXX", name[SCRATCH_NAME], step[201];
    memset(step, 'x', sizeof step - 1);
    step[sizeof step - 1] = 0;
    ck_assert_ptr_nonnull(mkdtemp(top));
    int parent = open(top, O_RDONLY | O_DIRECTORY), at = scratch_begin(parent, name);
    ck_assert_int_ge(at, 0);
    ck_assert_int_eq(symlinkat("/etc", at, "link"), 0);
    for (int i = 0; i < DEPTH; i++) {
        ck_assert_int_eq(mkdirat(at, step, 0700), 0);
        ck_assert_int_eq(mkdirat(at, "closed", 0000), 0);
        int next = openat(at, step, O_RDONLY | O_DIRECTORY);
        close(at);
        at = next;
    }
    close(openat(at, "letter", O_WRONLY | O_CREAT, 0000));
    close(at);
    scratch_end(parent, name);
    ck_assert_int_eq(faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW), -1);
    close(parent);
    ck_assert_int_eq(rmdir(top), 0);
}
END_TEST

/* A trial finds the folder of an earlier one only where that one left no trace, of which even a time is one. */
START_TEST(a_folder_with_a_trace_is_not_given_again)
{
    char top[] = "/tmp/crucible-hostile-XXXXXX", name[3][SCRATCH_NAME];
    struct statvfs medium;
    ck_assert_ptr_nonnull(mkdtemp(top));
    int parent = open(top, O_RDONLY | O_DIRECTORY);
    int idle = scratch_begin(parent, name[0]), writer = scratch_begin(parent, name[1]),
        reader = scratch_begin(parent, name[2]);
    ck_assert(scratch_untouched(idle) && scratch_untouched(writer) && scratch_untouched(reader));
    close(openat(writer, "letter", O_WRONLY | O_CREAT, 0600));
    ck_assert_int_eq(unlinkat(writer, "letter", 0), 0);
    ck_assert(!scratch_untouched(writer));
    scratch_bytes(reader, 1); /* lists it */
    ck_assert_int_eq(fstatvfs(reader, &medium), 0);
    if (!(medium.f_flag & ST_NOATIME)) ck_assert(!scratch_untouched(reader));
    ck_assert(scratch_untouched(idle));
    const int all[] = {idle, writer, reader};
    for (int i = 0; i < 3; i++) {
        close(all[i]);
        scratch_end(parent, name[i]);
    }
    close(parent);
    ck_assert_int_eq(rmdir(top), 0);
}
END_TEST

/* M1: it says "-5 s"; the host has a clock, and the judge has the scores. */
START_TEST(a_worker_is_not_believed)
{
    fixture f;
    fixture_open(&f, COMMON "hostile-liar", BASE "[algorithm hostile-liar]\n");
    const registry_entry *e = registry_find(f.plugins, CRU_KIND_ALGORITHM, "hostile-liar");
    ck_assert_ptr_nonnull(e);
    ck_assert(printable_is(e->summary, strlen(e->summary), false)); /* M4: list, info */
    ck_assert_ptr_nonnull(strstr(e->summary, "good ?[2J"));
    fixture_run(&f, &(runner_options){0});
    const ended *r = &f.ended[0];
    ck_assert_msg(r->outcome == STORE_OK, "%s", r->message);
    ck_assert_double_ge(r->seconds_total, 0);
    ck_assert_double_ge(r->seconds_to_best, 0);
    ck_assert(isnan(r->seconds_construct) || r->seconds_construct >= 0);
    ck_assert(isnan(r->seconds_train) || r->seconds_train >= 0);
    ck_assert(r->validation >= 0 && r->validation < 0.9); /* one class of several, whatever it says */
    ck_assert_int_eq(r->best_epoch, -1);
    fixture_close(&f);
}
END_TEST

/* It says that it is done, and computes its scores afterwards: the time that counts is until its end. */
START_TEST(a_word_before_the_end_saves_no_time)
{
    ended e = run_with("hostile-protocol", "way = early\nseconds = 0.3", &(runner_options){0});
    ck_assert_msg(e.outcome == STORE_OK, "%s", e.message);
    ck_assert_double_ge(e.seconds_total, 0.3);
    ck_assert_double_ge(e.seconds_to_best, 0.3);
}
END_TEST

/* The best of a thousand guesses is better than chance, and the judge would tell which it is. */
START_TEST(the_judge_is_asked_no_more_often_than_there_are_epochs)
{
    ended e =
        run_with("hostile-protocol", "way = guess\n[monitor]\nrule = oracle-early\nepochs = 20", &(runner_options){0});
    expect_outcome(&e, STORE_FAILED, "asked for opinions on more checkpoints than it has epochs");
}
END_TEST

START_TEST(a_worker_has_no_descriptor_but_its_own)
{
    ended e = run_with("hostile-protocol", "way = others", &(runner_options){.jobs = 2});
    expect_outcome(&e, STORE_OK, "");
}
END_TEST

/* Every answer costs the judge a whole task. */
START_TEST(the_hidden_part_of_a_task_is_given_once)
{
    fixture f;
    fixture_open(&f, "runner-halves runner-accuracy hostile-protocol",
                 "[experiment]\ndatasets = runner-halves\nmetrics = runner-accuracy\n[split]\nview = inductive\n"
                 "[algorithm hostile-protocol]\nway = again\n");
    fixture_run(&f, &(runner_options){0});
    expect_outcome(&f.ended[0], STORE_FAILED, "asked for the whole task a second time");
    fixture_close(&f);
}
END_TEST

/* M3 */
START_TEST(greed_has_limits)
{
    static const struct {
        const char *more;
        store_outcome outcome;
        const char *message;
    } cases[] = {{"thing = threads\n[run]\ntimeout = 15", STORE_FAILED, "started more than 256 threads"},
                 {"thing = files", STORE_OK, ""},
                 {"thing = memory", STORE_OK, ""},
                 {"thing = words\n[run]\ntimeout = 15", STORE_FAILED, "printed more than 256 MiB"},
                 {"thing = scratch\n[run]\nscratch = 16\ntimeout = 15", STORE_FAILED, "wrote more than 16 MiB"},
                 {"thing = names\n[run]\nscratch = 16\ntimeout = 15", STORE_FAILED, "very many files"},
                 {"thing = removed\n[run]\nscratch = 16\ntimeout = 15", STORE_FAILED, "wrote more than 16 MiB"},
                 {"thing = mapped\n[run]\nscratch = 16\ntimeout = 15", STORE_FAILED, "wrote more than 16 MiB"}};
    if (SANITIZED && _i == 2) return;
    if (_i > 3 && no_landlock("greed_has_limits")) return;
    ended e = run_with("hostile-greed", cases[_i].more, &(runner_options){.jobs = 1});
    expect_outcome(&e, cases[_i].outcome, cases[_i].message);
}
END_TEST

START_TEST(points_that_nobody_asked_for_are_not_kept)
{
    ended without = run_with("hostile-greed", "thing = points", &(runner_options){0});
    ended with = run_with("hostile-greed", "thing = points\n[run]\ncurves = yes", &(runner_options){0});
    expect_outcome(&without, STORE_OK, "");
    ck_assert_int_eq(without.curve_points, 0);
    ck_assert_int_ge(with.curve_points, 5000);
}
END_TEST

/* What a method says it learned is bounded, and costs at most itself. */
START_TEST(a_report_is_not_believed)
{
    static const struct {
        const char *thing;
        store_outcome outcome;
        const char *message;
        double fine; /* what is left of "fine"; -1: nothing */
    } cases[] = {{"names", STORE_OK, "a part of its report is left out: it has more than 100 names", -1},
                 {"vast", STORE_OK, "a part of its report is left out: there is room for 16384 numbers", -1},
                 {"matrix", STORE_OK, "a part of its report is left out: there is room for 16384 numbers", -1},
                 {"nan", STORE_OK, "", NAN},
                 {"bad-names", STORE_OK, "a part of its report is left out: a name is not made of 1 to 60", 2},
                 {"twice", STORE_OK, "a part of its report is left out: fine is there twice", 2},
                 {"larger", STORE_OK, "its report is left out: it is larger than its place", -1},
                 {"hollow", STORE_OK, "its report is left out: its bytes do not hold whole numbers", -1}};
    char more[64];
    snprintf(more, sizeof more, "thing = %s", cases[_i].thing);
    ended e = run_with("hostile-report", more, &(runner_options){0});
    expect_outcome(&e, cases[_i].outcome, cases[_i].message);
    ck_assert_int_lt(e.count, 16 + 1);
    bool there = false;
    for (int i = 0; i < e.count; i++) {
        if (strcmp(e.names[i], "method.fine") != 0) continue;
        there = true;
        ck_assert(isnan(cases[_i].fine) ? isnan(e.numbers[i]) : e.numbers[i] == cases[_i].fine);
    }
    ck_assert(there == !(cases[_i].fine == -1));
}
END_TEST

/* Where a metric looks at label weights, wrong ones fail the trial as a wrong embedding does. */
START_TEST(label_weights_are_checked_before_a_metric_sees_them)
{
    static const char *const cases[][2] = {{"weights", "it gives 1 label weights for "},
                                           {"nan-weights", "the label weights are not all finite"}};
    fixture f;
    char ini[512];
    snprintf(ini, sizeof ini,
             "[experiment]\ndatasets = runner-secret\nmetrics = runner-accuracy, runner-weights\n"
             "[algorithm hostile-report]\nthing = %s\n[algorithm good-algorithm]\n",
             cases[_i][0]);
    fixture_open(&f, COMMON "hostile-report good-algorithm runner-weights", ini);
    fixture_run(&f, &(runner_options){0});
    expect_outcome(fixture_find(&f, "hostile-report"), STORE_FAILED, cases[_i][1]);
    expect_outcome(fixture_find(&f, "good-algorithm"), STORE_OK, "");
    fixture_close(&f);
}
END_TEST

/* M4: run */
START_TEST(words_of_a_method_do_not_steer_terminals)
{
    ended e = run_with("hostile-words", "", &(runner_options){0});
    expect_outcome(&e, STORE_FAILED, "said ?]0;owned? and ? turned");
    expect_outcome(&e, STORE_FAILED, "printed ?[31m ? 5n");
    ck_assert(printable_is(e.message, strlen(e.message), true));
}
END_TEST

static void expect_cell(const char *text, const char *cell)
{
    char *written;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    escape_csv(out, text);
    fclose(out);
    ck_assert_str_eq(written, cell);
    free(written);
}

START_TEST(a_spreadsheet_runs_no_cell)
{
    expect_cell("=cmd|'/c calc'!A1", "'=cmd|'/c calc'!A1");
    expect_cell("+1+1", "'+1+1");
    expect_cell("@SUM(1)", "'@SUM(1)");
    expect_cell("=1,2", "\"'=1,2\"");
    expect_cell("-0.5", "-0.5");
    expect_cell("gcn", "gcn");
    expect_cell("a \xc2\x9b b", "a   b");
}
END_TEST

/* ---- the judge ------------------------------------------------------------------------------------------- */

static void open_judged(fixture *f, const char *cache, const char *way, const char *file)
{
    char ini[1024];
    snprintf(ini, sizeof ini,
             BASE "seeds = 0..2\n[corruptor hostile-judge]\nway = %s\nfile = %s\n[algorithm good-algorithm]\n"
                  "[paths]\ncache = %s\n",
             way, file, cache);
    fixture_open(f, COMMON "good-algorithm hostile-judge", ini);
}

START_TEST(a_plugin_of_the_judge_cannot_break_out)
{
    if (no_landlock("a_plugin_of_the_judge_cannot_break_out")) return;
    char cache[] = "/tmp/crucible-cache-XXXXXX", file[] = "/tmp/crucible-secret-XXXXXX";
    fixture f;
    ck_assert_ptr_nonnull(mkdtemp(cache));
    close(mkstemp(file));
    open_judged(&f, cache, "break-out", file);
    fixture_run(&f, &(runner_options){0});
    ck_assert_int_eq(f.count, 3);
    for (int i = 0; i < f.count; i++) {
        ck_assert_msg(f.ended[i].outcome == STORE_OK, "%s", f.ended[i].message);
        ck_assert_double_eq(ended_number(&f.ended[i], "hostile-judge.done"), 0);
    }
    fixture_close(&f);
    unlink(file);
    remove_folder(cache);
}
END_TEST

/* The plugins that make a dataset and that judge are behind the same locks. */
START_TEST(datasets_and_metrics_cannot_break_out)
{
    if (no_landlock("datasets_and_metrics_cannot_break_out")) return;
    char file[] = "/tmp/crucible-secret-XXXXXX", ini[512];
    fixture f;
    close(mkstemp(file));
    snprintf(ini, sizeof ini,
             "[experiment]\nmetrics = hostile-metric\n[dataset hostile-dataset]\nfile = %s\n[metric hostile-metric]\n"
             "file = %s\n[algorithm good-algorithm]\n",
             file, file);
    fixture_open(&f, "good-algorithm hostile-dataset hostile-metric", ini);
    fixture_run(&f, &(runner_options){0});
    ck_assert_msg(f.ended[0].outcome == STORE_OK, "%s", f.ended[0].message);
    ck_assert_double_eq(ended_number(&f.ended[0], "hostile-metric"), 0);
    fixture_close(&f);
    unlink(file);
}
END_TEST

START_TEST(a_judge_that_is_killed_while_busy_costs_no_trial)
{
    char cache[] = "/tmp/crucible-cache-XXXXXX", file[64];
    fixture f;
    ck_assert_ptr_nonnull(mkdtemp(cache));
    snprintf(file, sizeof file, "%s/mark", cache);
    open_judged(&f, cache, "die-once", file);
    fixture_run(&f, &(runner_options){0});
    ck_assert_int_eq(f.count, 3);
    ck_assert(is_there(cache, "mark"));
    for (int i = 0; i < f.count; i++) ck_assert_msg(f.ended[i].outcome == STORE_OK, "%s", f.ended[i].message);
    fixture_close(&f);
    remove_folder(cache);
}
END_TEST

/* Nobody's fault: the run ends, and all trials stay to be run. */
START_TEST(what_is_short_here_is_not_stored_as_a_failure)
{
    char cache[] = "/tmp/crucible-cache-XXXXXX";
    static const char *const ways[] = {"no-memory", "die"};
    fixture f;
    cru_error err = {0};
    runner *r;
    ck_assert_ptr_nonnull(mkdtemp(cache));
    open_judged(&f, cache, ways[_i], "none");
    runner_options options = {.experiment = f.experiment, .plugins = f.plugins};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = fixture_next, .done = fixture_done, .user = &f};
    ck_assert_int_eq(runner_run(r, &source, &f.summary, &err), CRU_NO_MEMORY);
    ck_assert_ptr_nonnull(strstr(err.text, "hostile-judge"));
    runner_close(r);
    ck_assert_int_eq(f.count, 0);
    fixture_close(&f);
    remove_folder(cache);
}
END_TEST

/* ---- load ------------------------------------------------------------------------------------------------ */

typedef struct crowd {
    fixture f;
    int64_t ok;
    int64_t early,
        late; /* KiB that the judge has mapped, with as many problems as it keeps and with three times as many */
} crowd;

/* A number of /proc/PID/status; 0: it has none. */
static int64_t status_of(const char *pid, const char *format)
{
    char path[300], line[256];
    long long value = 0;
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &value) == 1) break;
    if (file) fclose(file);
    return value;
}

/* Whether its parent is a child of this process: another run may go on beside. */
static bool is_grandchild(const char *pid)
{
    char parent[32];
    snprintf(parent, sizeof parent, "%lld", (long long)status_of(pid, "PPid: %lld"));
    return status_of(parent, "PPid: %lld") == getpid();
}

/* What our judge has mapped. Not the number of mappings: the kernel may make one of neighbours. */
static int64_t judge_kib(void)
{
    DIR *list = opendir("/proc");
    int64_t most = 0;
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        bool judge = file && fgets(name, sizeof name, file) && strcmp(name, "crucible-judge\n") == 0;
        if (file) fclose(file);
        if (judge && is_grandchild(entry->d_name)) most = status_of(entry->d_name, "VmData: %lld");
    }
    if (list) closedir(list);
    return most;
}

static runner_next crowd_next(void *user, trial *t, char key[SHA256_HEX])
{
    return fixture_next(&((crowd *)user)->f, t, key);
}

static void crowd_done(void *user, const runner_result *r)
{
    crowd *c = user;
    c->ok += r->result.outcome == STORE_OK;
    if (c->ok == 600) c->early = judge_kib();
    if (c->ok == 1500) c->late = judge_kib();
}

/* H1: a judge keeps the problems that fit, by number as well as by size. */
START_TEST(many_problems_take_no_more_memory_than_some)
{
    crowd c = {0};
    cru_error err = {0};
    runner *r;
    runner_summary summary;
    fixture_open(&c.f, COMMON "good-algorithm",
                 "[experiment]\nmetrics = runner-accuracy\nseeds = 0..1499\n[dataset runner-secret]\nrows = 10\n"
                 "[algorithm good-algorithm]\n[run]\njobs = 4\n");
    runner_options options = {.experiment = c.f.experiment, .plugins = c.f.plugins};
    ck_assert_msg(runner_open(&options, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = crowd_next, .done = crowd_done, .user = &c};
    ck_assert_msg(runner_run(r, &source, &summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
    ck_assert_int_eq(c.ok, 1500);
    ck_assert_int_gt(c.early, 0);
    /* 900 more would take two pieces of 64 KiB each; a sanitizer keeps what was freed for a while. */
    if (!SANITIZED) ck_assert_int_lt(c.late - c.early, 20000);
    fixture_close(&c.f);
}
END_TEST

/* ---- what the kernel lacks ------------------------------------------------------------------------------- */

START_TEST(a_required_sandbox_is_whole_or_nothing_runs)
{
    fixture f;
    cru_error err = {0};
    runner *r;
    fixture_open(&f, COMMON "good-algorithm", BASE "[algorithm good-algorithm]\n[run]\nsandbox = required\n");
    runner_options options = {.experiment = f.experiment, .plugins = f.plugins, .landlock_most = -1};
    ck_assert_int_eq(runner_open(&options, &r, &err), CRU_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "sandbox = required: this kernel has no Landlock"));
    f.experiment->run.sandbox = RUN_SANDBOX_ON;
    fixture_run(&f, &(runner_options){.landlock_most = -1});
    ck_assert_msg(f.ended[0].outcome == STORE_OK, "%s", f.ended[0].message);
    fixture_close(&f);
}
END_TEST

static TCase *add_case(Suite *s, const char *name)
{
    TCase *t = tcase_create(name);
    tcase_set_timeout(t, 240);
    suite_add_tcase(s, t);
    return t;
}

/* tests/hostile/protections.py runs single cases by their names. */
Suite *suite(void)
{
    Suite *s = suite_create("hostile");
    TCase *t = add_case(s, "scan");
    tcase_add_test(t, a_file_that_is_scanned_can_do_nothing);
    tcase_add_test(t, a_plugin_that_is_checked_can_do_nothing);
    tcase_add_test(t, a_plugin_cannot_speak_for_another);
    t = add_case(s, "worker");
    tcase_add_test(t, a_link_is_no_library);
    tcase_add_test(t, nothing_of_the_host_is_in_a_workers_memory);
    tcase_add_test(t, a_worker_has_no_descriptor_but_its_own);
    t = add_case(s, "scratch");
    tcase_add_test(t, trials_do_not_talk_through_their_scratch_folders);
    tcase_add_test(t, a_scratch_folder_can_always_be_removed);
    tcase_add_test(t, a_folder_with_a_trace_is_not_given_again);
    t = add_case(s, "word");
    tcase_add_test(t, a_worker_is_not_believed);
    tcase_add_test(t, a_word_before_the_end_saves_no_time);
    tcase_add_test(t, the_judge_is_asked_no_more_often_than_there_are_epochs);
    tcase_add_test(t, the_hidden_part_of_a_task_is_given_once);
    tcase_add_loop_test(t, a_report_is_not_believed, 0, 8);
    tcase_add_loop_test(t, label_weights_are_checked_before_a_metric_sees_them, 0, 2);
    tcase_add_test(t, words_of_a_method_do_not_steer_terminals);
    tcase_add_test(t, a_spreadsheet_runs_no_cell);
    t = add_case(s, "greed");
    tcase_add_loop_test(t, greed_has_limits, 0, 8);
    tcase_add_test(t, points_that_nobody_asked_for_are_not_kept);
    t = add_case(s, "judge");
    tcase_add_test(t, a_plugin_of_the_judge_cannot_break_out);
    tcase_add_test(t, datasets_and_metrics_cannot_break_out);
    tcase_add_test(t, a_judge_that_is_killed_while_busy_costs_no_trial);
    tcase_add_loop_test(t, what_is_short_here_is_not_stored_as_a_failure, 0, 2);
    t = add_case(s, "load");
    tcase_add_test(t, many_problems_take_no_more_memory_than_some);
    t = add_case(s, "kernel");
    tcase_add_test(t, a_required_sandbox_is_whole_or_nothing_runs);
    return s;
}
