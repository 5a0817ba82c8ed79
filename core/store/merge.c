// SPDX-License-Identifier: Apache-2.0
#include "store/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"

/* A trial of the input and what becomes of it. */
typedef struct moved {
    int64_t from, to;   /* rows */
    bool fresh, result; /* its settings, its result are copied */
} moved;

typedef struct merger {
    store *out, *in;
    const merge_options *options;
    merge_figures figures;
    moved *trials; /* by `from` */
    int64_t count, space;
    int64_t *twice; /* positions in `trials` of those with a result in both */
    int64_t twice_count, twice_space;
    cru_error *err;
} merger;

static void *grown(void *list, int64_t count, int64_t *space, size_t size)
{
    if (count < *space) return list;
    *space = *space ? 2 * *space : 256;
    list = realloc(list, (size_t)*space * size);
    if (!list) cru_panic(CRU_NO_MEMORY, "no memory to merge stores");
    return list;
}

/* ---- statements ------------------------------------------------------------------------------------------ */

enum { SQL_SIZE = 400, COLUMNS = 32 };

/* A statement that is not kept; the caller finalises it, NULL or not. */
static cru_status prepare(store *s, const char *sql, sqlite3_stmt **statement, cru_error *err)
{
    return sqlite3_prepare_v2(s->db, sql, -1, statement, NULL) == SQLITE_OK ? CRU_OK : db_fail(s, err);
}

/* As db_next for one that is not kept. */
static cru_status next(store *s, sqlite3_stmt *statement, bool *row, cru_error *err)
{
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? CRU_OK : db_fail(s, err);
}

/* The row of a text in a table of texts, which is added when it is not there. */
static cru_status row_of_text(store *s, const char *insert, const char *find, const char *text, int64_t *row,
                              cru_error *err)
{
    sqlite3_stmt *add = db_statement(s, insert, err), *query = db_statement(s, find, err);
    if (!add || !query) return CRU_IO;
    db_bind_text(add, 1, text);
    cru_status status = db_run(s, add, err);
    if (status) return status;
    bool found;
    db_bind_text(query, 1, text);
    status = db_next(s, query, &found, err);
    if (status || !found) return status ? status : cru_fail(err, CRU_IO, "%s: a row is gone", s->path);
    *row = sqlite3_column_int64(query, 0);
    db_done(query);
    return CRU_OK;
}

/* ---- trials ---------------------------------------------------------------------------------------------- */

static int rank_of(int64_t outcome)
{
    return outcome == STORE_OK ? 2 : outcome == STORE_PENDING ? 0 : 1;
}

/* Columns of `trials_of_input`, which are also those of a trial's row from `outcome` on. */
enum { ID, KEY, CANONICAL, OUTCOME, MESSAGE, TOTAL, TO_BEST, PEAK, BEST_EPOCH, FINISHED, ENVIRONMENT };

static const char trials_of_input[] =
    "SELECT trial.id, key, canonical, outcome, message, seconds_total, seconds_to_best, peak_bytes, best_epoch,"
    " finished_ms, description FROM trial LEFT JOIN environment ON environment.id = trial.environment ORDER BY "
    "trial.id";

/* The trial of that key in `out`: its row, which is 0 when there is none, and its outcome. */
static cru_status look_up(merger *m, const char *key, int64_t *row, int64_t *outcome)
{
    sqlite3_stmt *query = db_statement(m->out, "SELECT id, outcome FROM trial WHERE key = ?1", m->err);
    if (!query) return CRU_IO;
    bool found;
    db_bind_text(query, 1, key);
    cru_status status = db_next(m->out, query, &found, m->err);
    *row = *outcome = 0;
    if (status || !found) return status;
    *row = sqlite3_column_int64(query, 0);
    *outcome = sqlite3_column_int64(query, 1);
    db_done(query);
    return CRU_OK;
}

static cru_status add_row(merger *m, sqlite3_stmt *from, int64_t *row)
{
    sqlite3_stmt *insert = db_statement(m->out, "INSERT INTO trial(key, canonical) VALUES(?1, ?2)", m->err);
    if (!insert) return CRU_IO;
    db_bind_text(insert, 1, db_text(from, KEY));
    db_bind_text(insert, 2, db_text(from, CANONICAL));
    cru_status status = db_run(m->out, insert, m->err);
    *row = sqlite3_last_insert_rowid(m->out->db);
    return status;
}

/* The outcome and what stands in the trial's own row; a claim on it ends. */
static cru_status take_outcome(merger *m, sqlite3_stmt *from, int64_t row)
{
    int64_t environment = 0;
    cru_status status = CRU_OK;
    if (db_text(from, ENVIRONMENT))
        status = row_of_text(m->out, "INSERT OR IGNORE INTO environment(description) VALUES(?1)",
                             "SELECT id FROM environment WHERE description = ?1", db_text(from, ENVIRONMENT),
                             &environment, m->err);
    sqlite3_stmt *update = db_statement(m->out,
                                        "UPDATE trial SET outcome = ?1, message = ?2, seconds_total = ?3,"
                                        " seconds_to_best = ?4, peak_bytes = ?5, best_epoch = ?6, finished_ms = ?7,"
                                        " environment = nullif(?8, 0), host = NULL, boot = NULL, pid = NULL,"
                                        " start = NULL, expiry_ms = NULL WHERE id = ?9",
                                        m->err);
    if (status || !update) return status ? status : CRU_IO;
    for (int i = OUTCOME; i <= FINISHED; i++)
        sqlite3_bind_value(update, i - OUTCOME + 1, sqlite3_column_value(from, i));
    sqlite3_bind_int64(update, 8, environment);
    sqlite3_bind_int64(update, 9, row);
    return db_run(m->out, update, m->err);
}

static cru_status move_trial(merger *m, sqlite3_stmt *from)
{
    moved t = {.from = sqlite3_column_int64(from, ID)};
    int64_t here = 0, there = sqlite3_column_int64(from, OUTCOME);
    if (there < 0 || there >= STORE_OUTCOMES || !db_text(from, KEY) || !db_text(from, CANONICAL))
        return cru_fail(m->err, CRU_BAD_INPUT, "%s: a trial without key, settings or outcome", m->in->path);
    cru_status status = look_up(m, db_text(from, KEY), &t.to, &here);
    t.fresh = !status && !t.to;
    if (t.fresh) status = add_row(m, from, &t.to);
    t.result = rank_of(there) > rank_of(here);
    if (!status && t.result) status = take_outcome(m, from, t.to);
    if (status) return status;
    if (!t.fresh && here == STORE_OK && there == STORE_OK) {
        m->twice = grown(m->twice, m->twice_count, &m->twice_space, sizeof *m->twice);
        m->twice[m->twice_count++] = m->count;
    }
    m->trials = grown(m->trials, m->count, &m->space, sizeof *m->trials);
    m->trials[m->count++] = t;
    m->figures.trials++;
    m->figures.added += t.fresh;
    m->figures.results += t.result;
    return CRU_OK;
}

static cru_status move_trials(merger *m)
{
    sqlite3_stmt *from = NULL;
    bool row = true;
    cru_status status = prepare(m->in, trials_of_input, &from, m->err);
    while (!status && (status = next(m->in, from, &row, m->err)) == CRU_OK && row) status = move_trial(m, from);
    sqlite3_finalize(from);
    return status;
}

/* The trial of a row of the input; NULL when there is none. */
static const moved *moved_from(const merger *m, int64_t from)
{
    int64_t low = 0, high = m->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (m->trials[middle].from < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->trials[low].from == from ? &m->trials[low] : NULL;
}

/* ---- what hangs on a trial ------------------------------------------------------------------------------- */

/* Tables whose first column is the trial, apart from those that lead to other rows. */
static const char tables_of_trials[] =
    "SELECT m.name, (SELECT count(*) FROM pragma_table_info(m.name)) FROM sqlite_master AS m WHERE m.type = 'table'"
    " AND m.name <> 'made_by' AND (SELECT name FROM pragma_table_info(m.name) WHERE cid = 0) = 'trial' ORDER BY 1";

typedef struct table {
    char name[64];
    int columns;
} table;

/* What the old result of a trial left behind goes before the new one comes. */
static cru_status clear_table(merger *m, const table *t)
{
    char sql[SQL_SIZE];
    sqlite3_stmt *clear = NULL;
    snprintf(sql, sizeof sql, "DELETE FROM %.63s WHERE trial = ?1", t->name);
    cru_status status = prepare(m->out, sql, &clear, m->err);
    for (int64_t i = 0; !status && i < m->count; i++) {
        if (!m->trials[i].result || m->trials[i].fresh) continue;
        sqlite3_bind_int64(clear, 1, m->trials[i].to);
        status = db_run(m->out, clear, m->err);
    }
    sqlite3_finalize(clear);
    return status;
}

static cru_status copy_row(merger *m, const table *t, sqlite3_stmt *from, sqlite3_stmt *insert)
{
    const moved *trial = moved_from(m, sqlite3_column_int64(from, 0));
    const bool settings = strcmp(t->name, "setting") == 0;
    if (!trial || !(settings ? trial->fresh : trial->result)) return CRU_OK;
    sqlite3_bind_int64(insert, 1, trial->to);
    for (int i = 1; i < t->columns; i++) sqlite3_bind_value(insert, i + 1, sqlite3_column_value(from, i));
    return db_run(m->out, insert, m->err);
}

/* Whether the input has that table with as many columns: one written by an older program may lack it. */
static bool has_table(merger *m, const table *t)
{
    char sql[SQL_SIZE];
    sqlite3_stmt *query = NULL;
    snprintf(sql, sizeof sql, "SELECT * FROM main.%.63s", t->name);
    bool has = sqlite3_prepare_v2(m->in->db, sql, -1, &query, NULL) == SQLITE_OK &&
               sqlite3_column_count(query) == t->columns && strcmp(sqlite3_column_name(query, 0), "trial") == 0;
    sqlite3_finalize(query);
    return has;
}

static cru_status copy_table(merger *m, const table *t)
{
    char sql[SQL_SIZE];
    sqlite3_stmt *from = NULL, *insert = NULL;
    bool row = true;
    if (!has_table(m, t)) return CRU_OK;
    snprintf(sql, sizeof sql, "SELECT * FROM main.%.63s ORDER BY trial", t->name);
    cru_status status = prepare(m->in, sql, &from, m->err);
    int used = snprintf(sql, sizeof sql, "INSERT INTO %.63s VALUES(?", t->name);
    for (int i = 1; i < t->columns; i++) used += snprintf(sql + used, sizeof sql - (size_t)used, ", ?");
    snprintf(sql + used, sizeof sql - (size_t)used, ")");
    if (!status) status = prepare(m->out, sql, &insert, m->err);
    while (!status && (status = next(m->in, from, &row, m->err)) == CRU_OK && row)
        status = copy_row(m, t, from, insert);
    sqlite3_finalize(from);
    sqlite3_finalize(insert);
    return status;
}

/* All of them. They are listed first: statements on `out` must not read its schema while it is written. */
static cru_status copy_tables(merger *m)
{
    enum { MOST = 32 };
    table tables[MOST];
    int count = 0;
    sqlite3_stmt *query = NULL;
    bool row = true;
    cru_status status = prepare(m->out, tables_of_trials, &query, m->err);
    while (!status && (status = next(m->out, query, &row, m->err)) == CRU_OK && row && count < MOST) {
        tables[count].columns = sqlite3_column_int(query, 1);
        snprintf(tables[count++].name, sizeof tables[0].name, "%s", db_text(query, 0));
    }
    sqlite3_finalize(query);
    for (int i = 0; !status && i < count; i++) {
        if (strcmp(tables[i].name, "setting") != 0) status = clear_table(m, &tables[i]);
        if (!status) status = copy_table(m, &tables[i]);
    }
    return status;
}

/* Which files of plugins made the results. There are few files, and every trial has some. */
typedef struct build_row {
    int64_t from, to;
} build_row;

static cru_status find_build(merger *m, sqlite3_stmt *from, build_row *b)
{
    sqlite3_stmt *name = db_statement(m->out, "INSERT OR IGNORE INTO build(plugin, checksum) VALUES(?1, ?2)", m->err);
    sqlite3_stmt *query = db_statement(m->out, "SELECT id FROM build WHERE plugin = ?1 AND checksum = ?2", m->err);
    if (!name || !query) return CRU_IO;
    for (int i = 1; i <= 2; i++) {
        db_bind_text(name, i, db_text(from, i));
        db_bind_text(query, i, db_text(from, i));
    }
    bool found;
    cru_status status = db_run(m->out, name, m->err);
    if (!status) status = db_next(m->out, query, &found, m->err);
    if (status || !found) return status ? status : cru_fail(m->err, CRU_IO, "%s: a row is gone", m->out->path);
    *b = (build_row){sqlite3_column_int64(from, 0), sqlite3_column_int64(query, 0)};
    db_done(query);
    return CRU_OK;
}

/* The files of the input by their rows there. */
static cru_status find_builds(merger *m, build_row **list, int64_t *count)
{
    sqlite3_stmt *from = NULL;
    int64_t space = 0;
    bool row = true;
    cru_status status = prepare(m->in,
                                "SELECT id, plugin, checksum FROM build WHERE plugin IS NOT NULL AND checksum IS NOT"
                                " NULL ORDER BY id",
                                &from, m->err);
    while (!status && (status = next(m->in, from, &row, m->err)) == CRU_OK && row) {
        *list = grown(*list, *count, &space, sizeof **list);
        status = find_build(m, from, &(*list)[*count]);
        *count += !status;
    }
    sqlite3_finalize(from);
    return status;
}

static int by_from(const void *a, const void *b)
{
    const build_row *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* By trials, so that rows are added where the last ones were. */
static cru_status link_builds(merger *m, const build_row *list, int64_t count)
{
    sqlite3_stmt *from = NULL;
    bool row = true;
    cru_status status = prepare(m->in, "SELECT trial, build FROM made_by ORDER BY trial, build", &from, m->err);
    sqlite3_stmt *link = db_statement(m->out, "INSERT OR IGNORE INTO made_by VALUES(?1, ?2)", m->err);
    if (!status && !link) status = CRU_IO;
    while (!status && (status = next(m->in, from, &row, m->err)) == CRU_OK && row) {
        const moved *trial = moved_from(m, sqlite3_column_int64(from, 0));
        const build_row wanted = {.from = sqlite3_column_int64(from, 1)};
        const build_row *b = count ? bsearch(&wanted, list, (size_t)count, sizeof *list, by_from) : NULL;
        if (!trial || !trial->result || !b) continue;
        sqlite3_bind_int64(link, 1, trial->to);
        sqlite3_bind_int64(link, 2, b->to);
        status = db_run(m->out, link, m->err);
    }
    sqlite3_finalize(from);
    return status;
}

static cru_status copy_builds(merger *m)
{
    build_row *list = NULL;
    int64_t count = 0;
    cru_status status = clear_table(m, &(table){.name = "made_by"});
    if (status || !has_table(m, &(table){.name = "made_by", .columns = 2})) return status;
    status = find_builds(m, &list, &count);
    if (!status) status = link_builds(m, list, count);
    free(list);
    return status;
}

/* ---- experiments ----------------------------------------------------------------------------------------- */

/* Metrics that the experiment in `out` lacks come after its own. */
static cru_status merge_metrics(merger *m, int64_t from, int64_t to)
{
    sqlite3_stmt *query = db_statement(
        m->in, "SELECT name, flags FROM experiment_metric WHERE experiment = ?1 ORDER BY position", m->err);
    sqlite3_stmt *insert = db_statement(m->out,
                                        "INSERT INTO experiment_metric SELECT ?1,"
                                        " (SELECT 1 + ifnull(max(position), -1) FROM experiment_metric"
                                        " WHERE experiment = ?1), ?2, ?3 WHERE NOT EXISTS"
                                        " (SELECT 1 FROM experiment_metric WHERE experiment = ?1 AND name = ?2)",
                                        m->err);
    if (!query || !insert) return CRU_IO;
    bool row = true;
    cru_status status = CRU_OK;
    sqlite3_bind_int64(query, 1, from);
    while (!status && (status = db_next(m->in, query, &row, m->err)) == CRU_OK && row) {
        sqlite3_bind_int64(insert, 1, to);
        db_bind_text(insert, 2, db_text(query, 0));
        sqlite3_bind_int64(insert, 3, sqlite3_column_int64(query, 1));
        status = db_run(m->out, insert, m->err);
    }
    db_done(query);
    return status;
}

/* Whether no trial of the experiment stands at that place. */
static cru_status is_free(merger *m, int64_t experiment, int64_t position, bool *answer)
{
    sqlite3_stmt *query = db_statement(m->out,
                                       "SELECT EXISTS(SELECT 1 FROM member WHERE experiment = ?1 AND position = ?2)"
                                       " OR EXISTS(SELECT 1 FROM namesake WHERE experiment = ?1 AND position = ?2)",
                                       m->err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, experiment);
    sqlite3_bind_int64(query, 2, position);
    bool row;
    cru_status status = db_next(m->out, query, &row, m->err);
    *answer = !status && row && !sqlite3_column_int(query, 0);
    db_done(query);
    return status;
}

/* A row of `listed`: position, trial, alias, tried. At its place, or at the end when that is taken. */
static cru_status list_trial(merger *m, sqlite3_stmt *from, int64_t experiment)
{
    const moved *trial = moved_from(m, sqlite3_column_int64(from, 1));
    int64_t position = sqlite3_column_int64(from, 0);
    bool free_place = false;
    if (!trial) return CRU_OK;
    cru_status status = is_free(m, experiment, position, &free_place);
    store_trial t = {.alias = db_text(from, 2),
                     .place = free_place && position > 0 ? position : 0,
                     .tried = sqlite3_column_int64(from, 3)};
    return status ? status : member_put(m->out, experiment, trial->to, &t, m->err);
}

static cru_status list_former(merger *m, sqlite3_stmt *from, int64_t experiment)
{
    const moved *trial = moved_from(m, sqlite3_column_int64(from, 1));
    sqlite3_stmt *insert = db_statement(m->out, "INSERT OR IGNORE INTO past VALUES(?1, ?2, ?3, ?4, ?5)", m->err);
    if (!insert) return CRU_IO;
    if (!trial) return CRU_OK;
    sqlite3_bind_int64(insert, 1, store_former(experiment));
    sqlite3_bind_int64(insert, 2, sqlite3_column_int64(from, 0));
    sqlite3_bind_int64(insert, 3, trial->to);
    db_bind_text(insert, 4, db_text(from, 2));
    sqlite3_bind_int64(insert, 5, sqlite3_column_int64(from, 3));
    return db_run(m->out, insert, m->err);
}

static cru_status merge_list(merger *m, int64_t from, int64_t to,
                             cru_status (*put)(merger *m, sqlite3_stmt *from, int64_t experiment))
{
    sqlite3_stmt *query = db_statement(
        m->in, "SELECT position, trial, alias, tried FROM listed WHERE experiment = ?1 ORDER BY position", m->err);
    if (!query) return CRU_IO;
    bool row = true;
    cru_status status = CRU_OK;
    sqlite3_bind_int64(query, 1, from);
    while (!status && (status = db_next(m->in, query, &row, m->err)) == CRU_OK && row) status = put(m, query, to);
    db_done(query);
    return status;
}

static cru_status merge_experiment(merger *m, sqlite3_stmt *from)
{
    const int64_t there = sqlite3_column_int64(from, 0);
    int64_t here = 0;
    if (!db_text(from, 1)) return cru_fail(m->err, CRU_BAD_INPUT, "%s: an experiment without a name", m->in->path);
    cru_status status = row_of_text(m->out,
                                    "INSERT OR IGNORE INTO experiment(name, touched) VALUES(?1,"
                                    " (SELECT 1 + ifnull(max(touched), 0) FROM experiment))",
                                    "SELECT id FROM experiment WHERE name = ?1", db_text(from, 1), &here, m->err);
    sqlite3_stmt *update =
        db_statement(m->out, "UPDATE experiment SET config = ?2 WHERE id = ?1 AND config IS NULL", m->err);
    if (status || !update) return status ? status : CRU_IO;
    sqlite3_bind_int64(update, 1, here);
    db_bind_text(update, 2, db_text(from, 2));
    status = db_run(m->out, update, m->err);
    if (!status) status = merge_metrics(m, there, here);
    if (!status) status = merge_list(m, there, here, list_trial);
    return status ? status : merge_list(m, store_former(there), here, list_former);
}

static cru_status merge_experiments(merger *m)
{
    sqlite3_stmt *from = NULL;
    bool row = true;
    cru_status status = prepare(m->in, "SELECT id, name, config FROM experiment ORDER BY touched", &from, m->err);
    while (!status && (status = next(m->in, from, &row, m->err)) == CRU_OK && row) status = merge_experiment(m, from);
    sqlite3_finalize(from);
    return status;
}

/* ---- results that both have ------------------------------------------------------------------------------ */

/* Everything of a result that must be the same on every machine, by name; a number is its eight bytes. */
static const char parts_of_result[] =
    "SELECT name, value, NULL FROM number WHERE trial = ?1 AND name NOT LIKE 'seconds%' AND name <> 'peak-mib'"
    " UNION ALL SELECT 'vector ' || name, NULL, data FROM vector WHERE trial = ?1"
    " UNION ALL SELECT 'scores', rows, data FROM scores WHERE trial = ?1 ORDER BY 1";

static int order_of(bool a, const char *name_a, bool b, const char *name_b)
{
    return a && b ? strcmp(name_a, name_b) : a ? -1 : b ? 1 : 0;
}

static bool same_value(sqlite3_stmt *a, sqlite3_stmt *b)
{
    const double x = db_number(a, 1), y = db_number(b, 1);
    const int bytes = sqlite3_column_bytes(a, 2);
    return (x == y || (isnan(x) && isnan(y))) && bytes == sqlite3_column_bytes(b, 2) &&
           (!bytes || memcmp(sqlite3_column_blob(a, 2), sqlite3_column_blob(b, 2), (size_t)bytes) == 0);
}

/* Scores are kept or not as a run's settings say: only where both have them they are compared. */
static bool must_be_there(const char *name)
{
    return strcmp(name, "scores") != 0;
}

/* The first part of the two results that differs, with *differs; the two statements are bound and are stepped here. */
static cru_status find_difference(merger *m, sqlite3_stmt *here, sqlite3_stmt *there, merge_difference *d, char *name,
                                  size_t size)
{
    bool a, b;
    cru_status status = db_next(m->out, here, &a, m->err);
    if (!status) status = db_next(m->in, there, &b, m->err);
    while (!status && (a || b)) {
        const char *name_a = a ? db_text(here, 0) : NULL, *name_b = b ? db_text(there, 0) : NULL;
        const int order = order_of(a, name_a, b, name_b);
        const char *first = order <= 0 ? name_a : name_b;
        if (order ? must_be_there(first) : !same_value(here, there)) {
            snprintf(name, size, "%s", first);
            d->name = name;
            d->here = order <= 0 ? db_number(here, 1) : NAN;
            d->there = order >= 0 ? db_number(there, 1) : NAN;
            return CRU_OK;
        }
        if (order <= 0) status = db_next(m->out, here, &a, m->err);
        if (!status && order >= 0) status = db_next(m->in, there, &b, m->err);
    }
    return status;
}

static cru_status tell_difference(merger *m, int64_t row, merge_difference *d)
{
    sqlite3_stmt *query = db_statement(m->out, "SELECT key, canonical FROM trial WHERE id = ?1", m->err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, row);
    bool found;
    cru_status status = db_next(m->out, query, &found, m->err);
    if (status || !found) return status;
    d->input = m->in->path;
    d->key = db_text(query, 0);
    d->canonical = db_text(query, 1);
    m->figures.differing++;
    if (m->options->differs) m->options->differs(m->options->user, d);
    db_done(query);
    return CRU_OK;
}

static cru_status compare(merger *m, const moved *t)
{
    char name[200];
    merge_difference d = {0};
    sqlite3_stmt *here = db_statement(m->out, parts_of_result, m->err);
    sqlite3_stmt *there = db_statement(m->in, parts_of_result, m->err);
    if (!here || !there) return CRU_IO;
    sqlite3_bind_int64(here, 1, t->to);
    sqlite3_bind_int64(there, 1, t->from);
    cru_status status = find_difference(m, here, there, &d, name, sizeof name);
    db_done(here);
    db_done(there);
    return status || !d.name ? status : tell_difference(m, t->to, &d);
}

static cru_status compare_all(merger *m)
{
    cru_status status = CRU_OK;
    m->figures.twice += m->twice_count;
    for (int64_t i = 0; !status && i < m->twice_count; i++) status = compare(m, &m->trials[m->twice[i]]);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* A damaged file is found out before anything is taken from it. */
static cru_status check_whole(merger *m)
{
    sqlite3_stmt *query = NULL;
    bool row = false;
    cru_status status = prepare(m->in, "PRAGMA quick_check(1)", &query, m->err);
    if (!status) status = next(m->in, query, &row, m->err);
    if (!status && (!row || !db_text(query, 0) || strcmp(db_text(query, 0), "ok") != 0))
        status = cru_fail(m->err, CRU_BAD_INPUT, "%s: damaged: %.200s", m->in->path, row ? db_text(query, 0) : "empty");
    sqlite3_finalize(query);
    return status;
}

static cru_status merge_all(merger *m)
{
    cru_status status = check_whole(m);
    if (!status) status = move_trials(m);
    if (!status) status = copy_tables(m);
    if (!status) status = copy_builds(m);
    if (!status) status = merge_experiments(m);
    return status ? status : compare_all(m);
}

static void add_figures(merge_figures *sum, const merge_figures *f)
{
    sum->trials += f->trials;
    sum->added += f->added;
    sum->results += f->results;
    sum->twice += f->twice;
    sum->differing += f->differing;
}

cru_status store_merge(store *out, const char *path, const merge_options *options, merge_figures *figures,
                       bool *out_failed, cru_error *err)
{
    merger m = {.out = out, .options = options, .err = err};
    cru_assert(out->gathering, "store_merge: not between store_gather and store_flush");
    *out_failed = false;
    cru_status status = store_open(path, &(store_options){.read_only = true, .still = true}, &m.in, err);
    if (status) return status;
    status = db_exec(out, "SAVEPOINT one_input", err);
    if (!status) status = merge_all(&m);
    if (sqlite3_get_autocommit(out->db)) { /* SQLite gave the whole transaction up: a full disk */
        out->gathering = false;
        *out_failed = true;
    } else if (status) {
        *out_failed = db_exec(out, "ROLLBACK TO one_input; RELEASE one_input", NULL) != CRU_OK;
    } else {
        status = db_exec(out, "RELEASE one_input", err);
        *out_failed = status;
    }
    if (!status) add_figures(figures, &m.figures);
    free(m.trials);
    free(m.twice);
    store_close(m.in, NULL);
    return status;
}
