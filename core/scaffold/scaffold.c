// SPDX-License-Identifier: Apache-2.0
#include "scaffold/scaffold.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/places.h"
#include "loader/inspect.h"
#include "registry/registry.h"

static const char MARK[] = "@name@";
enum { MOST_BYTES = 1 << 20 }; /* of a template */

/* ---- one file -------------------------------------------------------------------------------------------- */

/* `text` with the name in the place of every mark; NULL without memory. To be freed. */
static char *filled(const char *text, const char *name)
{
    char *out = NULL;
    size_t size;
    FILE *stream = open_memstream(&out, &size);
    if (!stream) return NULL;
    for (const char *mark; (mark = strstr(text, MARK)); text = mark + sizeof MARK - 1)
        fprintf(stream, "%.*s%s", (int)(mark - text), text, name);
    fputs(text, stream);
    if (fclose(stream) == 0) return out;
    free(out);
    return NULL;
}

static char *read_text(const char *path, cru_error *err)
{
    FILE *file = fopen(path, "re");
    char *text = file ? calloc(MOST_BYTES + 1, 1) : NULL;
    bool whole = text && (fread(text, 1, MOST_BYTES, file), !ferror(file)) && feof(file);
    if (file) fclose(file);
    if (whole) return text;
    free(text);
    cru_fail(err, CRU_IO, "%s: cannot be read: %s", path, errno ? strerror(errno) : "too large");
    return NULL;
}

static cru_status write_text(const char *path, const char *text, cru_error *err)
{
    FILE *file = fopen(path, "wxe");
    bool good = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0) good = false;
    return good ? CRU_OK : cru_fail(err, CRU_IO, "%s: cannot be written: %s", path, strerror(errno));
}

static cru_status fill_file(const char *from, const char *to, const char *name, cru_error *err)
{
    char *text = read_text(from, err);
    if (!text) return err ? err->status : CRU_IO;
    char *out = filled(text, name), *path = filled(to, name);
    cru_status status =
        out && path ? write_text(path, out, err) : cru_fail(err, CRU_NO_MEMORY, "%s: no memory to copy it", from);
    free(path);
    free(out);
    free(text);
    return status;
}

/* ---- a folder -------------------------------------------------------------------------------------------- */

static cru_status fill_folder(const char *from, const char *to, const char *name, cru_error *err)
{
    cru_status status = CRU_OK;
    DIR *folder = opendir(from);
    if (!folder) return cru_fail(err, CRU_IO, "%s: no templates there: %s", from, strerror(errno));
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        char source[PATH_MAX], target[PATH_MAX];
        if (entry->d_name[0] == '.') continue;
        if (snprintf(source, sizeof source, "%s/%s", from, entry->d_name) >= (int)sizeof source ||
            snprintf(target, sizeof target, "%s/%s", to, entry->d_name) >= (int)sizeof target)
            status = cru_fail(err, CRU_IO, "%s: the path is too long", from);
        else
            status = fill_file(source, target, name, err);
    }
    closedir(folder);
    return status;
}

/* Removes a folder of plain files. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(path);
}

static cru_status fill_both(const scaffold_request *q, const char *templates, const char *to, cru_error *err)
{
    char from[PATH_MAX];
    const char *parts[] = {q->python ? "python" : "common", kind_name(q->kind)};
    cru_status status = CRU_OK;
    for (int i = 0; !status && i < (q->python ? 1 : 2); i++) {
        snprintf(from, sizeof from, "%s/%s", templates, parts[i]);
        status = fill_folder(from, to, q->name, err);
    }
    return status;
}

/* The first of the shared folders that is there; to be freed. */
static char *find_templates(void)
{
    char **folders = places_shared("sdk/template"), *found = NULL;
    for (size_t i = 0; folders && folders[i] && !found; i++)
        if (access(folders[i], R_OK) == 0) found = strdup(folders[i]);
    places_free(folders);
    return found;
}

cru_status scaffold_create(const scaffold_request *q, cru_error *err)
{
    char fresh[PATH_MAX];
    cru_status status = plugin_check_name(q->name, err);
    if (status) return status;
    if (access(q->folder, F_OK) == 0) return cru_fail(err, CRU_BAD_INPUT, "%s exists already", q->folder);
    if (snprintf(fresh, sizeof fresh, "%s.XXXXXX", q->folder) >= (int)sizeof fresh)
        return cru_fail(err, CRU_BAD_INPUT, "%s: the path is too long", q->folder);
    char *templates = q->templates ? strdup(q->templates) : find_templates();
    if (!templates) return cru_fail(err, CRU_IO, "the templates are not installed with this program");
    if (mkdtemp(fresh)) {
        status = fill_both(q, templates, fresh, err);
        if (!status && (chmod(fresh, 0755) != 0 || rename(fresh, q->folder) != 0))
            status = cru_fail(err, CRU_IO, "%s: %s", q->folder, strerror(errno));
        if (status) remove_folder(fresh);
    } else {
        status = cru_fail(err, CRU_IO, "%s: %s", q->folder, strerror(errno));
    }
    free(templates);
    return status;
}
