// SPDX-License-Identifier: Apache-2.0
/* What the module `crucible` calls of the host: libcrucible-python.so, loaded with ctypes. */
#include "python/bridge.h"

#include <unistd.h>

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
