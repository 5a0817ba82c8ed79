// SPDX-License-Identifier: Apache-2.0
/* db.h: what the files of this folder share: the connection, its statements, its transactions. */
#ifndef CORE_STORE_DB_H
#define CORE_STORE_DB_H

#include <sqlite3.h>

#include "store/store.h"

enum { DB_STATEMENTS = 96, DB_MENDED = 8 };

struct store {
    sqlite3 *db;
    char *path;
    store_options options;
    store_owner owner;
    int64_t environment;     /* row of what finished trials refer to; 0: none */
    int32_t batched;         /* writes in the open transaction */
    int64_t batch_start;     /* milliseconds */
    void *private_methods;   /* see store_keep_private; freed after the file is closed */
    bool gathering;          /* the batch ends with store_flush only */
    int64_t kept_bytes;      /* of kept scores in the file; -1: not known */
    int64_t unkept;          /* see store_unkept */
    char *mended[DB_MENDED]; /* see db_name */
    int next_mended;
    struct {
        const char *sql; /* compared by address: one literal, one statement */
        sqlite3_stmt *statement;
    } cache[DB_STATEMENTS];
};

/* Writes what SQLite says of its last failure, with the file's name, into `err`. */
cru_status db_fail(store *s, cru_error *err);

/* Runs a text without parameters or results. */
cru_status db_exec(store *s, const char *sql, cru_error *err);

/* A statement ready to be bound, prepared once per connection; NULL on failure. `sql` must be a string literal. */
sqlite3_stmt *db_statement(store *s, const char *sql, cru_error *err);

/* Steps once and resets. */
cru_status db_run(store *s, sqlite3_stmt *statement, cru_error *err);

/* Steps to the next row. *row tells whether there is one; when not, the statement is reset. */
cru_status db_next(store *s, sqlite3_stmt *statement, bool *row, cru_error *err);

/* The row that a query by key, its first parameter, has about a trial; db_done when it was read. CRU_BAD_INPUT: the store
 * has no such trial. */
cru_status db_trial(store *s, sqlite3_stmt *query, const char *key, cru_error *err);

/* Ends the reading of a statement, early or not. */
void db_done(sqlite3_stmt *statement);

/* Text is bound without a copy and must live until the statement is done; NULL text is SQL's null, as is NAN. */
void db_bind_text(sqlite3_stmt *statement, int index, const char *text);
void db_bind_number(sqlite3_stmt *statement, int index, double value);
cru_status db_bind_blob(sqlite3_stmt *statement, int index, const void *data, int64_t bytes, cru_error *err);

/* NULL where SQL's null is. What leaves this folder goes through db_name or db_lines. */
const char *db_text(sqlite3_stmt *statement, int column);

/* The same without control characters, since a store may be anybody's; db_lines leaves line ends. A text that has some
 * is copied for it, and lives until DB_MENDED more were. */
const char *db_name(store *s, sqlite3_stmt *statement, int column);
const char *db_lines(store *s, sqlite3_stmt *statement, int column);

double db_number(sqlite3_stmt *statement, int column);
store_outcome db_outcome(sqlite3_stmt *statement, int column); /* one that is none counts as failed */

/* A write stands between the two: opens or joins a transaction, then commits it, leaves it open for the batch or, when
 * `status` is a failure, undoes it. write_end returns `status`, or why the commit failed. */
cru_status write_begin(store *s, cru_error *err);
cru_status write_end(store *s, cru_status status, cru_error *err);

/* The row of the trial with that key. CRU_BAD_INPUT: there is none. */
cru_status trial_row(store *s, const char *key, int64_t *row, cru_error *err);

/* Lists the trial of that row in the experiment: see store_add_trial, of whose trial only alias, place and tried
 * count. */
cru_status member_put(store *s, int64_t experiment, int64_t row, const store_trial *trial, cru_error *err);

/* Keeps the scores of the trial, which is in that row, unless they are NULL or the file keeps too much already. */
cru_status keep_put(store *s, int64_t row, const char *key, const store_kept *kept, cru_error *err);

/* Creates the tables in an empty file, refuses a foreign one, brings an older one up to date. */
cru_status schema_check(store *s, cru_error *err);

/* From now on what the store shares with other processes is not inherited by children of this one. */
cru_status store_keep_private(store *s, cru_error *err);

/* Whether a file system of this kind (statfs) is that of other machines. */
bool store_on_network(int64_t kind);

int64_t clock_ms(void);

/* Whether the process behind a claim can still be at work, as far as this machine can tell. */
bool owner_alive(const store_owner *owner, const store_owner *self);

#endif
