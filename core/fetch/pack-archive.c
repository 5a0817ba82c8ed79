// SPDX-License-Identifier: Apache-2.0
/* Members of tar, 7z and rar archives, and files packed with gzip, bzip2 or xz, by libarchive. Its header is not needed
 * to build: these few functions have not changed since version 3.0. Only formats that it reads by itself are switched
 * on; "all" would have it start other programs. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/library.h"
#include "fetch/pack.h"

struct archive;
struct archive_entry;

enum { ARCHIVE_WELL = 0, ARCHIVE_WARNING = -20, ARCHIVE_BLOCK = 1 << 16 };

typedef int archive_step(struct archive *a);

typedef struct archive_library {
    struct archive *(*create)(void);
    archive_step *free;
    archive_step *steps[8]; /* each switches a filter or a format on */
    archive_step *raw;
    int (*open)(struct archive *a, const char *path, size_t block);
    int (*next)(struct archive *a, struct archive_entry **entry);
    const char *(*path)(struct archive_entry *entry);
    int (*sized)(struct archive_entry *entry);
    int64_t (*size)(struct archive_entry *entry);
    ssize_t (*read)(struct archive *a, void *bytes, size_t count);
} archive_library;

static const library_symbol symbols[] = {
    {"archive_read_new", offsetof(archive_library, create)},
    {"archive_read_free", offsetof(archive_library, free)},
    {"archive_read_support_filter_gzip", offsetof(archive_library, steps[0])},
    {"archive_read_support_filter_bzip2", offsetof(archive_library, steps[1])},
    {"archive_read_support_filter_xz", offsetof(archive_library, steps[2])},
    {"archive_read_support_format_tar", offsetof(archive_library, steps[3])},
    {"archive_read_support_format_7zip", offsetof(archive_library, steps[4])},
    {"archive_read_support_format_rar", offsetof(archive_library, steps[5])},
    {"archive_read_support_format_rar5", offsetof(archive_library, steps[6])},
    {"archive_read_support_format_empty", offsetof(archive_library, steps[7])},
    {"archive_read_support_format_raw", offsetof(archive_library, raw)},
    {"archive_read_open_filename", offsetof(archive_library, open)},
    {"archive_read_next_header", offsetof(archive_library, next)},
    {"archive_entry_pathname", offsetof(archive_library, path)},
    {"archive_entry_size_is_set", offsetof(archive_library, sized)},
    {"archive_entry_size", offsetof(archive_library, size)},
    {"archive_read_data", offsetof(archive_library, read)},
    {NULL, 0},
};

static const library_wish wish = {
    .file = "libarchive.so.13", .package = "libarchive13", .purpose = "packed downloads", .symbols = symbols};

typedef struct archive_pack {
    pack base; /* first: a pack is one of these */
    archive_library l;
    struct archive *archive;
} archive_pack;

static int64_t read_archive(pack *p, void *bytes, size_t count)
{
    archive_pack *a = (archive_pack *)p;
    ssize_t got = a->l.read(a->archive, bytes, count);
    return got < 0 ? -1 : got;
}

static void close_archive(pack *p)
{
    archive_pack *a = (archive_pack *)p;
    if (a->archive) a->l.free(a->archive);
    free(a);
}

static bool is_member(const archive_pack *a, struct archive_entry *entry, const char *member)
{
    const char *name = a->l.path(entry);
    return name && pack_is_member(name, member);
}

/* Raw is tried for a file that is no archive, and would take every archive for one. */
static cru_status begin(archive_pack *a, const pack_order *order, cru_error *err)
{
    a->archive = a->l.create();
    if (!a->archive) return cru_fail(err, CRU_NO_MEMORY, "no memory to unpack %s", order->url);
    const int filters = 3, all = sizeof a->l.steps / sizeof *a->l.steps;
    for (int i = 0; i < (order->member ? all : filters); i++) a->l.steps[i](a->archive);
    if (!order->member) a->l.raw(a->archive);
    if (a->l.open(a->archive, order->path, ARCHIVE_BLOCK) >= ARCHIVE_WARNING) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s is no archive", order->url);
}

static cru_status find_member(archive_pack *a, const pack_order *order, cru_error *err)
{
    struct archive_entry *entry;
    int state;
    bool any = false;
    while ((state = a->l.next(a->archive, &entry)) == ARCHIVE_WELL || state == ARCHIVE_WARNING) {
        any = true;
        if (order->member && !is_member(a, entry, order->member)) continue;
        a->base.size = order->member && a->l.sized(entry) ? a->l.size(entry) : -1;
        return CRU_OK;
    }
    return cru_fail(err, CRU_BAD_INPUT, any ? "%s is not in the archive" : "%s is no archive", order->url);
}

cru_status pack_open_archive(const pack_order *order, pack **out, cru_error *err)
{
    *out = NULL;
    archive_pack *a = calloc(1, sizeof *a);
    if (!a) return cru_fail(err, CRU_NO_MEMORY, "no memory to unpack %s", order->url);
    a->base = (pack){-1, read_archive, close_archive};
    cru_status status = library_load(&wish, &a->l, err);
    if (!status) status = begin(a, order, err);
    if (!status) status = find_member(a, order, err);
    if (!status)
        *out = &a->base;
    else
        close_archive(&a->base);
    return status;
}
