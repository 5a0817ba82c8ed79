// SPDX-License-Identifier: Apache-2.0
#include "unpack.h"

#include <libdeflate.h>
#include <lzma.h>
#include <string.h>

#include "shared-arena.h"
#include "zip-bytes.h"

enum { STEP = 1 << 16 };

typedef struct unpacking {
    const char *path;
    cru_arena *arena;
    const uint8_t *in;
    size_t in_size, in_used;
    char *out;
    size_t used, room, most;
    cru_error *err;
} unpacking;

size_t unpack_limit(size_t size)
{
    return size < (UNPACK_MOST - ((size_t)1 << 24)) / 1100 ? ((size_t)1 << 24) + 1100 * size : UNPACK_MOST;
}

/* Room for more bytes, and for the NUL behind them; `hint` is how many there might be in all. */
static cru_status grow(unpacking *u, size_t hint)
{
    if (u->room >= u->most)
        return cru_fail(u->err, CRU_BAD_INPUT, "%s: unpacks to more than %zu bytes", u->path, u->most);
    size_t room = u->room > 0 ? 2 * u->room : STEP;
    if (room < hint) room = hint;
    if (room > u->most) room = u->most;
    char *larger = shared_arena_try(u->arena, (int64_t)room + 1, 1);
    if (!larger) return cru_fail(u->err, CRU_NO_MEMORY, "%s: no memory to unpack the file", u->path);
    if (u->used > 0) memcpy(larger, u->out, u->used);
    u->out = larger;
    u->room = room;
    return CRU_OK;
}

static cru_status make_room(unpacking *u)
{
    return u->used < u->room ? CRU_OK : grow(u, 0);
}

static cru_status fail_damaged(const unpacking *u, const char *what)
{
    return cru_fail(u->err, CRU_BAD_INPUT, "%s: damaged %s data from packed byte %zu on", u->path, what, u->in_used);
}

/* The last four bytes of a gzip file: the size of its last member, for most files the only one. */
static size_t gzip_size_hint(const unpacking *u)
{
    uint32_t size = 0;
    if (u->in_size >= 18) memcpy(&size, u->in + u->in_size - sizeof size, sizeof size);
    return size;
}

/* A gzip file is a series of members; each is unpacked behind the other. */
static cru_status gunzip(unpacking *u)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater) return cru_fail(u->err, CRU_NO_MEMORY, "%s: no memory", u->path);
    cru_status status = grow(u, gzip_size_hint(u));
    while (!status && u->in_used < u->in_size) {
        size_t in = 0, out = 0;
        enum libdeflate_result result = libdeflate_gzip_decompress_ex(
            inflater, u->in + u->in_used, u->in_size - u->in_used, u->out + u->used, u->room - u->used, &in, &out);
        if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
            status = grow(u, 0);
        } else if (result != LIBDEFLATE_SUCCESS) {
            status = fail_damaged(u, "gzip");
        } else {
            u->in_used += in;
            u->used += out;
        }
    }
    libdeflate_free_decompressor(inflater);
    return status;
}

/* What the index at the end of an xz file says; 0 when it cannot be read. Of several streams it is the last one's. */
static size_t xz_size_hint(const unpacking *u)
{
    lzma_stream_flags footer;
    if (u->in_size < 2 * LZMA_STREAM_HEADER_SIZE) return 0;
    const size_t end = u->in_size - LZMA_STREAM_HEADER_SIZE;
    if (lzma_stream_footer_decode(&footer, u->in + end) != LZMA_OK || footer.backward_size > end) return 0;
    lzma_index *index = NULL;
    uint64_t memory = 1 << 24;
    size_t at = end - (size_t)footer.backward_size;
    if (lzma_index_buffer_decode(&index, &memory, NULL, u->in, &at, end) != LZMA_OK) return 0;
    const lzma_vli size = lzma_index_uncompressed_size(index);
    lzma_index_end(index, NULL);
    return size < u->most ? (size_t)size : u->most;
}

static cru_status unxz(unpacking *u)
{
    lzma_stream s = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&s, (uint64_t)256 << 20, LZMA_CONCATENATED) != LZMA_OK)
        return cru_fail(u->err, CRU_NO_MEMORY, "%s: no memory", u->path);
    cru_status status = grow(u, xz_size_hint(u) + 1); /* room for one byte more, so that the end is seen at once */
    s.next_in = u->in;
    s.avail_in = u->in_size;
    for (lzma_ret state = LZMA_OK; !status && state != LZMA_STREAM_END;) {
        status = make_room(u);
        if (status) break;
        s.next_out = (uint8_t *)u->out + u->used;
        s.avail_out = u->room - u->used;
        state = lzma_code(&s, LZMA_FINISH);
        u->used = u->room - s.avail_out;
        u->in_used = u->in_size - s.avail_in;
        if (state != LZMA_OK && state != LZMA_STREAM_END) status = fail_damaged(u, "xz");
    }
    lzma_end(&s);
    return status;
}

/* A zip file with a single member stands for the member. */
static cru_status unzip(unpacking *u)
{
    zip_t *zip = zip_bytes_open(u->in, u->in_size);
    if (!zip) return fail_damaged(u, "zip");
    zip_file_t *file = zip_get_num_entries(zip, 0) == 1 ? zip_fopen_index(zip, 0, 0) : NULL;
    cru_status status = CRU_OK;
    if (!file) status = cru_fail(u->err, CRU_BAD_INPUT, "%s: a zip file without exactly one plain member", u->path);
    for (zip_int64_t got = 1; !status && got > 0;) {
        status = make_room(u);
        if (status) break;
        got = zip_fread(file, u->out + u->used, u->room - u->used);
        if (got < 0) status = fail_damaged(u, "zip");
        if (got > 0) u->used += (size_t)got;
    }
    if (file) zip_fclose(file);
    zip_discard(zip);
    return status;
}

typedef cru_status unpacker(unpacking *u);

/* How the bytes are packed; NULL: not at all. */
static unpacker *recognise(const char *bytes, size_t size)
{
    static const char xz[] = {'\xfd', '7', 'z', 'X', 'Z', 0};
    if (size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0) return gunzip;
    if (size >= sizeof xz && memcmp(bytes, xz, sizeof xz) == 0) return unxz;
    return zip_bytes_begin(bytes, size) ? unzip : NULL;
}

bool unpack_recognises(const char *bytes, size_t size)
{
    return recognise(bytes, size) != NULL;
}

cru_status unpack(const char *path, cru_arena *arena, byte_string *string, unpack_kinds kinds, cru_error *err)
{
    const size_t most = unpack_limit(string->size);
    for (int layer = 0; layer < UNPACK_LAYERS; layer++) {
        unpacker *how = recognise(string->bytes, string->size);
        if (!how || (how == unzip && kinds == UNPACK_STREAMS)) return CRU_OK;
        unpacking u = {.path = path,
                       .arena = arena,
                       .in = (const uint8_t *)string->bytes,
                       .in_size = string->size,
                       .most = most,
                       .err = err};
        cru_status status = how(&u);
        if (!status && !u.out) status = grow(&u, 0); /* nothing at all came out */
        if (status) return status;
        u.out[u.used] = 0;
        *string = (byte_string){u.out, u.used};
    }
    return CRU_OK;
}
