#include "unpack.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "zip-bytes.h"

enum { STEP = 1 << 16 };

typedef struct unpacking {
    const char *path;
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

/* Room for at least one byte more, and for the NUL behind it. */
static cru_status make_room(unpacking *u)
{
    if (u->used < u->room) return CRU_OK;
    if (u->used >= u->most)
        return cru_fail(u->err, CRU_BAD_INPUT, "%s: unpacks to more than %zu bytes", u->path, u->most);
    size_t room = u->room > 0 ? 2 * u->room : STEP;
    if (room > u->most) room = u->most;
    char *larger = realloc(u->out, room + 1);
    if (!larger) return cru_fail(u->err, CRU_NO_MEMORY, "%s: no memory to unpack the file", u->path);
    u->out = larger;
    u->room = room;
    return CRU_OK;
}

static cru_status fail_damaged(const unpacking *u, const char *what)
{
    return cru_fail(u->err, CRU_BAD_INPUT, "%s: damaged %s data before packed byte %zu", u->path, what, u->in_used);
}

static unsigned at_most(size_t size)
{
    return size < (1u << 30) ? (unsigned)size : 1u << 30;
}

/* A gzip file is a series of members; each is unpacked behind the other. */
static cru_status gunzip(unpacking *u)
{
    z_stream z = {0};
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) return cru_fail(u->err, CRU_NO_MEMORY, "%s: no memory", u->path);
    cru_status status = CRU_OK;
    for (int state = Z_OK; status == CRU_OK && !(state == Z_STREAM_END && u->in_used == u->in_size);) {
        if (state == Z_STREAM_END) inflateReset(&z);
        status = make_room(u);
        if (status != CRU_OK) break;
        unsigned in = at_most(u->in_size - u->in_used), out = at_most(u->room - u->used);
        z.next_in = (Bytef *)(u->in + u->in_used);
        z.avail_in = in;
        z.next_out = (Bytef *)(u->out + u->used);
        z.avail_out = out;
        state = inflate(&z, Z_NO_FLUSH);
        u->in_used += in - z.avail_in;
        u->used += out - z.avail_out;
        bool stuck = z.avail_in == in && z.avail_out == out;
        if ((state != Z_OK && state != Z_STREAM_END) || stuck) status = fail_damaged(u, "gzip");
    }
    inflateEnd(&z);
    return status;
}

static cru_status unxz(unpacking *u)
{
    lzma_stream s = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&s, (uint64_t)256 << 20, LZMA_CONCATENATED) != LZMA_OK)
        return cru_fail(u->err, CRU_NO_MEMORY, "%s: no memory", u->path);
    cru_status status = CRU_OK;
    s.next_in = u->in;
    s.avail_in = u->in_size;
    for (lzma_ret state = LZMA_OK; status == CRU_OK && state != LZMA_STREAM_END;) {
        status = make_room(u);
        if (status != CRU_OK) break;
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
    for (zip_int64_t got = 1; status == CRU_OK && got > 0;) {
        status = make_room(u);
        if (status != CRU_OK) break;
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

static cru_status unpack_once(unpacker *how, unpacking *u, char **bytes, size_t *size)
{
    cru_status status = how(u);
    if (status == CRU_OK) status = make_room(u); /* nothing at all may have come out */
    if (status != CRU_OK) {
        free(u->out);
        return status;
    }
    free(*bytes);
    *bytes = u->out;
    *size = u->used;
    u->out[u->used] = 0;
    return CRU_OK;
}

bool unpack_recognises(const char *bytes, size_t size)
{
    return recognise(bytes, size) != NULL;
}

cru_status unpack(const char *path, char **bytes, size_t *size, unpack_kinds kinds, cru_error *err)
{
    const size_t most = unpack_limit(*size);
    for (int layer = 0; layer < UNPACK_LAYERS; layer++) {
        unpacker *how = recognise(*bytes, *size);
        if (!how || (how == unzip && kinds == UNPACK_STREAMS)) return CRU_OK;
        unpacking u = {.path = path, .in = (const uint8_t *)*bytes, .in_size = *size, .most = most, .err = err};
        cru_status status = unpack_once(how, &u, bytes, size);
        if (status != CRU_OK) return status;
    }
    return CRU_OK;
}
