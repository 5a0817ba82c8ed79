// SPDX-License-Identifier: Apache-2.0
/* claim.c: who runs a trial, and giving a trial back. */
#include <stdio.h>
#include <string.h>

#include "store/db.h"

static bool same_owner(const store_owner *a, const store_owner *b)
{
    return a->pid == b->pid && a->start == b->start && strcmp(a->host, b->host) == 0 && strcmp(a->boot, b->boot) == 0;
}

/* Whether a pending trial's claim, if there is one, keeps others away: its columns start at `column`. */
static bool held(sqlite3_stmt *query, int column, const store_owner *self)
{
    if (sqlite3_column_type(query, column + 2) == SQLITE_NULL) return false;
    if (sqlite3_column_int64(query, column + 4) <= clock_ms()) return false;
    store_owner owner = {.pid = sqlite3_column_int64(query, column + 2),
                         .start = sqlite3_column_int64(query, column + 3)};
    const char *host = db_text(query, column), *boot = db_text(query, column + 1);
    snprintf(owner.host, sizeof owner.host, "%s", host ? host : "");
    snprintf(owner.boot, sizeof owner.boot, "%s", boot ? boot : "");
    return !same_owner(&owner, self) && owner_alive(&owner, self);
}

static cru_status look(store *s, const char *key, store_outcome *outcome, bool *is_held, cru_error *err)
{
    sqlite3_stmt *query =
        db_statement(s, "SELECT outcome, host, boot, pid, start, expiry_ms FROM trial WHERE key = ?1", err);
    if (!query) return CRU_IO;
    cru_status status = db_trial(s, query, key, err);
    if (status) return status;
    *outcome = db_outcome(query, 0);
    *is_held = *outcome == STORE_PENDING && held(query, 1, &s->owner);
    db_done(query);
    return CRU_OK;
}

/* A negative lease is one that has run out. */
static int64_t lease_end(const store *s)
{
    return clock_ms() + (int64_t)s->options.lease_seconds * 1000;
}

static void bind_owner(const store *s, sqlite3_stmt *statement)
{
    db_bind_text(statement, 1, s->owner.host);
    db_bind_text(statement, 2, s->owner.boot);
    sqlite3_bind_int64(statement, 3, s->owner.pid);
    sqlite3_bind_int64(statement, 4, s->owner.start);
}

static cru_status take(store *s, const char *key, cru_error *err)
{
    sqlite3_stmt *update = db_statement(
        s, "UPDATE trial SET host = ?1, boot = ?2, pid = ?3, start = ?4, expiry_ms = ?5 WHERE key = ?6", err);
    if (!update) return CRU_IO;
    bind_owner(s, update);
    sqlite3_bind_int64(update, 5, lease_end(s));
    db_bind_text(update, 6, key);
    return db_run(s, update, err);
}

cru_status store_claim(store *s, const char *key, bool *won, cru_error *err)
{
    *won = false;
    cru_status status = write_begin(s, err);
    if (status) return status;
    store_outcome outcome = STORE_PENDING;
    bool is_held = false;
    status = look(s, key, &outcome, &is_held, err);
    bool free_to_take = !status && outcome == STORE_PENDING && !is_held;
    if (free_to_take) status = take(s, key, err);
    status = write_end(s, status, err);
    *won = free_to_take && !status;
    return status;
}

cru_status store_release(store *s, const char *key, cru_error *err)
{
    cru_status status = write_begin(s, err);
    if (status) return status;
    sqlite3_stmt *update = db_statement(s,
                                        "UPDATE trial SET host = NULL, boot = NULL, pid = NULL, start = NULL,"
                                        " expiry_ms = NULL WHERE host = ?1 AND boot = ?2 AND pid = ?3 AND start = ?4"
                                        " AND key = ?5",
                                        err);
    if (!update) return write_end(s, CRU_IO, err);
    bind_owner(s, update);
    db_bind_text(update, 5, key);
    return write_end(s, db_run(s, update, err), err);
}

cru_status store_renew(store *s, cru_error *err)
{
    cru_status status = write_begin(s, err);
    if (status) return status;
    sqlite3_stmt *update = db_statement(s,
                                        "UPDATE trial SET expiry_ms = ?5 WHERE host = ?1 AND boot = ?2 AND pid = ?3"
                                        " AND start = ?4",
                                        err);
    if (!update) return write_end(s, CRU_IO, err);
    bind_owner(s, update);
    sqlite3_bind_int64(update, 5, lease_end(s));
    return write_end(s, db_run(s, update, err), err);
}

cru_status store_status(store *s, const char *key, store_outcome *outcome, bool *is_held, cru_error *err)
{
    bool unused;
    return look(s, key, outcome, is_held ? is_held : &unused, err);
}
