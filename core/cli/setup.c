#include "cli/setup.h"

#include <stdlib.h>
#include <string.h>

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

static cru_status scan(const config_request *request, registry **plugins, cru_error *err)
{
    const char *folders[FOLDERS_MOST + 1];
    config_paths *paths = config_paths_read(request);
    char *text = strdup(config_paths_get(paths)->plugins);
    config_paths_destroy(paths);
    if (!text) return cru_fail(err, CRU_NO_MEMORY, "out of memory");
    split_folders(text, folders);
    cru_status status = loader_scan(&(loader_options){.folders = folders}, plugins, NULL, err);
    free(text);
    return status;
}

int setup_open(const cli_words *files, const cli_words *sets, setup *s)
{
    config_request request = {
        .files = files->word, .file_count = files->count, .sets = sets->word, .set_count = sets->count};
    cru_error err = {0};
    diagnostics faults = {0};
    *s = (setup){0};
    if (scan(&request, &s->plugins, &err) != CRU_OK) return cli_fail("%s", err.text);
    request.registry = s->plugins;
    if (config_load(&request, &s->experiment, &faults) == CRU_OK) return CLI_GO_ON;
    diagnostics_print(&faults, stderr);
    diagnostics_clear(&faults);
    registry_destroy(s->plugins);
    return CLI_USAGE;
}

void setup_close(setup *s)
{
    experiment_destroy(s->experiment);
    registry_destroy(s->plugins);
}
