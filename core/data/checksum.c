// SPDX-License-Identifier: Apache-2.0
/* The checksum of a dataset: over everything that decides what data_open gives. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sha256.h"
#include "data/open.h"

/* A file without a known checksum is told apart by size and time, as build tools do. */
static void describe_unknown_file(FILE *out, const resolved *r, const card_file *f)
{
    struct stat info = {0};
    char *path = data_locate(r->card, f, r->request->places, NULL);
    if (path && stat(path, &info) == 0) {
        fprintf(out, "%s size %lld time %lld.%09ld\n", path, (long long)(int64_t)info.st_size,
                (long long)(int64_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    }
    free(path);
}

static cru_status describe(FILE *out, const resolved *r, cru_error *err)
{
    fprintf(out, "format %s %s\n", r->plugin->name, r->plugin->version);
    char *settings = cru_settings_text(r->settings);
    if (!settings) return cru_fail(err, CRU_NO_MEMORY, "no memory for a checksum");
    fprintf(out, "%s\n", settings);
    free(settings);
    for (int64_t i = 0; r->card && i < r->card->file_count; i++) {
        const card_file *f = &r->card->files[i];
        fprintf(out, "file %s ", f->role);
        if (f->forms[0].sha256) /* in whichever form it lies here: the content is the same */
            fprintf(out, "%s\n", f->forms[0].sha256);
        else
            describe_unknown_file(out, r, f);
    }
    if (resolved_is_generated(r)) fprintf(out, "seed %llu\n", (unsigned long long)r->request->seed);
    if (!r->base) return CRU_OK;
    data_request base = {.name = r->base, .plugins = r->request->plugins, .places = r->request->places};
    char hex[SHA256_HEX];
    cru_status status = data_checksum(&base, hex, err);
    fprintf(out, "base %s\n", hex);
    return status;
}

cru_status resolved_checksum(const resolved *r, char hex[SHA256_HEX], cru_error *err)
{
    char *text = NULL;
    size_t size = 0;
    hex[0] = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return cru_fail(err, CRU_NO_MEMORY, "no memory for a checksum");
    cru_status status = describe(out, r, err);
    if (fclose(out) != 0 && !status) status = cru_fail(err, CRU_NO_MEMORY, "no memory for a checksum");
    if (!status) sha256_bytes(text, size, hex);
    free(text);
    return status;
}

cru_status data_checksum(const data_request *request, char hex[65], cru_error *err)
{
    resolved r;
    cru_status status = data_resolve(request, &r, err);
    if (status) return status;
    status = resolved_checksum(&r, hex, err);
    resolved_clear(&r);
    return status;
}
