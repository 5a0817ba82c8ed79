// SPDX-License-Identifier: Apache-2.0
#include "loader/loader.h"

#include <stdlib.h>

#include "loader/cache.h"
#include "loader/files.h"
#include "loader/scanner.h"

/* The state of one scan. */
typedef struct scan {
    const loader_options *options;
    cru_arena *memory; /* paths and entries, until they are copied into the registry */
    plugin_files files;
    registry_entry *entries; /* one per file */
    scan_job *jobs;          /* the files that the cache does not know, ... */
    size_t *job_file;        /* ... and their places in `files` */
    size_t job_count;
    cache *known;
    loader_effort effort;
} scan;

static cru_status out_of_memory(cru_error *err)
{
    return cru_fail(err, CRU_NO_MEMORY, "out of memory while listing plugins");
}

static cru_status find_files(scan *s, cru_error *err)
{
    char **folders = loader_folders(s->options);
    if (!folders) return out_of_memory(err);
    s->files = files_find(folders, s->options->files, s->memory);
    folders_free(folders);
    if (s->files.failed) return out_of_memory(err);
    const size_t count = s->files.count;
    s->entries = calloc(count + 1, sizeof *s->entries);
    s->jobs = calloc(count + 1, sizeof *s->jobs);
    s->job_file = calloc(count + 1, sizeof *s->job_file);
    return s->entries && s->jobs && s->job_file ? CRU_OK : out_of_memory(err);
}

static void ask_cache(scan *s)
{
    if (!s->options->no_cache) s->known = cache_open();
    for (size_t i = 0; i < s->files.count; i++) {
        if (cache_lookup(s->known, &s->files.items[i], s->memory, &s->entries[i])) continue;
        s->jobs[s->job_count] = (scan_job){.path = s->files.items[i].path};
        s->job_file[s->job_count++] = i;
    }
}

static cru_status scan_unknown(scan *s, cru_error *err)
{
    if (s->job_count == 0) {
        cache_save(s->known); /* which files need not be read again */
        return CRU_OK;
    }
    nursery *own = NULL;
    if (!s->options->nursery) {
        static const nursery_options only = {.trades = &scan_trade, .count = 1};
        cru_status status = nursery_open(&only, &own, err);
        if (status) return status;
    }
    const scan_options options = {
        .nursery = own ? own : s->options->nursery,
        .hang_seconds = s->options->hang_seconds > 0 ? s->options->hang_seconds : 10,
        .memory = s->memory,
        .python = s->options->python,
        .children = &s->effort.children,
    };
    cru_status status = scanner_run(&options, s->jobs, s->job_count, err);
    nursery_close(own);
    if (status) return status;
    for (size_t j = 0; j < s->job_count; j++) {
        const size_t i = s->job_file[j];
        s->entries[i] = s->jobs[j].entry;
        if (s->jobs[j].lasting) cache_store(s->known, &s->files.items[i], &s->entries[i]);
    }
    cache_save(s->known);
    return CRU_OK;
}

static cru_status fill_registry(const scan *s, registry **found, cru_error *err)
{
    registry *r = registry_create();
    cru_status status = r ? CRU_OK : CRU_NO_MEMORY;
    for (size_t i = 0; i < s->files.count && !status; i++) status = registry_add(r, &s->entries[i]);
    if (status) {
        registry_destroy(r);
        return out_of_memory(err);
    }
    registry_sort(r);
    *found = r;
    return CRU_OK;
}

cru_status loader_scan(const loader_options *options, registry **found, loader_effort *effort, cru_error *err)
{
    static const loader_options defaults;
    scan s = {.options = options ? options : &defaults};
    *found = NULL;
    s.memory = cru_arena_create();
    if (!s.memory) return out_of_memory(err);
    cru_status status = find_files(&s, err);
    if (!status) {
        ask_cache(&s);
        s.effort.files = (int)s.files.count;
        s.effort.cached = (int)(s.files.count - s.job_count);
        status = scan_unknown(&s, err);
    }
    if (!status) status = fill_registry(&s, found, err);
    if (effort) *effort = s.effort;
    cache_close(s.known);
    free(s.entries);
    free(s.jobs);
    free(s.job_file);
    files_free(&s.files);
    cru_arena_destroy(s.memory);
    return status;
}
