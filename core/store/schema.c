// SPDX-License-Identifier: Apache-2.0
/* schema.c: opening a file, its tables, and the way from older versions of them to the present one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "store/db.h"

enum {
    APPLICATION = 0x43525543, /* "CRUC", in SQLite's header: tells our files from others */
    VERSION = 2,
};

/* Everything that hangs on a trial goes when the trial goes. Vectors, curves and scores are little-endian float64,
 * int64 and float32 without a header. The five last columns of a trial are its claim. */
static const char create_tables[] =
    "CREATE TABLE experiment(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, config TEXT,"
    " touched INTEGER NOT NULL);"
    "CREATE TABLE experiment_metric(experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,"
    " position INTEGER NOT NULL, name TEXT NOT NULL, flags INTEGER NOT NULL,"
    " PRIMARY KEY(experiment, position)) WITHOUT ROWID;"
    "CREATE TABLE environment(id INTEGER PRIMARY KEY, description TEXT NOT NULL UNIQUE);"
    "CREATE TABLE trial(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE CHECK(length(key) BETWEEN 1 AND 128),"
    " canonical TEXT NOT NULL, outcome INTEGER NOT NULL DEFAULT 0, message TEXT, seconds_total REAL,"
    " seconds_to_best REAL, peak_bytes INTEGER, best_epoch INTEGER, finished_ms INTEGER,"
    " environment INTEGER REFERENCES environment,"
    " host TEXT, boot TEXT, pid INTEGER, start INTEGER, expiry_ms INTEGER);"
    "CREATE INDEX trial_claimed ON trial(pid) WHERE pid IS NOT NULL;"
    "CREATE TABLE member(experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,"
    " position INTEGER NOT NULL, trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, alias TEXT,"
    " tried INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(experiment, position)) WITHOUT ROWID;"
    "CREATE UNIQUE INDEX member_trial ON member(trial, experiment);"
    "CREATE TABLE setting(trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, name TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY(trial, name)) WITHOUT ROWID;"
    "CREATE TABLE number(trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, name TEXT NOT NULL, value REAL,"
    " PRIMARY KEY(trial, name)) WITHOUT ROWID;"
    "CREATE TABLE vector(trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, name TEXT NOT NULL,"
    " data BLOB NOT NULL, PRIMARY KEY(trial, name)) WITHOUT ROWID;"
    "CREATE TABLE curve(trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, name TEXT NOT NULL,"
    " epochs BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY(trial, name)) WITHOUT ROWID;"
    "CREATE TABLE scores(trial INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE, rows INTEGER NOT NULL,"
    " cols INTEGER NOT NULL, data BLOB NOT NULL);";

/* Which files of plugins made a trial, the parts of its time, what it logged, further names of a trial that an experiment
 * lists under several, kept scores and what else is kept with them, and by its key the trial whose kept scores another was judged from. Not part of a
 * layout's number: programs that do not know of them pass them over, and a file without them gets them when it is opened
 * for writing. */
static const char create_additions[] =
    "CREATE TABLE IF NOT EXISTS build(id INTEGER PRIMARY KEY, plugin TEXT NOT NULL, checksum TEXT NOT NULL,"
    " UNIQUE(plugin, checksum));"
    "CREATE TABLE IF NOT EXISTS made_by(trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,"
    " build INTEGER NOT NULL REFERENCES build, PRIMARY KEY(trial, build)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS spent(trial INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,"
    " construct REAL, train REAL);"
    "CREATE TABLE IF NOT EXISTS namesake(experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,"
    " position INTEGER NOT NULL, trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, alias TEXT,"
    " tried INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(experiment, position)) WITHOUT ROWID;"
    "CREATE UNIQUE INDEX IF NOT EXISTS namesake_alias ON namesake(trial, experiment, alias);"
    "CREATE TABLE IF NOT EXISTS log(trial INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,"
    " text TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS past(experiment INTEGER NOT NULL, position INTEGER NOT NULL,"
    " trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, alias TEXT, tried INTEGER NOT NULL,"
    " PRIMARY KEY(experiment, trial)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS past_trial ON past(trial);"
    "CREATE TABLE IF NOT EXISTS kept(trial INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,"
    " training TEXT NOT NULL, bytes INTEGER NOT NULL, metrics TEXT NOT NULL, rows INTEGER NOT NULL,"
    " cols INTEGER NOT NULL, exponent INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS kept_training ON kept(training, bytes);"
    "CREATE TABLE IF NOT EXISTS judged_from(trial INTEGER PRIMARY KEY REFERENCES trial ON DELETE CASCADE,"
    " source TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS kept_part(trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE, name TEXT NOT "
    "NULL,"
    " rows INTEGER NOT NULL, cols INTEGER NOT NULL, exponent INTEGER NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY(trial, name)) WITHOUT ROWID;";
/* How a file without an addition that must not be changed is made to look like one with it. */
static const struct {
    const char *has, *look;
} added_views[] = {
    {"SELECT count(*) FROM main.sqlite_master WHERE name = 'spent'",
     "CREATE TEMP VIEW spent AS SELECT NULL AS trial, NULL AS construct, NULL AS train WHERE 0;"},
    {"SELECT count(*) FROM main.sqlite_master WHERE name = 'namesake'",
     "CREATE TEMP VIEW namesake AS SELECT NULL AS experiment, NULL AS position, NULL AS trial, NULL AS alias,"
     " NULL AS tried WHERE 0;"},
    {"SELECT count(*) FROM main.sqlite_master WHERE name = 'log'",
     "CREATE TEMP VIEW log AS SELECT NULL AS trial, NULL AS text WHERE 0;"},
    {"SELECT count(*) FROM main.sqlite_master WHERE name = 'past'",
     "CREATE TEMP VIEW past AS SELECT 0 AS experiment, 0 AS position, 0 AS trial, NULL AS alias, 0 AS tried WHERE 0;"},
    {"SELECT count(*) FROM main.sqlite_master WHERE name = 'judged_from'",
     "CREATE TEMP VIEW judged_from AS SELECT NULL AS trial, NULL AS source WHERE 0;"},
    {"SELECT count(*) FROM main.sqlite_master WHERE name = 'kept_part'",
     "CREATE TEMP VIEW kept_part AS SELECT NULL AS trial, NULL AS name, 0 AS rows, 0 AS cols, 0 AS exponent, NULL AS "
     "data"
     " WHERE 0;"},
};

/* The trials of an experiment under all their names, and under its negative number those that earlier lists of it had and this has not. */
static const char look_at_both[] =
    "CREATE TEMP VIEW listed AS SELECT experiment, position, trial, alias, tried FROM member UNION ALL"
    " SELECT experiment, position, trial, alias, tried FROM namesake UNION ALL"
    " SELECT experiment, position, trial, alias, tried FROM past WHERE NOT EXISTS"
    " (SELECT 1 FROM member WHERE member.trial = past.trial AND member.experiment = -past.experiment);";

/* From layout 1 to 2: searches; and how a file that must not be changed is made to look like it. */
static const char add_searches[] = "ALTER TABLE member ADD COLUMN tried INTEGER NOT NULL DEFAULT 0;";
static const char look_renewed[] = "CREATE TEMP VIEW member AS SELECT *, 0 AS tried FROM main.member;";

/* A statement of one number, such as a pragma. */
static cru_status read_number(store *s, const char *sql, int64_t *value, cru_error *err)
{
    sqlite3_stmt *query;
    if (sqlite3_prepare_v2(s->db, sql, -1, &query, NULL) != SQLITE_OK) return db_fail(s, err);
    cru_status status = sqlite3_step(query) == SQLITE_ROW ? CRU_OK : db_fail(s, err);
    *value = status ? 0 : sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return status;
}

typedef struct file_header {
    int64_t application, version, tables;
} file_header;

static cru_status read_header(store *s, file_header *header, cru_error *err)
{
    cru_status status = read_number(s, "PRAGMA application_id", &header->application, err);
    if (!status) status = read_number(s, "PRAGMA user_version", &header->version, err);
    if (!status) status = read_number(s, "SELECT count(*) FROM sqlite_master", &header->tables, err);
    return status;
}

/* In one transaction, so that the three numbers belong together while another process creates the tables. */
static cru_status read_header_at_once(store *s, file_header *header, cru_error *err)
{
    cru_status status = db_exec(s, "BEGIN", err);
    if (status) return status;
    status = read_header(s, header, err);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static cru_status bring_up(store *s, const char *tables, cru_error *err)
{
    char header[100];
    snprintf(header, sizeof header, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, VERSION);
    cru_status status = db_exec(s, tables, err);
    return status ? status : db_exec(s, header, err);
}

static bool is_old(const file_header *header)
{
    return header->application == APPLICATION && header->version < VERSION;
}

/* Inside a write transaction, so that of two processes that open a file at once only one changes the tables. */
static cru_status bring_up_once(store *s, cru_error *err)
{
    file_header header;
    cru_status status = db_exec(s, "BEGIN IMMEDIATE", err);
    if (status) return status;
    status = read_header(s, &header, err);
    if (!status && header.tables == 0)
        status = bring_up(s, create_tables, err);
    else if (!status && is_old(&header))
        status = bring_up(s, add_searches, err);
    if (!status) return db_exec(s, "COMMIT", err);
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* SQL that runs when a table is read or written, which may never end or change other rows: no store of ours has any. */
static cru_status refuse_programs(store *s, cru_error *err)
{
    sqlite3_stmt *query;
    const char *const sql = "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger')"
                            " OR sql LIKE 'CREATE VIRTUAL%' LIMIT 1";
    if (sqlite3_prepare_v2(s->db, sql, -1, &query, NULL) != SQLITE_OK) return db_fail(s, err);
    int code = sqlite3_step(query);
    cru_status status = code == SQLITE_DONE || code == SQLITE_ROW ? CRU_OK : db_fail(s, err);
    if (code == SQLITE_ROW)
        status = cru_fail(err, CRU_BAD_INPUT,
                          "%s: has the %s '%.100s', and no result store has any; if it is yours, drop it", s->path,
                          db_name(s, query, 0), db_name(s, query, 1));
    sqlite3_finalize(query);
    return status;
}

cru_status schema_check(store *s, cru_error *err)
{
    file_header header;
    cru_status status = read_header_at_once(s, &header, err);
    if (!status && (header.tables == 0 || is_old(&header)) && !s->options.read_only) {
        status = bring_up_once(s, err);
        if (!status) status = read_header_at_once(s, &header, err);
    }
    if (status) return status;
    if (header.application != APPLICATION) {
        return cru_fail(err, CRU_BAD_INPUT, "%s: an SQLite file, but not a result store", s->path);
    }
    if (header.version > VERSION) {
        return cru_fail(err, CRU_BAD_INPUT,
                        "%s: written by a newer version of crucible (layout %lld, this program knows %d)", s->path,
                        (long long)header.version, VERSION);
    }
    status = refuse_programs(s, err);
    if (status) return status;
    return is_old(&header) ? db_exec(s, look_renewed, err) : CRU_OK;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static store_options with_defaults(const store_options *options)
{
    store_options o = options ? *options : (store_options){0};
    if (o.busy_ms <= 0) o.busy_ms = 30000;
    if (o.batch_ms <= 0) o.batch_ms = 50;
    if (o.lease_seconds == 0) o.lease_seconds = 600;
    return o;
}

/* The switch to WAL needs the file for itself for a moment and, unlike a statement, is not always retried by SQLite. */
static cru_status use_wal(store *s, cru_error *err)
{
    int64_t give_up = clock_ms() + s->options.busy_ms;
    int code = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    while ((code & 0xff) == SQLITE_BUSY && clock_ms() < give_up) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        code = sqlite3_exec(s->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    }
    return code == SQLITE_OK ? CRU_OK : db_fail(s, err);
}

/* ---- network disks --------------------------------------------------------------------------------------- */

bool store_on_network(int64_t kind)
{
    static const uint32_t kinds[] = {
        0x6969,     /* NFS */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB 2 */
        0x517b,     /* SMB */
        0x19830326, /* BeeGFS */
        0x00c36400, /* Ceph */
        0x5346414f, /* AFS */
        0x01021997, /* 9P */
        0xaad7aaea, /* PanFS */
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((uint32_t)kind == kinds[i]) return true;
    return false;
}

static bool is_alone(const store *s)
{
    struct statfs info;
    return s->options.alone || (statfs(s->path, &info) == 0 && store_on_network((int64_t)info.f_type));
}

/* The lock is taken with the first write and kept until the file is closed. */
static cru_status use_journal(store *s, cru_error *err)
{
    return db_exec(s, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE", err);
}

static cru_status add_missing(store *s, cru_error *err)
{
    cru_status status = s->options.read_only ? CRU_OK : db_exec(s, create_additions, err);
    for (size_t i = 0; !status && i < sizeof added_views / sizeof *added_views; i++) {
        int64_t has = 0;
        status = read_number(s, added_views[i].has, &has, err);
        if (!status && !has) status = db_exec(s, added_views[i].look, err);
    }
    return status ? status : db_exec(s, look_at_both, err);
}

/* Keys are entered in no order, so that a cache of less than all their pages is of little use: 128 MiB, taken as needed,
 * are enough for a million trials. Readers go from one end to the other. */
static const char use_much_memory[] = "PRAGMA cache_size = -131072";

/* A file that is checked and then copied: of one of usual size the pages are still there the second time. */
static const char read_once[] = "PRAGMA cache_size = -16384";

/* For readers only: a writer's statements would keep the way back from them in memory as well, in a list that SQLite walks
 * from its start at every statement of a long transaction. Before anything else, since it drops temporary views. */
static const char sort_in_memory[] = "PRAGMA temp_store = MEMORY";

/* synchronous = NORMAL: a commit survives the death of the process; after a power cut the last ones may be missing, but
 * the file is whole. */
static cru_status prepare(store *s, cru_error *err)
{
    sqlite3_busy_timeout(s->db, s->options.busy_ms);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    cru_status status = s->options.read_only ? db_exec(s, sort_in_memory, err) : CRU_OK;
    if (!status) status = schema_check(s, err);
    if (!status && !s->options.read_only) status = is_alone(s) ? use_journal(s, err) : use_wal(s, err);
    if (!status && !s->options.read_only) status = db_exec(s, use_much_memory, err);
    if (!status && s->options.still) status = db_exec(s, read_once, err);
    if (!status) status = add_missing(s, err);
    if (!status) status = db_exec(s, "PRAGMA synchronous = NORMAL", err);
    return status || s->options.unreferenced ? status : db_exec(s, "PRAGMA foreign_keys = ON", err);
}

static cru_status connect(store *s, const char *name, int flags, cru_error *err)
{
    flags |= SQLITE_OPEN_NOMUTEX; /* a store is one thread's */
    cru_status status = sqlite3_open_v2(name, &s->db, flags, NULL) == SQLITE_OK ? CRU_OK : db_fail(s, err);
    if (!status) status = store_keep_private(s, err);
    return status ? status : prepare(s, err);
}

static void disconnect(store *s)
{
    for (int i = 0; i < DB_STATEMENTS; i++) sqlite3_finalize(s->cache[i].statement);
    memset(s->cache, 0, sizeof s->cache);
    for (int i = 0; i < DB_MENDED; i++) free(s->mended[i]);
    memset(s->mended, 0, sizeof s->mended);
    sqlite3_close(s->db);
    free(s->private_methods);
    s->db = NULL;
    s->private_methods = NULL;
}

/* ---- on a medium that cannot be written ------------------------------------------------------------------ */

/* Whether the folder of the file, whose path is absolute, cannot be written to. */
static bool folder_is_sealed(const char *path)
{
    char *folder = strdup(path);
    if (!folder) return false;
    folder[strrchr(folder, '/') == folder ? 1 : strrchr(folder, '/') - folder] = 0;
    bool sealed = access(folder, W_OK) != 0;
    free(folder);
    return sealed;
}

/* Whether a log lies beside the file, with writes that are not in it. */
static bool has_log(const char *path)
{
    struct stat info;
    char *log = NULL;
    bool has = asprintf(&log, "%s-wal", path) >= 0 && stat(log, &info) == 0 && info.st_size > 0;
    free(log);
    return has;
}

/* SQLite's URI of a file that nobody changes. The caller frees it. */
static char *immutable_uri(const char *path)
{
    char *uri = NULL;
    size_t size;
    FILE *out = open_memstream(&uri, &size);
    if (!out) return NULL;
    fputs("file://", out);
    for (const char *c = path; *c; c++) fprintf(out, strchr("%?#", *c) ? "%%%02X" : "%c", (unsigned char)*c);
    fputs("?immutable=1", out);
    return fclose(out) == 0 ? uri : NULL;
}

static cru_status connect_immutable(store *s, const char *path, cru_error *err)
{
    char *uri = immutable_uri(path);
    cru_status status = uri ? connect(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err)
                            : cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", s->path);
    free(uri);
    return status;
}

/* As its options say. */
static cru_status connect_as_told(store *s, cru_error *err)
{
    const int flags = s->options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    char *path = s->options.read_only && s->options.still ? realpath(s->path, NULL) : NULL;
    cru_status status = path && !has_log(path) ? connect_immutable(s, path, err) : connect(s, s->path, flags, err);
    free(path);
    return status;
}

/* A file in WAL mode is read with the help of another that SQLite makes beside it. Where that is not possible, nobody
 * can write to the store either, so it may be read as it is. `err` holds why the first attempt failed, and keeps it
 * where that is not the cause. */
static cru_status connect_sealed(store *s, cru_error *err)
{
    const cru_error first = *err;
    char *path = first.status == CRU_IO ? realpath(s->path, NULL) : NULL;
    if (!path || !folder_is_sealed(path)) {
        free(path);
        return first.status;
    }
    *err = (cru_error){0};
    cru_status status = CRU_OK;
    if (has_log(path)) {
        status = cru_fail(err, CRU_IO,
                          "%s: its folder cannot be written, and beside it is a log (-wal) with more results; copy "
                          "both to a folder of your own",
                          s->path);
    } else {
        disconnect(s);
        status = connect_immutable(s, path, err);
    }
    free(path);
    return status;
}

cru_status store_open(const char *path, const store_options *options, store **out, cru_error *err)
{
    *out = NULL;
    if (!*path || strcmp(path, ":memory:") == 0) /* SQLite would keep it nowhere */
        return cru_fail(err, CRU_BAD_INPUT, "'%s' names no file for the results", path);
    store *s = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        free(s);
        return cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", path);
    }
    s->kept_bytes = -1;
    s->options = with_defaults(options);
    if (s->options.owner) {
        s->owner = *s->options.owner;
    } else {
        store_owner_self(&s->owner);
    }
    cru_error why = {0};
    cru_status status = connect_as_told(s, &why);
    if (status && s->options.read_only) status = connect_sealed(s, &why);
    if (status) {
        store_close(s, NULL);
        return cru_fail(err, status, "%s", why.text);
    }
    *out = s;
    return CRU_OK;
}

cru_status store_close(store *s, cru_error *err)
{
    if (!s) return CRU_OK;
    cru_status status = s->db ? store_flush(s, err) : CRU_OK;
    disconnect(s);
    free(s->path);
    free(s);
    return status;
}

const char *store_path(const store *s)
{
    return s->path;
}
