// SPDX-License-Identifier: Apache-2.0
/* list.c: what hangs on all trials of an experiment, in list order.
 *
 * The list is read first: the row of every trial, in order. Rows are mostly ascending, as they were entered, and close
 * together; then a table that is stored by trial is read once from the first to the last and what belongs to others is
 * passed over. Otherwise the table is asked trial by trial. Neither sorts or joins anything, which for a million trials
 * is a matter of gigabytes. */
#include <stdlib.h>
#include <string.h>

#include "store/db.h"

typedef struct list {
    int64_t *rows;
    int64_t count, space;
    bool in_order; /* ascending, and at least a quarter of what lies between the ends */
} list;

/* A row of a table about the trial at `index`. False stops. */
typedef bool list_visitor(sqlite3_stmt *query, int64_t index, void *context);

/* One question twice: of all trials from row ?1 to ?2, ordered by it, and of the one with row ?1. The first column of
 * both is the row of the trial. */
typedef struct question {
    const char *range, *single;
    list_visitor *visit;
    void *context;
} question;

/* ---- the list -------------------------------------------------------------------------------------------- */

static bool add_row(list *l, int64_t row)
{
    if (l->count == l->space) {
        int64_t space = l->space ? 2 * l->space : 1024;
        int64_t *bigger = realloc(l->rows, (size_t)space * sizeof *bigger);
        if (!bigger) return false;
        l->rows = bigger;
        l->space = space;
    }
    l->rows[l->count++] = row;
    return true;
}

static void look_at_order(list *l)
{
    l->in_order = l->count > 0 && l->rows[l->count - 1] - l->rows[0] < 4 * l->count;
    for (int64_t i = 1; i < l->count && l->in_order; i++) l->in_order = l->rows[i - 1] < l->rows[i];
}

/* Trial, alias and `tried`, in list order. Where every trial has one name, and the list is the present one, a single
 * table has it in this order; the view of all would be sorted. */
static sqlite3_stmt *list_query(store *s, int64_t experiment, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, "SELECT 1 FROM namesake WHERE experiment = ?1 LIMIT 1", err);
    if (!query) return NULL;
    bool several;
    sqlite3_bind_int64(query, 1, experiment);
    if (db_next(s, query, &several, err)) return NULL;
    if (several) db_done(query);
    const char *plain = "SELECT trial, alias, tried FROM member WHERE experiment = ?1 ORDER BY position";
    const char *all = "SELECT trial, alias, tried FROM listed WHERE experiment = ?1 ORDER BY position";
    query = db_statement(s, several || experiment < 0 ? all : plain, err);
    if (query) sqlite3_bind_int64(query, 1, experiment);
    return query;
}

static cru_status list_read(store *s, int64_t experiment, list *l, cru_error *err)
{
    *l = (list){0};
    sqlite3_stmt *query = list_query(s, experiment, err);
    if (!query) return CRU_IO;
    bool row;
    cru_status status = db_next(s, query, &row, err);
    while (!status && row) {
        if (!add_row(l, sqlite3_column_int64(query, 0))) {
            db_done(query);
            return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for its list of trials", s->path);
        }
        status = db_next(s, query, &row, err);
    }
    look_at_order(l);
    return status;
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

static cru_status ask_range(store *s, const list *l, const question *q, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, q->range, err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, l->rows[0]);
    sqlite3_bind_int64(query, 2, l->rows[l->count - 1]);
    int64_t index = 0;
    bool row;
    cru_status status = db_next(s, query, &row, err);
    while (!status && row) {
        const int64_t trial = sqlite3_column_int64(query, 0);
        while (index < l->count && l->rows[index] < trial) index++;
        if (index == l->count || (l->rows[index] == trial && !q->visit(query, index, q->context))) {
            db_done(query);
            return CRU_OK;
        }
        status = db_next(s, query, &row, err);
    }
    return status;
}

static cru_status ask_single(store *s, const list *l, const question *q, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, q->single, err);
    cru_status status = query ? CRU_OK : CRU_IO;
    for (int64_t i = 0; !status && i < l->count; i++) {
        bool row;
        sqlite3_bind_int64(query, 1, l->rows[i]);
        status = db_next(s, query, &row, err);
        while (!status && row) {
            if (!q->visit(query, i, q->context)) {
                db_done(query);
                return CRU_OK;
            }
            status = db_next(s, query, &row, err);
        }
    }
    return status;
}

/* One transaction, so that the list and what hangs on it belong together. */
static cru_status ask(store *s, int64_t experiment, const question *q, cru_error *err)
{
    list l;
    const bool own = sqlite3_get_autocommit(s->db);
    cru_status status = own ? db_exec(s, "BEGIN", err) : CRU_OK;
    if (status) return status;
    status = list_read(s, experiment, &l, err);
    if (!status && l.count) status = l.in_order ? ask_range(s, &l, q, err) : ask_single(s, &l, q, err);
    free(l.rows);
    if (own) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL); /* nothing was written */
    return status;
}

cru_status store_each_entry(store *s, int64_t experiment, store_entry_visitor *visit, void *user, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s,
                                       "SELECT key, alias, tried, outcome FROM member JOIN trial ON trial.id = trial"
                                       " WHERE experiment = ?1 ORDER BY position",
                                       err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, experiment);
    bool row;
    cru_status status = db_next(s, query, &row, err);
    while (!status && row) {
        const store_entry entry = {.key = db_name(s, query, 0),
                                   .alias = db_name(s, query, 1),
                                   .tried = sqlite3_column_int64(query, 2),
                                   .outcome = db_outcome(query, 3)};
        if (!visit(user, &entry)) {
            db_done(query);
            return CRU_OK;
        }
        status = db_next(s, query, &row, err);
    }
    return status;
}

/* ---- settings and numbers -------------------------------------------------------------------------------- */

typedef struct pair_caller {
    store *s;
    store_setting_visitor *setting;
    store_number_visitor *number;
    void *user;
} pair_caller;

static bool show_setting(sqlite3_stmt *query, int64_t index, void *context)
{
    const pair_caller *c = context;
    return c->setting(c->user, index,
                      &(store_setting){.name = db_name(c->s, query, 1), .value = db_name(c->s, query, 2)});
}

cru_status store_each_setting(store *s, int64_t experiment, store_setting_visitor *visit, void *user, cru_error *err)
{
    pair_caller c = {.s = s, .setting = visit, .user = user};
    const question q = {"SELECT trial, name, value FROM setting WHERE trial BETWEEN ?1 AND ?2 ORDER BY trial, name",
                        "SELECT trial, name, value FROM setting WHERE trial = ?1 ORDER BY name", show_setting, &c};
    return ask(s, experiment, &q, err);
}

static bool show_number(sqlite3_stmt *query, int64_t index, void *context)
{
    const pair_caller *c = context;
    return c->number(c->user, index, &(store_number){.name = db_name(c->s, query, 1), .value = db_number(query, 2)});
}

cru_status store_each_number(store *s, int64_t experiment, store_number_visitor *visit, void *user, cru_error *err)
{
    pair_caller c = {.s = s, .number = visit, .user = user};
    const question q = {"SELECT trial, name, value FROM number WHERE trial BETWEEN ?1 AND ?2 ORDER BY trial, name",
                        "SELECT trial, name, value FROM number WHERE trial = ?1 ORDER BY name", show_number, &c};
    return ask(s, experiment, &q, err);
}

/* ---- trials ---------------------------------------------------------------------------------------------- */

typedef struct trial_caller {
    store *s;
    store_trial_visitor *visit;
    void *user;
    int64_t experiment;
    sqlite3_stmt *names; /* the list, read along for its aliases; NULL: not begun */
    int64_t named;       /* the index where that stands */
    int64_t environment; /* the row of the description that was read last */
    char *description;
    cru_status status;
    cru_error *err;
} trial_caller;

/* The text in the first column of the first row; NULL: none. The caller frees it. */
static char *one_text(trial_caller *c, const char *sql, int64_t row)
{
    sqlite3_stmt *query = db_statement(c->s, sql, c->err);
    if (!query) {
        c->status = CRU_IO;
        return NULL;
    }
    sqlite3_bind_int64(query, 1, row);
    bool found;
    c->status = db_next(c->s, query, &found, c->err);
    if (c->status || !found) return NULL;
    const char *text = db_lines(c->s, query, 0);
    char *copy = text ? strdup(text) : NULL;
    db_done(query);
    return copy;
}

static bool name_trial(trial_caller *c, int64_t index)
{
    bool row = true;
    if (!c->names && !(c->names = list_query(c->s, c->experiment, c->err))) c->status = CRU_IO;
    while (c->named < index && row && !c->status) {
        c->status = db_next(c->s, c->names, &row, c->err);
        c->named++;
    }
    return row && !c->status;
}

/* Thousands of trials have one environment. */
static const char *describe(trial_caller *c, int64_t environment)
{
    if (environment != c->environment) {
        free(c->description);
        c->description =
            environment ? one_text(c, "SELECT description FROM environment WHERE id = ?1", environment) : NULL;
        c->environment = environment;
    }
    return c->description;
}

static bool show_trial(sqlite3_stmt *query, int64_t index, void *context)
{
    trial_caller *c = context;
    char *own = NULL;
    if (!name_trial(c, index)) return false;
    const char *alias = db_name(c->s, c->names, 1);
    if (!alias) {
        own = one_text(c, "SELECT value FROM setting WHERE trial = ?1 AND name = 'algorithm'",
                       sqlite3_column_int64(query, 0));
    }
    store_trial_view view = {
        .index = index,
        .alias = alias ? alias : own,
        .tried = sqlite3_column_int64(c->names, 2),
        .key = db_name(c->s, query, 1),
        .outcome = db_outcome(query, 3),
        .message = db_lines(c->s, query, 4),
        .seconds_total = db_number(query, 5),
        .seconds_to_best = db_number(query, 6),
        .peak_bytes = sqlite3_column_int64(query, 7),
        .best_epoch = sqlite3_column_int64(query, 8),
        .environment = describe(c, sqlite3_column_int64(query, 9)),
        .seconds_construct = db_number(query, 10),
        .seconds_train = db_number(query, 11),
        .finished_ms = sqlite3_column_int64(query, 12),
        .store = c->s,
        .row = query,
    };
    bool on = !c->status && c->visit(c->user, &view);
    free(own);
    return on;
}

const char *store_view_text(const store_trial_view *view)
{
    return db_lines(view->store, view->row, 2);
}

#define TRIAL                                                                                                          \
    "SELECT trial.id, key, canonical, outcome, message, seconds_total, seconds_to_best, peak_bytes, best_epoch,"       \
    " environment, construct, train, finished_ms FROM trial LEFT JOIN spent ON spent.trial = trial.id WHERE trial.id"

cru_status store_each_trial(store *s, int64_t experiment, store_trial_visitor *visit, void *user, cru_error *err)
{
    trial_caller c = {.s = s, .visit = visit, .user = user, .experiment = experiment, .named = -1, .err = err};
    const question q = {TRIAL " BETWEEN ?1 AND ?2 ORDER BY trial.id", TRIAL " = ?1", show_trial, &c};
    cru_status status = ask(s, experiment, &q, err);
    if (c.names) db_done(c.names);
    free(c.description);
    return status ? status : c.status;
}
