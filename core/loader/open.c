// SPDX-License-Identifier: Apache-2.0
/* Loading with libltdl. */
#include <dlfcn.h>
#include <ltdl.h>
#include <string.h>

#include "loader/inspect.h"
#include "loader/loader.h"

static cru_status say_why(const char *path, const char *reason, cru_error *err)
{
    size_t length = strlen(path);
    if (strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0) reason += length + 2;
    return cru_fail(err, CRU_IO, "cannot be loaded: %.400s", reason);
}

cru_status plugin_load(const char *path, const cru_plugin **plugin, cru_error *err)
{
    *plugin = NULL;
    lt_dladvise advise;
    /* libltdl leaves functions to be looked up at their first call, where one that is missing ends the process with a
     * bare exit code; and it answers "file not found" to whatever the linker refuses. Asked first, and to look up all
     * at once, the linker says what is wrong. */
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) return say_why(path, dlerror(), err);
    if (lt_dlinit() != 0 || lt_dladvise_init(&advise) != 0) return cru_fail(err, CRU_FAILED, "libltdl does not start");
    lt_dladvise_local(&advise);
    lt_dlhandle handle = lt_dlopenadvise(path, advise);
    lt_dladvise_destroy(&advise);
    if (!handle) return say_why(path, "libltdl cannot open it", err);
    lt_dlmakeresident(handle);
    *plugin = lt_dlsym(handle, "crucible_plugin");
    if (!*plugin) return cru_fail(err, CRU_BAD_INPUT, "it has no symbol 'crucible_plugin', so it is no plugin");
    return CRU_OK;
}

void plugin_open_prepare(void)
{
    lt_dlinit(); /* where it fails, plugin_load says so */
}

cru_status plugin_accept(const cru_plugin *loaded, cru_kind kind, const char *name, cru_error *err)
{
    cru_status status = plugin_check(loaded, err);
    if (status) return status;
    if ((kind && loaded->kind != kind) || (name && strcmp(loaded->name, name) != 0))
        return cru_fail(err, CRU_BAD_INPUT, "it is now the %s '%s', not the %s '%s'", kind_name(loaded->kind),
                        loaded->name, kind_name(kind ? kind : loaded->kind), name ? name : loaded->name);
    return CRU_OK;
}

cru_status plugin_open(const char *path, cru_kind kind, const char *name, const cru_plugin **plugin, cru_error *err)
{
    const cru_plugin *loaded;
    *plugin = NULL;
    cru_status status = plugin_load(path, &loaded, err);
    if (!status) status = plugin_accept(loaded, kind, name, err);
    if (!status) *plugin = loaded;
    return status;
}
