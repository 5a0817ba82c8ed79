// SPDX-License-Identifier: Apache-2.0
/* What the module `crucible` calls of the host: libcrucible-python.so, loaded with ctypes. */
#include "python/bridge.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/check-print.h"
#include "loader/scanner.h"
#include "process/child.h"
#include "worker/sandbox.h"

void bridge_serve(int socket, bridge_open *open, pid_t (*fork_it)(void))
{
    static worker_language python;
    python.open = open;
    const nursery_trade trades[] = {[SCAN_TRADE] = {0}, [WORKER_TRADE] = worker_trade_in(&python)};
    nursery_serve(&(nursery_options){.trades = trades, .count = 2, .fork = fork_it}, socket);
}

int bridge_scan(int pipe, int ruleset, int64_t cpu_seconds, const char *path, bridge_open *open)
{
    cru_error err = {0};
    sandbox *box = sandbox_prepare(SANDBOX_SCAN);
    child_limit(&(child_limits){.cpu_seconds = cpu_seconds, .no_files = true});
    if (box && sandbox_enter(box, ruleset, &err) != CRU_OK) return 126;
    return scan_script(path, pipe, open) ? 0 : 1;
}

int bridge_check(const bridge_case *how)
{
    enum { PATHS_MOST = 512 };
    const char *readable[PATHS_MOST + 1] = {NULL};
    char *text = strdup(how->readable), *cursor = NULL;
    int count = 0;
    for (char *line = text ? strtok_r(text, "\n", &cursor) : NULL; line && count < PATHS_MOST;
         line = strtok_r(NULL, "\n", &cursor))
        readable[count++] = line;
    const check_options options = {.seconds = (double)how->seconds,
                                   .open = how->open,
                                   .fork = how->fork_it,
                                   .python = how->python,
                                   .readable = readable};
    int code = check_print(how->path, &options, how->json);
    fflush(stdout);
    free(text);
    return code;
}

const int64_t *bridge_layout(void)
{
    static const int64_t layout[] = {sizeof(cru_error),
                                     offsetof(cru_error, text),
                                     sizeof(cru_list),
                                     offsetof(cru_list, count),
                                     sizeof(cru_param),
                                     offsetof(cru_param, offset),
                                     offsetof(cru_param, number),
                                     offsetof(cru_param, min),
                                     offsetof(cru_param, choices),
                                     offsetof(cru_param, search),
                                     offsetof(cru_param, help),
                                     sizeof(cru_csr),
                                     offsetof(cru_csr, values),
                                     sizeof(cru_relation),
                                     offsetof(cru_relation, graph),
                                     sizeof(cru_features),
                                     offsetof(cru_features, dense),
                                     offsetof(cru_features, sparse),
                                     offsetof(cru_features, width),
                                     sizeof(cru_task),
                                     offsetof(cru_task, problem),
                                     offsetof(cru_task, items),
                                     offsetof(cru_task, classes),
                                     offsetof(cru_task, graph),
                                     offsetof(cru_task, graph_offsets),
                                     offsetof(cru_task, relations),
                                     offsetof(cru_task, x),
                                     offsetof(cru_task, labels),
                                     offsetof(cru_task, candidates),
                                     offsetof(cru_task, split),
                                     offsetof(cru_task, seed),
                                     sizeof(cru_monitor),
                                     offsetof(cru_monitor, user),
                                     offsetof(cru_monitor, limit),
                                     offsetof(cru_monitor, before_step),
                                     offsetof(cru_monitor, unless_dropout),
                                     sizeof(cru_algorithm),
                                     offsetof(cru_algorithm, fit),
                                     offsetof(cru_algorithm, destroy),
                                     offsetof(cru_algorithm, embed),
                                     offsetof(cru_algorithm, widen),
                                     offsetof(cru_algorithm, report),
                                     offsetof(cru_algorithm, flags),
                                     sizeof(cru_plugin),
                                     offsetof(cru_plugin, kind),
                                     offsetof(cru_plugin, name),
                                     offsetof(cru_plugin, problems),
                                     offsetof(cru_plugin, settings_size),
                                     offsetof(cru_plugin, params),
                                     offsetof(cru_plugin, vtable),
                                     offsetof(cru_plugin, homepage),
                                     offsetof(cru_plugin, categories),
                                     0};
    return layout;
}
