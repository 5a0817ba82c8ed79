// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/suites.h"
#include "loader/scanner.h"
#include "worker/sandbox-rules.h"

/* Describes the plugin without loading it into this process. */
static cru_status describe(const char *path, const char *python, cru_arena *memory, registry_entry *entry,
                           cru_error *err)
{
    int children = 0;
    scan_job job = {.path = path};
    nursery *parent;
    cru_status status = nursery_open(&(nursery_options){.trades = &scan_trade, .count = 1}, &parent, err);
    if (status) return status;
    const scan_options options = {
        .nursery = parent, .hang_seconds = 10, .memory = memory, .python = python, .children = &children};
    status = scanner_run(&options, &job, 1, err);
    nursery_close(parent);
    *entry = job.entry;
    return status;
}

static void run_suite(suite *s)
{
    verdict v = {0};
    if (s->plugin->broken) {
        verdict_set(&v, CHECK_FAILED, "%s", s->plugin->broken);
        suite_add_row(s, "loads", &v);
        return;
    }
    verdict_set(&v, CHECK_PASSED, "%s %s %s", kind_name(s->plugin->kind), s->plugin->name, s->plugin->version);
    suite_add_row(s, "loads, parameter table is sane", &v);
    static void (*const suites[])(suite *) = {
        [CRU_KIND_DATASET] = suite_dataset,
        [CRU_KIND_CORRUPTOR] = suite_corruptor,
        [CRU_KIND_ALGORITHM] = suite_algorithm,
        [CRU_KIND_METRIC] = suite_metric,
        [CRU_KIND_BACKEND] = NULL,
        [CRU_KIND_SPLIT] = suite_split,
    };
    if (suites[s->plugin->kind]) suites[s->plugin->kind](s);
}

/* A case may open its plugin, and write to the working directory, where what it leaves is found. */
static cru_status make_rules(const char *path, suite *s, cru_error *err)
{
    const char *plugins[] = {path, NULL}, *writable[] = {s->scratch, NULL};
    const char *readable[CHECK_FILES_MOST + 2] = {s->copies};
    for (int64_t i = 0; i < s->options.file_count; i++) readable[i + 1] = s->options.files[i].path;
    const bool script = s->options.open;
    sandbox_rules *rules = NULL;
    s->ruleset = -1;
    const sandbox_files files = {.plugins = script ? NULL : plugins,
                                 .scripts = script ? plugins : NULL,
                                 .readable = script                  ? s->options.readable
                                             : s->options.file_count ? readable
                                                                     : NULL,
                                 .writable = writable,
                                 .libraries = true};
    cru_status status = rules_create(&files, &rules, err);
    if (!status) status = rules_make(rules, -1, &s->ruleset, err);
    rules_destroy(rules);
    return status;
}

static check_options complete(const check_options *options)
{
    check_options full = options ? *options : (check_options){0};
    if (full.seconds <= 0) full.seconds = 20;
    if (full.edge_seconds <= 0) full.edge_seconds = 3;
    if (full.epochs <= 0) full.epochs = 3;
    return full;
}

cru_status check_file(const char *path, const check_options *options, check_report *report, cru_error *err)
{
    *report = (check_report){.memory = cru_arena_create()};
    if (!report->memory) return cru_fail(err, CRU_NO_MEMORY, "out of memory");
    char full_path[PATH_MAX];
    if (!realpath(path, full_path)) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    registry_entry plugin;
    cru_status status = describe(full_path, options ? options->python : NULL, report->memory, &plugin, err);
    if (status) return status;
    cru_error own = {0};
    suite s = {.plugin = &plugin,
               .options = complete(options),
               .report = report,
               .scratch = "/tmp/crucible-check-XXXXXX",
               .err = &own};
    if (!mkdtemp(s.scratch)) return cru_fail(err, CRU_IO, "%s: %s", s.scratch, strerror(errno));
    sandbox *box = sandbox_prepare(SANDBOX_CASE);
    s.box = box;
    snprintf(s.copies, sizeof s.copies, "%s-copies", s.scratch);
    if (s.options.file_count > CHECK_FILES_MOST)
        cru_fail(&own, CRU_BAD_INPUT, "more than %d files", CHECK_FILES_MOST);
    else if (mkdir(s.copies, 0700) != 0)
        cru_fail(&own, CRU_IO, "%s: %s", s.copies, strerror(errno));
    else if (make_rules(full_path, &s, &own) == CRU_OK)
        run_suite(&s);
    if (s.ruleset >= 0) close(s.ruleset);
    sandbox_destroy(box);
    rmdir(s.scratch);
    rmdir(s.copies);
    return !own.status ? CRU_OK : cru_fail(err, own.status, "%s", own.text);
}

void check_report_free(check_report *report)
{
    cru_arena_destroy(report->memory);
    *report = (check_report){0};
}
