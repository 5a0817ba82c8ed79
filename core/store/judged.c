// SPDX-License-Identifier: Apache-2.0
/* judged.c: which metrics a trial was judged by, and under which names their numbers are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "store/db.h"

/* The number of a text among the metrics of the file, which it joins. */
static cru_status metric_row(store *s, const char *text, int64_t *row, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT OR IGNORE INTO metric(text) VALUES(?1)", err);
    sqlite3_stmt *query = db_statement(s, "SELECT id FROM metric WHERE text = ?1", err);
    if (!insert || !query) return CRU_IO;
    bool found;
    db_bind_text(insert, 1, text);
    cru_status status = db_run(s, insert, err);
    if (status) return status;
    db_bind_text(query, 1, text);
    status = db_next(s, query, &found, err);
    if (status) return status;
    *row = sqlite3_column_int64(query, 0);
    db_done(query);
    return CRU_OK;
}

cru_status store_add_meaning(store *s, int64_t experiment, const store_judged *metric, cru_error *err)
{
    int64_t row = 0;
    cru_status status = write_begin(s, err);
    if (status) return status;
    sqlite3_stmt *insert = db_statement(s, "INSERT OR IGNORE INTO meaning VALUES(?1, ?2, ?3)", err);
    status = insert ? metric_row(s, metric->text, &row, err) : CRU_IO;
    if (!status) {
        sqlite3_bind_int64(insert, 1, experiment);
        db_bind_text(insert, 2, metric->label);
        sqlite3_bind_int64(insert, 3, row);
        status = db_run(s, insert, err);
    }
    return write_end(s, status, err);
}

/* ---- names ----------------------------------------------------------------------------------------------- */

typedef struct wanted {
    int64_t trial, metric;
    const char *label, *text;
} wanted;

/* The name that the metric has in the trial already; of the others, whether one has the label. */
static cru_status look_for(store *s, const wanted *w, char **name, bool *taken, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, "SELECT name, metric FROM judged WHERE trial = ?1", err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, w->trial);
    bool row;
    cru_status status = db_next(s, query, &row, err);
    while (!status && row) {
        const char *present = db_text(query, 0);
        if (sqlite3_column_int64(query, 1) == w->metric && !*name)
            *name = strdup(present);
        else if (strcmp(present, w->label) == 0)
            *taken = true;
        status = db_next(s, query, &row, err);
    }
    return status;
}

static cru_status choose_name(store *s, const wanted *w, char **name, cru_error *err)
{
    bool taken = false;
    char hash[SHA256_HEX];
    cru_status status = look_for(s, w, name, &taken, err);
    if (status || *name) return status;
    sha256_bytes(w->text, strlen(w->text), hash);
    if (taken ? asprintf(name, "%s#%.8s", w->label, hash) < 0 : !(*name = strdup(w->label)))
        return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the name of a metric", s->path);
    return CRU_OK;
}

cru_status judged_put(store *s, int64_t row, const judged_list *list, judged_names *names, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT OR REPLACE INTO judged VALUES(?1, ?2, ?3, ?4)", err);
    names->items = calloc((size_t)list->count + 1, sizeof *names->items);
    cru_status status = !insert        ? CRU_IO
                        : names->items ? CRU_OK
                                       : cru_fail(err, CRU_NO_MEMORY, "%s: no memory for names", s->path);
    for (int64_t i = 0; !status && i < list->count; i++) {
        wanted w = {.trial = row, .label = list->items[i].label, .text = list->items[i].text};
        status = metric_row(s, w.text, &w.metric, err);
        if (!status) status = choose_name(s, &w, &names->items[i], err);
        if (status) break;
        sqlite3_bind_int64(insert, 1, row);
        db_bind_text(insert, 2, names->items[i]);
        sqlite3_bind_int64(insert, 3, w.metric);
        sqlite3_bind_int(insert, 4, list->later);
        status = db_run(s, insert, err);
    }
    return status;
}

void judged_names_free(judged_names *names, int64_t count)
{
    for (int64_t i = 0; names->items && i < count; i++) free(names->items[i]);
    free(names->items);
    names->items = NULL;
}

const char *judged_name(const judged_list *list, const judged_names *names, const char *name, char *space, size_t size)
{
    for (int64_t i = 0; i < list->count; i++) {
        const char *label = list->items[i].label;
        size_t length = strlen(label);
        if (strncmp(name, label, length) != 0 || (name[length] && name[length] != '.')) continue;
        if (strcmp(names->items[i], label) == 0) return name;
        snprintf(space, size, "%s%s", names->items[i], name + length);
        return space;
    }
    return name;
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

/* The first column of the only row for a trial and a metric; -1: there is none. */
static cru_status ask_metric(store *s, const char *sql, const char *const texts[2], int64_t *value, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, sql, err);
    if (!query) return CRU_IO;
    for (int i = 0; i < 2; i++) db_bind_text(query, i + 1, texts[i]);
    bool row;
    *value = -1;
    cru_status status = db_next(s, query, &row, err);
    if (status || !row) return status;
    *value = sqlite3_column_int64(query, 0);
    db_done(query);
    return CRU_OK;
}

cru_status store_lacks(store *s, const char *key, const store_judged *metrics, int64_t count, bool *lacks,
                       cru_error *err)
{
    static const char sql[] = "SELECT outcome <> 1 OR EXISTS (SELECT 1 FROM judged JOIN metric ON metric.id = metric"
                              " WHERE judged.trial = trial.id AND text = ?2) FROM trial WHERE key = ?1";
    cru_status status = CRU_OK;
    *lacks = false;
    for (int64_t i = 0; !status && !*lacks && i < count; i++) {
        int64_t has;
        status = ask_metric(s, sql, (const char *const[]){key, metrics[i].text}, &has, err);
        *lacks = !status && has == 0;
    }
    return status;
}

cru_status store_each_later(store *s, const char *key, store_name_visitor *visit, void *user, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s,
                                       "SELECT name FROM judged JOIN trial ON trial.id = judged.trial"
                                       " WHERE key = ?1 AND later ORDER BY name",
                                       err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, key);
    bool row;
    cru_status status = db_next(s, query, &row, err);
    while (!status && row && visit(user, db_text(query, 0))) status = db_next(s, query, &row, err);
    db_done(query);
    return status;
}
