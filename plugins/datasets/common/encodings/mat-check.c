// SPDX-License-Identifier: Apache-2.0
#include "mat-check.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "unpack.h"

enum { HEADER = 128, TYPE_INT8 = 1, TYPE_INT32 = 5, TYPE_UINT32 = 6, TYPE_MATRIX = 14, TYPE_COMPRESSED = 15 };
enum { CLASS_CHAR = 4, CLASS_SPARSE = 5, CLASS_DOUBLE = 6, CLASS_UINT64 = 15, LONGEST_NAME = 63 };

typedef struct element {
    uint32_t type, size;
    const uint8_t *data;
} element;

/* A run of elements inside the file or inside unpacked bytes. */
typedef struct walk {
    const char *name;
    const uint8_t *bytes, *at, *end;
    cru_error *err;
} walk;

static cru_status fail(const walk *w, cru_status status, const char *what)
{
    return cru_fail(w->err, status, "%s: byte %lld: %s", w->name, (long long)(w->at - w->bytes), what);
}

static uint32_t word(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

/* Bytes of one number of a stored type; 0: no number. */
static uint32_t width_of(uint32_t type)
{
    static const uint8_t widths[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1, 2, 4};
    return type < sizeof widths ? widths[type] : 0;
}

/* The next part of a matrix. Up to four bytes of data share the tag's eight bytes; all else is padded to eight. */
static cru_status next_part(walk *w, element *e)
{
    if (w->end - w->at < 8) return fail(w, CRU_BAD_INPUT, "a variable ends too early");
    uint32_t tag = word(w->at);
    bool small = tag >> 16 != 0;
    *e = small ? (element){tag & 0xffff, tag >> 16, w->at + 4} : (element){tag, word(w->at + 4), w->at + 8};
    if (small ? e->size > 4 : e->size > (uint64_t)(w->end - w->at - 8))
        return fail(w, CRU_BAD_INPUT, "a part that is longer than its variable");
    uint64_t padded = small ? 8 : 8 + ((uint64_t)e->size + 7) / 8 * 8;
    w->at = padded < (uint64_t)(w->end - w->at) ? w->at + padded : w->end;
    return CRU_OK;
}

static cru_status check_full(walk *w, const uint32_t *dims)
{
    element data;
    uint64_t cells = (uint64_t)dims[0] * dims[1];
    cru_status status = next_part(w, &data);
    if (status) return status;
    uint32_t width = width_of(data.type);
    if (width == 0 || data.size % width != 0 || data.size / width != cells)
        return fail(w, CRU_BAD_INPUT, "the data do not fit the dimensions");
    return CRU_OK;
}

static cru_status check_sparse(walk *w, const uint32_t *dims)
{
    element rows, columns, data;
    cru_status status = next_part(w, &rows);
    if (!status) status = next_part(w, &columns);
    if (!status) status = next_part(w, &data);
    if (status) return status;
    uint32_t width = width_of(data.type);
    bool sound = rows.type == TYPE_INT32 && columns.type == TYPE_INT32 && rows.size % 4 == 0 && width > 0;
    sound = sound && columns.size == 4 * ((uint64_t)dims[1] + 1) && data.size % width == 0;
    return sound ? CRU_OK : fail(w, CRU_BAD_INPUT, "the parts of a sparse matrix do not fit together");
}

static cru_status check_matrix(walk *w)
{
    element flags, dims, name;
    cru_status status = next_part(w, &flags);
    if (!status) status = next_part(w, &dims);
    if (!status) status = next_part(w, &name);
    if (status) return status;
    if (flags.type != TYPE_UINT32 || flags.size != 8 || dims.type != TYPE_INT32 || dims.size < 8 || dims.size % 4 ||
        name.type != TYPE_INT8 || name.size > LONGEST_NAME)
        return fail(w, CRU_BAD_INPUT, "a variable with a broken header");
    uint32_t class = flags.data[0];
    bool complex = flags.data[1] & 8;
    bool known = class >= CLASS_CHAR && class <= CLASS_UINT64;
    if (!known || complex || dims.size != 8)
        return fail(w, CRU_UNSUPPORTED, "a variable that is no real matrix of two dimensions");
    const uint32_t size[2] = {word(dims.data), word(dims.data + 4)};
    if (size[0] > INT32_MAX || size[1] > INT32_MAX) return fail(w, CRU_BAD_INPUT, "a negative dimension");
    return class == CLASS_SPARSE ? check_sparse(w, size) : check_full(w, size);
}

/* A packed variable: inflates to exactly one element. By zlib, which can stop after the tag that tells the size;
 * libdeflate unpacks all or nothing. */
static cru_status check_packed(const walk *w, const element *e, cru_arena *arena)
{
    cru_mark mark = cru_arena_mark(arena);
    uint8_t tag[8];
    z_stream z = {.next_in = (Bytef *)e->data, .avail_in = e->size, .next_out = tag, .avail_out = sizeof tag};
    if (inflateInit(&z) != Z_OK) return cru_fail(w->err, CRU_NO_MEMORY, "%s: no memory", w->name);
    int state = inflate(&z, Z_SYNC_FLUSH);
    bool sound = (state == Z_OK || state == Z_STREAM_END) && z.avail_out == 0 && word(tag) == TYPE_MATRIX;
    uint32_t size = sound ? word(tag + 4) : 0;
    sound = sound && size <= unpack_limit(e->size);
    uint8_t *bytes = sound ? cru_arena_try(arena, (int64_t)size + 1, 1) : NULL;
    if (bytes) {
        z.next_out = bytes;
        z.avail_out = size;
        if (size > 0) state = inflate(&z, Z_FINISH);
        sound = z.avail_out == 0 && (state == Z_STREAM_END || state == Z_BUF_ERROR || state == Z_OK);
    }
    inflateEnd(&z);
    if (!bytes || !sound) return fail(w, CRU_BAD_INPUT, "damaged or lying packed data");
    walk inside = {w->name, bytes, bytes, bytes + size, w->err};
    cru_status status = check_matrix(&inside);
    cru_arena_reset(arena, mark);
    return status;
}

static cru_status check_variable(walk *w, cru_arena *arena)
{
    if (w->end - w->at < 8) return fail(w, CRU_BAD_INPUT, "the file ends inside a tag");
    const element e = {word(w->at), word(w->at + 4), w->at + 8};
    if (e.size > (uint64_t)(w->end - w->at - 8)) return fail(w, CRU_BAD_INPUT, "a variable longer than the file");
    cru_status status;
    if (e.type == TYPE_COMPRESSED) {
        status = check_packed(w, &e, arena);
    } else if (e.type == TYPE_MATRIX) {
        walk inside = {w->name, w->bytes, e.data, e.data + e.size, w->err};
        status = check_matrix(&inside);
    } else {
        status = fail(w, CRU_BAD_INPUT, "neither a variable nor a packed one");
    }
    w->at = e.data + e.size;
    return status;
}

cru_status mat_check(const blob *file, cru_arena *arena, cru_error *err)
{
    static const uint8_t hdf5[] = "\x89HDF\r\n\x1a\n";
    walk w = {file->name, file->bytes, file->bytes, file->bytes + file->size, err};
    int version = file->size < HEADER ? 0 : file->bytes[125]; /* the field that matio goes by */
    if (version == 2 && file->size > 512 + 8 && memcmp(file->bytes + 512, hdf5, 8) == 0) return CRU_OK;
    if (version != 1) return fail(&w, CRU_BAD_INPUT, "not a MATLAB file of version 5 or 7.3");
    if (memcmp(file->bytes + 126, "IM", 2) != 0) return fail(&w, CRU_UNSUPPORTED, "not in little-endian byte order");
    cru_status status = CRU_OK;
    for (w.at += HEADER; w.at < w.end && !status;) status = check_variable(&w, arena);
    return status;
}
