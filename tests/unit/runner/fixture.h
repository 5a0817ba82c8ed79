// SPDX-License-Identifier: Apache-2.0
/* An experiment of a few lines of INI, run without a store, with the plugins that misbehave. */
#ifndef TESTS_RUNNER_FIXTURE_H
#define TESTS_RUNNER_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config/config.h"
#include "host/runner.h"
#include "loader/loader.h"

enum { ENDED_MOST = 64 };

/* What is left of a result after the run. */
typedef struct ended {
    char label[64];
    uint64_t seed;
    store_outcome outcome;
    char message[4096];
    double numbers[16], validation;
    char names[16][64];
    int count;
    int64_t best_epoch;
    int64_t curve_points;
    int64_t peak_bytes;
    double seconds_total, seconds_to_best, seconds_construct, seconds_train;
} ended;

typedef struct fixture {
    char folder[64];
    registry *plugins;
    experiment *experiment;
    int64_t next;
    ended ended[ENDED_MOST];
    int count;
    runner_summary summary;
} fixture;

/* `run` in two processes at a time, each with a copy of what `user` points to; the sum of what they return. */
static inline int ended_in_two_processes(int (*run)(void *user), void *user)
{
    pid_t children[2];
    int total = 0, status;
    for (int i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(run(user));
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert(WIFEXITED(status));
        total += WEXITSTATUS(status);
    }
    return total;
}

/* The plugins named, with spaces between them, copied by symbolic link into a folder of their own. */
static inline void fixture_open(fixture *f, const char *plugins, const char *ini)
{
    char names[512], path[512], target[512], *rest;
    cru_error err = {0};
    diagnostics faults = {0};
    *f = (fixture){.folder = "/tmp/crucible-runner-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    snprintf(names, sizeof names, "%s", plugins);
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        snprintf(target, sizeof target, "%s/%s.so", TEST_PLUGINS, name);
        snprintf(path, sizeof path, "%s/%s.so", f->folder, name);
        ck_assert_int_eq(symlink(target, path), 0);
    }
    const char *folders[] = {f->folder, TEST_BINARY_DIR "/lib/crucible/plugins/splits", NULL};
    loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    ck_assert_msg(loader_scan(&options, &f->plugins, NULL, &err) == CRU_OK, "%s", err.text);
    snprintf(path, sizeof path, "%s/test.ini", f->folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(ini, file);
    fclose(file);
    const char *files[] = {path};
    config_request request = {.files = files, .file_count = 1, .registry = f->plugins};
    if (config_load(&request, &f->experiment, &faults) != CRU_OK) {
        diagnostics_print(&faults, stderr);
        ck_abort_msg("the configuration of the test is wrong");
    }
}

static inline void fixture_close(fixture *f)
{
    char command[128];
    experiment_destroy(f->experiment);
    registry_destroy(f->plugins);
    snprintf(command, sizeof command, "rm -r %s", f->folder);
    ck_assert_int_eq(system(command), 0);
}

static inline runner_next fixture_next(void *user, trial *t, char key[SHA256_HEX])
{
    fixture *f = user;
    if (f->next == experiment_trial_count(f->experiment)) return RUNNER_END;
    experiment_trial(f->experiment, f->next, t);
    snprintf(key, SHA256_HEX, "%ld", (long)f->next++);
    return RUNNER_TRIAL;
}

static inline void fixture_done(void *user, const runner_result *r)
{
    fixture *f = user;
    const store_result *s = &r->result;
    ck_assert_int_lt(f->count, ENDED_MOST);
    ended *e = &f->ended[f->count++];
    *e = (ended){.seed = r->trial->seed,
                 .outcome = s->outcome,
                 .validation = r->validation,
                 .best_epoch = s->best_epoch,
                 .curve_points = s->curve_count ? s->curves[0].count : 0,
                 .peak_bytes = s->peak_bytes,
                 .seconds_total = s->seconds_total,
                 .seconds_to_best = s->seconds_to_best,
                 .seconds_construct = s->seconds_construct,
                 .seconds_train = s->seconds_train};
    snprintf(e->label, sizeof e->label, "%s", r->trial->algorithm->label);
    snprintf(e->message, sizeof e->message, "%s", s->message ? s->message : "");
    for (int64_t i = 0; i < s->number_count && e->count < 16; i++) {
        snprintf(e->names[e->count], sizeof e->names[0], "%s", s->numbers[i].name);
        e->numbers[e->count++] = s->numbers[i].value;
    }
}

static inline void fixture_run(fixture *f, const runner_options *options)
{
    cru_error err = {0};
    runner *r;
    runner_options full = *options;
    full.experiment = f->experiment;
    full.plugins = f->plugins;
    f->next = f->count = 0;
    ck_assert_msg(runner_open(&full, &r, &err) == CRU_OK, "%s", err.text);
    runner_source source = {.next = fixture_next, .done = fixture_done, .user = f};
    ck_assert_msg(runner_run(r, &source, &f->summary, &err) == CRU_OK, "%s", err.text);
    runner_close(r);
}

/* The result of the only trial of that label, or of the only trial. */
static inline const ended *fixture_find(const fixture *f, const char *label)
{
    for (int i = 0; i < f->count; i++)
        if (!label || strcmp(f->ended[i].label, label) == 0) return &f->ended[i];
    ck_abort_msg("no trial of %s has ended", label ? label : "any method");
}

static inline double ended_number(const ended *e, const char *name)
{
    for (int i = 0; i < e->count; i++)
        if (strcmp(e->names[i], name) == 0) return e->numbers[i];
    ck_abort_msg("%s has no number %s: %s", e->label, name, e->message);
}

static inline void expect_outcome(const ended *e, store_outcome outcome, const char *part)
{
    ck_assert_msg(e->outcome == outcome && strstr(e->message, part), "%s: %s, %s", e->label,
                  store_outcome_name(e->outcome), e->message);
}

#endif
