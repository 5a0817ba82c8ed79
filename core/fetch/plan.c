// SPDX-License-Identifier: Apache-2.0
/* What is missing of a dataset, and where it comes from. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/places.h"
#include "fetch/fetch.h"

static cru_status no_memory(cru_error *err)
{
    return cru_fail(err, CRU_NO_MEMORY, "no memory to plan downloads");
}

/* The file address of a path, to be freed. */
static char *file_url(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    char *whole = realpath(path, NULL), *url = whole ? malloc(3 * strlen(whole) + sizeof "file://") : NULL;
    if (url) {
        char *to = stpcpy(url, "file://");
        for (const unsigned char *c = (const unsigned char *)whole; *c; c++)
            to += strchr(plain, *c) ? sprintf(to, "%c", *c) : sprintf(to, "%%%02X", *c);
    }
    free(whole);
    return url;
}

/* The address of a file in the plan's own mirror; NULL when it is not there. */
static char *mirror_url(const fetch_plan *plan, const card *c, const card_file *f)
{
    char *path = plan->mirror ? places_format("%s/%s/%s", plan->mirror, c->folder, f->name) : NULL;
    char *url = path && access(path, R_OK) == 0 ? file_url(path) : NULL;
    free(path);
    return url;
}

/* Why a file cannot be downloaded, and what the user can do. */
static cru_status refuse(fetch_dataset *d, const card_file *f, const char *path)
{
    const card *c = d->card;
    const char *from = f->url ? f->url : c->home;
    if (c->terms) {
        return cru_fail(&d->error, CRU_UNSUPPORTED, "%s: %s; then get %s%s%s and save it as %s", c->name, c->terms,
                        f->name, from ? " from " : "", from ? from : "", path);
    }
    return cru_fail(&d->error, CRU_UNSUPPORTED, "%s: no address of %s is known; get it from %s and save it as %s",
                    c->name, f->name, from ? from : "its authors", path);
}

/* A file that lies somewhere already: true when it can stay as it is. */
static bool check_present(fetch_dataset *d, const fetch_file *f, const char *own)
{
    char hex[SHA256_HEX];
    if (!f->file->sha256) return true;
    if (sha256_file(f->path, hex, &d->error) != CRU_OK) return true;
    if (strcmp(hex, f->file->sha256) == 0) return true;
    if (own && strcmp(f->path, own) == 0) return false;
    cru_fail(&d->error, CRU_BAD_INPUT, "%s: %s has the sha256 %s, the card expects %s; remove or replace it",
             d->card->name, f->path, hex, f->file->sha256);
    return true;
}

/* Where a file of a card is to be put; NULL when there is no place. An absolute name is one the user chose. */
static char *own_path(const fetch_plan *plan, const card *c, const char *file)
{
    if (*file == '/') return strdup(file);
    char *folder = places_files(plan->places);
    char *path = folder ? places_format("%s/%s/%s", folder, c->folder, file) : NULL;
    free(folder);
    return path;
}

/* Takes "pack.zip!/member" apart. */
static cru_status plan_pack(const fetch_plan *plan, const card *c, fetch_file *f, cru_error *err)
{
    char *bang = f->source ? strstr(f->source, "!/") : NULL;
    if (!bang) return CRU_OK;
    f->pack.member = bang + 2;
    f->pack.url = strndup(f->source, (size_t)(bang - f->source));
    const char *slash = f->pack.url ? strrchr(f->pack.url, '/') : NULL;
    char *path = slash ? own_path(plan, c, slash + 1) : NULL;
    f->pack.path = path ? places_format("%s.pack", path) : NULL; /* never the name of a card's file */
    free(path);
    return f->pack.path ? CRU_OK : no_memory(err);
}

static cru_status plan_file(const fetch_plan *plan, fetch_dataset *d, fetch_file *f, cru_error *err)
{
    const card *c = d->card;
    const char *file = f->file->name;
    char *own = own_path(plan, c, file);
    if (!own) return cru_fail(err, CRU_IO, "there is no folder for downloads: set HOME or XDG_DATA_HOME");
    f->name = places_format("%s/%s", c->name, file);
    f->path = data_locate(c, file, plan->places);
    if (f->path && check_present(d, f, own)) {
        free(own);
        return f->name ? CRU_OK : no_memory(err);
    }
    free(f->path);
    f->path = own;
    bool ours = *file != '/';
    if (ours) f->source = mirror_url(plan, c, f->file);
    if (ours && !f->source && f->file->url && !c->terms) f->source = strdup(f->file->url);
    if (!f->source) refuse(d, f->file, own);
    return f->name ? plan_pack(plan, c, f, err) : no_memory(err);
}

static fetch_dataset *append(fetch_plan *plan, card *c)
{
    fetch_dataset *grown = realloc(plan->datasets, (size_t)(plan->count + 1) * sizeof *grown);
    if (!grown) return NULL;
    plan->datasets = grown;
    fetch_dataset *d = &grown[plan->count];
    *d = (fetch_dataset){.card = c, .files = calloc((size_t)c->file_count + 1, sizeof *d->files)};
    if (!d->files) return NULL;
    plan->count++;
    return d;
}

/* Whether what would be downloaded can be read. */
static bool has_format(const fetch_plan *plan, const card *c)
{
    return !plan->plugins || registry_find(plan->plugins, CRU_KIND_DATASET, c->format);
}

/* Takes over the card. */
static cru_status add_card(fetch_plan *plan, card *c, cru_error *err)
{
    for (int64_t i = 0; i < plan->count; i++) {
        if (strcmp(plan->datasets[i].card->name, c->name) != 0) continue;
        card_destroy(c);
        return CRU_OK;
    }
    fetch_dataset *d = append(plan, c);
    if (!d) {
        card_destroy(c);
        return no_memory(err);
    }
    if (!has_format(plan, c))
        cru_fail(&d->error, CRU_UNSUPPORTED, "%s: no plugin reads its format '%s'", c->name, c->format);
    cru_status status = CRU_OK;
    while (status == CRU_OK && d->count < c->file_count) {
        fetch_file *f = &d->files[d->count];
        f->file = &c->files[d->count++];
        status = plan_file(plan, d, f, err);
    }
    d->status = d->error.status;
    return status;
}

cru_status fetch_add(fetch_plan *plan, const char *name, cru_error *err)
{
    data_found found;
    cru_error why = {0};
    cru_status status = data_find(name, plan->places, &found, &why);
    if (status == CRU_UNSUPPORTED) return data_fail_unknown(&(data_request){.name = name, .places = plan->places}, err);
    if (status != CRU_OK) return cru_fail(err, status, "%s", why.text);
    return add_card(plan, found.card, err);
}

typedef struct name_list {
    const fetch_plan *plan;
    char **items;
    int64_t count;
    bool failed;
} name_list;

static void take_name(void *user, const card *c, data_state state, const char *why)
{
    (void)why;
    name_list *list = user;
    if ((state != DATA_PRESENT && state != DATA_FETCHABLE) || !has_format(list->plan, c)) return;
    char **grown = realloc(list->items, (size_t)(list->count + 1) * sizeof *grown);
    if (grown) list->items = grown;
    char *name = grown ? strdup(c->name) : NULL;
    if (name)
        list->items[list->count++] = name;
    else
        list->failed = true;
}

cru_status fetch_add_all(fetch_plan *plan, cru_error *err)
{
    name_list list = {.plan = plan};
    cru_status status = data_visit(plan->places, take_name, &list, err);
    if (status == CRU_OK && list.failed) status = no_memory(err);
    for (int64_t i = 0; i < list.count; i++) {
        if (status == CRU_OK) status = fetch_add(plan, list.items[i], err);
        free(list.items[i]);
    }
    free(list.items);
    return status;
}

void fetch_clear(fetch_plan *plan)
{
    for (int64_t i = 0; i < plan->count; i++) {
        fetch_dataset *d = &plan->datasets[i];
        for (int64_t k = 0; k < d->count; k++) {
            free(d->files[k].path);
            free(d->files[k].source);
            free(d->files[k].name);
            free(d->files[k].pack.path);
            free(d->files[k].pack.url);
        }
        free(d->files);
        card_destroy(d->card);
    }
    free(plan->datasets);
    plan->datasets = NULL;
    plan->count = 0;
}
