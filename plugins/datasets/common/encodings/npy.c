// SPDX-License-Identifier: Apache-2.0
#include "npy.h"

#include <stdio.h>
#include <string.h>

/* The header is a Python dictionary such as
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (2277, 2325), }
 * with exactly these keys in any order. */
typedef struct header {
    const char *at, *end;
    array *a;
    bool descr, order, shaped;
    int64_t shape[ARRAY_DIMS];
    int32_t dims;
    cru_error *err;
} header;

static void skip_blanks(header *h)
{
    while (h->at < h->end && strchr(" \t\n", *h->at) && *h->at) h->at++;
}

static bool take(header *h, char c)
{
    skip_blanks(h);
    if (h->at == h->end || *h->at != c) return false;
    h->at++;
    return true;
}

static bool take_word(header *h, const char *word)
{
    size_t size = strlen(word);
    skip_blanks(h);
    if ((size_t)(h->end - h->at) < size || memcmp(h->at, word, size) != 0) return false;
    h->at += size;
    return true;
}

static bool take_string(header *h, const char **text, int64_t *length)
{
    char quote = take(h, '\'') ? '\'' : take(h, '"') ? '"' : 0;
    const char *stop = quote ? memchr(h->at, quote, (size_t)(h->end - h->at)) : NULL;
    if (!stop) return false;
    *text = h->at;
    *length = stop - h->at;
    h->at = stop + 1;
    return true;
}

static bool take_shape(header *h)
{
    if (!take(h, '(')) return false;
    while (!take(h, ')')) {
        int64_t number = 0;
        skip_blanks(h);
        const char *first = h->at;
        for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
            if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *h->at - '0', &number))
                return false;
        if (h->at == first || h->dims == ARRAY_DIMS) return false;
        h->shape[h->dims++] = number;
        take_word(h, "L"); /* Python 2 marks long integers */
        if (!take(h, ',') && (h->at == h->end || *h->at != ')')) return false;
    }
    return true;
}

static bool take_pair(header *h, cru_status *status)
{
    const char *key, *text;
    int64_t key_length, length;
    if (!take_string(h, &key, &key_length) || !take(h, ':')) return false;
    if (key_length == 5 && memcmp(key, "descr", 5) == 0 && !h->descr) {
        h->descr = true;
        if (!take_string(h, &text, &length)) return false;
        *status = array_set_type(h->a, text, length, h->err);
        return true;
    }
    if (key_length == 13 && memcmp(key, "fortran_order", 13) == 0 && !h->order) {
        h->order = true;
        h->a->fortran = take_word(h, "True");
        return h->a->fortran || take_word(h, "False");
    }
    if (key_length == 5 && memcmp(key, "shape", 5) == 0 && !h->shaped) return h->shaped = true, take_shape(h);
    return false;
}

static cru_status parse_header(header *h, const char *name)
{
    cru_status status = CRU_OK;
    const char *first = h->at;
    bool sound = take(h, '{');
    while (sound && !status && !take(h, '}')) {
        sound = take_pair(h, &status);
        if (sound && !status && !take(h, ',')) {
            sound = take(h, '}');
            break;
        }
    }
    if (status) return status;
    if (sound && h->descr && h->order && h->shaped) return CRU_OK;
    return cru_fail(h->err, CRU_BAD_INPUT, "%s: a broken npy header at its byte %lld", name,
                    (long long)(h->at - first));
}

cru_status npy_parse(const blob *file, array *out, cru_error *err)
{
    *out = (array){.name = file->name};
    const uint8_t *b = file->bytes;
    if (file->size < 10 || memcmp(b, "\x93NUMPY", 6) != 0)
        return cru_fail(err, CRU_BAD_INPUT, "%s: not an npy file", file->name);
    int version = b[6];
    if (version < 1 || version > 3) return cru_fail(err, CRU_UNSUPPORTED, "%s: npy version %d", file->name, version);
    int64_t start = version == 1 ? 10 : 12, length = b[8] | b[9] << 8;
    if (version > 1 && file->size >= 12) length |= (int64_t)b[10] << 16 | (int64_t)b[11] << 24;
    if (file->size - start < length) return cru_fail(err, CRU_BAD_INPUT, "%s: ends inside its header", file->name);
    header h = {.at = (const char *)b + start, .a = out, .err = err};
    h.end = h.at + length;
    cru_status status = parse_header(&h, file->name);
    if (status) return status;
    out->bytes = b + start + length;
    out->size = file->size - start - length;
    return array_set_shape(out, h.shape, h.dims, err);
}

enum { NAME = 80 };

static const char *member_of(const char *key, char name[NAME])
{
    snprintf(name, NAME, "%s.npy", key);
    return name;
}

bool npz_has(const archive *npz, const char *key)
{
    char name[NAME];
    return archive_has(npz, member_of(key, name));
}

cru_status npz_arrays(const archive *npz, cru_arena *arena, member_list keys, array *out, cru_error *err)
{
    char names[ARCHIVE_MOST][NAME];
    const char *members[ARCHIVE_MOST] = {0};
    blob files[ARCHIVE_MOST];
    for (int i = 0; i < keys.count; i++) members[i] = member_of(keys.names[i], names[i]);
    cru_status status = archive_read_all(npz, arena, (member_list){members, keys.count}, files, err);
    for (int i = 0; i < keys.count && !status; i++) status = npy_parse(&files[i], &out[i], err);
    return status;
}

cru_status npz_array(const archive *npz, cru_arena *arena, const char *key, array *out, cru_error *err)
{
    return npz_arrays(npz, arena, (member_list){&key, 1}, out, err);
}
