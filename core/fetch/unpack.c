// SPDX-License-Identifier: Apache-2.0
#include "fetch/unpack.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fetch/pack.h"

/* What `packed` bytes may become: data of known datasets unpacks to less than a hundred times its size, deflate reaches
 * a thousand. */
static int64_t believable(int64_t packed)
{
    const int64_t ratio = 200, small = (int64_t)16 << 20;
    return packed < (INT64_MAX - small) / ratio ? small + ratio * packed : INT64_MAX;
}

static int64_t file_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}

static bool is_zip(const char *path)
{
    char start[4] = "";
    FILE *in = fopen(path, "re");
    if (!in) return false;
    size_t got = fread(start, 1, sizeof start, in);
    fclose(in);
    return got == sizeof start && memcmp(start, "PK", 2) == 0;
}

bool pack_is_member(const char *name, const char *member)
{
    if (strncmp(name, "./", 2) == 0) name += 2;
    return strcmp(name, member) == 0 || fnmatch(member, name, 0) == 0;
}

cru_status pack_open_here(const pack_order *order, pack **out, cru_error *err)
{
    return order->member && is_zip(order->path) ? pack_open_zip(order, out, err) : pack_open_archive(order, out, err);
}

/* Bytes on their way into the part. */
typedef struct flow {
    pack *from;
    part *to;
    cru_error *err;
} flow;

static cru_status fail_short(const flow *f, int64_t missing)
{
    return cru_fail(f->err, CRU_BAD_INPUT, "%s is damaged, or %lld bytes too short", f->to->goal->url,
                    (long long)missing);
}

/* `count` bytes, or, below 0, all. */
static cru_status copy(const flow *f, int64_t count)
{
    char bytes[1 << 16];
    cru_status status = CRU_OK;
    int64_t got = 1;
    while (!status && count != 0) {
        size_t most = count < 0 || count > (int64_t)sizeof bytes ? sizeof bytes : (size_t)count;
        got = f->from->read(f->from, bytes, most);
        if (got <= 0) break;
        status = part_append(f->to, bytes, (size_t)got, f->err);
        if (count > 0) count -= got;
    }
    if (!status && got < 0) return cru_fail(f->err, CRU_BAD_INPUT, "%s is damaged", f->to->goal->url);
    return !status && count > 0 ? fail_short(f, count) : status;
}

/* Exactly so many bytes, into memory. */
static cru_status take(const flow *f, uint8_t *bytes, int64_t count)
{
    while (count > 0) {
        int64_t got = f->from->read(f->from, bytes, (size_t)count);
        if (got <= 0) return fail_short(f, count);
        bytes += got;
        count -= got;
    }
    return CRU_OK;
}

static uint32_t big_endian(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* An IDX file: 0 0 8 (bytes), the number of dimensions, each of them in four bytes, then the items. The first
 * dimension becomes `amount`. */
static cru_status copy_idx(const flow *f, int64_t amount)
{
    enum { MOST_DIMS = 4 };
    uint8_t header[4 + 4 * MOST_DIMS];
    cru_status status = take(f, header, 4);
    if (status) return status;
    const int dims = header[3];
    if (header[0] || header[1] || header[2] != 8 || dims < 1 || dims > MOST_DIMS)
        return cru_fail(f->err, CRU_BAD_INPUT, "%s is no IDX file of bytes", f->to->goal->url);
    status = take(f, header + 4, 4 * dims);
    if (status) return status;
    int64_t bytes = amount;
    for (int d = 1; d < dims; d++)
        if (__builtin_mul_overflow(bytes, (int64_t)big_endian(header + 4 + 4 * d), &bytes)) bytes = INT64_MAX;
    if (big_endian(header + 4) < amount)
        return cru_fail(f->err, CRU_BAD_INPUT, "%s has only %u items", f->to->goal->url, big_endian(header + 4));
    for (int i = 0; i < 4; i++) header[4 + i] = (uint8_t)(amount >> (24 - 8 * i));
    status = part_append(f->to, header, (size_t)(4 + 4 * dims), f->err);
    return status ? status : copy(f, bytes);
}

static cru_status convert(const flow *f, const card_file *file)
{
    if (file->conversion == CARD_FIRST_BYTES) return copy(f, file->amount);
    return file->conversion == CARD_FIRST_IDX ? copy_idx(f, file->amount) : copy(f, -1);
}

static cru_status fill(const unpack_order *order, pack *from, const part_goal *goal, char hex[SHA256_HEX],
                       cru_error *err)
{
    part p;
    cru_status status = part_open(goal, &p, err);
    if (status) return status;
    const flow f = {from, &p, err};
    status = part_restart(&p, err);
    if (!status) status = convert(&f, order->file);
    if (!status) status = part_finish(&p, hex, err);
    if (status) part_restart(&p, NULL);
    part_close(&p);
    return status;
}

cru_status unpack_file(const unpack_order *order, const part_goal *goal, char hex[SHA256_HEX], cru_error *err)
{
    part_goal limited = *goal;
    const int64_t most = believable(file_size(order->path));
    if (limited.most <= 0 || limited.most > most) limited.most = most;
    const pack_order wanted = {order->path, order->member, goal->url};
    pack *from;
    cru_status status = pack_open(&wanted, &from, err);
    if (status) return status;
    const bool whole = order->file->conversion == CARD_AS_IT_IS || order->file->conversion == CARD_UNPACKED;
    if (whole && goal->bytes > 0 && from->size >= 0 && from->size != goal->bytes)
        status = cru_fail(err, CRU_BAD_INPUT, "%s has %lld bytes, expected are %lld", goal->url, (long long)from->size,
                          (long long)goal->bytes);
    else if (whole && from->size > limited.most)
        status = cru_fail(err, CRU_BAD_INPUT, "%s would unpack to %lld bytes, more than the %lld allowed", goal->url,
                          (long long)from->size, (long long)limited.most);
    else
        status = fill(order, from, &limited, hex, err);
    from->close(from);
    return status;
}
