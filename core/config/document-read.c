// SPDX-License-Identifier: Apache-2.0
/* Files, includes and --set into a document. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/document.h"
#include "config/lines.h"

enum { LARGEST_FILE = 4 << 20 };

/* A file that was opened; those being read form a chain through `parent`. */
struct source {
    const char *path; /* as the user wrote it, for messages */
    const char *real; /* without links, to know it again */
    const struct source *parent;
    struct source *next;
    int32_t order, depth;
};

typedef struct reading {
    document *doc;
    const struct source *source;
    section *section; /* the open one; NULL: none yet, or a broken header */
    bool broken;      /* keys below a broken header are passed over */
} reading;

static config_place place_at(const reading *r, int32_t line)
{
    return (config_place){.file = r->source->path, .line = line, .order = r->source->order};
}

/* ---- one file -------------------------------------------------------------------------------------------- */

/* All bytes, in the arena. NULL, with errno set, when it cannot be read; a file above the limit counts as such. */
static char *load(cru_arena *arena, const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *buffer = malloc(LARGEST_FILE + 1), *text = NULL;
    if (!buffer) cru_panic(CRU_NO_MEMORY, "no memory for %s", path);
    *size = fread(buffer, 1, LARGEST_FILE + 1, file);
    if (!ferror(file) && *size <= LARGEST_FILE)
        text = string_copy_bytes(arena, buffer, *size);
    else if (!ferror(file))
        errno = EFBIG;
    free(buffer);
    int saved = errno;
    fclose(file);
    errno = saved;
    return text;
}

static void read_source(document *doc, const char *path, const struct source *parent, const config_place *from);

static const char *beside(cru_arena *arena, const char *file, const char *path)
{
    if (*path == '/') return path;
    const char *slash = strrchr(file, '/');
    return slash ? string_format(arena, "%.*s/%s", (int)(slash - file), file, path) : path;
}

static void include(reading *r, const char *text, const config_place *place)
{
    value_list files;
    cru_error err = {0};
    if (values_split(r->doc->arena, text, ',', &files, &err) != CRU_OK) {
        diagnostics_add(r->doc->diags, place, "include", "%s", err.text);
        return;
    }
    for (int64_t i = 0; i < files.count; i++)
        read_source(r->doc, beside(r->doc->arena, r->source->path, files.items[i]), r->source, place);
}

static void on_section(void *user, const char *title, int32_t line)
{
    reading *r = user;
    config_place place = place_at(r, line);
    section s;
    r->section = NULL;
    r->broken = !title || !document_title(r->doc, title, &place, &s);
    if (r->broken) return;

    r->section = document_open(r->doc, &s);
    const section *open = r->section;
    if (s.name && strcmp(open->name, s.name) != 0)
        diagnostics_add(r->doc->diags, &place, title, "%s is already the label of %s", s.label, open->name);
    else if (open->place.order == place.order && open->place.line != place.line)
        diagnostics_add(r->doc->diags, &place, title, "section already opened in line %d", open->place.line);
    else
        r->section->place = place;
}

/* A report may be asked for from another folder than the run. */
static const char *absolute(cru_arena *arena, const char *path)
{
    if (*path == '/') return path;
    char *here = getcwd(NULL, 0);
    const char *full = here ? string_format(arena, "%s/%s", here, path) : path;
    free(here);
    return full;
}

static const char *resolve_parts(const reading *r, const char *value)
{
    value_list files;
    const char *out = "";
    if (values_split(r->doc->arena, value, ',', &files, NULL) != CRU_OK) return value; /* reported when it is read */
    for (int64_t i = 0; i < files.count; i++)
        out = string_format(r->doc->arena, "%s%s%s", out, i ? ", " : "",
                            absolute(r->doc->arena, beside(r->doc->arena, r->source->path, files.items[i])));
    return out;
}

/* Paths count from the file that names them, the working directory being of no meaning to it. */
static const char *resolve(const reading *r, const char *key, const char *value)
{
    if (!*value) return value;
    if (r->section->type == SECTION_REPORT && strcmp(key, "reference") == 0)
        return absolute(r->doc->arena, beside(r->doc->arena, r->source->path, value));
    if (r->section->type == SECTION_ARTEFACT && strcmp(key, "published") == 0)
        return absolute(r->doc->arena, beside(r->doc->arena, r->source->path, value));
    if (r->section->type == SECTION_ARTEFACT && strcmp(key, "parts") == 0) return resolve_parts(r, value);
    if (is_script_key(r->section, key)) return absolute(r->doc->arena, beside(r->doc->arena, r->source->path, value));
    if (r->section->type != SECTION_PATHS) return value;
    if (strcmp(key, "python") == 0 && !strchr(value, '/')) return value; /* a name on PATH */
    char *out = string_copy(r->doc->arena, "");
    char *cursor = NULL, *words = string_copy(r->doc->arena, value);
    for (char *word = strtok_r(words, ":", &cursor); word; word = strtok_r(NULL, ":", &cursor))
        out =
            string_format(r->doc->arena, "%s%s%s", out, *out ? ":" : "", beside(r->doc->arena, r->source->path, word));
    return out;
}

static void on_pair(void *user, const char *key, const char *value, int32_t line)
{
    reading *r = user;
    if (r->broken) return;
    config_place place = place_at(r, line);
    bool may_include = !r->section || r->section->type == SECTION_EXPERIMENT;
    if (may_include && strcmp(key, "include") == 0) {
        include(r, value, &place);
        return;
    }
    if (!r->section) {
        diagnostics_add(r->doc->diags, &place, key, "stands before the first section, where only include may");
        return;
    }
    entry e = {.key = string_copy(r->doc->arena, key),
               .text = string_copy(r->doc->arena, resolve(r, key, value)),
               .place = place,
               .depth = r->source->depth};
    document_put(r->doc, r->section, &e);
}

static void on_fault(void *user, const char *subject, const char *message, int32_t line)
{
    reading *r = user;
    config_place place = place_at(r, line);
    diagnostics_add(r->doc->diags, &place, subject, "%s", message);
}

/* ---- includes -------------------------------------------------------------------------------------------- */

/* "a.ini -> b.ini -> a.ini", from the file that closes the circle. */
static const char *chain_text(cru_arena *arena, const struct source *from, const char *real)
{
    const char *text = from->path;
    while (strcmp(from->real, real) != 0) {
        from = from->parent;
        text = string_format(arena, "%s -> %s", from->path, text);
    }
    return string_format(arena, "%s -> %s", text, from->path);
}

/* True when the file is being read now (a circle, which is a fault) or was read before (which is not). */
static bool known(document *doc, const char *real, const struct source *parent, const config_place *from)
{
    for (const struct source *up = parent; up; up = up->parent) {
        if (strcmp(up->real, real) != 0) continue;
        diagnostics_add(doc->diags, from, "include", "files include each other: %s",
                        chain_text(doc->arena, parent, real));
        return true;
    }
    for (const struct source *s = doc->sources; s; s = s->next)
        if (strcmp(s->real, real) == 0) return true;
    return false;
}

/* Only regular files are included: a pipe cannot be read twice and a terminal would wait. */
static char *load_source(document *doc, const char *path, bool included, size_t *size)
{
    struct stat info;
    if (stat(path, &info) != 0) return NULL;
    if (S_ISDIR(info.st_mode) || (included && !S_ISREG(info.st_mode))) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    return load(doc->arena, path, size);
}

static void read_source(document *doc, const char *path, const struct source *parent, const config_place *from)
{
    char *real = realpath(path, NULL);
    const char *name = string_copy(doc->arena, real ? real : path);
    free(real);
    if (known(doc, name, parent, from)) return;

    struct source *s = cru_arena_alloc(doc->arena, 1, sizeof *s);
    *s = (struct source){.path = string_copy(doc->arena, path),
                         .real = name,
                         .parent = parent,
                         .next = doc->sources,
                         .order = ++doc->source_count,
                         .depth = parent ? parent->depth + 1 : 0};
    doc->sources = s;

    size_t size = 0;
    char *text = load_source(doc, path, parent != NULL, &size);
    if (!text) {
        config_place place = from ? *from : (config_place){.file = s->path, .order = s->order};
        diagnostics_add(doc->diags, &place, from ? path : NULL, "cannot be read: %s", strerror(errno));
        return;
    }
    reading r = {.doc = doc, .source = s};
    lines_read(text, size, &(line_visitor){&r, on_section, on_pair, on_fault});
}

void document_read(document *doc, const char *path)
{
    read_source(doc, path, NULL, NULL);
}

/* ---- --set ----------------------------------------------------------------------------------------------- */

/* A name in a list of [experiment] needs no section of its own. */
static bool listed(const document *doc, const section *s)
{
    static const char *const keys[SECTION_TYPES] = {
        [SECTION_DATASET] = "datasets",
        [SECTION_CORRUPTOR] = "corruptors",
        [SECTION_ALGORITHM] = "algorithms",
        [SECTION_METRIC] = "metrics",
    };
    const section *experiment = document_find(doc, SECTION_EXPERIMENT, NULL);
    const entry *list = experiment ? section_find(experiment, keys[s->type]) : NULL;
    if (!list) return false;
    char *cursor = NULL, *words = string_copy(doc->arena, list->text);
    for (char *word = strtok_r(words, " \t,|", &cursor); word; word = strtok_r(NULL, " \t,|", &cursor))
        if (strcmp(word, s->label) == 0) return true;
    return false;
}

static bool unknown_label(document *doc, const section *s, const config_place *place)
{
    const char *names[256];
    size_t count = 0;
    for (int64_t i = 0; i < doc->count && count < 256; i++)
        if (doc->sections[i]->type == s->type) names[count++] = doc->sections[i]->label;
    const char *near = cru_nearest(s->label, names, count);
    diagnostics_add(doc->diags, place, s->label, "no [%s] section is called that%s%s%s", section_type_names[s->type],
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return false;
}

/* The dot before the key; that of a method inside a wrapper begins with "inner.". */
static char *last_dot(char *target)
{
    char *last = strrchr(target, '.'), *inner = strstr(target, "." WRAPPED_PREFIX);
    return inner && last && inner + strlen(WRAPPED_PREFIX) == last ? inner : last;
}

/* What `put_target` does with a section that the file does not have. */
typedef enum absent { ABSENT_IS_FAULT, ABSENT_IS_SKIPPED } absent;

/* "algorithm.gcn.hidden" into title "algorithm gcn" and key "hidden"; "algorithm.gcn on cora.hidden" likewise. */
static bool split_target(document *doc, char *target, section **out, const char **key, const config_place *place,
                         absent how)
{
    char *last = last_dot(target);
    if (!last || last == target || !last[1]) {
        diagnostics_add(doc->diags, place, NULL, "expected section.key=value or type.name.key=value");
        return false;
    }
    *last = '\0';
    *key = last + 1;
    char *first = strchr(target, '.');
    if (first) *first = ' ';
    section s;
    if (!document_title(doc, target, place, &s)) return false;
    if (s.type >= SECTION_DATASET && !document_find(doc, s.type, s.label) && !listed(doc, &s))
        return how == ABSENT_IS_FAULT && unknown_label(doc, &s, place);
    *out = document_open(doc, &s);
    return true;
}

/* `target` is taken apart in place. */
static void put_target(document *doc, char *target, const char *value, const config_place *place, absent how)
{
    section *s = NULL;
    entry e = {.place = *place, .depth = -1, .text = value};
    if (split_target(doc, target, &s, &e.key, place, how)) document_put(doc, s, &e);
}

void document_set(document *doc, const char *text)
{
    config_place place = {.file = string_format(doc->arena, "--set %s", text), .order = ++doc->source_count};
    const char *equals = strchr(text, '=');
    if (!string_is_utf8(text, strlen(text))) {
        diagnostics_add(doc->diags, &place, NULL, "is not UTF-8 text");
        return;
    }
    if (!equals) {
        diagnostics_add(doc->diags, &place, NULL, "expected section.key=value");
        return;
    }
    char *target = string_copy_bytes(doc->arena, text, (size_t)(equals - text));
    while (*target && strchr(" \t", target[strlen(target) - 1])) target[strlen(target) - 1] = '\0';
    char *value = string_copy(doc->arena, equals + 1 + strspn(equals + 1, " \t"));
    for (size_t n = strlen(value); n > 0 && strchr(" \t", value[n - 1]); n--) value[n - 1] = '\0';
    put_target(doc, target, value, &place, ABSENT_IS_FAULT);
}

/* A part of an artefact need not have the sections of the others; artefact_check_quick looks whether any of them
 * has. */
static bool is_part(const document *doc)
{
    const section *artefact = document_find(doc, SECTION_ARTEFACT, NULL);
    const entry *parts = artefact ? section_find(artefact, "parts") : NULL;
    return parts && strchr(parts->text, ',');
}

bool document_has_target(document *doc, const char *target, const config_place *place)
{
    section *s;
    const char *key;
    return split_target(doc, string_copy(doc->arena, target), &s, &key, place, ABSENT_IS_FAULT);
}

void document_set_quick(document *doc)
{
    const section *quick = document_find(doc, SECTION_QUICK, NULL);
    const absent how = is_part(doc) ? ABSENT_IS_SKIPPED : ABSENT_IS_FAULT;
    for (int64_t i = 0; quick && i < quick->count; i++) {
        const entry *e = &quick->entries[i];
        if (strncmp(e->key, QUICK_ONLY, strlen(QUICK_ONLY)) != 0)
            put_target(doc, string_copy(doc->arena, e->key), e->text, &e->place, how);
    }
}
