// SPDX-License-Identifier: Apache-2.0
/* pack.h: the bytes of one member of an archive, or of a packed file. */
#ifndef CORE_FETCH_PACK_H
#define CORE_FETCH_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <crucible/status.h>

typedef struct pack pack;
struct pack {
    int64_t size;                                        /* of the member, as the archive has it; -1: it does not say */
    int64_t (*read)(pack *p, void *bytes, size_t count); /* 0: the end; -1: damaged */
    void (*close)(pack *p);
};

/* Opens `member` (the first that fits) of the archive at `path` (zip, tar, 7z, rar), or what a gzip, xz or plain file
 * holds when `member` is NULL, in a process of its own that can do nothing else (pack-confined.c). `url` names it in
 * messages. CRU_BAD_INPUT: no archive, or no such member; CRU_UNSUPPORTED: a library is not installed. */
typedef struct pack_order {
    const char *path, *member, *url;
} pack_order;
cru_status pack_open(const pack_order *order, pack **out, cru_error *err);

/* pack_open in this process. */
cru_status pack_open_here(const pack_order *order, pack **out, cru_error *err);

/* Whether a name in an archive is that of the member: the same, or as a pattern of the shell says ("*.mat"). */
bool pack_is_member(const char *name, const char *member);

/* The two that it chooses from. */
cru_status pack_open_zip(const pack_order *order, pack **out, cru_error *err);
cru_status pack_open_archive(const pack_order *order, pack **out, cru_error *err);

#endif
