// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/suites.h"
#include "loader/scanner.h"

/* Describes the plugin without loading it into this process. */
static cru_status describe(const char *path, cru_arena *memory, registry_entry *entry, cru_error *err)
{
    int children = 0;
    scan_job job = {.path = path};
    const scan_options options = {.hang_seconds = 10, .memory = memory, .children = &children};
    cru_status status = scanner_run(&options, &job, 1, err);
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
    cru_status status = describe(full_path, report->memory, &plugin, err);
    if (status != CRU_OK) return status;
    cru_error own = {0};
    suite s = {.plugin = &plugin,
               .options = complete(options),
               .report = report,
               .scratch = "/tmp/crucible-check-XXXXXX",
               .err = &own};
    if (!mkdtemp(s.scratch)) return cru_fail(err, CRU_IO, "%s: %s", s.scratch, strerror(errno));
    run_suite(&s);
    rmdir(s.scratch);
    return own.status == CRU_OK ? CRU_OK : cru_fail(err, own.status, "%s", own.text);
}

void check_report_free(check_report *report)
{
    cru_arena_destroy(report->memory);
    *report = (check_report){0};
}
