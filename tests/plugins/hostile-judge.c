// SPDX-License-Identifier: Apache-2.0
/* A corruptor that tries what no plugin of the judge needs, and reports how much of it worked; or takes the judge down
 * with it as only somebody outside would, once (a file tells) or always; or has no memory. */
#include <stdio.h>

#include <crucible/plugin.h>

#include "hostile-break-out.h"

enum { BREAK_OUT, DIE_ONCE, DIE, NO_MEMORY };
static const char *const ways[] = {"break-out", "die-once", "die", "no-memory", NULL};

typedef struct settings {
    int64_t way;
    const char *file;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, way, BREAK_OUT, ways, "what it does"),
    CRU_STRING(settings, file, "", "break-out: a file that it may not read; die-once: one that it makes"),
    CRU_END,
};

static cru_status apply(const cru_damage *d)
{
    const settings *s = d->settings;
    cru_error *err = d->err;
    switch (s->way) {
    case BREAK_OUT:
        fputs("the corruptor prints \033[31m\n", stderr);
        cru_report_number(d->report, "done", break_out(s->file));
        return CRU_OK;
    case NO_MEMORY:
        return cru_fail(err, CRU_NO_MEMORY, "none left");
    case DIE_ONCE:
        if (open(s->file, O_RDONLY) >= 0) return CRU_OK;
        if (open(s->file, O_WRONLY | O_CREAT, 0600) < 0) return cru_fail(err, CRU_FAILED, "cannot leave a mark");
        break;
    default:
        break;
    }
    raise(SIGKILL);
    return CRU_OK;
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "hostile-judge",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
