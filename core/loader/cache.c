// SPDX-License-Identifier: Apache-2.0
#include "loader/cache.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/version.h"
#include "process/child.h"
#include "registry/copy.h"

enum { RECORDS_MAX = 20000, FILE_BYTES_MAX = 1 << 28 };

typedef struct header {
    char magic[8];
    uint32_t byte_order, count;
    uint64_t maker;    /* hash of what the entries depend on besides their files */
    uint64_t checksum; /* of all that follows */
} header;

static const header header_start = {.magic = "CRUPLG5", .byte_order = 0x01020304};

typedef struct stamp {
    uint64_t size, device, inode;
    int64_t seconds, nanoseconds; /* of the last modification, which its owner can set at will ... */
    int64_t changed[2];           /* ... and of the last change, which nobody can */
} stamp;

typedef struct record {
    const char *path;
    stamp stamp;
    bool settled; /* the stamp alone tells that the file is the same */
    char checksum[SHA256_HEX];
    const unsigned char *entry;
    size_t entry_size;
    bool fresh; /* stored by this process */
} record;

struct cache {
    char *path;
    uint64_t maker;
    unsigned char *content; /* the file as read; records point into it */
    cru_arena *memory;      /* for fresh records */
    record *records;        /* the old ones sorted by path, then the fresh ones */
    size_t old, count;
};

/* FNV-1a, to tell versions apart and to notice damage; not a defence against forgery by the cache's own owner. */
static uint64_t hash(uint64_t state, const void *data, size_t size)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < size; i++) state = (state ^ at[i]) * 0x100000001b3u;
    return state;
}
static const uint64_t hash_start = 0xcbf29ce484222325u;

static stamp stamp_of(const struct stat *s)
{
    return (stamp){(uint64_t)s->st_size, s->st_dev,          s->st_ino,
                   s->st_mtim.tv_sec,    s->st_mtim.tv_nsec, {s->st_ctim.tv_sec, s->st_ctim.tv_nsec}};
}

static bool same_stamp(const stamp *a, const stamp *b)
{
    return a->size == b->size && a->device == b->device && a->inode == b->inode && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds && a->changed[0] == b->changed[0] && a->changed[1] == b->changed[1];
}

/* Whether a change from now on gives the file another stamp. */
static bool is_settled(const struct stat *s)
{
    struct timespec now;
    return clock_gettime(CLOCK_REALTIME, &now) == 0 && s->st_ctim.tv_sec + CACHE_SETTLED_SECONDS < now.tv_sec;
}

/* The SDK library in use: its file belongs to what a plugin's description depends on. */
static const char *sdk_path(struct stat *s)
{
    Dl_info info;
    *s = (struct stat){0};
    if (!dladdr((void *)(uintptr_t)cru_fail, &info) || stat(info.dli_fname, s) != 0) return "";
    return info.dli_fname;
}

static uint64_t maker(void)
{
    struct stat sdk;
    sdk_path(&sdk);
    const uint32_t abi[] = {CRU_ABI_MAJOR, CRU_ABI_MINOR, sizeof(cru_plugin), sizeof(cru_param)};
    const stamp library = stamp_of(&sdk);
    uint64_t state = hash(hash_start, abi, sizeof abi);
    state = hash(state, &library, sizeof library);
    return hash(state, host_version(), strlen(host_version()));
}

/* ---- the folder -------------------------------------------------------------------------------------------------- */

/* Makes `path` and its missing parents. */
static bool make_folder(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0777);
        *slash = '/';
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

char *cache_folder(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *folder = NULL;
    int length;
    if (base && *base == '/') {
        length = asprintf(&folder, "%s/crucible", base);
    } else if (home && *home == '/') {
        length = asprintf(&folder, "%s/.cache/crucible", home);
    } else {
        return NULL;
    }
    if (length < 0) return NULL;
    if (make_folder(folder) && access(folder, W_OK) == 0) return folder;
    free(folder);
    return NULL;
}

/* One file per installed SDK, so that a build tree and an installed program do not undo each other's work. */
static char *cache_path(void)
{
    struct stat sdk;
    const char *library = sdk_path(&sdk);
    char *folder = cache_folder(), *path = NULL;
    if (!folder) return NULL;
    unsigned long long key = hash(hash_start, library, strlen(library));
    if (asprintf(&path, "%s/plugins-%016llx", folder, key) < 0) path = NULL;
    free(folder);
    return path;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static unsigned char *read_file(const char *path, size_t *size)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    unsigned char *content = NULL;
    *size = 0;
    if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 && s.st_size <= FILE_BYTES_MAX)
        content = malloc((size_t)s.st_size);
    while (content && *size < (size_t)s.st_size) {
        ssize_t got = read(fd, content + *size, (size_t)s.st_size - *size);
        if (got <= 0) break;
        *size += (size_t)got;
    }
    close(fd);
    return content;
}

static int compare_records(const void *a, const void *b)
{
    return strcmp(((const record *)a)->path, ((const record *)b)->path);
}

static record take_record(reader *r)
{
    record taken = {.path = reader_text(r)};
    if (!taken.path) r->bad = true;
    reader_take(r, &taken.stamp, sizeof taken.stamp);
    reader_take(r, &taken.settled, sizeof taken.settled);
    reader_take(r, taken.checksum, sizeof taken.checksum);
    if (taken.checksum[SHA256_HEX - 1]) r->bad = true;
    taken.entry_size = reader_u32(r);
    taken.entry = r->at;
    if (r->bad || taken.entry_size > r->left) {
        r->bad = true;
    } else {
        r->at += taken.entry_size;
        r->left -= taken.entry_size;
    }
    return taken;
}

/* Finds the records in the content; on any doubt there are none. */
static void index_content(cache *c, size_t size)
{
    reader r = {.at = c->content, .left = size};
    header head;
    reader_take(&r, &head, sizeof head);
    if (r.bad || memcmp(head.magic, header_start.magic, sizeof head.magic) != 0) return;
    if (head.byte_order != header_start.byte_order || head.maker != c->maker || head.count > RECORDS_MAX) return;
    if (head.checksum != hash(hash_start, r.at, r.left)) return;
    c->records = calloc(head.count + 1, sizeof *c->records);
    if (!c->records) return;
    for (uint32_t i = 0; i < head.count && !r.bad; i++) c->records[i] = take_record(&r);
    if (r.bad || r.left) return;
    c->old = c->count = head.count;
    qsort(c->records, c->count, sizeof *c->records, compare_records);
}

cache *cache_open(void)
{
    cache *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    size_t size;
    c->memory = cru_arena_create();
    if (!c->memory) {
        free(c);
        return NULL;
    }
    c->maker = maker();
    c->path = cache_path();
    c->content = c->path ? read_file(c->path, &size) : NULL;
    if (c->content) index_content(c, size);
    return c;
}

void cache_close(cache *c)
{
    if (!c) return;
    free(c->path);
    free(c->content);
    free(c->records);
    cru_arena_destroy(c->memory);
    free(c);
}

static record *find_old(const cache *c, const char *path)
{
    const record key = {.path = path};
    return c->old ? bsearch(&key, c->records, c->old, sizeof key, compare_records) : NULL;
}

/* Whether the record is of the file as it is now. What was found out by reading need not be read the next time. */
static bool is_of(record *known, plugin_file *file)
{
    const stamp now = stamp_of(&file->stat);
    const bool same = same_stamp(&known->stamp, &now);
    if (same && known->settled) return true;
    if (sha256_file(file->path, file->checksum, NULL) != CRU_OK || strcmp(file->checksum, known->checksum) != 0)
        return false;
    const bool settled = is_settled(&file->stat);
    if (!same || settled) {
        known->stamp = now;
        known->settled = settled;
        known->fresh = true;
    }
    return true;
}

bool cache_lookup(cache *c, plugin_file *file, cru_arena *memory, registry_entry *entry)
{
    record *found = c ? find_old(c, file->path) : NULL;
    if (found && is_of(found, file)) {
        reader r = {.at = found->entry, .left = found->entry_size};
        if (entry_decode(&r, memory, entry) == CRU_OK && r.left == 0) return true;
    }
    if (c && !*file->checksum) sha256_file(file->path, file->checksum, NULL);
    return false;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static record *add_record(cache *c)
{
    if (c->count == RECORDS_MAX) return NULL;
    record *records = realloc(c->records, (c->count + 1) * sizeof *records);
    if (!records) return NULL;
    c->records = records;
    return &c->records[c->count++];
}

void cache_store(cache *c, const plugin_file *file, const registry_entry *entry)
{
    char checksum[SHA256_HEX];
    struct stat now;
    if (!c || !c->path || !*file->checksum) return;
    if (stat(file->path, &now) != 0 || sha256_file(file->path, checksum, NULL) != CRU_OK) return;
    const stamp seen = stamp_of(&file->stat), after = stamp_of(&now);
    if (strcmp(checksum, file->checksum) != 0 || !same_stamp(&seen, &after)) return;
    bytes encoded = {0};
    entry_encode(&encoded, entry);
    record *slot = encoded.failed ? NULL : find_old(c, file->path);
    if (!slot && !encoded.failed) slot = add_record(c);
    if (slot) {
        unsigned char *copy = cru_arena_alloc(c->memory, (int64_t)encoded.size, 1);
        memcpy(copy, encoded.data, encoded.size);
        *slot = (record){.path = text_copy(c->memory, file->path),
                         .stamp = seen,
                         .settled = is_settled(&file->stat),
                         .entry = copy,
                         .entry_size = encoded.size,
                         .fresh = true};
        memcpy(slot->checksum, checksum, sizeof checksum);
    }
    free(encoded.data);
}

static void put_records(const cache *c, bytes *out, header *head)
{
    for (size_t i = 0; i < c->count; i++) {
        const record *r = &c->records[i];
        if (!r->fresh && access(r->path, F_OK) != 0) continue;
        const uint32_t size = (uint32_t)r->entry_size;
        bytes_put_text(out, r->path);
        bytes_put(out, &r->stamp, sizeof r->stamp);
        bytes_put(out, &r->settled, sizeof r->settled);
        bytes_put(out, r->checksum, sizeof r->checksum);
        bytes_put(out, &size, sizeof size);
        bytes_put(out, r->entry, r->entry_size);
        head->count++;
    }
}

static bool write_new_file(const cache *c, const header *head, const bytes *body)
{
    char *temporary;
    if (asprintf(&temporary, "%s.XXXXXX", c->path) < 0) return false;
    int fd = mkstemp(temporary);
    bool written = fd >= 0 && write_all(fd, head, sizeof *head) && write_all(fd, body->data, body->size);
    if (fd >= 0 && close(fd) != 0) written = false;
    if (written) written = rename(temporary, c->path) == 0;
    if (fd >= 0 && !written) unlink(temporary);
    free(temporary);
    return written;
}

bool cache_save(cache *c)
{
    bool changed = false;
    for (size_t i = 0; c && i < c->count; i++) changed |= c->records[i].fresh;
    if (!changed || !c->path) return false;
    bytes body = {0};
    header head = header_start;
    head.maker = c->maker;
    put_records(c, &body, &head);
    head.checksum = hash(hash_start, body.data, body.size);
    bool written = !body.failed && write_new_file(c, &head, &body);
    free(body.data);
    return written;
}
