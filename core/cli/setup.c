// SPDX-License-Identifier: Apache-2.0
#include "cli/setup.h"

#include <stdlib.h>
#include <string.h>

#include "host/runner.h"
#include "loader/loader.h"

enum { FOLDERS_MOST = 64 };

/* Splits "a:b" in place; `text` must outlive the list. */
static void split_folders(char *text, const char **list)
{
    int count = 0;
    for (char *rest, *word = strtok_r(text, ":", &rest); word && count < FOLDERS_MOST;
         word = strtok_r(NULL, ":", &rest))
        list[count++] = word;
    list[count] = NULL;
}

/* `parent` may be NULL. */
static cru_status scan(const config_paths *where, nursery *parent, registry **plugins, cru_error *err)
{
    const paths_settings *paths = config_paths_get(where);
    const char *folders[FOLDERS_MOST + 1];
    char *text = strdup(paths->plugins);
    if (!text) return cru_fail(err, CRU_NO_MEMORY, "out of memory");
    split_folders(text, folders);
    const loader_options options = {
        .folders = folders, .files = config_paths_scripts(where), .python = paths->python, .nursery = parent};
    cru_status status = loader_scan(&options, plugins, NULL, err);
    free(text);
    return status;
}

int outfit_open(const char *config, outfit *o)
{
    const config_request request = {.files = &config, .file_count = config ? 1 : 0};
    diagnostics faults = {0};
    cru_error err = {0};
    *o = (outfit){.paths = config_paths_read(&request, &faults)};
    int code = faults.count ? CLI_USAGE : CLI_GO_ON;
    diagnostics_print(&faults, stderr);
    diagnostics_clear(&faults);
    const paths_settings *paths = config_paths_get(o->paths);
    o->places = config_places(paths);
    if (code == CLI_GO_ON && scan(o->paths, NULL, &o->plugins, &err) != CRU_OK) code = cli_fail("%s", err.text);
    if (code != CLI_GO_ON) config_paths_destroy(o->paths);
    return code;
}

void outfit_close(outfit *o)
{
    registry_destroy(o->plugins);
    config_paths_destroy(o->paths);
}

static void print_warnings(diagnostics *warnings)
{
    for (int64_t i = 0; i < warnings->count; i++) fprintf(stderr, "warning: %s\n", warnings->items[i].text);
    diagnostics_clear(warnings);
}

int setup_open(const cli_words *files, const cli_words *sets, setup *s)
{
    return setup_open_quick(files, sets, false, s);
}

int setup_open_quick(const cli_words *files, const cli_words *sets, bool quick, setup *s)
{
    config_request request = {
        .files = files->word, .file_count = files->count, .sets = sets->word, .set_count = sets->count, .quick = quick};
    cru_error err = {0};
    diagnostics faults = {0}, warnings = {0};
    *s = (setup){0};
    if (runner_nursery(&s->nursery, &err) != CRU_OK) return cli_fail("%s", err.text);
    config_paths *paths = config_paths_read(&request, NULL);
    cru_status status = scan(paths, s->nursery, &s->plugins, &err);
    config_paths_destroy(paths);
    if (status) {
        nursery_close(s->nursery);
        return cli_fail("%s", err.text);
    }
    request.registry = s->plugins;
    request.warnings = &warnings;
    status = config_load(&request, &s->experiment, &faults);
    print_warnings(&warnings);
    if (!status) return CLI_GO_ON;
    diagnostics_print(&faults, stderr);
    diagnostics_clear(&faults);
    registry_destroy(s->plugins);
    nursery_close(s->nursery);
    return CLI_USAGE;
}

void setup_close(setup *s)
{
    experiment_destroy(s->experiment);
    registry_destroy(s->plugins);
    nursery_close(s->nursery);
}
