// SPDX-License-Identifier: Apache-2.0
#include "cli/session.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/artefact-run.h"
#include "cli/json.h"
#include "cli/profile.h"
#include "cli/setup.h"
#include "data/places.h"
#include "host/clock.h"
#include "host/progress.h"
#include "host/shard.h"
#include "report/report.h"
#include "search/tuning.h"
#include "worker/sandbox.h"

/* ---- one run --------------------------------------------------------------------------------------------- */

typedef struct session {
    const session_request *request;
    experiment *experiment;
    runner *runner;
    store *store;
    agenda agenda;  /* of an experiment without a search */
    tuning *tuning; /* of one with a search; else NULL */
    progress progress;
    profile profile; /* of --profile */
    bool late;       /* the time of --hours is over */
    int64_t judging; /* of score_only: trials that are under way */
    int64_t lost;    /* and those whose scores were not kept */
    char *db;        /* of a shard: the path of its own store */
    bool *mine;      /* of a shard: its trials; NULL: all */
} session;

/* The next trial whose scores are kept. The others stay out, also where a search waits for them. */
static runner_next next_kept(session *s, trial *t, char key[SHA256_HEX])
{
    for (;;) {
        runner_next next = s->tuning ? tuning_next(s->tuning, t, key) : agenda_next(&s->agenda, t, key);
        if (next == RUNNER_WAIT && s->judging > 0) return RUNNER_WAIT;
        if (next != RUNNER_TRIAL) return RUNNER_END;
        if (runner_has_kept(s->runner, t, key)) {
            s->judging++;
            return RUNNER_TRIAL;
        }
        s->lost++;
    }
}

static runner_next next_trial(void *user, trial *t, char key[SHA256_HEX])
{
    session *s = user;
    if (s->request->deadline > 0 && clock_now() > s->request->deadline) {
        s->late = true;
        return RUNNER_END;
    }
    if (s->request->score_only) return next_kept(s, t, key);
    return s->tuning ? tuning_next(s->tuning, t, key) : agenda_next(&s->agenda, t, key);
}

static bool partner_trial(void *user, const trial *t, trial *other, char key[SHA256_HEX])
{
    session *s = user;
    return s->tuning ? tuning_partner(s->tuning, t, other, key) : agenda_partner(&s->agenda, t, other, key);
}

/* Trials that remain to be run in all, as far as a search can tell. */
static int64_t todo_count(const session *s)
{
    return s->tuning ? tuning_count(s->tuning)->trials - tuning_count(s->tuning)->known : s->agenda.todo_count;
}

static void trial_done(void *user, const runner_result *result)
{
    session *s = user;
    s->judging -= s->request->score_only;
    if (s->tuning) tuning_done(s->tuning, result);
    s->progress.total = todo_count(s);
    progress_done(&s->progress, result);
}

static void trial_known(void *user, const char *key)
{
    session *s = user;
    s->judging -= s->request->score_only;
    if (s->tuning) tuning_known(s->tuning, key);
    s->progress.done++;
}

static void trials_awaited(void *user, int64_t count)
{
    session *s = user;
    if (s->request->quiet || s->request->json) return;
    progress_end(&s->progress);
    fprintf(stderr, "waiting for %lld trials that another process is running\n", (long long)count);
}

static void trial_tick(void *user, const trial *const *running, int32_t count)
{
    progress_tick(&((session *)user)->progress, running, count);
}

static agenda_again again_from(const session_request *q)
{
    return q->force ? AGENDA_ALL : q->retry ? AGENDA_FAILED : AGENDA_MISSING;
}

static progress_style style_from(const session_request *q)
{
    return q->json ? PROGRESS_JSON : q->quiet ? PROGRESS_QUIET : PROGRESS_BAR;
}

/* ---- afterwards ------------------------------------------------------------------------------------------ */

static int64_t failures(const runner_summary *summary)
{
    int64_t count = 0;
    for (int i = STORE_OOM; i < STORE_OUTCOMES; i++) count += summary->ended[i];
    return count;
}

static int64_t experiment_id(const session *s)
{
    return s->tuning ? tuning_count(s->tuning)->experiment : s->agenda.id;
}

/* The first line of what the first trial without a result says. */
typedef struct first_failure {
    char text[200];
} first_failure;

static bool find_failure(void *user, const store_trial_view *view)
{
    first_failure *f = user;
    if (view->outcome == STORE_OK || view->outcome == STORE_PENDING) return true;
    const char *message = view->message ? view->message : store_outcome_name(view->outcome);
    snprintf(f->text, sizeof f->text, "%.*s", (int)strcspn(message, "\n"), message);
    printable(f->text, false);
    return false;
}

static bool has_failures(const int64_t counts[STORE_OUTCOMES])
{
    for (int i = STORE_OOM; i < STORE_OUTCOMES; i++)
        if (counts[i]) return true;
    return false;
}

/* The last line, on the trials of the experiment, those known before too, that ended without a result. Without any
 * result at all it is an error of the whole. */
static cru_status print_failures(const session *s, const int64_t counts[STORE_OUTCOMES], cru_error *err)
{
    first_failure first = {0};
    int64_t bad = 0, all = counts[STORE_PENDING] + counts[STORE_OK];
    for (int i = STORE_OOM; i < STORE_OUTCOMES; i++) bad += counts[i];
    if (!bad) return CRU_OK;
    cru_status status = store_each_trial(s->store, experiment_id(s), find_failure, &first, err);
    if (status) return status;
    fprintf(stderr, "%s%s: %lld of %lld trials have no result (",
            counts[STORE_OK] ? "" : "crucible: ", s->experiment->name, (long long)bad, (long long)(all + bad));
    for (int i = STORE_OOM; i < STORE_OUTCOMES; i++)
        if (counts[i]) fprintf(stderr, "%lld %s, ", (long long)counts[i], store_outcome_name((store_outcome)i));
    fprintf(stderr, "the first: %s); --retry failed runs them again\n", first.text);
    return CRU_OK;
}

typedef struct warning_count {
    int64_t count;
    first_failure first;
} warning_count;

static bool find_warning(void *user, const store_trial_view *view)
{
    warning_count *w = user;
    if (view->outcome != STORE_OK || !view->message) return true;
    if (w->count++ == 0)
        snprintf(w->first.text, sizeof w->first.text, "%s: %.*s", view->alias ? view->alias : "",
                 (int)strcspn(view->message, "\n"), view->message);
    return true;
}

/* One line on the trials that have a result and warn of it. */
static cru_status print_warnings(const session *s, cru_error *err)
{
    warning_count w = {0};
    cru_status status = store_each_trial(s->store, experiment_id(s), find_warning, &w, err);
    if (!status && w.count)
        fprintf(stderr,
                "warning: %lld of the results of %s may be worthless (the first: %s); crucible show tells which\n",
                (long long)w.count, s->experiment->name, w.first.text);
    return status;
}

static void print_json_end(const session *s, const runner_summary *summary, int64_t left)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "event", "end");
    json_add_text(object, "experiment", s->experiment->name);
    for (int i = STORE_OK; i < STORE_OUTCOMES; i++)
        cJSON_AddNumberToObject(object, store_outcome_name((store_outcome)i), (double)summary->ended[i]);
    cJSON_AddNumberToObject(object, "trainings", (double)summary->trainings);
    cJSON_AddNumberToObject(object, "judged", (double)summary->judged);
    cJSON_AddNumberToObject(object, "left", (double)left);
    cJSON_AddBoolToObject(object, "interrupted", summary->interrupted);
    if (s->tuning) {
        cJSON_AddNumberToObject(object, "searches", (double)tuning_count(s->tuning)->searches);
        cJSON_AddNumberToObject(object, "settings_tried", (double)tuning_count(s->tuning)->settings);
    }
    char *text = cJSON_PrintUnformatted(object);
    printf("%s\n", text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(object);
}

static void print_end(const session *s, const runner_summary *summary, int64_t left)
{
    char took[DURATION_SIZE];
    int64_t ran = summary->ended[STORE_OK] + failures(summary);
    int64_t all = s->tuning ? ran + summary->elsewhere + tuning_count(s->tuning)->known
                            : s->agenda.part_count - s->agenda.repeats;
    int64_t known = s->tuning ? tuning_count(s->tuning)->known : all - s->agenda.todo_count;
    fprintf(stderr, "%s: %lld of %lld trials run in %s", s->experiment->name, (long long)ran, (long long)all,
            duration_text(clock_now() - s->progress.begun, took));
    if (summary->judged) fprintf(stderr, ", %lld of them judged from kept scores", (long long)summary->judged);
    if (known) fprintf(stderr, ", %lld known before", (long long)known);
    if (summary->elsewhere) fprintf(stderr, ", %lld run by another process", (long long)summary->elsewhere);
    fprintf(stderr, "; results in %s\n", store_path(s->store));
    if (s->tuning) {
        const tuning_figures *f = tuning_count(s->tuning);
        fprintf(stderr, "%lld of %lld searches over, %lld settings tried\n", (long long)f->over, (long long)f->searches,
                (long long)f->settings);
    }
    if (s->late)
        fprintf(stderr, "The hours are over: %lld trials remain. Run the same command to go on.\n", (long long)left);
    if (summary->interrupted && s->tuning)
        fprintf(stderr, "Interrupted. Run the same command again to go on.\n");
    else if (summary->interrupted)
        fprintf(stderr, "Interrupted: %lld trials remain. Run the same command again to go on.\n", (long long)left);
}

/* Results that are known are not made again when only the plugin's file has changed, which its author may not
 * expect. */
static cru_status print_rebuilt(const session *s, cru_error *err)
{
    runner_rebuilds r;
    cru_status status = runner_rebuilt(s->runner, experiment_id(s), &r, err);
    if (!status && r.count)
        fprintf(stderr, "%s %s built again since these results; --force or a new version runs %s\n", r.names,
                r.count == 1 ? "was" : "were", r.count == 1 ? "it" : "them");
    return status;
}

/* A search that was stopped early may have nothing to show yet. */
static bool can_show(const session *s, int64_t good)
{
    const tuning_figures *f = s->tuning ? tuning_count(s->tuning) : NULL;
    return !s->request->json && !s->request->quiet && !s->request->no_table && good && (!f || f->over || !f->searches);
}

static int finish(const session *s, const runner_summary *summary)
{
    cru_error err = {0};
    int64_t counts[STORE_OUTCOMES];
    if (store_count(s->store, experiment_id(s), counts, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (s->request->json)
        print_json_end(s, summary, counts[STORE_PENDING]);
    else if (!s->request->quiet || summary->interrupted)
        print_end(s, summary, counts[STORE_PENDING]);
    if (print_warnings(s, &err) != CRU_OK || print_rebuilt(s, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (can_show(s, counts[STORE_OK]) && report_print_compact(s->store, experiment_id(s), stdout, &err) != CRU_OK)
        return cli_fail("%s", err.text);
    fflush(stdout);
    if (print_failures(s, counts, &err) != CRU_OK) return cli_fail("%s", err.text);
    const bool nothing = !counts[STORE_OK] && !s->mine; /* a shard may well have few trials, or none */
    if (summary->interrupted || nothing) return CLI_FAILED;
    return has_failures(counts) ? CLI_PARTLY : CLI_OK;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static bool takes_part(void *user, const trial *t)
{
    const session *s = user;
    const session_request *q = s->request;
    return (!s->mine || s->mine[t->index]) && (!q->takes_part || q->takes_part(q->takes_part_user, t));
}

static cru_status open_work(session *s, cru_error *err)
{
    agenda_again again = again_from(s->request);
    agenda_filter *filter = s->mine || s->request->takes_part ? takes_part : NULL;
    if (s->experiment->search.method == SEARCH_NONE)
        return agenda_open_part(s->runner, s->store, &(agenda_part){again, filter, s}, &s->agenda, err);
    if (s->request->enter_only || s->request->instead) return CRU_OK;
    tuning_options options = {.runner = s->runner,
                              .store = s->store,
                              .experiment = s->experiment,
                              .again = again,
                              .takes_part = s->mine ? takes_part : NULL,
                              .takes_part_user = s};
    return tuning_open(&options, &s->tuning, err);
}

/* ---- a shard --------------------------------------------------------------------------------------------- */

/* "results.db" and 3/7 make "results.3-of-7.db": a store that no other shard writes to. */
static char *shard_db(const char *db, const shard *which)
{
    char *path = NULL;
    const size_t length = strlen(db);
    const bool ending = length > 3 && strcmp(db + length - 3, ".db") == 0;
    if (asprintf(&path, "%.*s.%lld-of-%lld.db", (int)(ending ? length - 3 : length), db, (long long)which->index,
                 (long long)which->count) < 0)
        cru_panic(CRU_NO_MEMORY, "no memory for the name of a store");
    return path;
}

/* The shard of every trial: as the plan says, or dealt by cost. */
static cru_status divide(const session *s, const shard *which, int64_t *parts, cru_error *err)
{
    const session_request *q = s->request;
    int64_t count;
    bool there;
    if (q->plan) {
        cru_status status = shard_plan_read(q->plan, s->experiment, parts, &count, &there, err);
        if (!status && there && count != which->count)
            return cru_fail(err, CRU_BAD_INPUT, "--shard %s: the plan in %s has %lld shards", q->shard, q->plan,
                            (long long)count);
        return status;
    }
    costs *known = NULL;
    cru_status status = q->costs ? costs_open(q->costs, &known, err) : CRU_OK;
    if (status) return status;
    shard_groups groups = shard_group_trials(s->experiment, known, NULL);
    shard_deal(groups.items, groups.count, 1, which->count);
    for (int64_t i = 0; i < experiment_trial_count(s->experiment); i++)
        parts[i] = groups.items[groups.of_trial[i]].part;
    shard_groups_clear(&groups);
    costs_close(known);
    return CRU_OK;
}

static cru_status open_shard(session *s, const char *db, cru_error *err)
{
    const int64_t count = experiment_trial_count(s->experiment);
    shard which;
    if (!s->request->shard) return CRU_OK;
    shard_read(s->request->shard, &which);
    int64_t *parts = calloc((size_t)count + 1, sizeof *parts);
    s->mine = calloc((size_t)count + 1, sizeof *s->mine);
    if (!parts || !s->mine) cru_panic(CRU_NO_MEMORY, "no memory for %lld trials", (long long)count);
    cru_status status = divide(s, &which, parts, err);
    for (int64_t i = 0; i < count; i++) s->mine[i] = parts[i] == which.index;
    free(parts);
    s->db = shard_db(db, &which);
    return status;
}

/* What the machine cannot do is known before a store is made for it. */
static cru_status open_all(session *s, const setup *with, cru_error *err)
{
    const session_request *q = s->request;
    runner_options options = {.experiment = with->experiment,
                              .plugins = with->plugins,
                              .nursery = with->nursery,
                              .jobs = (int32_t)q->jobs,
                              .in_process = q->in_process || q->trace || q->profile,
                              .afresh = q->force,
                              .elsewhere = q->instead != NULL,
                              .trace = q->profile ? profile_add
                                       : q->trace ? profile_print_event
                                                  : NULL,
                              .trace_user = q->profile ? (void *)&s->profile : stderr};
    const char *db = q->db ? q->db : with->experiment->run.db;
    cru_status status = open_shard(s, db, err);
    if (s->db) db = s->db;
    if (!status && q->score_only && access(db, F_OK) != 0)
        status = cru_fail(err, CRU_IO, "%s: there is no such store", db);
    if (!status) status = runner_open(&options, &s->runner, err);
    const store_options how = {
        .batch_trials = 64, .batch_ms = 20, .keep_bytes = with->experiment->run.keep_limit * (1 << 20)};
    if (!status) status = store_open(db, &how, &s->store, err);
    if (status) return status;
    runner_use_store(s->runner, s->store);
    return open_work(s, err);
}

/* A mistake in [report] would else be told when all trials have run. The trials of a search are not known yet. */
static cru_status check_report(const session *s, cru_error *err)
{
    const report_settings *r = &s->experiment->report;
    const bool plain =
        !*r->rows && !*r->cols && !*r->where && !*r->reference && !*r->groups && !*r->baselines && !*r->minus;
    return s->tuning || (plain && !*r->against) ? CRU_OK : report_check(s->store, experiment_id(s), err);
}

/* ---- what is not protected ------------------------------------------------------------------------------- */

static void tell_raised(const char *key, double value, double usual, bool raised, bool *any)
{
    if (!raised) return;
    fprintf(stderr, "%s%s = %.10g (usually %.10g)",
            *any ? ", " : "[run] gives trials more than they usually get: ", key, value, usual);
    *any = true;
}

/* A file from somewhere may lift the lid; that is obeyed, but not without a word. */
static void tell_risks(const experiment *e, int64_t jobs)
{
    const run_settings *run = &e->run;
    const int64_t share = runner_memory_share(run, jobs);
    const char *missing = sandbox_probe(0).missing;
    cru_settings *usual_owner = cru_settings_create(run_params, sizeof *run);
    const run_settings *usual = usual_owner ? cru_settings_struct(usual_owner) : run;
    bool any = false;
    if (!run->sandbox)
        fputs("[run] sandbox = off: plugins can do whatever you can, with your files and over the network\n", stderr);
    else if (missing)
        fprintf(stderr, "sandbox: %s\n", missing);
    if (*e->paths.python)
        fprintf(stderr, "[paths] python = %s: this program runs the methods in Python\n", e->paths.python);
    tell_raised("memory", (double)run->memory, (double)share, run->memory < 0 || run->memory > share, &any);
    tell_raised("timeout", run->timeout, usual->timeout, run->timeout == 0 || run->timeout > usual->timeout, &any);
    tell_raised("thread_limit", (double)run->thread_limit, (double)usual->thread_limit,
                !run->thread_limit || run->thread_limit > usual->thread_limit, &any);
    tell_raised("file_limit", (double)run->file_limit, (double)usual->file_limit,
                !run->file_limit || run->file_limit > usual->file_limit, &any);
    tell_raised("scratch", (double)run->scratch, (double)usual->scratch, run->scratch > usual->scratch, &any);
    if (any) fputc('\n', stderr);
    cru_settings_destroy(usual_owner);
}

/* ---- kept scores ----------------------------------------------------------------------------------------- */

static void tell_unkept(const session *s)
{
    const int64_t unkept = store_unkept(s->store);
    if (unkept)
        fprintf(stderr,
                "%s keeps as much as [run] keep_limit = %lld MiB allows: the scores of %lld trials were not kept, and "
                "a metric that comes later trains them again\n",
                store_path(s->store), (long long)s->experiment->run.keep_limit, (long long)unkept);
}

static void tell_lost(const session *s)
{
    if (s->lost)
        fprintf(stderr, "%s: nothing is kept that %lld trials could be judged from; crucible run trains them\n",
                s->experiment->name, (long long)s->lost);
}

static int run_session(session *s, const setup *with)
{
    const session_request *q = s->request;
    cru_error err = {0};
    runner_summary summary;
    const bool confines = !q->in_process && !q->trace && !q->profile, begins = !q->enter_only && !q->instead;
    if (confines && begins) tell_risks(with->experiment, q->jobs);
    const data_places places = config_places(&with->experiment->paths);
    if (places_check_cache(&places, &err) != CRU_OK) return cli_wrong("%s", err.text);
    if (open_all(s, with, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (q->instead)
        return q->instead(q->instead_user, s->experiment,
                          s->tuning || s->experiment->search.method != SEARCH_NONE ? NULL : &s->agenda);
    if (q->enter_only) return CLI_OK;
    if (check_report(s, &err) != CRU_OK) return cli_wrong("[report]: %s", err.text);
    if (s->tuning && s->experiment->search.select == SEARCH_SELECT_TEST)
        fputs("[search] select = test: settings are chosen by the very scores that tables show\n", stderr);
    progress_begin(&s->progress, style_from(q), todo_count(s), q->json ? stdout : stderr);
    runner_source source = {.next = next_trial,
                            .partner = partner_trial,
                            .done = trial_done,
                            .known = trial_known,
                            .waiting = trials_awaited,
                            .tick = trial_tick,
                            .user = s};
    cru_status status = runner_run(s->runner, &source, &summary, &err);
    progress_end(&s->progress);
    if ((q->trace || q->profile) && !status && summary.trainings == 0)
        fputs("no method was trained: all trials are known; add --force\n", stderr);
    else if (q->profile)
        profile_print(&s->profile, stderr);
    if (!status && s->tuning) status = tuning_status(s->tuning, &err);
    if (status) return cli_fail("%s", err.text);
    int code = finish(s, &summary);
    tell_unkept(s);
    tell_lost(s);
    return code == CLI_OK && s->lost ? CLI_PARTLY : code;
}

int session_run(const session_request *q)
{
    setup with;
    int code = setup_open_quick(&q->files, &q->sets, q->quick, &with);
    if (code != CLI_GO_ON) return code;
    if (q->must_search && with.experiment->search.method == SEARCH_NONE) {
        setup_close(&with);
        return cli_wrong("no search is described: give [search] a method, or --set search.method=tpe");
    }
    if (q->no_search && with.experiment->search.method != SEARCH_NONE) {
        setup_close(&with);
        return CLI_OK;
    }
    session s = {.request = q, .experiment = with.experiment};
    cru_error err = {0};
    code = run_session(&s, &with);
    runner_close(s.runner);
    agenda_close(&s.agenda);
    tuning_close(s.tuning);
    if (store_close(s.store, &err) != CRU_OK && code == CLI_OK) code = cli_fail("%s", err.text);
    free(s.db);
    free(s.mine);
    setup_close(&with);
    return code;
}

/* When to stop, from a number of hours. */
static bool read_hours(const char *text, double *deadline)
{
    char *end;
    double hours = strtod(text, &end);
    *deadline = clock_now() + 3600 * hours;
    return end != text && !*end && hours > 0;
}

int session_dispatch(const session_request *q)
{
    artefact_words named;
    int code = artefact_find(&q->files, &named);
    if (code != CLI_GO_ON) return code;
    if (named.count) {
        code = q->must_search ? cli_wrong("%s is an artefact; crucible run makes its searches, too", named.path[0])
                              : artefact_run_all(q, &named);
        artefact_words_clear(&named);
        return code;
    }
    if (q->quick || q->only.count || q->published)
        return cli_wrong("--quick, --only and --published are for artefacts, as in noisygl/table-1");
    return session_run(q);
}

/* Options with values that cannot be, or that contradict each other. Fills the deadline. */
static int check_request(session_request *q)
{
    if (q->db && !*q->db) return cli_wrong("--db: the path of the results store is empty");
    if (q->retry && strcmp(q->retry, "failed") != 0)
        return cli_wrong("--retry %s: only 'failed' can be retried", q->retry);
    if (q->shard && !shard_read(q->shard, &(shard){0}))
        return cli_wrong("--shard %s: not a part of so many, as 3/7", q->shard);
    if ((q->costs || q->plan) && !q->shard) return cli_wrong("--costs and --plan are for --shard");
    if (q->costs && q->plan) return cli_wrong("--costs and --plan: choose one");
    if (q->trace && q->profile) return cli_wrong("--trace and --profile: choose one");
    if (q->jobs > 4096) return cli_wrong("--jobs %lld: at most 4096", (long long)q->jobs);
    if (q->hours && !read_hours(q->hours, &q->deadline))
        return cli_wrong("--hours takes a number above 0, not '%s'", q->hours);
    return CLI_OK;
}

int session_command(const cli_syntax *syntax, bool must_search, int argc, char **argv)
{
    session_request q = {.must_search = must_search};
    const cli_option options[] = {
        {.name = "db", .argument = "FILE", .text = &q.db, .help = "where results are kept; default: results.db"},
        {.name = "set",
         .argument = "SECTION.KEY=VALUE",
         .words = &q.sets,
         .help = "override a setting; may be repeated"},
        {.name = "jobs",
         .letter = 'j',
         .argument = "N",
         .number = &q.jobs,
         .help = "trials at a time; default: one a core"},
        {.name = "quiet",
         .letter = 'q',
         .flag = &q.quiet,
         .help = "no progress and no table; errors are still printed"},
        {.name = "json", .flag = &q.json, .help = "one JSON object a line: every trial, then a summary"},
        {.name = "force", .flag = &q.force, .help = "run all trials again"},
        {.name = "retry", .argument = "failed", .text = &q.retry, .help = "run trials again that gave no result"},
        {.name = "hours", .argument = "N", .text = &q.hours, .help = "begin no trial after so many hours"},
        {.name = "shard",
         .argument = "I/N",
         .text = &q.shard,
         .help = "only part I of N of the trials, into a store of its own (results.I-of-N.db); crucible merge joins "
                 "them"},
        {.name = "costs",
         .argument = "FILE",
         .text = &q.costs,
         .help = "of --shard: a store whose times say how trials are divided; the same one for all parts"},
        {.name = "plan",
         .argument = "FOLDER",
         .text = &q.plan,
         .help = "of --shard: divide as the plan that crucible submit left there says"},
        {.name = "quick", .flag = &q.quick, .help = "of an artefact: with the values of its [quick]"},
        {.name = "only",
         .argument = "KEY=VALUES",
         .words = &q.only,
         .help = "of an artefact: only these cells, as method=gcn,nrgnn or dataset=cora; may be repeated"},
        {.name = "published",
         .argument = "HOW",
         .text = &q.published,
         .help = "published values of an artefact: side (beside ours, default), diff or off"},
        {.name = "in-process",
         .flag = &q.in_process,
         .help = "run methods inside this process, for a debugger: no limits, no sandbox, a crash ends everything"},
        {.name = "trace",
         .flag = &q.trace,
         .help =
             "print every operator with its shape, time and bytes; known trials need --force; implies --in-process"},
        {.name = "profile",
         .flag = &q.profile,
         .help = "add up time and bytes per operator and print them at the end; known trials need --force; "
                 "implies\n--in-process"},
        {0},
    };
    cli_syntax full = *syntax;
    full.operands = "FILE|ARTEFACT|STUDY...";
    full.least = 1;
    full.most = CLI_WORDS_MAX;
    full.options = options;
    int code = cli_parse(&full, argc, argv, &q.files);
    if (code != CLI_GO_ON) return code;
    code = check_request(&q);
    return code == CLI_OK ? session_dispatch(&q) : code;
}
