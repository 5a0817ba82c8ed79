// SPDX-License-Identifier: Apache-2.0
/* What is missing of a dataset, and where it comes from. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/places.h"
#include "fetch/content.h"
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

/* Why a file cannot be downloaded, and what the user can do. */
static cru_status refuse(fetch_dataset *d, const card_file *f, const char *path)
{
    const card *c = d->card;
    const char *name = card_published(f)->name, *from = f->url_count > 0 ? f->urls[0] : c->home;
    if (c->terms) {
        return cru_fail(&d->error, CRU_UNSUPPORTED, "%s: %s; then get %s%s%s and save it as %s", c->name, c->terms,
                        name, from ? " from " : "", from ? from : "", path);
    }
    if (c->by_hand)
        return cru_fail(&d->error, CRU_UNSUPPORTED, "%s: %s must be got by hand, because %s; save it as %s", c->name,
                        name, c->by_hand, path);
    return cru_fail(&d->error, CRU_UNSUPPORTED, "%s: no address of %s is known; get it from %s and save it as %s",
                    c->name, name, from ? from : "its authors", path);
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

/* ---- what is here --------------------------------------------------------------------------------------- */

/* What is wrong with a file that lies here already; false: nothing, or it cannot be told. */
static bool find_fault(const fetch_dataset *d, const card_form *form, const char *path, cru_error *err)
{
    char hex[SHA256_HEX];
    const char *fault = form->sha256 ? NULL : content_fault(path, form->name);
    if (fault) {
        cru_fail(err, CRU_BAD_INPUT, "%s: %s %s; remove or replace it", d->card->name, path, fault);
        return true;
    }
    if (!form->sha256 || sha256_file(path, hex, err) != CRU_OK || strcmp(hex, form->sha256) == 0) return false;
    cru_fail(err, CRU_BAD_INPUT, "%s: %s has the sha256 %s, the card expects %s; remove or replace it", d->card->name,
             path, hex, form->sha256);
    return true;
}

/* Looks for a file. A bad one in the download folder is ours to replace. */
static cru_status look_here(const fetch_plan *plan, fetch_dataset *d, fetch_file *f, cru_error *err)
{
    const card_form *form;
    cru_error fault = {0};
    char *path = data_locate(d->card, f->file, plan->places, &form);
    char *own = path ? own_path(plan, d->card, form->name) : NULL;
    f->present = path;
    if (!path) return CRU_OK;
    if (!own) return no_memory(err);
    if (find_fault(d, form, path, &fault) && strcmp(path, own) == 0 && *form->name != '/') {
        f->bad = path;
        f->present = NULL;
    } else if (fault.status) {
        d->error = fault;
    }
    free(own);
    return CRU_OK;
}

/* ---- where it can be had -------------------------------------------------------------------------------- */

/* Takes "pack.zip!/member" apart; what is to be cut is downloaded under another name, too. */
static cru_status plan_pack(const fetch_plan *plan, const card *c, const card_file *file, fetch_source *s)
{
    char *bang = strstr(s->url, "!/");
    if (!bang && file->conversion == CARD_AS_IT_IS) return CRU_OK;
    s->pack.member = bang ? bang + 2 : NULL;
    s->pack.url = bang ? strndup(s->url, (size_t)(bang - s->url)) : strdup(s->url);
    const char *slash = s->pack.url ? strrchr(s->pack.url, '/') : NULL;
    char *path = slash ? own_path(plan, c, slash + 1) : NULL;
    s->pack.path = path ? places_format("%s.pack", path) : NULL; /* never the name of a card's file */
    free(path);
    return s->pack.path ? CRU_OK : CRU_NO_MEMORY;
}

/* Takes over `url`; NULL is no memory. */
static cru_status add_source(const fetch_plan *plan, const card *c, fetch_file *f, const card_form *form, char *url)
{
    fetch_source *s = &f->sources[f->source_count];
    *s = (fetch_source){.url = url, .form = form, .path = url ? own_path(plan, c, form->name) : NULL};
    f->source_count++;
    return s->path ? CRU_OK : CRU_NO_MEMORY;
}

/* The first form that the plan's own mirror holds. */
static cru_status add_mirror(const fetch_plan *plan, const card *c, fetch_file *f)
{
    for (int i = 0; plan->mirror && i < f->file->form_count; i++) {
        const card_form *form = &f->file->forms[i];
        char *path = places_format("%s/%s/%s", plan->mirror, c->folder, form->name);
        bool there = path && access(path, R_OK) == 0;
        char *url = there ? file_url(path) : NULL;
        free(path);
        if (there) return add_source(plan, c, f, form, url);
    }
    return CRU_OK;
}

static cru_status add_sources(const fetch_plan *plan, const card *c, fetch_file *f)
{
    const card_form *form = card_published(f->file);
    if (*form->name == '/') return CRU_OK; /* the user's own */
    cru_status status = add_mirror(plan, c, f);
    for (int i = 0; !status && !c->terms && i < f->file->url_count; i++) {
        status = add_source(plan, c, f, form, strdup(f->file->urls[i]));
        if (!status) status = plan_pack(plan, c, f->file, &f->sources[f->source_count - 1]);
    }
    return status;
}

static cru_status plan_file(const fetch_plan *plan, fetch_dataset *d, fetch_file *f, cru_error *err)
{
    const card *c = d->card;
    const card_form *form = card_published(f->file);
    char *own = own_path(plan, c, form->name);
    if (!own) return cru_fail(err, CRU_IO, "there is no folder for downloads: set HOME or XDG_DATA_HOME");
    f->name = places_format("%s/%s", c->name, f->file->forms[0].name);
    cru_status status = f->name ? look_here(plan, d, f, err) : no_memory(err);
    if (!status && !f->present) {
        if (add_sources(plan, c, f) != CRU_OK) status = no_memory(err);
        f->waiting = f->source_count > 0;
        if (!f->waiting) refuse(d, f->file, own);
    }
    free(own);
    return status;
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
    while (!status && d->count < c->file_count) {
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
    if (status) return cru_fail(err, status, "%s", why.text);
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
    if (!status && list.failed) status = no_memory(err);
    for (int64_t i = 0; i < list.count; i++) {
        if (!status) status = fetch_add(plan, list.items[i], err);
        free(list.items[i]);
    }
    free(list.items);
    return status;
}

static void clear_source(fetch_source *s)
{
    free(s->url);
    free(s->path);
    free(s->pack.path);
    free(s->pack.url);
}

void fetch_clear(fetch_plan *plan)
{
    for (int64_t i = 0; i < plan->count; i++) {
        fetch_dataset *d = &plan->datasets[i];
        for (int64_t k = 0; k < d->count; k++) {
            fetch_file *f = &d->files[k];
            for (int j = 0; j < f->source_count; j++) clear_source(&f->sources[j]);
            free(f->present);
            free(f->bad);
            free(f->name);
        }
        free(d->files);
        card_destroy(d->card);
    }
    free(plan->datasets);
    plan->datasets = NULL;
    plan->count = 0;
}
