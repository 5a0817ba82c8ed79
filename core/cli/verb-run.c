#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "report/report.h"
#include "runner/agenda.h"
#include "runner/clock.h"
#include "runner/progress.h"

typedef struct request {
    cli_words files, sets;
    const char *db, *retry;
    int64_t jobs;
    bool quiet, json, force, in_process;
} request;

/* ---- one run ------------------------------------------------------------------------------------------------------
 */

typedef struct session {
    const request *request;
    runner *runner;
    store *store;
    agenda agenda;
    progress progress;
} session;

static runner_next next_trial(void *user, trial *t, char key[SHA256_HEX])
{
    return agenda_next(&((session *)user)->agenda, t, key);
}

static void trial_done(void *user, const runner_result *result)
{
    progress_done(&((session *)user)->progress, result);
}

static void trial_tick(void *user, const trial *const *running, int32_t count)
{
    progress_tick(&((session *)user)->progress, running, count);
}

static agenda_again again_from(const request *q)
{
    return q->force ? AGENDA_ALL : q->retry ? AGENDA_FAILED : AGENDA_MISSING;
}

static progress_style style_from(const request *q)
{
    return q->json ? PROGRESS_JSON : q->quiet ? PROGRESS_QUIET : PROGRESS_BAR;
}

/* ---- afterwards ---------------------------------------------------------------------------------------------------
 */

static int64_t failures(const runner_summary *summary)
{
    int64_t count = 0;
    for (int i = STORE_OOM; i < STORE_OUTCOMES; i++) count += summary->ended[i];
    return count;
}

static void print_json_end(const session *s, const runner_summary *summary, int64_t left)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "event", "end");
    json_add_text(object, "experiment", s->agenda.experiment->name);
    for (int i = STORE_OK; i < STORE_OUTCOMES; i++)
        cJSON_AddNumberToObject(object, store_outcome_name((store_outcome)i), (double)summary->ended[i]);
    cJSON_AddNumberToObject(object, "left", (double)left);
    cJSON_AddBoolToObject(object, "interrupted", summary->interrupted);
    char *text = cJSON_PrintUnformatted(object);
    printf("%s\n", text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(object);
}

static void print_end(const session *s, const runner_summary *summary, int64_t left)
{
    char took[DURATION_SIZE];
    int64_t ran = summary->ended[STORE_OK] + failures(summary);
    fprintf(stderr, "%s: %" PRId64 " of %" PRId64 " trials run in %s", s->agenda.experiment->name, ran, s->agenda.count,
            duration_text(clock_now() - s->progress.begun, took));
    if (s->agenda.count > s->agenda.todo_count)
        fprintf(stderr, ", %" PRId64 " known before", s->agenda.count - s->agenda.todo_count);
    if (failures(summary)) fprintf(stderr, ", %" PRId64 " without a result", failures(summary));
    fprintf(stderr, "; results in %s\n", store_path(s->store));
    if (summary->elsewhere)
        fprintf(stderr, "%" PRId64 " trials are being run by another process\n", summary->elsewhere);
    if (summary->interrupted)
        fprintf(stderr, "Interrupted: %" PRId64 " trials remain. Run the same command again to go on.\n", left);
}

static int finish(const session *s, const runner_summary *summary)
{
    cru_error err = {0};
    int64_t counts[STORE_OUTCOMES];
    if (store_count(s->store, s->agenda.id, counts, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (s->request->json)
        print_json_end(s, summary, counts[STORE_PENDING]);
    else if (!s->request->quiet || summary->interrupted)
        print_end(s, summary, counts[STORE_PENDING]);
    bool shown = !s->request->json && !s->request->quiet && counts[STORE_OK];
    if (shown && report_print_compact(s->store, s->agenda.id, stdout, &err) != CRU_OK) return cli_fail("%s", err.text);
    return summary->interrupted ? CLI_FAILED : CLI_OK;
}

/* ---- the verb -----------------------------------------------------------------------------------------------------
 */

static int run_session(session *s, const setup *with)
{
    const request *q = s->request;
    cru_error err = {0};
    runner_summary summary;
    runner_options options = {.experiment = with->experiment,
                              .plugins = with->plugins,
                              .store = s->store,
                              .jobs = (int32_t)q->jobs,
                              .in_process = q->in_process};
    if (runner_open(&options, &s->runner, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (agenda_open(s->runner, s->store, again_from(q), &s->agenda, &err) != CRU_OK) return cli_fail("%s", err.text);
    progress_begin(&s->progress, style_from(q), s->agenda.todo_count, q->json ? stdout : stderr);
    runner_source source = {.next = next_trial, .done = trial_done, .tick = trial_tick, .user = s};
    cru_status status = runner_run(s->runner, &source, &summary, &err);
    progress_end(&s->progress);
    return status == CRU_OK ? finish(s, &summary) : cli_fail("%s", err.text);
}

static int run(const request *q)
{
    setup with;
    int code = setup_open(&q->files, &q->sets, &with);
    if (code != CLI_GO_ON) return code;
    if (with.experiment->search.method != SEARCH_NONE) {
        setup_close(&with);
        return cli_wrong("this experiment searches for settings: run it with 'crucible search'");
    }
    session s = {.request = q};
    cru_error err = {0};
    const char *db = q->db ? q->db : with.experiment->run.db;
    if (store_open(db, &(store_options){.batch_trials = 64, .batch_ms = 20}, &s.store, &err) != CRU_OK)
        code = cli_fail("%s", err.text);
    else
        code = run_session(&s, &with);
    runner_close(s.runner);
    agenda_close(&s.agenda);
    if (store_close(s.store, &err) != CRU_OK && code == CLI_OK) code = cli_fail("%s", err.text);
    setup_close(&with);
    return code;
}

int verb_run(int argc, char **argv)
{
    request q = {0};
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
        {.name = "quiet", .letter = 'q', .flag = &q.quiet, .help = "no progress and no table"},
        {.name = "json", .flag = &q.json, .help = "one JSON object a line: every trial, then a summary"},
        {.name = "force", .flag = &q.force, .help = "run all trials again"},
        {.name = "retry", .argument = "failed", .text = &q.retry, .help = "run trials again that gave no result"},
        {.name = "in-process",
         .flag = &q.in_process,
         .help = "run methods inside this process, for a debugger: no limits, no sandbox, a crash ends everything"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "run",
        .operands = "FILE...",
        .least = 1,
        .most = CLI_WORDS_MAX,
        .options = options,
        .about = "Runs the trials of an experiment that have no result yet, each in a process of its own, and prints\n"
                 "the results. Later files override earlier ones. An interrupted run goes on where it stopped.",
    };
    int code = cli_parse(&syntax, argc, argv, &q.files);
    if (code != CLI_GO_ON) return code;
    if (q.retry && strcmp(q.retry, "failed") != 0)
        return cli_wrong("--retry %s: only 'failed' can be retried", q.retry);
    if (q.jobs > 4096) return cli_wrong("--jobs %" PRId64 ": at most 4096", q.jobs);
    return run(&q);
}
