// SPDX-License-Identifier: Apache-2.0
/* A dataset that reads files, on files that the caller names: as they are, and as the world spoils them. Refusing with
 * a message is right then; so is reading what still makes sense. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/suites.h"

enum { LARGEST = 64 << 20, CUTS = 5, FLIPS = 12 };

/* The files as the plugin sees them; one may be replaced by a copy that was spoilt. */
typedef struct library {
    trial_plan plan; /* settings */
    cru_file files[CHECK_FILES_MOST];
    int64_t count;
    unsigned char *bytes; /* of the one that is being spoilt */
    size_t size;
    char copy[96];
} library;

static cru_source source_of(const library *l)
{
    return (cru_source){.name = "checked", .files = l->files, .count = l->count, .seed = 1};
}

static void case_reads(const void *user, const cru_plugin *plugin, verdict *v)
{
    const library *l = user;
    const cru_source source = source_of(l);
    cru_data *data[2] = {NULL, NULL};
    for (int turn = 0; turn < 2; turn++) {
        cru_error err = {0};
        if (load_data(plugin, &l->plan, &source, &data[turn], &err) == CRU_OK) continue;
        verdict_set(v, CHECK_FAILED, "%s", *err.text ? err.text : "fails without a message");
        break;
    }
    if (data[0] && data[1]) compare_data(data[0], data[1], v);
    cru_data_destroy(data[0]);
    cru_data_destroy(data[1]);
}

static void case_survives_files(const void *user, const cru_plugin *plugin, verdict *v)
{
    const library *l = user;
    const cru_source source = source_of(l);
    cru_data *data = NULL;
    cru_error err = {0};
    cru_status status = load_data(plugin, &l->plan, &source, &data, &err);
    if (status && !*err.text) verdict_set(v, CHECK_FAILED, "fails (%s) without a message", cru_status_name(status));
    cru_data_destroy(data);
}

/* ---- spoiling -------------------------------------------------------------------------------------------- */

static bool load_bytes(library *l, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    l->bytes = malloc(LARGEST);
    if (!l->bytes) cru_panic(CRU_NO_MEMORY, "no memory for a copy of %s", path);
    l->size = fread(l->bytes, 1, LARGEST, file);
    fclose(file);
    return true;
}

static bool write_copy(const library *l, size_t size)
{
    FILE *file = fopen(l->copy, "wb");
    if (!file) return false;
    bool fine = fwrite(l->bytes, 1, size, file) == size;
    return fclose(file) == 0 && fine;
}

/* Keeps the worst verdict of a row, with the words that say what was done to which file. */
static void try_spoilt(suite *s, const library *l, const char *done, verdict *worst)
{
    verdict v = case_try(s, &(check_case){.name = done, .body = case_survives_files, .user = l, .edge = true});
    if (v.state > worst->state) verdict_set(worst, v.state, "%.150s: %.220s", done, v.text);
}

static void try_cuts(suite *s, library *l, const char *role, verdict *worst)
{
    char done[200];
    for (size_t i = 0; i < CUTS; i++) {
        const size_t size = i + 1 == CUTS ? l->size - (l->size > 0) : l->size * i / (CUTS - 1);
        snprintf(done, sizeof done, "%s cut to %zu of %zu bytes", role, size, l->size);
        if (write_copy(l, size)) try_spoilt(s, l, done, worst);
    }
}

/* One byte in a random place becomes a random one, then two, four, ...: small changes pass checks of sizes. */
static void try_flips(suite *s, library *l, const char *role, verdict *worst)
{
    char done[200];
    cru_rng rng = cru_rng_stream(1, "spoil", (uint64_t)l->size);
    for (int i = 0; i < FLIPS && l->size > 0; i++) {
        for (int k = 0; k < 1 << (i / 3); k++)
            l->bytes[cru_rng_below(&rng, (int64_t)l->size)] = (unsigned char)cru_rng_below(&rng, 256);
        snprintf(done, sizeof done, "%s with bytes changed, try %d", role, i + 1);
        if (write_copy(l, l->size)) try_spoilt(s, l, done, worst);
    }
}

static void spoil(suite *s, library *l, int64_t which, verdict *worst)
{
    cru_file *file = &l->files[which];
    const cru_file as_it_is = *file;
    if (!load_bytes(l, as_it_is.path)) return;
    file->path = l->copy;
    try_cuts(s, l, as_it_is.role, worst);
    try_flips(s, l, as_it_is.role, worst);
    *file = as_it_is;
    free(l->bytes);
    l->bytes = NULL;
}

static void leave_out(suite *s, const library *l, int64_t which, verdict *worst)
{
    char done[200];
    library fewer = *l;
    fewer.files[which] = fewer.files[--fewer.count];
    snprintf(done, sizeof done, "without %s", l->files[which].role);
    try_spoilt(s, &fewer, done, worst);
}

void suite_files(suite *s)
{
    library l = {.plan = {.settings = s->options.settings, .setting_count = s->options.setting_count}};
    verdict spoilt = {0}, missing = {0};
    for (int64_t i = 0; i < s->options.file_count && i < CHECK_FILES_MOST; i++)
        l.files[l.count++] = (cru_file){.role = s->options.files[i].role, .path = s->options.files[i].path};
    snprintf(l.copy, sizeof l.copy, "%s/copy", s->copies);
    case_run(s, &(check_case){.name = "files, read twice", .body = case_reads, .user = &l, .images = true});
    for (int64_t i = 0; i < l.count; i++) {
        spoil(s, &l, i, &spoilt);
        leave_out(s, &l, i, &missing);
    }
    unlink(l.copy);
    suite_add_row(s, "files, cut and changed", &spoilt);
    suite_add_row(s, "files, one left out", &missing);
}
