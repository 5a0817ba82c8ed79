// SPDX-License-Identifier: Apache-2.0
/* read.c: questions to the store. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "store/db.h"

/* A reading statement about one experiment (or one trial's row): bound and ready to step. */
static sqlite3_stmt *query_of(store *s, const char *sql, int64_t id, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, sql, err);
    if (query) sqlite3_bind_int64(query, 1, id);
    return query;
}

/* Hands every row to `visit`, which calls the caller's visitor. */
typedef bool row_visitor(sqlite3_stmt *query, void *context);

static cru_status each_row(store *s, sqlite3_stmt *query, row_visitor *visit, void *context, cru_error *err)
{
    if (!query) return CRU_IO;
    bool row;
    cru_status status = db_next(s, query, &row, err);
    while (!status && row) {
        if (!visit(query, context)) {
            db_done(query);
            return CRU_OK;
        }
        status = db_next(s, query, &row, err);
    }
    return status;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* The number in the first column of the first row, NAN when there is none. */
static cru_status first_number(store *s, sqlite3_stmt *query, double *value, cru_error *err)
{
    bool row;
    *value = NAN;
    cru_status status = db_next(s, query, &row, err);
    if (status || !row) return status;
    *value = db_number(query, 0);
    db_done(query);
    return CRU_OK;
}

cru_status store_get_seconds(store *s, const char *key, double *seconds, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, "SELECT seconds_total FROM trial WHERE key = ?1", err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    return first_number(s, query, seconds, err);
}

cru_status store_get_number(store *s, const char *key, const char *name, double *value, cru_error *err)
{
    sqlite3_stmt *query =
        db_statement(s, "SELECT value FROM number JOIN trial ON trial.id = trial WHERE key = ?1 AND name = ?2", err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    db_bind_text(query, 2, name);
    return first_number(s, query, value, err);
}

static bool add_count(sqlite3_stmt *query, void *context)
{
    int64_t *counts = context;
    int outcome = sqlite3_column_int(query, 0);
    if (outcome >= 0 && outcome < STORE_OUTCOMES) counts[outcome] = sqlite3_column_int64(query, 1);
    return true;
}

cru_status store_count(store *s, int64_t experiment, int64_t counts[STORE_OUTCOMES], cru_error *err)
{
    memset(counts, 0, STORE_OUTCOMES * sizeof *counts);
    sqlite3_stmt *query = query_of(s,
                                   "SELECT outcome, count(*) FROM member JOIN trial ON trial.id = trial"
                                   " WHERE experiment = ?1 GROUP BY outcome",
                                   experiment, err);
    return each_row(s, query, add_count, counts, err);
}

/* ---- experiments ----------------------------------------------------------------------------------------- */

static bool take_id(sqlite3_stmt *query, void *context)
{
    *(int64_t *)context = sqlite3_column_int64(query, 0);
    return false;
}

cru_status store_find_experiment(store *s, const char *name, int64_t *id, cru_error *err)
{
    *id = 0;
    sqlite3_stmt *query =
        db_statement(s, "SELECT id FROM experiment WHERE ?1 IS NULL OR name = ?1 ORDER BY touched DESC LIMIT 1", err);
    if (query) db_bind_text(query, 1, name);
    return each_row(s, query, take_id, id, err);
}

typedef struct caller {
    store *s;
    union {
        store_experiment_visitor *experiment;
        store_metric_visitor *metric;
        store_trial_visitor *trial;
        store_vector_visitor *vector;
        store_curve_visitor *curve;
        store_build_visitor *build;
        store_number_visitor *number;
    } visit;
    void *user;
} caller;

static bool show_experiment(sqlite3_stmt *query, void *context)
{
    const caller *c = context;
    store_experiment_view view = {
        .id = sqlite3_column_int64(query, 0), .name = db_name(c->s, query, 1), .config = db_lines(c->s, query, 2)};
    return c->visit.experiment(c->user, &view);
}

cru_status store_each_experiment(store *s, store_experiment_visitor *visit, void *user, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, "SELECT id, name, config FROM experiment ORDER BY id", err);
    return each_row(s, query, show_experiment, &(caller){.s = s, .visit.experiment = visit, .user = user}, err);
}

typedef struct name_writer {
    char *text;
    size_t size, used;
    int64_t count;
} name_writer;

static bool add_name(void *user, const store_experiment_view *view)
{
    name_writer *w = user;
    int n =
        snprintf(w->text + w->used, w->size - w->used, "%s%s", w->count++ ? ", " : "are the experiments ", view->name);
    if (n < 0 || (size_t)n >= w->size - w->used) {
        if (w->size > 4) strcpy(w->text + w->size - 4, "...");
        return false;
    }
    w->used += (size_t)n;
    return true;
}

cru_status store_names(store *s, char *text, size_t size, cru_error *err)
{
    name_writer w = {.text = text, .size = size};
    snprintf(text, size, "is none yet");
    return store_each_experiment(s, add_name, &w, err);
}

static bool show_metric(sqlite3_stmt *query, void *context)
{
    const caller *c = context;
    return c->visit.metric(
        c->user, &(store_metric){.name = db_name(c->s, query, 0), .flags = (uint32_t)sqlite3_column_int64(query, 1)});
}

cru_status store_each_metric(store *s, int64_t experiment, store_metric_visitor *visit, void *user, cru_error *err)
{
    sqlite3_stmt *query = query_of(
        s, "SELECT name, flags FROM experiment_metric WHERE experiment = ?1 ORDER BY position", experiment, err);
    return each_row(s, query, show_metric, &(caller){.s = s, .visit.metric = visit, .user = user}, err);
}

/* ---- trials of an experiment ----------------------------------------------------------------------------- */

cru_status store_length(store *s, int64_t experiment, int64_t *length, cru_error *err)
{
    *length = 0;
    /* the view of all three tables is slow to count */
    sqlite3_stmt *query = query_of(s,
                                   "SELECT CASE WHEN ?1 < 0 THEN (SELECT count(*) FROM listed WHERE experiment = ?1)"
                                   " ELSE (SELECT count(*) FROM member WHERE experiment = ?1)"
                                   " + (SELECT count(*) FROM namesake WHERE experiment = ?1) END",
                                   experiment, err);
    return each_row(s, query, take_id, length, err);
}

static bool show_latest(sqlite3_stmt *query, void *context)
{
    const caller *c = context;
    store_trial_view view = {.alias = db_name(c->s, query, 0),
                             .key = db_name(c->s, query, 1),
                             .outcome = db_outcome(query, 2),
                             .message = db_lines(c->s, query, 3),
                             .seconds_total = db_number(query, 4),
                             .finished_ms = sqlite3_column_int64(query, 5)};
    return c->visit.trial(c->user, &view);
}

cru_status store_each_latest(store *s, const store_latest *which, store_trial_visitor *visit, void *user,
                             cru_error *err)
{
    sqlite3_stmt *query = query_of(s,
                                   "SELECT alias, key, outcome, message, seconds_total, finished_ms FROM member"
                                   " JOIN trial ON trial.id = trial WHERE experiment = ?1 AND outcome > ?2"
                                   " ORDER BY finished_ms DESC LIMIT ?3",
                                   which->experiment, err);
    if (!query) return CRU_IO;
    sqlite3_bind_int(query, 2, which->failed ? STORE_OK : STORE_PENDING);
    sqlite3_bind_int64(query, 3, which->most);
    return each_row(s, query, show_latest, &(caller){.s = s, .visit.trial = visit, .user = user}, err);
}

static bool show_build(sqlite3_stmt *query, void *context)
{
    const caller *c = context;
    return c->visit.build(c->user,
                          &(store_build){.plugin = db_name(c->s, query, 0), .checksum = db_name(c->s, query, 1)});
}

cru_status store_each_build(store *s, int64_t experiment, store_build_visitor *visit, void *user, cru_error *err)
{
    sqlite3_stmt *query = query_of(s,
                                   "SELECT DISTINCT plugin, checksum FROM listed JOIN made_by USING(trial)"
                                   " JOIN build ON build.id = made_by.build WHERE experiment = ?1 ORDER BY plugin",
                                   experiment, err);
    return each_row(s, query, show_build, &(caller){.s = s, .visit.build = visit, .user = user}, err);
}

/* ---- what hangs on one trial ----------------------------------------------------------------------------- */

static bool show_number(sqlite3_stmt *query, void *context)
{
    const caller *c = context;
    return c->visit.number(c->user, 0, &(store_number){db_name(c->s, query, 0), db_number(query, 1)});
}

cru_status store_each_number_of(store *s, const char *key, store_number_visitor *visit, void *user, cru_error *err)
{
    int64_t row;
    cru_status status = trial_row(s, key, &row, err);
    if (status) return status;
    sqlite3_stmt *query = query_of(s, "SELECT name, value FROM number WHERE trial = ?1 ORDER BY name", row, err);
    return each_row(s, query, show_number, &(caller){.s = s, .visit.number = visit, .user = user}, err);
}

static bool show_vector(sqlite3_stmt *query, void *context)
{
    const caller *c = context;
    store_vector vector = {.name = db_name(c->s, query, 0), .values = sqlite3_column_blob(query, 1)};
    vector.count = sqlite3_column_bytes(query, 1) / (int64_t)sizeof *vector.values;
    return c->visit.vector(c->user, &vector);
}

cru_status store_each_vector(store *s, const char *key, store_vector_visitor *visit, void *user, cru_error *err)
{
    int64_t row;
    cru_status status = trial_row(s, key, &row, err);
    if (status) return status;
    sqlite3_stmt *query = query_of(s, "SELECT name, data FROM vector WHERE trial = ?1 ORDER BY name", row, err);
    return each_row(s, query, show_vector, &(caller){.s = s, .visit.vector = visit, .user = user}, err);
}

static bool show_curve(sqlite3_stmt *query, void *context)
{
    const caller *c = context;
    store_curve curve = {.name = db_name(c->s, query, 0),
                         .epochs = sqlite3_column_blob(query, 1),
                         .values = sqlite3_column_blob(query, 2)};
    int64_t epochs = sqlite3_column_bytes(query, 1) / (int64_t)sizeof *curve.epochs;
    int64_t values = sqlite3_column_bytes(query, 2) / (int64_t)sizeof *curve.values;
    curve.count = epochs < values ? epochs : values;
    return c->visit.curve(c->user, &curve);
}

cru_status store_each_curve(store *s, const char *key, store_curve_visitor *visit, void *user, cru_error *err)
{
    int64_t row;
    cru_status status = trial_row(s, key, &row, err);
    if (status) return status;
    sqlite3_stmt *query = query_of(s, "SELECT name, epochs, data FROM curve WHERE trial = ?1 ORDER BY name", row, err);
    return each_row(s, query, show_curve, &(caller){.s = s, .visit.curve = visit, .user = user}, err);
}

static bool copy_text(sqlite3_stmt *query, void *context)
{
    const char *text = db_text(query, 0);
    *(char **)context = text ? printable(strdup(text), true) : NULL;
    return false;
}

cru_status store_get_log(store *s, const char *key, char **log, cru_error *err)
{
    *log = NULL;
    int64_t row;
    cru_status status = trial_row(s, key, &row, err);
    if (status) return status;
    return each_row(s, query_of(s, "SELECT text FROM log WHERE trial = ?1", row, err), copy_text, log, err);
}

typedef struct kept_scores {
    float *values;
    int64_t rows, cols;
    bool broken, no_memory;
} kept_scores;

static bool copy_scores(sqlite3_stmt *query, void *context)
{
    kept_scores *kept = context;
    kept->rows = sqlite3_column_int64(query, 0);
    kept->cols = sqlite3_column_int64(query, 1);
    const void *data = sqlite3_column_blob(query, 2);
    int64_t bytes = sqlite3_column_bytes(query, 2), want;
    kept->broken = __builtin_mul_overflow(kept->rows, kept->cols, &want) || want < 0 ||
                   want != bytes / (int64_t)sizeof *kept->values;
    if (kept->broken) return false;
    kept->values = malloc(bytes ? (size_t)bytes : 1);
    kept->no_memory = !kept->values;
    if (kept->values && bytes) memcpy(kept->values, data, (size_t)bytes);
    return false;
}

cru_status store_get_scores(store *s, const char *key, float **scores, int64_t *rows, int64_t *cols, cru_error *err)
{
    *scores = NULL;
    *rows = *cols = 0;
    int64_t row;
    cru_status status = trial_row(s, key, &row, err);
    if (status) return status;
    kept_scores kept = {0};
    sqlite3_stmt *query = query_of(s, "SELECT rows, cols, data FROM scores WHERE trial = ?1", row, err);
    status = each_row(s, query, copy_scores, &kept, err);
    if (status) return status;
    if (kept.broken) return cru_fail(err, CRU_BAD_INPUT, "%s: the scores of %s have the wrong size", s->path, key);
    if (kept.no_memory) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the scores of %s", s->path, key);
    *scores = kept.values;
    *rows = kept.rows;
    *cols = kept.cols;
    return CRU_OK;
}
