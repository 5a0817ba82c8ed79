// SPDX-License-Identifier: Apache-2.0
/* keep.c: the scores of a trial, and what else is kept of it, in 16 bits a value, and finding those of another trial of
 * the same training.
 *
 * The high bytes of all values stand before their low bytes, which suits deflate better. The training of a trial is its
 * canonical text without the metrics, which come last in it (config.h, trial_text). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/sha256.h"
#include "store/db.h"
#include "store/half.h"

enum { FAST = 1 }; /* the next level takes twice the time for a few per cent */

/* ---- packing --------------------------------------------------------------------------------------------- */

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
static bool pack(const float *values, int64_t rows, int64_t cols, packed *out)
{
    int64_t count = rows * cols;
    uint16_t *codes = malloc((size_t)count * sizeof *codes + 1);
    unsigned char *planes = malloc((size_t)count * 2 + 1);
    *out = (packed){.size = compressBound((uLong)count * 2)};
    out->bytes = malloc(out->size);
    bool packs = codes && planes && out->bytes;
    if (packs) {
        out->exponent = half_encode(values, rows, (int32_t)cols, codes);
        split_bytes(codes, count, planes);
        packs = compress2(out->bytes, &out->size, planes, (uLong)count * 2, FAST) == Z_OK;
    }
    free(codes);
    free(planes);
    return packs;
}

static bool is_sane(const store_matrix *m)
{
    int64_t count;
    return m->rows >= 0 && m->cols >= 0 && m->cols <= INT32_MAX && !__builtin_mul_overflow(m->rows, m->cols, &count) &&
           count <= INT64_MAX / 8;
}

/* Columns 0 to 3 of the query: rows, cols, exponent, data. Deflate makes at most 1032 bytes of one, so a size that the
 * data cannot have is found out before memory is taken for it. */
static cru_status unpack(store *s, sqlite3_stmt *query, store_matrix *out, cru_error *err)
{
    enum { DEFLATE_MOST = 1032 };
    out->rows = sqlite3_column_int64(query, 0);
    out->cols = sqlite3_column_int64(query, 1);
    const int64_t bytes = sqlite3_column_bytes(query, 3);
    if (!is_sane(out) || out->rows * out->cols > bytes * DEFLATE_MOST)
        return cru_fail(err, CRU_BAD_INPUT, "%s: kept scores are damaged; --force trains their trials again", s->path);
    const int64_t count = out->rows * out->cols;
    uLongf size = (uLongf)count * 2;
    uint16_t *codes = malloc((size_t)count * sizeof *codes + 1);
    unsigned char *planes = malloc(size + 1);
    cru_status status = CRU_OK;
    out->values = malloc((size_t)count * sizeof *out->values + 1);
    if (!codes || !planes || !out->values) {
        status = cru_fail(err, CRU_NO_MEMORY, "%s: no memory for kept scores", s->path);
    } else if (count && (uncompress(planes, &size, sqlite3_column_blob(query, 3), (uLong)bytes) != Z_OK ||
                         size != (uLongf)count * 2)) {
        status =
            cru_fail(err, CRU_BAD_INPUT, "%s: kept scores are damaged; --force trains their trials again", s->path);
    } else {
        join_bytes(planes, count, codes);
        half_decode(codes, count, sqlite3_column_int(query, 2), out->values);
    }
    free(codes);
    free(planes);
    return status;
}

/* ---- the training of a trial ----------------------------------------------------------------------------- */

static bool is_of_metric(const char *line)
{
    return strncmp(line, "metric=", 7) == 0 || strncmp(line, "metric.", 7) == 0;
}

/* How long the text is up to and with its last line that is not of a metric. */
static size_t training_length(const char *canonical)
{
    size_t length = 0;
    for (const char *line = canonical; *line;) {
        const char *next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (!is_of_metric(line)) length = (size_t)(next - canonical);
        line = next;
    }
    return length;
}

static cru_status find_training(store *s, const char *key, char training[SHA256_HEX], cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, "SELECT canonical FROM trial WHERE key = ?1", err);
    if (!query) return CRU_IO;
    cru_status status = db_trial(s, query, key, err);
    if (status) return status;
    const char *canonical = db_text(query, 0);
    sha256_bytes(canonical ? canonical : "", canonical ? training_length(canonical) : 0, training);
    db_done(query);
    return CRU_OK;
}

/* ---- writing --------------------------------------------------------------------------------------------- */

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

/* Of one that has nothing no bytes are left. */
static bool pack_part(const store_part *part, packed *out)
{
    const int64_t count = part->rows * part->cols; /* as one column: no value stands for the class of a row */
    const bool packs = pack(part->values, count, 1, out);
    if (packs && !count) out->size = 0;
    return packs;
}

static cru_status put_part(store *s, int64_t row, const store_part *part, const packed *p, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT OR REPLACE INTO kept_part VALUES(?1, ?2, ?3, ?4, ?5, ?6)", err);
    if (!insert) return CRU_IO;
    sqlite3_bind_int64(insert, 1, row);
    db_bind_text(insert, 2, part->name);
    sqlite3_bind_int64(insert, 3, part->rows);
    sqlite3_bind_int64(insert, 4, part->cols);
    sqlite3_bind_int(insert, 5, p->exponent);
    cru_status status = db_bind_blob(insert, 6, p->bytes, (int64_t)p->size, err);
    return status ? status : db_run(s, insert, err);
}

/* `bytes`: of all that is kept of the trial. */
static cru_status put_scores(store *s, int64_t row, const store_kept *k, const packed *p, const char *training,
                             int64_t bytes, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT OR REPLACE INTO kept VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", err);
    if (!insert) return CRU_IO;
    sqlite3_bind_int64(insert, 1, row);
    db_bind_text(insert, 2, training);
    sqlite3_bind_int64(insert, 3, bytes);
    db_bind_text(insert, 4, k->metrics ? k->metrics : "");
    sqlite3_bind_int64(insert, 5, k->rows);
    sqlite3_bind_int64(insert, 6, k->cols);
    sqlite3_bind_int(insert, 7, p->exponent);
    cru_status status = db_bind_blob(insert, 8, p->bytes, (int64_t)p->size, err);
    return status ? status : db_run(s, insert, err);
}

static bool has_room(const store *s, int64_t bytes)
{
    return !s->options.keep_bytes || s->kept_bytes + bytes <= s->options.keep_bytes;
}

/* All of it or, where there is no room, nothing. p[0] are the scores. */
static cru_status put_all(store *s, int64_t row, const char *key, const store_kept *kept, const packed *p,
                          cru_error *err)
{
    char training[SHA256_HEX];
    int64_t bytes = 0;
    for (int64_t i = 0; i <= kept->part_count; i++) bytes += (int64_t)p[i].size;
    if (!has_room(s, bytes)) {
        s->unkept++;
        return CRU_OK;
    }
    cru_status status = find_training(s, key, training, err);
    if (!status) status = put_scores(s, row, kept, p, training, bytes, err);
    for (int64_t i = 0; !status && i < kept->part_count; i++)
        status = put_part(s, row, &kept->parts[i], &p[i + 1], err);
    if (!status) s->kept_bytes += bytes;
    return status;
}

cru_status keep_put(store *s, int64_t row, const char *key, const store_kept *kept, cru_error *err)
{
    if (!kept) return CRU_OK;
    cru_status status = count_bytes(s, err);
    if (status) return status;
    if (!has_room(s, 1)) {
        s->unkept++;
        return CRU_OK;
    }
    packed *p = calloc((size_t)kept->part_count + 1, sizeof *p);
    bool packs = p && pack(kept->values, kept->rows, kept->cols, p);
    for (int64_t i = 0; packs && i < kept->part_count; i++) packs = pack_part(&kept->parts[i], &p[i + 1]);
    status = packs ? put_all(s, row, key, kept, p, err)
                   : cru_fail(err, CRU_NO_MEMORY, "%s: no memory to keep the scores of a trial", s->path);
    for (int64_t i = 0; p && i <= kept->part_count; i++) free(p[i].bytes);
    free(p);
    return status;
}

int64_t store_unkept(const store *s)
{
    return s->unkept;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static char *copy_of(const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) cru_panic(CRU_NO_MEMORY, "no memory for a result");
    return copy;
}

cru_status store_find_source(store *s, const char *key, store_source *out, cru_error *err)
{
    char training[SHA256_HEX];
    *out = (store_source){0};
    cru_status status = find_training(s, key, training, err);
    sqlite3_stmt *query = db_statement(s,
                                       "SELECT key, metrics, message, seconds_total, seconds_to_best, construct, train,"
                                       " peak_bytes, best_epoch FROM kept JOIN trial ON trial.id = kept.trial"
                                       " LEFT JOIN spent ON spent.trial = kept.trial"
                                       " WHERE training = ?1 AND outcome = 1 ORDER BY kept.trial DESC LIMIT 1",
                                       err);
    if (status || !query) return status ? status : CRU_IO;
    db_bind_text(query, 1, training);
    bool row;
    status = db_next(s, query, &row, err);
    if (status || !row) return status;
    snprintf(out->key, sizeof out->key, "%s", db_text(query, 0));
    out->metrics = copy_of(db_text(query, 1));
    out->message = copy_of(db_lines(s, query, 2));
    out->seconds_total = db_number(query, 3);
    out->seconds_to_best = db_number(query, 4);
    out->seconds_construct = db_number(query, 5);
    out->seconds_train = db_number(query, 6);
    out->peak_bytes = sqlite3_column_int64(query, 7);
    out->best_epoch = sqlite3_column_int64(query, 8);
    db_done(query);
    return CRU_OK;
}

void store_source_clear(store_source *source)
{
    free(source->metrics);
    free(source->message);
    *source = (store_source){0};
}

/* Of a bound query; what it finds is unpacked. */
static cru_status get_unpacked(store *s, sqlite3_stmt *query, store_matrix *out, cru_error *err)
{
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

cru_status store_get_kept(store *s, const char *key, store_matrix *out, cru_error *err)
{
    *out = (store_matrix){0};
    cru_status status = store_get_scores(s, key, &out->values, &out->rows, &out->cols, err);
    if (status || out->values) return status;
    sqlite3_stmt *query = db_statement(
        s, "SELECT rows, cols, exponent, data FROM kept JOIN trial ON trial.id = kept.trial WHERE key = ?1", err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    return get_unpacked(s, query, out, err);
}

cru_status store_get_part(store *s, const char *key, const char *name, store_matrix *out, cru_error *err)
{
    *out = (store_matrix){0};
    sqlite3_stmt *query = db_statement(s,
                                       "SELECT rows, cols, exponent, data FROM kept_part JOIN trial ON trial.id ="
                                       " kept_part.trial WHERE key = ?1 AND name = ?2",
                                       err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    db_bind_text(query, 2, name);
    return get_unpacked(s, query, out, err);
}

cru_status store_get_source(store *s, const char *key, char source[STORE_KEY], cru_error *err)
{
    *source = 0;
    sqlite3_stmt *query = db_statement(
        s, "SELECT source FROM judged_from JOIN trial ON trial.id = judged_from.trial WHERE key = ?1", err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    bool row;
    cru_status status = db_next(s, query, &row, err);
    if (status || !row) return status;
    const char *text = db_name(s, query, 0);
    snprintf(source, STORE_KEY, "%s", text ? text : "");
    db_done(query);
    return CRU_OK;
}
