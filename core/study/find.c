// SPDX-License-Identifier: Apache-2.0
#include "study/find.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/places.h"

static const char suffix[] = ".ini";

void study_list_clear(study_list *list)
{
    for (int64_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
    *list = (study_list){0};
}

/* Takes over `text`; a name that is there already is left out. */
static cru_status push(study_list *list, char *text, cru_error *err)
{
    for (int64_t i = 0; text && i < list->count; i++) {
        if (strcmp(list->items[i], text) != 0) continue;
        free(text);
        return CRU_OK;
    }
    char **grown = text ? realloc(list->items, (size_t)(list->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        free(text);
        return cru_fail(err, CRU_NO_MEMORY, "no memory to look for studies");
    }
    list->items = grown;
    list->items[list->count++] = text;
    return CRU_OK;
}

/* ---- order: "table-2" before "table-10", tables before figures ------------------------------------------- */

static int compare_names(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *after_a, *after_b;
            unsigned long x = strtoul(a, &after_a, 10), y = strtoul(b, &after_b, 10);
            if (x != y) return x < y ? -1 : 1;
            a = after_a;
            b = after_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != 0) - (*b != 0);
}

static int by_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    bool figure_x = strstr(x, "/figure-") != NULL, figure_y = strstr(y, "/figure-") != NULL;
    return figure_x != figure_y ? figure_x - figure_y : compare_names(x, y);
}

/* ---- folders --------------------------------------------------------------------------------------------- */

typedef cru_status folder_visitor(void *user, const char *folder, cru_error *err);

static cru_status each_of(const char *folders, folder_visitor *visit, void *user, cru_error *err)
{
    cru_status status = CRU_OK;
    while (!status && folders && *folders) {
        size_t length = strcspn(folders, ":");
        char *folder = strndup(folders, length);
        status = !folder   ? cru_fail(err, CRU_NO_MEMORY, "no memory to look for studies")
                 : *folder ? visit(user, folder, err)
                           : CRU_OK;
        free(folder);
        folders += length + (folders[length] == ':');
    }
    return status;
}

static cru_status each_folder(const char *folders, folder_visitor *visit, void *user, cru_error *err)
{
    cru_status status = each_of(getenv("CRUCIBLE_STUDIES"), visit, user, err);
    if (!status) status = each_of(folders, visit, user, err);
    char **shared = places_shared("configs");
    for (size_t i = 0; !status && shared && shared[i]; i++) status = visit(user, shared[i], err);
    places_free(shared);
    return status;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* Whether a file says so itself: it has a section [artefact] with a title. */
static bool has_title(const char *folder, const char *name)
{
    char *path = places_format("%s/%s", folder, name), *line = NULL;
    FILE *file = path ? fopen(path, "r") : NULL;
    size_t room = 0;
    bool inside = false, found = false;
    while (file && !found && getline(&line, &room, file) >= 0) {
        if (*line == '[') inside = strncmp(line, "[artefact]", 10) == 0;
        found = inside && strncmp(line, "title", 5) == 0 && (line[5] == '=' || line[5] == ' ');
    }
    if (file) fclose(file);
    free(line);
    free(path);
    return found;
}

static bool is_artefact(const char *folder, const char *file)
{
    size_t length = strlen(file), tail = sizeof suffix - 1;
    bool named = strncmp(file, "table-", 6) == 0 || strncmp(file, "figure-", 7) == 0;
    if (length <= tail || strcmp(file + length - tail, suffix) != 0) return false;
    return named || has_title(folder, file);
}

typedef struct search {
    const char *study; /* NULL: any */
    study_list *list;
    bool names; /* of studies instead of artefacts */
} search;

static cru_status look_into(const search *s, const char *folder, const char *study, cru_error *err)
{
    char *path = places_format("%s/%s", folder, study);
    DIR *dir = path ? opendir(path) : NULL;
    cru_status status = CRU_OK;
    for (struct dirent *file; !status && dir && (file = readdir(dir));) {
        if (!is_artefact(path, file->d_name)) continue;
        int length = (int)(strlen(file->d_name) - sizeof suffix + 1);
        status = push(s->list, s->names ? strdup(study) : places_format("%s/%.*s", study, length, file->d_name), err);
        if (s->names) break;
    }
    if (dir) closedir(dir);
    free(path);
    return status;
}

static cru_status visit_folder(void *user, const char *folder, cru_error *err)
{
    const search *s = user;
    if (s->study) return look_into(s, folder, s->study, err);
    DIR *dir = opendir(folder);
    cru_status status = CRU_OK;
    for (struct dirent *entry; !status && dir && (entry = readdir(dir));)
        if (entry->d_name[0] != '.') status = look_into(s, folder, entry->d_name, err);
    if (dir) closedir(dir);
    return status;
}

static cru_status collect(const char *folders, search *s, cru_error *err)
{
    *s->list = (study_list){0};
    cru_status status = each_folder(folders, visit_folder, s, err);
    if (status)
        study_list_clear(s->list);
    else if (s->list->count > 1)
        qsort(s->list->items, (size_t)s->list->count, sizeof *s->list->items, by_name);
    return status;
}

cru_status study_names(const char *folders, study_list *out, cru_error *err)
{
    return collect(folders, &(search){.list = out, .names = true}, err);
}

cru_status study_artefacts(const char *folders, const char *study, study_list *out, cru_error *err)
{
    *out = (study_list){0};
    if (strchr(study, '/') || *study == '.') return CRU_OK;
    return collect(folders, &(search){.list = out, .study = study}, err);
}

typedef struct path_search {
    const char *name;
    char *path;
} path_search;

static cru_status look_for(void *user, const char *folder, cru_error *err)
{
    (void)err;
    path_search *s = user;
    if (s->path) return CRU_OK;
    s->path = places_format("%s/%s%s", folder, s->name, suffix);
    if (s->path && access(s->path, R_OK) == 0) return CRU_OK;
    free(s->path);
    s->path = NULL;
    return CRU_OK;
}

char *study_path(const char *folders, const char *name)
{
    path_search s = {.name = name};
    const char *slash = strchr(name, '/');
    if (!slash || strchr(slash + 1, '/') || *name == '.' || *name == '/') return NULL;
    each_folder(folders, look_for, &s, NULL);
    return s.path;
}
