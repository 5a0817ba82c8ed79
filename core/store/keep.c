// SPDX-License-Identifier: Apache-2.0
/* keep.c: matrices of a trial in 16 bits a value. The high bytes of all values stand before their low bytes, which suits
 * deflate better. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "store/db.h"
#include "store/half.h"

enum { FAST = 1 }; /* the next level takes twice the time for a few per cent */

typedef struct packed {
    unsigned char *bytes;
    uLongf size;
    int32_t exponent;
} packed;

static void split_bytes(const uint16_t *codes, int64_t count, unsigned char *planes)
{
    for (int64_t i = 0; i < count; i++) {
        planes[i] = (unsigned char)(codes[i] >> 8);
        planes[count + i] = (unsigned char)codes[i];
    }
}

static void join_bytes(const unsigned char *planes, int64_t count, uint16_t *codes)
{
    for (int64_t i = 0; i < count; i++) codes[i] = (uint16_t)(planes[i] << 8 | planes[count + i]);
}

/* False: no memory. The caller frees the bytes. */
static bool pack(const store_kept *k, packed *out)
{
    int64_t count = k->rows * k->cols;
    uint16_t *codes = malloc((size_t)count * sizeof *codes + 1);
    unsigned char *planes = malloc((size_t)count * 2 + 1);
    *out = (packed){.size = compressBound((uLong)count * 2)};
    out->bytes = malloc(out->size);
    bool packs = codes && planes && out->bytes;
    if (packs) {
        out->exponent = half_encode(k->values, k->rows, (int32_t)k->cols, codes);
        split_bytes(codes, count, planes);
        packs = compress2(out->bytes, &out->size, planes, (uLong)count * 2, FAST) == Z_OK;
    }
    free(codes);
    free(planes);
    return packs;
}

/* How much the file keeps, asked once. */
static cru_status count_bytes(store *s, cru_error *err)
{
    if (s->kept_bytes >= 0) return CRU_OK;
    sqlite3_stmt *query = db_statement(s, "SELECT ifnull(sum(bytes), 0) FROM kept", err);
    bool row;
    cru_status status = query ? db_next(s, query, &row, err) : CRU_IO;
    if (status) return status;
    s->kept_bytes = sqlite3_column_int64(query, 0);
    db_done(query);
    return CRU_OK;
}

static cru_status put_packed(store *s, int64_t row, const store_kept *k, const packed *p, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT OR REPLACE INTO kept VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)", err);
    if (!insert) return CRU_IO;
    sqlite3_bind_int64(insert, 1, row);
    db_bind_text(insert, 2, k->what);
    sqlite3_bind_int64(insert, 3, k->rows);
    sqlite3_bind_int64(insert, 4, k->cols);
    sqlite3_bind_int(insert, 5, p->exponent);
    sqlite3_bind_int64(insert, 6, (int64_t)p->size);
    cru_status status = db_bind_blob(insert, 7, p->bytes, (int64_t)p->size, err);
    return status ? status : db_run(s, insert, err);
}

cru_status keep_put(store *s, int64_t row, const store_result *result, cru_error *err)
{
    bool full = false;
    cru_status status = result->kept_count ? count_bytes(s, err) : CRU_OK;
    for (int64_t i = 0; !status && i < result->kept_count; i++) {
        packed p;
        if (!pack(&result->kept[i], &p)) {
            free(p.bytes);
            return cru_fail(err, CRU_NO_MEMORY, "%s: no memory to keep the %s of a trial", s->path,
                            result->kept[i].what);
        }
        int64_t most = s->options.keep_bytes;
        bool fits = !most || s->kept_bytes + (int64_t)p.size <= most;
        if (fits) status = put_packed(s, row, &result->kept[i], &p, err);
        if (fits && !status) s->kept_bytes += (int64_t)p.size;
        full |= !fits;
        free(p.bytes);
    }
    s->unkept += full;
    return status;
}

int64_t store_unkept(const store *s)
{
    return s->unkept;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static bool sane(const store_matrix *m)
{
    int64_t count;
    return m->rows >= 0 && m->cols >= 0 && !__builtin_mul_overflow(m->rows, m->cols, &count) &&
           count <= INT64_MAX / 8 && (m->cols == 0 || m->rows <= INT32_MAX * (int64_t)64);
}

/* CRU_BAD_INPUT: not what keep_put wrote. */
static cru_status unpack(store *s, sqlite3_stmt *query, store_matrix *out, cru_error *err)
{
    out->rows = sqlite3_column_int64(query, 0);
    out->cols = sqlite3_column_int64(query, 1);
    if (!sane(out)) return cru_fail(err, CRU_BAD_INPUT, "%s: what is kept of a trial has no sensible size", s->path);
    int64_t count = out->rows * out->cols;
    uLongf size = (uLongf)count * 2;
    uint16_t *codes = malloc((size_t)count * sizeof *codes + 1);
    unsigned char *planes = malloc(size + 1);
    cru_status status = CRU_OK;
    out->values = malloc((size_t)count * sizeof *out->values + 1);
    if (!codes || !planes || !out->values) {
        status = cru_fail(err, CRU_NO_MEMORY, "%s: no memory for what is kept of a trial", s->path);
    } else if (uncompress(planes, &size, sqlite3_column_blob(query, 3), (uLong)sqlite3_column_bytes(query, 3)) != Z_OK ||
               size != (uLongf)count * 2) {
        status = cru_fail(err, CRU_BAD_INPUT, "%s: what is kept of a trial is damaged", s->path);
    } else {
        join_bytes(planes, count, codes);
        half_decode(codes, count, sqlite3_column_int(query, 2), out->values);
    }
    free(codes);
    free(planes);
    return status;
}

cru_status store_get_kept(store *s, const char *key, const char *what, store_matrix *out, cru_error *err)
{
    *out = (store_matrix){0};
    sqlite3_stmt *query = db_statement(s,
                                       "SELECT rows, cols, exponent, data FROM kept JOIN trial ON trial.id = kept.trial"
                                       " WHERE key = ?1 AND what = ?2",
                                       err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    db_bind_text(query, 2, what);
    bool row;
    cru_status status = db_next(s, query, &row, err);
    if (status || !row) return status;
    status = unpack(s, query, out, err);
    db_done(query);
    if (!status) return CRU_OK;
    free(out->values);
    *out = (store_matrix){0};
    return status;
}

cru_status store_has_kept(store *s, const char *key, const char *what, bool *has, cru_error *err)
{
    sqlite3_stmt *query =
        db_statement(s,
                     "SELECT EXISTS (SELECT 1 FROM kept WHERE kept.trial = trial.id AND what = ?2) OR (?2 = '" STORE_SCORES
                     "' AND EXISTS (SELECT 1 FROM scores WHERE scores.trial = trial.id)) FROM trial WHERE key = ?1",
                     err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    db_bind_text(query, 2, what);
    bool row;
    *has = false;
    cru_status status = db_next(s, query, &row, err);
    if (status || !row) return status;
    *has = sqlite3_column_int(query, 0) != 0;
    db_done(query);
    return CRU_OK;
}
