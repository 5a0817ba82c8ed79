// SPDX-License-Identifier: Apache-2.0
#include "worker/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/sandbox-filter.h"
#include "worker/sandbox-rules.h"

struct sandbox {
    struct sock_fprog locked; /* where Landlock tells files apart */
    struct sock_fprog open;   /* where it does not */
    struct sock_fprog sealed; /* on top of `open`, later */
};

sandbox_support sandbox_probe(int landlock_most)
{
    sandbox_support s = {.seccomp = filter_available(), .landlock = rules_version()};
    if (landlock_most && s.landlock > landlock_most) s.landlock = landlock_most > 0 ? landlock_most : 0;
    if (!s.seccomp)
        s.missing = "this kernel has no seccomp filters: plugins can do whatever you can";
    else if (!s.landlock)
        s.missing = "this kernel has no Landlock: plugins can read files while they are being loaded, those of the "
                    "judge at any time, and methods have no scratch folder";
    return s;
}

sandbox *sandbox_prepare(sandbox_role role)
{
    const bool judge = role == SANDBOX_JUDGE;
    const filter_options locked = {
        .writes = role != SANDBOX_SCAN, .memory_files = role == SANDBOX_CASE || judge, .judges = judge};
    filter_options open = locked;
    open.writes = judge;
    sandbox *box = filter_available() ? calloc(1, sizeof *box) : NULL;
    if (!box) return NULL;
    cru_status status = filter_build(&locked, &box->locked, NULL);
    if (!status) status = filter_build(&open, &box->open, NULL);
    if (!status && !judge) status = filter_build_sealed(&box->sealed, NULL);
    if (!status) return box;
    sandbox_destroy(box);
    return NULL;
}

void sandbox_destroy(sandbox *box)
{
    if (!box) return;
    free(box->locked.filter);
    free(box->open.filter);
    free(box->sealed.filter);
    free(box);
}

static cru_status enter_files(int ruleset, cru_error *err)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return cru_fail(err, CRU_FAILED, "cannot enter the sandbox: %s", strerror(errno));
    if (ruleset >= 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
        return cru_fail(err, CRU_FAILED, "cannot enter the sandbox (Landlock): %s", strerror(errno));
    return CRU_OK;
}

cru_status sandbox_enter(const sandbox *box, int ruleset, cru_error *err)
{
    cru_status status = enter_files(ruleset, err);
    if (status) return status;
    if (ruleset >= 0) close(ruleset);
    return filter_install_own_signals(ruleset >= 0 ? &box->locked : &box->open, err);
}

cru_status sandbox_enter_interpreter(int ruleset, cru_error *err)
{
    struct sock_fprog program;
    cru_status status = enter_files(ruleset, err);
    if (status || !filter_available()) return status;
    status = filter_build_interpreter(&program, err);
    if (!status) status = filter_install(&program, err);
    free(program.filter);
    return status;
}

cru_status sandbox_seal(const sandbox *box, bool locked, cru_error *err)
{
    return !locked && box->sealed.filter ? filter_install(&box->sealed, err) : CRU_OK;
}
