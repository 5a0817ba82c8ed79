// SPDX-License-Identifier: Apache-2.0
/* write.c: experiments, their trials and the results of these. */
#include "store/db.h"

const char *store_outcome_name(store_outcome outcome)
{
    static const char *const names[STORE_OUTCOMES] = {"pending", "ok", "oom", "timeout", "crashed", "failed"};
    return outcome >= 0 && outcome < STORE_OUTCOMES ? names[outcome] : "unknown";
}

/* Runs a statement whose only parameters are whole numbers. */
static cru_status run_with(store *s, const char *sql, int64_t first, int64_t second, cru_error *err)
{
    sqlite3_stmt *statement = db_statement(s, sql, err);
    if (!statement) return CRU_IO;
    sqlite3_bind_int64(statement, 1, first);
    if (sqlite3_bind_parameter_count(statement) > 1) sqlite3_bind_int64(statement, 2, second);
    return db_run(s, statement, err);
}

/* The number in the first row of a statement whose only parameter is a text; 0 when there is no row. */
static cru_status find_row(store *s, const char *sql, const char *text, int64_t *row, cru_error *err)
{
    *row = 0;
    sqlite3_stmt *query = db_statement(s, sql, err);
    if (!query) return CRU_IO;
    db_bind_text(query, 1, text);
    bool found;
    cru_status status = db_next(s, query, &found, err);
    if (status || !found) return status;
    *row = sqlite3_column_int64(query, 0);
    db_done(query);
    return CRU_OK;
}

cru_status trial_row(store *s, const char *key, int64_t *row, cru_error *err)
{
    cru_status status = find_row(s, "SELECT id FROM trial WHERE key = ?1", key, row, err);
    if (status || *row) return status;
    return cru_fail(err, CRU_BAD_INPUT, "%s: no trial has the key %s", s->path, key);
}

/* ---- experiments ----------------------------------------------------------------------------------------- */

static cru_status put_environment(store *s, const char *description, cru_error *err)
{
    s->environment = 0;
    if (!description) return CRU_OK;
    sqlite3_stmt *insert = db_statement(s, "INSERT OR IGNORE INTO environment(description) VALUES(?1)", err);
    if (!insert) return CRU_IO;
    db_bind_text(insert, 1, description);
    cru_status status = db_run(s, insert, err);
    if (status) return status;
    return find_row(s, "SELECT id FROM environment WHERE description = ?1", description, &s->environment, err);
}

static cru_status put_metrics(store *s, const store_experiment *experiment, int64_t id, cru_error *err)
{
    cru_status status = run_with(s, "DELETE FROM experiment_metric WHERE experiment = ?1", id, 0, err);
    sqlite3_stmt *insert = db_statement(s, "INSERT INTO experiment_metric VALUES(?1, ?2, ?3, ?4)", err);
    if (!insert) return CRU_IO;
    for (int64_t i = 0; !status && i < experiment->metric_count; i++) {
        sqlite3_bind_int64(insert, 1, id);
        sqlite3_bind_int64(insert, 2, i);
        db_bind_text(insert, 3, experiment->metrics[i].name);
        sqlite3_bind_int64(insert, 4, experiment->metrics[i].flags);
        status = db_run(s, insert, err);
    }
    return status;
}

static cru_status put_list_aside(store *s, int64_t id, cru_error *err)
{
    static const char *const steps[] = {
        ("REPLACE INTO past SELECT -experiment, position + (SELECT 1 + ifnull(max(position), -1) FROM past"
         " WHERE experiment = -?1), trial, alias, tried FROM member WHERE experiment = ?1"), /* later lists behind */
        "DELETE FROM member WHERE experiment = ?1",
        "DELETE FROM namesake WHERE experiment = ?1",
    };
    cru_status status = CRU_OK;
    for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++) status = run_with(s, steps[i], id, 0, err);
    return status;
}

static cru_status put_experiment(store *s, const store_experiment *experiment, int64_t *id, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s,
                                        "INSERT INTO experiment(name, config, touched) VALUES(?1, ?2,"
                                        " (SELECT 1 + ifnull(max(touched), 0) FROM experiment))"
                                        " ON CONFLICT(name) DO UPDATE SET config = excluded.config,"
                                        " touched = excluded.touched",
                                        err);
    if (!insert) return CRU_IO;
    db_bind_text(insert, 1, experiment->name);
    db_bind_text(insert, 2, experiment->config);
    cru_status status = db_run(s, insert, err);
    if (!status) status = find_row(s, "SELECT id FROM experiment WHERE name = ?1", experiment->name, id, err);
    if (!status && !experiment->same_list) status = put_list_aside(s, *id, err);
    if (!status) status = put_metrics(s, experiment, *id, err);
    return status ? status : put_environment(s, experiment->environment, err);
}

cru_status store_add_experiment(store *s, const store_experiment *experiment, int64_t *id, cru_error *err)
{
    cru_status status = write_begin(s, err);
    if (status) return status;
    return write_end(s, put_experiment(s, experiment, id, err), err);
}

cru_status store_delete_experiment(store *s, int64_t experiment, cru_error *err)
{
    cru_status status = write_begin(s, err);
    if (status) return status;
    s->kept_bytes = -1;
    status = run_with(s,
                      "DELETE FROM trial WHERE id IN (SELECT trial FROM member WHERE experiment = ?1)"
                      " AND NOT EXISTS (SELECT 1 FROM member WHERE trial = trial.id AND experiment <> ?1)",
                      experiment, 0, err);
    if (!status) status = run_with(s, "DELETE FROM past WHERE experiment = -?1", experiment, 0, err);
    if (!status) status = run_with(s, "DELETE FROM experiment WHERE id = ?1", experiment, 0, err);
    return write_end(s, status, err);
}

/* ---- trials ---------------------------------------------------------------------------------------------- */

static cru_status put_settings(store *s, int64_t row, const store_trial *trial, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT INTO setting VALUES(?1, ?2, ?3)", err);
    cru_status status = insert ? CRU_OK : CRU_IO;
    for (int64_t i = 0; !status && i < trial->setting_count; i++) {
        sqlite3_bind_int64(insert, 1, row);
        db_bind_text(insert, 2, trial->settings[i].name);
        db_bind_text(insert, 3, trial->settings[i].value);
        status = db_run(s, insert, err);
    }
    return status;
}

static cru_status put_trial(store *s, const store_trial *trial, int64_t *row, cru_error *err)
{
    sqlite3_stmt *insert =
        db_statement(s, "INSERT INTO trial(key, canonical) VALUES(?1, ?2) ON CONFLICT(key) DO NOTHING", err);
    if (!insert) return CRU_IO;
    db_bind_text(insert, 1, trial->key);
    db_bind_text(insert, 2, trial->canonical);
    cru_status status = db_run(s, insert, err);
    if (status) return status;
    if (!sqlite3_changes(s->db)) return trial_row(s, trial->key, row, err);
    *row = sqlite3_last_insert_rowid(s->db);
    return put_settings(s, *row, trial, err);
}

/* Parameter 1: the experiment, 4: the place or 0. */
#define POSITION                                                                                                       \
    "ifnull(nullif(?4, 0), (SELECT 1 + max(ifnull((SELECT max(position) FROM member WHERE experiment = ?1), -1),"      \
    " ifnull((SELECT max(position) FROM namesake WHERE experiment = ?1), -1))))"

/* A trial that the experiment lists already gets its other name beside the first one; the second step is for those that
 * the first did not touch. */
static const char *const put_member_steps[] = {
    "INSERT INTO member(experiment, position, trial, alias, tried) VALUES(?1, " POSITION ", ?2, ?3, ?5)"
    " ON CONFLICT(trial, experiment) DO UPDATE SET tried = excluded.tried"
    " WHERE member.tried = -1 AND member.alias IS excluded.alias",
    "INSERT INTO namesake(experiment, position, trial, alias, tried) SELECT ?1, " POSITION ", ?2, ?3, ?5"
    " FROM member WHERE trial = ?2 AND experiment = ?1 AND alias <> ?3"
    " ON CONFLICT(trial, experiment, alias) DO UPDATE SET tried = excluded.tried WHERE namesake.tried = -1",
};

cru_status member_put(store *s, int64_t experiment, int64_t row, const store_trial *trial, cru_error *err)
{
    cru_status status = CRU_OK;
    for (size_t i = 0; !status && i < sizeof put_member_steps / sizeof *put_member_steps; i++) {
        sqlite3_stmt *insert = db_statement(s, put_member_steps[i], err);
        if (!insert) return CRU_IO;
        sqlite3_bind_int64(insert, 1, experiment);
        sqlite3_bind_int64(insert, 2, row);
        db_bind_text(insert, 3, trial->alias);
        sqlite3_bind_int64(insert, 4, trial->place);
        sqlite3_bind_int64(insert, 5, trial->tried);
        status = db_run(s, insert, err);
        if (!status && sqlite3_changes(s->db)) break;
    }
    return status;
}

cru_status store_add_trial(store *s, int64_t experiment, const store_trial *trial, cru_error *err)
{
    cru_status status = write_begin(s, err);
    if (status) return status;
    int64_t row;
    status = put_trial(s, trial, &row, err);
    if (!status) status = member_put(s, experiment, row, trial, err);
    return write_end(s, status, err);
}

/* ---- results --------------------------------------------------------------------------------------------- */

/* Only for the holder of the claim; the claim ends with it. *mine tells whether it was. */
static cru_status put_outcome(store *s, int64_t row, const store_result *result, bool *mine, cru_error *err)
{
    sqlite3_stmt *update = db_statement(s,
                                        "UPDATE trial SET outcome = ?1, message = ?2, seconds_total = ?3,"
                                        " seconds_to_best = ?4, peak_bytes = ?5, best_epoch = ?6, finished_ms = ?7,"
                                        " environment = nullif(?8, 0), host = NULL, boot = NULL, pid = NULL,"
                                        " start = NULL, expiry_ms = NULL WHERE id = ?9 AND outcome = 0"
                                        " AND host = ?10 AND boot = ?11 AND pid = ?12 AND start = ?13",
                                        err);
    if (!update) return CRU_IO;
    sqlite3_bind_int(update, 1, (int)result->outcome);
    db_bind_text(update, 2, result->message);
    db_bind_number(update, 3, result->seconds_total);
    db_bind_number(update, 4, result->seconds_to_best);
    sqlite3_bind_int64(update, 5, result->peak_bytes);
    sqlite3_bind_int64(update, 6, result->best_epoch);
    sqlite3_bind_int64(update, 7, clock_ms());
    sqlite3_bind_int64(update, 8, s->environment);
    sqlite3_bind_int64(update, 9, row);
    db_bind_text(update, 10, s->owner.host);
    db_bind_text(update, 11, s->owner.boot);
    sqlite3_bind_int64(update, 12, s->owner.pid);
    sqlite3_bind_int64(update, 13, s->owner.start);
    cru_status status = db_run(s, update, err);
    *mine = !status && sqlite3_changes(s->db) > 0;
    return status;
}

static cru_status put_times(store *s, int64_t row, const store_result *result, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT OR REPLACE INTO spent VALUES(?1, ?2, ?3)", err);
    if (!insert) return CRU_IO;
    sqlite3_bind_int64(insert, 1, row);
    db_bind_number(insert, 2, result->seconds_construct);
    db_bind_number(insert, 3, result->seconds_train);
    return db_run(s, insert, err);
}

static cru_status put_numbers(store *s, int64_t row, const store_result *result, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT INTO number VALUES(?1, ?2, ?3)", err);
    cru_status status = insert ? CRU_OK : CRU_IO;
    for (int64_t i = 0; !status && i < result->number_count; i++) {
        sqlite3_bind_int64(insert, 1, row);
        db_bind_text(insert, 2, result->numbers[i].name);
        db_bind_number(insert, 3, result->numbers[i].value);
        status = db_run(s, insert, err);
    }
    return status;
}

static cru_status put_vectors(store *s, int64_t row, const store_result *result, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT INTO vector VALUES(?1, ?2, ?3)", err);
    cru_status status = insert ? CRU_OK : CRU_IO;
    for (int64_t i = 0; !status && i < result->vector_count; i++) {
        const store_vector *v = &result->vectors[i];
        sqlite3_bind_int64(insert, 1, row);
        db_bind_text(insert, 2, v->name);
        status = db_bind_blob(insert, 3, v->values, v->count * (int64_t)sizeof *v->values, err);
        if (!status) status = db_run(s, insert, err);
    }
    return status;
}

static cru_status put_curves(store *s, int64_t row, const store_result *result, cru_error *err)
{
    sqlite3_stmt *insert = db_statement(s, "INSERT INTO curve VALUES(?1, ?2, ?3, ?4)", err);
    cru_status status = insert ? CRU_OK : CRU_IO;
    for (int64_t i = 0; !status && i < result->curve_count; i++) {
        const store_curve *c = &result->curves[i];
        sqlite3_bind_int64(insert, 1, row);
        db_bind_text(insert, 2, c->name);
        status = db_bind_blob(insert, 3, c->epochs, c->count * (int64_t)sizeof *c->epochs, err);
        if (!status) status = db_bind_blob(insert, 4, c->values, c->count * (int64_t)sizeof *c->values, err);
        if (!status) status = db_run(s, insert, err);
    }
    return status;
}

static cru_status put_scores(store *s, int64_t row, const store_result *result, cru_error *err)
{
    if (!result->scores) return CRU_OK;
    sqlite3_stmt *insert = db_statement(s, "INSERT INTO scores VALUES(?1, ?2, ?3, ?4)", err);
    if (!insert) return CRU_IO;
    sqlite3_bind_int64(insert, 1, row);
    sqlite3_bind_int64(insert, 2, result->score_rows);
    sqlite3_bind_int64(insert, 3, result->score_cols);
    int64_t bytes = result->score_rows * result->score_cols * (int64_t)sizeof *result->scores;
    cru_status status = db_bind_blob(insert, 4, result->scores, bytes, err);
    return status ? status : db_run(s, insert, err);
}

static cru_status put_log(store *s, int64_t row, const store_result *result, cru_error *err)
{
    if (!result->log || !*result->log) return run_with(s, "DELETE FROM log WHERE trial = ?1", row, 0, err);
    sqlite3_stmt *insert = db_statement(s, "INSERT OR REPLACE INTO log VALUES(?1, ?2)", err);
    if (!insert) return CRU_IO;
    sqlite3_bind_int64(insert, 1, row);
    db_bind_text(insert, 2, result->log);
    return db_run(s, insert, err);
}

/* What another version of the program left of an earlier result goes. */
static cru_status put_builds(store *s, int64_t row, const store_result *result, cru_error *err)
{
    cru_status status = run_with(s, "DELETE FROM made_by WHERE trial = ?1", row, 0, err);
    sqlite3_stmt *name = db_statement(s, "INSERT OR IGNORE INTO build(plugin, checksum) VALUES(?1, ?2)", err);
    sqlite3_stmt *link = db_statement(s,
                                      "INSERT OR IGNORE INTO made_by SELECT ?3, id FROM build"
                                      " WHERE plugin = ?1 AND checksum = ?2",
                                      err);
    if (!name || !link) return CRU_IO;
    for (int64_t i = 0; !status && i < result->build_count; i++) {
        db_bind_text(name, 1, result->builds[i].plugin);
        db_bind_text(name, 2, result->builds[i].checksum);
        status = db_run(s, name, err);
        if (status) break;
        db_bind_text(link, 1, result->builds[i].plugin);
        db_bind_text(link, 2, result->builds[i].checksum);
        sqlite3_bind_int64(link, 3, row);
        status = db_run(s, link, err);
    }
    return status;
}

/* What a trial that was not trained has from the one that was. Parameter 1: its row, 2: the row of the other. */
static cru_status put_source(store *s, int64_t row, const char *source, cru_error *err)
{
    static const char *const steps[] = {
        "INSERT OR REPLACE INTO judged_from SELECT ?1, key FROM trial WHERE id = ?2",
        "INSERT OR REPLACE INTO curve SELECT ?1, name, epochs, data FROM curve WHERE trial = ?2",
        "INSERT OR REPLACE INTO scores SELECT ?1, rows, cols, data FROM scores WHERE trial = ?2",
        "INSERT OR REPLACE INTO log SELECT ?1, text FROM log WHERE trial = ?2",
        "INSERT OR IGNORE INTO made_by SELECT ?1, build FROM made_by WHERE trial = ?2",
        "UPDATE trial SET environment = (SELECT environment FROM trial WHERE id = ?2) WHERE id = ?1",
    };
    int64_t from = 0;
    if (!source) return CRU_OK;
    cru_status status = trial_row(s, source, &from, err);
    for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++) status = run_with(s, steps[i], row, from, err);
    return status;
}

static cru_status put_result(store *s, const char *key, const store_result *result, cru_error *err)
{
    int64_t row;
    bool mine = false;
    cru_status status = trial_row(s, key, &row, err);
    if (!status) status = put_outcome(s, row, result, &mine, err);
    if (status || !mine) return status;
    status = put_numbers(s, row, result, err);
    if (!status) status = put_vectors(s, row, result, err);
    if (!status) status = put_curves(s, row, result, err);
    if (!status) status = put_builds(s, row, result, err);
    if (!status) status = put_times(s, row, result, err);
    if (!status) status = put_log(s, row, result, err);
    if (!status) status = keep_put(s, row, key, result->kept, err);
    if (!status) status = put_scores(s, row, result, err);
    return status ? status : put_source(s, row, result->source, err);
}

cru_status store_finish(store *s, const char *key, const store_result *result, cru_error *err)
{
    cru_assert(result->outcome > STORE_PENDING && result->outcome < STORE_OUTCOMES, "store_finish: no outcome");
    cru_status status = write_begin(s, err);
    if (status) return status;
    return write_end(s, put_result(s, key, result, err), err);
}

/* Parameter 1: the experiment, 2: the bits of the outcomes. */
#define CONCERNED                                                                                                      \
    "(SELECT id FROM trial JOIN member ON member.trial = trial.id WHERE experiment = ?1 AND outcome <> 0"              \
    " AND ?2 & (1 << outcome))"

cru_status store_reset(store *s, int64_t experiment, uint32_t outcomes, int64_t *count, cru_error *err)
{
    static const char *const steps[] = {
        "DELETE FROM number WHERE trial IN " CONCERNED,
        "DELETE FROM vector WHERE trial IN " CONCERNED,
        "DELETE FROM curve WHERE trial IN " CONCERNED,
        "DELETE FROM scores WHERE trial IN " CONCERNED,
        "DELETE FROM made_by WHERE trial IN " CONCERNED,
        "DELETE FROM spent WHERE trial IN " CONCERNED,
        "DELETE FROM log WHERE trial IN " CONCERNED,
        "DELETE FROM kept WHERE trial IN " CONCERNED,
        "DELETE FROM kept_part WHERE trial IN " CONCERNED,
        "DELETE FROM kept_part WHERE ?2 & (1 << 1) AND trial IN (SELECT id FROM trial WHERE key IN"
        " (SELECT source FROM judged_from WHERE trial IN " CONCERNED "))",
        "DELETE FROM kept WHERE ?2 & (1 << 1) AND trial IN (SELECT id FROM trial WHERE key IN"
        " (SELECT source FROM judged_from WHERE trial IN " CONCERNED "))",
        "DELETE FROM judged_from WHERE trial IN " CONCERNED,
        "UPDATE trial SET outcome = 0, message = NULL, seconds_total = NULL, seconds_to_best = NULL, peak_bytes = NULL,"
        " best_epoch = NULL, finished_ms = NULL, environment = NULL WHERE id IN " CONCERNED,
    };
    cru_status status = write_begin(s, err);
    if (status) return status;
    s->kept_bytes = -1;
    for (size_t i = 0; !status && i < sizeof steps / sizeof *steps; i++) {
        status = run_with(s, steps[i], experiment, outcomes, err);
    }
    if (count) *count = status ? 0 : sqlite3_changes(s->db);
    return write_end(s, status, err);
}
