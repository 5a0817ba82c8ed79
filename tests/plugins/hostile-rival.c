// SPDX-License-Identifier: Apache-2.0
/* Rewrites the default of another plugin, victim.so in its folder, while both are being scanned. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

#include "algorithm-stub.h"

static int anchor;

__attribute__((constructor)) static void rewrite(void)
{
    Dl_info info;
    char path[4096];
    dladdr(&anchor, &info);
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(path, sizeof path, "%.*s/victim.so", (int)(slash - info.dli_fname), info.dli_fname);
    void *victim = dlopen(path, RTLD_NOW);
    const cru_plugin *plugin = victim ? dlsym(victim, "crucible_plugin") : NULL;
    if (!plugin) return;
    cru_param *first = (cru_param *)(uintptr_t)plugin->params;
    uintptr_t page = (uintptr_t)first & ~(uintptr_t)4095;
    if (mprotect((void *)page, 2 * 4096, PROT_READ | PROT_WRITE) == 0) first->number = 1;
}

STUB_ALGORITHM("hostile-rival", STUB_PROBLEMS, .create = stub_create, .fit = stub_fit, .predict = stub_predict);
