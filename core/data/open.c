// SPDX-License-Identifier: Apache-2.0
#include "data/open.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/places.h"
#include "loader/loader.h"

/* The files that a plugin sees: the card's, and the image of its base. */
typedef struct file_set {
    cru_file *files;
    const char **sums; /* what their checksums must be; NULL: not known */
    int64_t count;
    int base_fd;
} file_set;

static void file_set_clear(file_set *set)
{
    for (int64_t i = 0; i < set->count; i++) free((char *)set->files[i].path);
    free(set->files);
    free(set->sums);
    if (set->base_fd >= 0) close(set->base_fd);
}

static cru_status fail_absent(const resolved *r, const card_file *f, cru_error *err)
{
    const card *c = r->card;
    const char *name = f->forms[0].name;
    if (f->url_count > 0 || c->terms || c->by_hand) {
        return cru_fail(err, CRU_IO, "dataset %s: %s is not here; `crucible fetch %s` %s", c->name, name, c->name,
                        c->terms || f->url_count == 0 ? "says how to get it" : "gets it");
    }
    char *folder = places_files(r->request->places);
    cru_fail(err, CRU_IO,
             "dataset %s: %s is not here; get it from its authors and put it into %s/%s or into a mirror "
             "(CRUCIBLE_MIRROR)",
             c->name, name, folder ? folder : "the data folder", c->folder);
    free(folder);
    return CRU_IO;
}

static cru_status take_file(const resolved *r, const card_file *f, file_set *set, cru_error *err)
{
    const card_form *form;
    char *path = data_locate(r->card, f, r->request->places, &form);
    if (!path) return fail_absent(r, f, err);
    set->sums[set->count] = form->sha256;
    set->files[set->count++] = (cru_file){f->role, path};
    return CRU_OK;
}

/* ---- checksums, while the plugin reads -------------------------------------------------------------------- */

typedef struct verification {
    const resolved *r;
    const file_set *set;
    cru_error err;
    pthread_t thread;
    bool started;
} verification;

/* The card's files come first in the set, in the card's order. */
static void *verify_files(void *user)
{
    verification *v = user;
    const card *c = v->r->card;
    for (int64_t i = 0; c && i < c->file_count; i++) {
        const char *path = v->set->files[i].path, *expected = v->set->sums[i];
        char hex[SHA256_HEX];
        if (!expected) continue;
        if (sha256_file(path, hex, &v->err) != CRU_OK) break;
        if (strcmp(hex, expected) == 0) continue;
        cru_fail(&v->err, CRU_IO, "%s: sha256 is %s, the card %s expects %s", path, hex, c->path, expected);
        break;
    }
    return NULL;
}

/* Politely: checksums are done sooner than the plugin anyway, and would take a processor from one of its threads. On
 * Linux nice is about the calling thread. */
static void *verify_meanwhile(void *user)
{
    enum { POLITE = 10 };
    const int refused = nice(POLITE);
    (void)refused; /* then as the others */
    return verify_files(user);
}

/* In a thread of its own; without one, at once. */
static void verification_begin(verification *v)
{
    v->started = pthread_create(&v->thread, NULL, verify_meanwhile, v) == 0;
    if (!v->started) verify_files(v);
}

static void verification_end(verification *v)
{
    if (v->started) pthread_join(v->thread, NULL);
}

/* Opens the base dataset and lays it out as an image in memory that has a path. */
static cru_status take_base(const resolved *r, file_set *set, cru_error *err)
{
    data_request request = {.name = r->base, .plugins = r->request->plugins, .places = r->request->places};
    cru_data *base = NULL;
    cru_status status = data_open(&request, &base, err);
    if (status) return status;
    set->base_fd = memfd_create("crucible-base", MFD_CLOEXEC);
    char *path = set->base_fd >= 0 ? places_format("/proc/self/fd/%d", set->base_fd) : NULL;
    if (!path)
        status = cru_fail(err, CRU_NO_MEMORY, "dataset %s: no memory for its base %s", r->request->name, r->base);
    if (!status) {
        set->files[set->count++] = (cru_file){DATA_BASE, path};
        status = cru_data_write(base, set->base_fd, err);
    }
    cru_data_destroy(base);
    return status;
}

static cru_status collect_files(const resolved *r, file_set *set, cru_error *err)
{
    int64_t count = r->card ? r->card->file_count : 0;
    *set = (file_set){.files = calloc((size_t)count + 1, sizeof *set->files), .base_fd = -1};
    set->sums = calloc((size_t)count + 1, sizeof *set->sums);
    if (!set->files || !set->sums) return cru_fail(err, CRU_NO_MEMORY, "dataset %s: no memory", r->request->name);
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < count; i++) status = take_file(r, &r->card->files[i], set, err);
    if (!status && r->base) status = take_base(r, set, err);
    return status;
}

static cru_status run_plugin(const resolved *r, const file_set *set, cru_data *data, cru_error *err)
{
    const cru_plugin *plugin = NULL;
    cru_error why = {0};
    if (plugin_open(r->plugin->path, CRU_KIND_DATASET, r->plugin->name, &plugin, &why) != CRU_OK)
        return cru_fail(err, CRU_FAILED, "%s: %s", r->plugin->path, why.text);
    const cru_dataset *dataset = plugin->vtable;
    cru_source source = {.name = r->card ? r->card->name : r->request->name,
                         .files = set->files,
                         .count = set->count,
                         .seed = r->request->seed};
    const cru_loading loading = {.size = sizeof loading,
                                 .settings = cru_settings_struct(r->settings),
                                 .source = &source,
                                 .data = data,
                                 .err = err};
    cru_status status = dataset->load(&loading);
    if (!status && cru_data_check(data, &why) != CRU_OK) {
        status = cru_fail(err, CRU_BAD_INPUT, "dataset %s: the plugin %s made inconsistent data: %s", source.name,
                          plugin->name, why.text);
    }
    if (!status && r->card) status = card_check(r->card, data, err);
    return status;
}

/* Parsers expect the worst of a file, so that nothing has to wait for its checksum; but what a file with another one
 * holds is thrown away, and the checksum is what is wrong with it, whatever the plugin said. */
static cru_status load_verified(const resolved *r, const file_set *set, cru_data *data, cru_error *err)
{
    verification v = {.r = r, .set = set};
    cru_error why = {0};
    verification_begin(&v);
    cru_status status = run_plugin(r, set, data, &why);
    verification_end(&v);
    if (v.err.status) return cru_fail(err, v.err.status, "%s", v.err.text);
    return !status ? CRU_OK : cru_fail(err, status, "%s", why.text);
}

cru_status data_load(const resolved *r, cru_data **data, cru_error *err)
{
    file_set set;
    cru_data *loaded = NULL;
    cru_status status = collect_files(r, &set, err);
    if (!status) {
        loaded = cru_data_create();
        status = loaded ? load_verified(r, &set, loaded, err) : cru_fail(err, CRU_NO_MEMORY, "no memory for data");
    }
    file_set_clear(&set);
    if (status) {
        cru_data_destroy(loaded);
        loaded = NULL;
    }
    *data = loaded;
    return status;
}

cru_status data_open(const data_request *request, cru_data **data, cru_error *err)
{
    *data = NULL;
    resolved r;
    char checksum[SHA256_HEX];
    cru_status status = data_resolve(request, &r, err);
    if (status) return status;
    status = resolved_checksum(&r, checksum, err);
    char *image = !status ? image_path(&r, checksum) : NULL;
    if (image) *data = image_map(image);
    if (!status && !*data) {
        status = data_load(&r, data, err);
        if (!status && image) image_store(image, *data);
    }
    free(image);
    resolved_clear(&r);
    return status;
}
