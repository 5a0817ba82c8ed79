// SPDX-License-Identifier: Apache-2.0
#include "store/db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/printable.h"

static cru_status status_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_NOMEM:
        return CRU_NO_MEMORY;
    case SQLITE_NOTADB:
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
        return CRU_BAD_INPUT;
    default:
        return CRU_IO;
    }
}

cru_status db_fail(store *s, cru_error *err)
{
    int code = sqlite3_extended_errcode(s->db);
    int cause = sqlite3_system_errno(s->db);
    if ((code & 0xff) == SQLITE_NOTADB) {
        return cru_fail(err, CRU_BAD_INPUT, "%s: not a result store (not an SQLite file)", s->path);
    }
    if ((code & 0xff) == SQLITE_BUSY) {
        return cru_fail(err, CRU_IO, "%s: another process kept it locked for more than %d ms", s->path,
                        s->options.busy_ms);
    }
    if ((code & 0xff) == SQLITE_IOERR && cause != 0) {
        return cru_fail(err, CRU_IO, "%s: %s: %s", s->path, sqlite3_errmsg(s->db), strerror(cause));
    }
    return cru_fail(err, status_of(code), "%s: %s", s->path, sqlite3_errmsg(s->db));
}

cru_status db_exec(store *s, const char *sql, cru_error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? CRU_OK : db_fail(s, err);
}

sqlite3_stmt *db_statement(store *s, const char *sql, cru_error *err)
{
    int i = 0;
    while (i < DB_STATEMENTS && s->cache[i].sql && s->cache[i].sql != sql) i++;
    cru_assert(i < DB_STATEMENTS, "store: more than %d statements", DB_STATEMENTS);
    if (!s->cache[i].sql) {
        if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &s->cache[i].statement, NULL) != SQLITE_OK) {
            db_fail(s, err);
            return NULL;
        }
        s->cache[i].sql = sql;
    }
    return s->cache[i].statement;
}

void db_done(sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

cru_status db_run(store *s, sqlite3_stmt *statement, cru_error *err)
{
    int code = sqlite3_step(statement);
    cru_status status = code == SQLITE_DONE || code == SQLITE_ROW ? CRU_OK : db_fail(s, err);
    db_done(statement);
    return status;
}

cru_status db_next(store *s, sqlite3_stmt *statement, bool *row, cru_error *err)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    if (*row) return CRU_OK;
    cru_status status = code == SQLITE_DONE ? CRU_OK : db_fail(s, err);
    db_done(statement);
    return status;
}

cru_status db_trial(store *s, sqlite3_stmt *query, const char *key, cru_error *err)
{
    bool row;
    db_bind_text(query, 1, key);
    cru_status status = db_next(s, query, &row, err);
    if (status) return status;
    return row ? CRU_OK : cru_fail(err, CRU_BAD_INPUT, "%s: no trial has the key %s", s->path, key);
}

void db_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

void db_bind_number(sqlite3_stmt *statement, int index, double value)
{
    if (isnan(value)) {
        sqlite3_bind_null(statement, index);
    } else {
        sqlite3_bind_double(statement, index, value);
    }
}

cru_status db_bind_blob(sqlite3_stmt *statement, int index, const void *data, int64_t bytes, cru_error *err)
{
    /* A null pointer would be SQL's null rather than an empty blob. */
    int code = sqlite3_bind_blob64(statement, index, data ? data : "", (sqlite3_uint64)bytes, SQLITE_STATIC);
    if (code == SQLITE_OK) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "store: %lld bytes are too many for one value", (long long)bytes);
}

const char *db_text(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

static const char *mend(store *s, const char *text, bool lines)
{
    if (!text || printable_is(text, strlen(text), lines)) return text;
    char **place = &s->mended[s->next_mended++ % DB_MENDED];
    free(*place);
    *place = strdup(text);
    return *place ? printable(*place, lines) : "?";
}

const char *db_name(store *s, sqlite3_stmt *statement, int column)
{
    return mend(s, db_text(statement, column), false);
}

const char *db_lines(store *s, sqlite3_stmt *statement, int column)
{
    return mend(s, db_text(statement, column), true);
}

double db_number(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
}

store_outcome db_outcome(sqlite3_stmt *statement, int column)
{
    const int64_t outcome = sqlite3_column_int64(statement, column);
    return outcome >= 0 && outcome < STORE_OUTCOMES ? (store_outcome)outcome : STORE_FAILED;
}

int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- transactions ---------------------------------------------------------------------------------------- */

/* Runs a statement that takes no parameters; prepared once. */
static cru_status step(store *s, const char *sql, cru_error *err)
{
    sqlite3_stmt *statement = db_statement(s, sql, err);
    return statement ? db_run(s, statement, err) : CRU_IO;
}

/* A write that was refused for its contents is undone alone, unless it is one of many that belong together; after any
 * other failure the state of the transaction is SQLite's to say, so all of it goes. */
static void undo(store *s, cru_status status)
{
    bool alone = status == CRU_BAD_INPUT && !s->gathering;
    s->gathering = false;
    s->kept_bytes = -1;
    if (sqlite3_get_autocommit(s->db)) return;
    if (alone) {
        sqlite3_exec(s->db, "ROLLBACK TO one_write; RELEASE one_write", NULL, NULL, NULL);
    } else {
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    }
}

static cru_status open_batch(store *s, cru_error *err)
{
    if (s->options.read_only) return cru_fail(err, CRU_IO, "%s: opened for reading only", s->path);
    if (!sqlite3_get_autocommit(s->db)) return CRU_OK;
    s->batched = 0;
    cru_status status = step(s, "BEGIN IMMEDIATE", err);
    s->batch_start = clock_ms();
    return status;
}

cru_status write_begin(store *s, cru_error *err)
{
    cru_status status = open_batch(s, err);
    if (status) return status;
    if (s->gathering) return CRU_OK; /* all or nothing: no write is undone alone */
    status = step(s, "SAVEPOINT one_write", err);
    if (status) undo(s, CRU_IO);
    return status;
}

cru_status store_gather(store *s, cru_error *err)
{
    cru_status status = store_flush(s, err);
    if (!status) status = open_batch(s, err);
    s->gathering = !status;
    return status;
}

void store_discard(store *s)
{
    s->gathering = false;
    s->kept_bytes = -1;
    if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

cru_status store_flush(store *s, cru_error *err)
{
    s->gathering = false;
    if (sqlite3_get_autocommit(s->db)) return CRU_OK;
    cru_status status = step(s, "COMMIT", err);
    if (status) undo(s, CRU_IO);
    return status;
}

cru_status write_end(store *s, cru_status status, cru_error *err)
{
    if (!status && !s->gathering) status = step(s, "RELEASE one_write", err);
    if (status) {
        undo(s, status);
        if (sqlite3_get_autocommit(s->db)) return status;
    }
    s->batched++;
    if (s->gathering) return status;
    bool full = s->batched >= s->options.batch_trials || clock_ms() - s->batch_start >= s->options.batch_ms;
    if (!full) return status;
    cru_status commit = store_flush(s, err);
    return status ? status : commit;
}
