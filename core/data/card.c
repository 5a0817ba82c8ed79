// SPDX-License-Identifier: Apache-2.0
#include "data/card.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/lines.h"

typedef struct field {
    const char *key;
    size_t offset;
} field;

static const field text_fields[] = {
    {"name", offsetof(card, name)},
    {"title", offsetof(card, title)},
    {"format", offsetof(card, format)},
    {"task", offsetof(card, task)},
    {"metric", offsetof(card, metric)},
    {"licence", offsetof(card, licence)},
    {"citation", offsetof(card, citation)},
    {"home", offsetof(card, home)},
    {"terms", offsetof(card, terms)},
    {"notes", offsetof(card, notes)},
    {"folder", offsetof(card, folder)},
    {"by-hand", offsetof(card, by_hand)},
    {NULL, 0},
};

static const field expect_fields[] = {
    {"items", offsetof(card_expect, items)},
    {"nodes", offsetof(card_expect, nodes)},
    {"edges", offsetof(card_expect, edges)},
    {"features", offsetof(card_expect, features)},
    {"classes", offsetof(card_expect, classes)},
    {"graphs", offsetof(card_expect, graphs)},
    {"train", offsetof(card_expect, train)},
    {"val", offsetof(card_expect, val)},
    {"test", offsetof(card_expect, test)},
    {"official", offsetof(card_expect, official)},
    {NULL, 0},
};

typedef struct parsing {
    card *c;
    const char *path;
    char section[64];
    cru_status status; /* the first fault ends the reading: later entries are not looked at */
    cru_error *err;
} parsing;

typedef struct entry {
    const char *section, *key, *value;
    int line;
} entry;

static cru_status no_memory(const parsing *p, cru_error *err)
{
    return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the card", p->path);
}

static cru_status bad_key(const parsing *p, const entry *e, const field *fields, cru_error *err)
{
    const char *names[16];
    size_t count = 0;
    while (fields[count].key) {
        names[count] = fields[count].key;
        count++;
    }
    const char *near = cru_nearest(e->key, names, count);
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: [%s] has no key '%s'%s%s%s", p->path, e->line, e->section, e->key,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Sets *slot; a key given twice is an error. */
static cru_status put_text(const parsing *p, const entry *e, char **slot, cru_error *err)
{
    if (*slot)
        return cru_fail(err, CRU_BAD_INPUT, "%s:%d: [%s] gives '%s' twice", p->path, e->line, e->section, e->key);
    *slot = strdup(e->value);
    return *slot ? CRU_OK : no_memory(p, err);
}

static const field *find_field(const field *fields, const char *key)
{
    while (fields->key && strcmp(fields->key, key) != 0) fields++;
    return fields->key ? fields : NULL;
}

static cru_status put_dataset(const parsing *p, const entry *e, cru_error *err)
{
    const field *f = find_field(text_fields, e->key);
    if (!f) return bad_key(p, e, text_fields, err);
    return put_text(p, e, (char **)((char *)p->c + f->offset), err);
}

/* A whole number >= `least`; false for anything else. */
static bool read_whole(const char *text, int64_t least, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return end != text && !*end && !errno && value >= least;
}

static cru_status put_expect(const parsing *p, const entry *e, cru_error *err)
{
    const field *f = find_field(expect_fields, e->key);
    if (!f) return bad_key(p, e, expect_fields, err);
    int64_t *slot = (int64_t *)((char *)&p->c->expect + f->offset);
    if (*slot < 0 && read_whole(e->value, 0, slot)) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: %s = %s: expected one whole number >= 0", p->path, e->line, e->key,
                    e->value);
}

/* Room for one more element of `size` bytes, zeroed, at the end of an array; NULL without memory. */
static void *append(void *array, int64_t *count, size_t size)
{
    void **base = array;
    char *grown = realloc(*base, (size_t)(*count + 1) * size);
    if (!grown) return NULL;
    *base = grown;
    return memset(grown + (size_t)(*count)++ * size, 0, size);
}

static cru_status put_setting(const parsing *p, const entry *e, card_settings *settings, cru_error *err)
{
    for (int64_t i = 0; i < settings->count; i++) {
        card_setting *s = &settings->items[i];
        if (strcmp(s->key, e->key) == 0) return put_text(p, e, &s->value, err);
    }
    card_setting *s = append(&settings->items, &settings->count, sizeof *s);
    if (!s) return no_memory(p, err);
    s->line = e->line;
    s->key = strdup(e->key);
    return s->key ? put_text(p, e, &s->value, err) : no_memory(p, err);
}

/* The file of a role; the sections about files may come in any order, so any of them may name it first. */
static card_file *file_of(card *c, const entry *e)
{
    for (int64_t i = 0; i < c->file_count; i++)
        if (strcmp(c->files[i].role, e->key) == 0) return &c->files[i];
    card_file *f = append(&c->files, &c->file_count, sizeof *f);
    if (!f) return NULL;
    for (int i = 0; i < CARD_FORMS; i++) f->forms[i].bytes = -1;
    f->line = e->line;
    f->role = strdup(e->key);
    return f->role ? f : NULL;
}

static bool is_sha256(const char *text)
{
    return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

/* A file name stays below the folders it is looked for in. */
static bool is_tame_path(const char *name)
{
    if (!*name) return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2])) return false;
    }
    return true;
}

static cru_status put_name(const parsing *p, const entry *e, card_form *form, cru_error *err)
{
    if (is_tame_path(e->value)) return put_text(p, e, &form->name, err);
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: file name '%s' is empty or leads upwards", p->path, e->line, e->value);
}

static cru_status put_sum(const parsing *p, const entry *e, card_form *form, cru_error *err)
{
    if (is_sha256(e->value)) return put_text(p, e, &form->sha256, err);
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: '%s' is not a sha256: expected 64 lower-case hex digits", p->path,
                    e->line, e->value);
}

static cru_status put_bytes(const parsing *p, const entry *e, card_form *form, cru_error *err)
{
    if (form->bytes < 0 && read_whole(e->value, 0, &form->bytes)) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: %s = %s: expected one whole number >= 0", p->path, e->line, e->key,
                    e->value);
}

typedef cru_status form_putter(const parsing *p, const entry *e, card_form *form, cru_error *err);

/* The next item of a list with ", " between them, in fresh memory; NULL at its end. Without memory *list is NULL. */
static char *next_item(const char **list)
{
    const char *start = *list, *comma = strstr(start, ", ");
    if (!*start) return NULL;
    char *item = strndup(start, comma ? (size_t)(comma - start) : strlen(start));
    *list = !item ? NULL : comma ? comma + 2 + strspn(comma + 2, " ") : start + strlen(start);
    return item;
}

static cru_status too_many(const parsing *p, const entry *e, int most, cru_error *err)
{
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: [%s] %s: more than %d", p->path, e->line, e->section, e->key, most);
}

/* An item for each form. */
static cru_status put_forms(const parsing *p, const entry *e, form_putter *put_one, cru_error *err)
{
    card_file *f = file_of(p->c, e);
    if (!f) return no_memory(p, err);
    const char *rest = e->value;
    cru_status status = CRU_OK;
    char *item;
    for (int i = 0; !status && (item = next_item(&rest)); i++) {
        const entry one = {e->section, e->key, item, e->line};
        status = i < CARD_FORMS ? put_one(p, &one, &f->forms[i], err) : too_many(p, e, CARD_FORMS, err);
        if (!status && i >= f->form_count) f->form_count = i + 1;
        free(item);
    }
    return rest ? status : no_memory(p, err);
}

static cru_status put_urls(const parsing *p, const entry *e, cru_error *err)
{
    card_file *f = file_of(p->c, e);
    if (!f) return no_memory(p, err);
    if (f->url_count > 0) return put_text(p, e, &f->urls[0], err); /* says that it is given twice */
    const char *rest = e->value;
    for (char *item; (item = next_item(&rest));) {
        if (f->url_count == CARD_URLS) {
            free(item);
            return too_many(p, e, CARD_URLS, err);
        }
        f->urls[f->url_count++] = item;
    }
    return rest ? CRU_OK : no_memory(p, err);
}

static cru_status put_conversion(const parsing *p, const entry *e, cru_error *err)
{
    static const struct {
        const char *word;
        card_conversion conversion;
    } known[] = {{"first ", CARD_FIRST_BYTES}, {"idx-first ", CARD_FIRST_IDX}};
    card_file *f = file_of(p->c, e);
    if (!f) return no_memory(p, err);
    if (f->conversion == CARD_AS_IT_IS && strcmp(e->value, "unpack") == 0) {
        f->conversion = CARD_UNPACKED;
        return CRU_OK;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known && f->conversion == CARD_AS_IT_IS; i++) {
        size_t length = strlen(known[i].word);
        if (strncmp(e->value, known[i].word, length) != 0) continue;
        if (!read_whole(e->value + length, 1, &f->amount)) break;
        f->conversion = known[i].conversion;
        return CRU_OK;
    }
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: %s = %s: expected 'unpack', 'first BYTES' or 'idx-first COUNT', once",
                    p->path, e->line, e->key, e->value);
}

static cru_status put_file(const parsing *p, const entry *e, cru_error *err)
{
    if (strcmp(e->section, "urls") == 0) return put_urls(p, e, err);
    if (strcmp(e->section, "convert") == 0) return put_conversion(p, e, err);
    if (strcmp(e->section, "sha256") == 0) return put_forms(p, e, put_sum, err);
    return put_forms(p, e, strcmp(e->section, "bytes") == 0 ? put_bytes : put_name, err);
}

static cru_status put(const parsing *p, const entry *e, cru_error *err)
{
    if (strcmp(e->section, "dataset") == 0) return put_dataset(p, e, err);
    if (strcmp(e->section, "expect") == 0) return put_expect(p, e, err);
    if (strcmp(e->section, "settings") == 0) return put_setting(p, e, &p->c->settings, err);
    if (strcmp(e->section, "protocols") == 0) return put_setting(p, e, &p->c->protocols, err);
    return put_file(p, e, err);
}

static void on_section(void *user, const char *title, int32_t line)
{
    static const char *const sections[] = {"dataset", "files",    "sha256", "bytes",    "urls",
                                           "convert", "settings", "expect", "protocols"};
    parsing *p = user;
    p->section[0] = 0;
    if (p->status || !title) return;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (strcmp(title, sections[i]) != 0) continue;
        strcpy(p->section, title);
        return;
    }
    const char *near = cru_nearest(title, sections, sizeof sections / sizeof *sections);
    p->status = cru_fail(p->err, CRU_BAD_INPUT, "%s:%d: a card has no section [%s]%s%s%s", p->path, line, title,
                         near ? "; did you mean [" : "", near ? near : "", near ? "]?" : "");
}

static void on_pair(void *user, const char *key, const char *value, int32_t line)
{
    parsing *p = user;
    if (p->status) return;
    entry e = {p->section, key, value, line};
    if (*p->section)
        p->status = put(p, &e, p->err);
    else
        p->status = cru_fail(p->err, CRU_BAD_INPUT, "%s:%d: '%s' stands before the first section", p->path, line, key);
}

static void on_fault(void *user, const char *subject, const char *message, int32_t line)
{
    parsing *p = user;
    if (p->status) return;
    p->status = cru_fail(p->err, CRU_BAD_INPUT, "%s:%d: %s%s%s", p->path, line, subject ? subject : "",
                         subject ? ": " : "", message);
}

/* Names become parts of file names. */
static bool is_name(const char *text)
{
    return islower((unsigned char)*text) && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(text);
}

/* Also fills in the folder when the card names none. */
static cru_status check_whole(card *c, cru_error *err)
{
    if (!c->name) return cru_fail(err, CRU_BAD_INPUT, "%s: [dataset] lacks 'name'", c->path);
    if (!is_name(c->name)) {
        return cru_fail(err, CRU_BAD_INPUT, "%s: name '%s': expected lower-case letters, digits and dashes", c->path,
                        c->name);
    }
    if (!c->format) return cru_fail(err, CRU_BAD_INPUT, "%s: [dataset] lacks 'format'", c->path);
    if (!c->folder && !(c->folder = strdup(c->name))) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", c->path);
    if (strcmp(c->folder, ".") != 0 && !is_name(c->folder)) {
        return cru_fail(err, CRU_BAD_INPUT, "%s: folder '%s': expected the name of a dataset", c->path, c->folder);
    }
    for (int64_t i = 0; i < c->file_count; i++) {
        const card_file *f = &c->files[i];
        if (f->form_count == 0 || !card_published(f)->name)
            return cru_fail(err, CRU_BAD_INPUT, "%s:%d: [files] has no '%s'%s", c->path, f->line, f->role,
                            f->form_count > 1 ? " of so many forms" : "");
    }
    return CRU_OK;
}

cru_status card_parse(const char *text, size_t size, const char *path, card **out, cru_error *err)
{
    *out = NULL;
    card *c = calloc(1, sizeof *c);
    if (!c) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the card", path);
    c->expect = (card_expect){-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    parsing p = {.c = c, .path = path, .err = err};
    line_visitor visitor = {&p, on_section, on_pair, on_fault};
    c->path = strdup(path);
    if (!c->path) p.status = no_memory(&p, err);
    lines_read(text, size, &visitor);
    if (!p.status) p.status = check_whole(c, err);
    if (!p.status)
        *out = c;
    else
        card_destroy(c);
    return p.status;
}

/* A card is small; anything longer is not one. */
enum { LARGEST_CARD = 1 << 20 };

cru_status card_read(const char *path, card **out, cru_error *err)
{
    *out = NULL;
    FILE *file = fopen(path, "re");
    if (!file) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    char *text = malloc(LARGEST_CARD + 1);
    cru_status status;
    if (!text) {
        status = cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the card", path);
    } else {
        size_t size = fread(text, 1, LARGEST_CARD + 1, file);
        if (ferror(file))
            status = cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
        else if (size > LARGEST_CARD)
            status = cru_fail(err, CRU_BAD_INPUT, "%s: too large for a card", path);
        else
            status = card_parse(text, size, path, out, err);
    }
    free(text);
    fclose(file);
    return status;
}

static void free_settings(card_settings *settings)
{
    for (int64_t i = 0; i < settings->count; i++) {
        free(settings->items[i].key);
        free(settings->items[i].value);
    }
    free(settings->items);
}

void card_destroy(card *c)
{
    if (!c) return;
    for (const field *f = text_fields; f->key; f++) free(*(char **)((char *)c + f->offset));
    for (int64_t i = 0; i < c->file_count; i++) {
        card_file *f = &c->files[i];
        free(f->role);
        for (int k = 0; k < CARD_FORMS; k++) free(f->forms[k].name);
        for (int k = 0; k < CARD_FORMS; k++) free(f->forms[k].sha256);
        for (int k = 0; k < f->url_count; k++) free(f->urls[k]);
    }
    free(c->files);
    free_settings(&c->settings);
    free_settings(&c->protocols);
    free(c->path);
    free(c);
}
