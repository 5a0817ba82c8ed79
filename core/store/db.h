// SPDX-License-Identifier: Apache-2.0
/* db.h: what the files of this folder share: the connection, its statements, its transactions. */
#ifndef CORE_STORE_DB_H
#define CORE_STORE_DB_H

#include <sqlite3.h>

#include "store/store.h"

enum { DB_STATEMENTS = 128 };

struct store {
    sqlite3 *db;
    char *path;
    store_options options;
    store_owner owner;
    int64_t environment;   /* row of what finished trials refer to; 0: none */
    int32_t batched;       /* writes in the open transaction */
    int64_t batch_start;   /* milliseconds */
    void *private_methods; /* see store_keep_private; freed after the file is closed */
    bool gathering;        /* the batch ends with store_flush only */
    int64_t kept_bytes;    /* of matrices in the file; -1: not asked yet */
    int64_t unkept;        /* results without theirs, for want of room */
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

/* Ends the reading of a statement, early or not. */
void db_done(sqlite3_stmt *statement);

/* Text is bound without a copy and must live until the statement is done; NULL text is SQL's null, as is NAN. */
void db_bind_text(sqlite3_stmt *statement, int index, const char *text);
void db_bind_number(sqlite3_stmt *statement, int index, double value);
cru_status db_bind_blob(sqlite3_stmt *statement, int index, const void *data, int64_t bytes, cru_error *err);

/* NULL where SQL's null is. */
const char *db_text(sqlite3_stmt *statement, int column);
double db_number(sqlite3_stmt *statement, int column);

/* A write stands between the two: opens or joins a transaction, then commits it, leaves it open for the batch or, when
 * `status` is a failure, undoes it. write_end returns `status`, or why the commit failed. */
cru_status write_begin(store *s, cru_error *err);
cru_status write_end(store *s, cru_status status, cru_error *err);

/* The row of the trial with that key. CRU_BAD_INPUT: there is none. */
cru_status trial_row(store *s, const char *key, int64_t *row, cru_error *err);

/* Lists the trial of that row in the experiment: see store_add_trial, of whose trial only alias, place and tried count. */
cru_status member_put(store *s, int64_t experiment, int64_t row, const store_trial *trial, cru_error *err);

/* keep.c: inside a transaction, for the trial of that row. */
cru_status keep_put(store *s, int64_t row, const store_result *result, cru_error *err);

/* judged.c: inside a transaction. The name under which the number of a label is stored is its label unless another metric
 * of the trial has it; judged_put fills `names`, which the caller frees with judged_names_free. */
typedef struct judged_names {
    char **items; /* one for every metric */
} judged_names;
typedef struct judged_list {
    const store_judged *items;
    int64_t count;
    bool later; /* from kept scores */
} judged_list;
cru_status judged_put(store *s, int64_t row, const judged_list *list, judged_names *names, cru_error *err);
void judged_names_free(judged_names *names, int64_t count);

/* The stored name of a number or a vector: that of its metric, with what follows the label. `space` holds it if needed. */
const char *judged_name(const judged_list *list, const judged_names *names, const char *name, char *space, size_t size);

/* migrate.c: from layout 2 to 3, inside a transaction: metrics leave the keys of trials. */
cru_status migrate_keys(store *s, cru_error *err);

/* Creates the tables in an empty file, refuses a foreign one, brings an older one up to date. */
cru_status schema_check(store *s, cru_error *err);

/* From now on what the store shares with other processes is not inherited by children of this one. */
cru_status store_keep_private(store *s, cru_error *err);

/* Before SQLite is used for the first time in the process, whose memory for pages this sets up; later it does nothing.
 */
void store_pages_private(void);

/* Whether a file system of this kind (statfs) is that of other machines. */
bool store_on_network(int64_t kind);

int64_t clock_ms(void);

/* claim.c: whether another living process holds a claim. */
cru_status claims_held(store *s, bool *any, cru_error *err);

/* Whether the process behind a claim can still be at work, as far as this machine can tell. */
bool owner_alive(const store_owner *owner, const store_owner *self);

#endif
