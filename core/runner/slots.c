#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/schedule.h"

/* ---- scratch folders ----------------------------------------------------------------------------------------------
 */

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)type;
    if (at->level > 0) remove(path);
    return 0;
}

/* What is inside; symbolic links are removed, not followed. */
static void empty_folder(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static char *join(const char *folder, const char *format, int32_t number)
{
    char name[64], *path = NULL;
    snprintf(name, sizeof name, format, number);
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static cru_status make_scratch(runner *r, cru_error *err)
{
    const char *base = getenv("TMPDIR");
    r->scratch = join(base && *base ? base : "/tmp", "crucible-XXXXXX", 0);
    if (r->scratch && mkdtemp(r->scratch)) return CRU_OK;
    cru_fail(err, CRU_IO, "cannot make a scratch folder %s: %s", r->scratch ? r->scratch : "", strerror(errno));
    free(r->scratch);
    r->scratch = NULL;
    return CRU_IO;
}

/* ---- what methods may read ----------------------------------------------------------------------------------------
 */

/* The files of all working plugins, NULL-terminated; the strings are the registry's. */
static const char **plugin_files(const registry *plugins)
{
    size_t count = registry_count(plugins), used = 0;
    const char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const registry_entry *e = registry_at(plugins, i);
        if (!e->broken) list[used++] = e->path;
    }
    return list;
}

static cru_status open_slot(runner *r, int32_t index, const char *const *readable, cru_error *err)
{
    slot *s = &r->slots[index];
    s->scratch = join(r->scratch, "%d", index);
    if (!s->scratch || mkdir(s->scratch, 0700) != 0)
        return cru_fail(err, CRU_IO, "cannot make a scratch folder in %s: %s", r->scratch, strerror(errno));
    if (!r->run->sandbox) return CRU_OK;
    return sandbox_create(&(sandbox_options){.readable = readable, .scratch = s->scratch}, &s->box, err);
}

cru_status slots_open(runner *r, cru_error *err)
{
    r->slots = calloc((size_t)r->slot_count, sizeof *r->slots);
    const char **readable = plugin_files(r->options.plugins);
    cru_status status =
        r->slots && readable ? make_scratch(r, err) : cru_fail(err, CRU_NO_MEMORY, "no memory for the workers");
    for (int32_t i = 0; status == CRU_OK && i < r->slot_count; i++) status = open_slot(r, i, readable, err);
    free(readable);
    return status;
}

void slots_close(runner *r)
{
    for (int32_t i = 0; r->slots && i < r->slot_count; i++) {
        sandbox_destroy(r->slots[i].box);
        free(r->slots[i].scratch);
    }
    free(r->slots);
    r->slots = NULL;
    if (!r->scratch) return;
    empty_folder(r->scratch);
    rmdir(r->scratch);
    free(r->scratch);
    r->scratch = NULL;
}

int32_t slots_take(runner *r)
{
    for (int32_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].taken) continue;
        r->slots[i].taken = true;
        return i;
    }
    return -1;
}

void slots_give(runner *r, int32_t index)
{
    empty_folder(r->slots[index].scratch);
    r->slots[index].taken = false;
}
