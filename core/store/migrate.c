// SPDX-License-Identifier: Apache-2.0
/* migrate.c: from layout 2 to 3.
 *
 * Keys were hashes of texts with the metrics in them. Every trial gets the key of its text without them, and what it was
 * judged by is noted; trials that differed in nothing else become one, which has the numbers of all. Keys that are no hash
 * of their text (of tests) stay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "store/db.h"

/* ---- texts ----------------------------------------------------------------------------------------------- */

/* A trial's text in two parts. */
typedef struct parted {
    char *rest;
    char **metrics; /* "auroc 1.0\nkey=value\n" */
    int64_t metric_count;
} parted;

static void parted_free(parted *p)
{
    for (int64_t i = 0; i < p->metric_count; i++) free(p->metrics[i]);
    free(p->metrics);
    free(p->rest);
    *p = (parted){0};
}

static bool append(char **text, const char *line, size_t length)
{
    size_t used = *text ? strlen(*text) : 0;
    char *grown = realloc(*text, used + length + 1);
    if (!grown) return false;
    memcpy(grown + used, line, length);
    grown[used + length] = 0;
    *text = grown;
    return true;
}

static bool add_metric(parted *p)
{
    char **grown = realloc(p->metrics, (size_t)(p->metric_count + 1) * sizeof *grown);
    if (!grown) return false;
    p->metrics = grown;
    p->metrics[p->metric_count++] = NULL;
    return true;
}

/* False: no memory. */
static bool part(const char *canonical, parted *out)
{
    bool fits = append(&out->rest, "", 0);
    for (const char *line = canonical; fits && *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        bool opens = strncmp(line, "metric=", 7) == 0;
        if (opens) fits = add_metric(out);
        if (fits && (opens || (strncmp(line, "metric.", 7) == 0 && out->metric_count)))
            fits = append(&out->metrics[out->metric_count - 1], line + 7, length - 7);
        else if (fits)
            fits = append(&out->rest, line, length);
        line += length;
    }
    return fits;
}

/* ---- statements ------------------------------------------------------------------------------------------ */

/* Runs a statement whose parameters are two rows. */
static cru_status run_rows(store *s, const char *sql, int64_t first, int64_t second, cru_error *err)
{
    sqlite3_stmt *statement = db_statement(s, sql, err);
    if (!statement) return CRU_IO;
    for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++)
        sqlite3_bind_int64(statement, i, i == 1 ? first : second);
    return db_run(s, statement, err);
}

/* The text in the first row of a statement about a trial, and how many rows there are. The caller frees it. */
static cru_status read_text(store *s, const char *sql, int64_t trial, const char *about, char **text, int64_t *rows,
                            cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, sql, err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, trial);
    if (sqlite3_bind_parameter_count(query) > 1) db_bind_text(query, 2, about);
    bool row;
    *rows = 0;
    *text = NULL;
    cru_status status = db_next(s, query, &row, err);
    while (!status && row) {
        if ((*rows)++ == 0) *text = strdup(db_text(query, 0));
        status = db_next(s, query, &row, err);
    }
    return status;
}

/* ---- names of metrics ------------------------------------------------------------------------------------ */

/* "rec-at-k(stable 5)" is the label of a metric rec-at-k with these among its values. */
static bool label_fits(const char *label, const char *text)
{
    size_t name = strcspn(text, " ");
    if (strncmp(label, text, name) != 0 || label[name] != '(') return false;
    char *words = strdup(label + name + 1), *cursor = NULL;
    bool fits = words != NULL;
    for (char *word = fits ? strtok_r(words, " )", &cursor) : NULL; word && fits; word = strtok_r(NULL, " )", &cursor)) {
        char *line = NULL;
        fits = asprintf(&line, "=%s\n", word) >= 0 && strstr(text, line);
        free(line);
    }
    free(words);
    return fits;
}

#define UNNAMED " AND number.name NOT IN (SELECT name FROM judged WHERE judged.trial = ?1)"

static cru_status find_with_values(store *s, int64_t trial, const char *text, char **name, cru_error *err)
{
    sqlite3_stmt *query = db_statement(s, "SELECT name FROM number WHERE trial = ?1" UNNAMED " ORDER BY name", err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, trial);
    bool row;
    cru_status status = db_next(s, query, &row, err);
    for (; !status && row; status = db_next(s, query, &row, err))
        if (!*name && label_fits(db_text(query, 0), text)) *name = strdup(db_text(query, 0));
    return status;
}

/* Of the labels of experiments that list the trial. */
static cru_status find_only_one(store *s, int64_t trial, char **name, cru_error *err)
{
    int64_t rows;
    cru_status status = read_text(s,
                                  "SELECT DISTINCT number.name FROM member JOIN experiment_metric USING(experiment)"
                                  " JOIN number ON number.trial = member.trial AND number.name = experiment_metric.name"
                                  " WHERE member.trial = ?1" UNNAMED,
                                  trial, NULL, name, &rows, err);
    if (rows == 1) return status;
    free(*name);
    *name = NULL;
    return status;
}

/* Under which of its names the trial has the number of a metric: the plugin's, one with values, or the only one that is
 * left. NULL: none can be told. */
static cru_status find_name(store *s, int64_t trial, const char *text, char **name, cru_error *err)
{
    char *plain = strndup(text, strcspn(text, " "));
    int64_t rows;
    *name = NULL;
    if (!plain) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for a name", s->path);
    cru_status status =
        read_text(s, "SELECT name FROM number WHERE trial = ?1 AND name = ?2" UNNAMED, trial, plain, name, &rows, err);
    if (!status && !*name) status = find_with_values(s, trial, text, name, err);
    if (!status && !*name) status = find_only_one(s, trial, name, err);
    free(plain);
    return status;
}

static cru_status note_metrics(store *s, int64_t trial, const parted *p, cru_error *err)
{
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < p->metric_count; i++) {
        char *name;
        judged_names names = {0};
        status = find_name(s, trial, p->metrics[i], &name, err);
        if (status || !name) continue;
        const store_judged metric = {name, p->metrics[i]};
        status = judged_put(s, trial, &(judged_list){.items = &metric, .count = 1}, &names, err);
        judged_names_free(&names, 1);
        free(name);
    }
    return status;
}

/* ---- trials ---------------------------------------------------------------------------------------------- */

/* All that hangs on the second goes to the first, unless that has it, and the second goes. */
static cru_status join(store *s, int64_t first, int64_t second, cru_error *err)
{
    static const char *const steps[] = {
        "UPDATE OR IGNORE member SET trial = ?1 WHERE trial = ?2",
        "UPDATE OR IGNORE namesake SET trial = ?1 WHERE trial = ?2",
        "UPDATE OR IGNORE past SET trial = ?1 WHERE trial = ?2",
        "UPDATE OR IGNORE number SET trial = ?1 WHERE trial = ?2",
        "UPDATE OR IGNORE vector SET trial = ?1 WHERE trial = ?2",
        "UPDATE OR IGNORE judged SET trial = ?1 WHERE trial = ?2",
        "UPDATE OR IGNORE scores SET trial = ?1 WHERE trial = ?2",
        "DELETE FROM member WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM namesake WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM past WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM number WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM vector WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM judged WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM scores WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM curve WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM setting WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM made_by WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM spent WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM log WHERE trial = ?2 AND ?1 <> ?2",
        "DELETE FROM trial WHERE id = ?2 AND ?1 <> ?2",
    };
    cru_status status = CRU_OK;
    for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++)
        status = run_rows(s, steps[i], first, second, err);
    return status;
}

static cru_status rename_trial(store *s, int64_t trial, const char *key, const char *canonical, cru_error *err)
{
    sqlite3_stmt *update = db_statement(s, "UPDATE trial SET key = ?2, canonical = ?3 WHERE id = ?1", err);
    if (!update) return CRU_IO;
    sqlite3_bind_int64(update, 1, trial);
    db_bind_text(update, 2, key);
    db_bind_text(update, 3, canonical);
    return db_run(s, update, err);
}

static cru_status renew(store *s, int64_t trial, const parted *p, cru_error *err)
{
    char key[SHA256_HEX], *same = NULL;
    int64_t rows;
    sha256_bytes(p->rest, strlen(p->rest), key);
    cru_status status = note_metrics(s, trial, p, err);
    if (!status)
        status = read_text(s, "SELECT id FROM trial WHERE key = ?2 AND id <> ?1", trial, key, &same, &rows, err);
    if (!status) status = same ? join(s, atoll(same), trial, err) : rename_trial(s, trial, key, p->rest, err);
    free(same);
    return status;
}

static cru_status renew_if_hashed(store *s, int64_t trial, const char *key, const char *canonical, cru_error *err)
{
    char hash[SHA256_HEX];
    parted p = {0};
    sha256_bytes(canonical, strlen(canonical), hash);
    if (strcmp(hash, key) != 0) return CRU_OK;
    cru_status status = part(canonical, &p) ? renew(s, trial, &p, err)
                                            : cru_fail(err, CRU_NO_MEMORY, "%s: no memory for a trial", s->path);
    parted_free(&p);
    return status;
}

typedef struct old_trial {
    int64_t id;
    char *key, *canonical;
} old_trial;

/* The trial after that position of the list; *id is 0 when there is none. The caller frees the texts. */
static cru_status next_trial(store *s, int64_t *position, old_trial *out, cru_error *err)
{
    *out = (old_trial){0};
    sqlite3_stmt *query = db_statement(s,
                                       "SELECT o.rowid, trial.id, key, canonical FROM renewal o JOIN trial"
                                       " ON trial.id = o.id WHERE o.rowid > ?1 ORDER BY o.rowid LIMIT 1",
                                       err);
    if (!query) return CRU_IO;
    sqlite3_bind_int64(query, 1, *position);
    bool row;
    cru_status status = db_next(s, query, &row, err);
    if (status || !row) return status;
    *position = sqlite3_column_int64(query, 0);
    *out = (old_trial){sqlite3_column_int64(query, 1), strdup(db_text(query, 2)), strdup(db_text(query, 3))};
    db_done(query);
    return out->key && out->canonical ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "%s: no memory for a trial", s->path);
}

/* Those with a result first: they are what others join. */
static cru_status renew_all(store *s, cru_error *err)
{
    int64_t position = 0;
    old_trial t = {.id = 1};
    cru_status status = db_exec(s,
                                "CREATE TEMP TABLE renewal AS SELECT id FROM trial"
                                " ORDER BY outcome <> 1, outcome = 0, id",
                                err);
    while (!status && t.id) {
        status = next_trial(s, &position, &t, err);
        if (!status && t.id) status = renew_if_hashed(s, t.id, t.key, t.canonical, err);
        free(t.key);
        free(t.canonical);
    }
    return status ? status : db_exec(s, "DROP TABLE temp.renewal", err);
}

cru_status migrate_keys(store *s, cru_error *err)
{
    bool held;
    cru_status status = claims_held(s, &held, err);
    if (status) return status;
    if (held)
        return cru_fail(err, CRU_IO,
                        "%s: a program of an older version is running trials in it; it can be renewed when that has "
                        "ended",
                        s->path);
    return renew_all(s, err);
}
