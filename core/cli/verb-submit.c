// SPDX-License-Identifier: Apache-2.0
/* crucible submit: the trials of an experiment as jobs of a cluster. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/merging.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "cluster/submit.h"
#include "host/progress.h"

typedef struct submission {
    session_request run; /* what would be run here */
    const char *engine, *minutes;
    submit_options options;
    batch batch;
    costs *known;
    submit_work work;
    char db[PATH_MAX], program[PATH_MAX], place[PATH_MAX];
    const char *words[3 * CLI_WORDS_MAX]; /* of `run` in the tasks */
} submission;

/* ---- which trials ---------------------------------------------------------------------------------------- */

/* Trials without a result that no earlier submission has done or under way. */
static bool *wanted_trials(const submission *s, const experiment *e, const agenda *a, cru_error *err)
{
    const int64_t count = experiment_trial_count(e);
    bool *wanted = calloc((size_t)count + 1, sizeof *wanted), *taken = calloc((size_t)count + 1, sizeof *taken);
    if (!wanted || !taken) cru_panic(CRU_NO_MEMORY, "no memory for %lld trials", (long long)count);
    for (int64_t i = 0; i < count; i++) wanted[i] = !a;
    for (int64_t i = 0; a && i < a->todo_count; i++) wanted[a->todo[i]] = true;
    cru_status status = batch_taken(&s->batch, e, taken, err);
    for (int64_t i = 0; i < count; i++) wanted[i] = wanted[i] && !taken[i];
    free(taken);
    if (!status) return wanted;
    free(wanted);
    return NULL;
}

static int64_t memory_of(const submission *s, const experiment *e, const shard_group *g)
{
    trial t;
    experiment_trial(e, g->first, &t);
    return submit_mib(costs_peak(s->known, &t), e->run.memory);
}

/* For session_request.instead. */
static int collect(void *user, const experiment *e, const agenda *a)
{
    submission *s = user;
    cru_error err = {0};
    bool *wanted = wanted_trials(s, e, a, &err);
    if (!wanted) return cli_fail("%s", err.text);
    submit_part part = {.subject = shard_subject_of(e), .groups = shard_group_trials(e, s->known, wanted)};
    for (int64_t i = 0; i < part.groups.count; i++) part.groups.items[i].kind = memory_of(s, e, &part.groups.items[i]);
    s->options.gpu |= strncmp(e->run.device, "cuda", 4) == 0;
    submit_work_add(&s->work, &part);
    free(wanted);
    return CLI_OK;
}

static int64_t group_count(const submit_work *w)
{
    int64_t count = 0;
    for (int64_t i = 0; i < w->count; i++) count += w->parts[i].groups.count;
    return count;
}

/* ---- before and after ------------------------------------------------------------------------------------ */

/* What tasks of earlier submissions have left, in case their own merge has not run. */
static int merge_finished(const submission *s)
{
    merging m = {.out = s->db, .quiet = true};
    int code = CLI_GO_ON;
    for (int64_t i = 0; code == CLI_GO_ON && i < s->batch.count; i++) {
        char folder[PATH_MAX + 20];
        snprintf(folder, sizeof folder, "%s/shards", s->batch.rounds[i].folder);
        if (access(folder, R_OK) == 0) code = merging_add(&m, folder);
    }
    if (code == CLI_GO_ON && m.count) code = merging_run(&m);
    merging_clear(&m);
    return code == CLI_GO_ON || code == CLI_OK || code == CLI_PARTLY ? CLI_GO_ON : code;
}

static int under_way(const batch *b)
{
    int count = 0;
    for (int64_t i = 0; i < b->count; i++)
        for (int64_t k = 0; k < b->rounds[i].task_count; k++)
            count += b->rounds[i].tasks[k].state == BATCH_RUNNING || b->rounds[i].tasks[k].state == BATCH_WAITING;
    return count;
}

static void print_figures(const submission *s, const submit_figures *f)
{
    char all[DURATION_SIZE], one[DURATION_SIZE];
    FILE *out = s->options.dry ? stderr : stdout;
    fprintf(out, "%s%lld trials in %lld tasks of %lld array%s, about %s in all, %s the longest task\n",
            s->options.dry ? "would submit " : "submitted ", (long long)f->trials, (long long)f->tasks,
            (long long)f->arrays, f->arrays == 1 ? "" : "s", duration_text(f->seconds, all),
            duration_text(f->longest, one));
    if (!s->options.dry)
        fprintf(out, "crucible status --db %s tells how they get on; the results come to that store\n", s->db);
}

static int submit_all(submission *s)
{
    cru_error err = {0};
    submit_figures f;
    int running = under_way(&s->batch);
    if (!group_count(&s->work)) {
        printf(running ? "nothing to submit: %d tasks are under way\n"
                       : "nothing to submit: every trial has a result\n",
               running);
        return CLI_OK;
    }
    if (submit_round(&s->batch, &s->work, &s->options, &f, &err))
        return cli_fail("%s; submit again for what is missing", err.text);
    print_figures(s, &f);
    return CLI_OK;
}

static int submit(submission *s)
{
    cru_error err = {0};
    char *folder = batch_folder(s->db);
    cru_status status = batch_open(folder, &s->batch, &err);
    free(folder);
    if (status) return cli_fail("%s", err.text);
    int code = merge_finished(s);
    if (code == CLI_GO_ON && costs_open(s->db, &s->known, &err)) code = cli_fail("%s", err.text);
    if (code == CLI_GO_ON) {
        s->run.instead = collect;
        s->run.instead_user = s;
        s->run.quiet = s->run.no_table = true;
        code = session_dispatch(&s->run);
    }
    if (code == CLI_OK) code = submit_all(s);
    submit_work_clear(&s->work);
    costs_close(s->known);
    batch_close(&s->batch);
    return code;
}

/* ---- the command line ------------------------------------------------------------------------------------ */

static void add_words(submission *s, const char *option, const cli_words *words)
{
    for (int i = 0; i < words->count && s->options.word_count + 2 < 3 * CLI_WORDS_MAX; i++) {
        if (option) s->words[s->options.word_count++] = option;
        s->words[s->options.word_count++] = words->word[i];
    }
}

/* Absolute paths: tasks run elsewhere. The store need not be there yet. */
static bool find_places(submission *s, const char *db)
{
    ssize_t length = readlink("/proc/self/exe", s->program, sizeof s->program - 1);
    if (length <= 0 || !getcwd(s->place, sizeof s->place)) return false;
    s->program[length] = 0;
    int size = *db == '/' ? snprintf(s->db, sizeof s->db, "%s", db)
                          : snprintf(s->db, sizeof s->db, "%.*s/%s", PATH_MAX / 2, s->place, db);
    return size < (int)sizeof s->db;
}

/* A name for the jobs from the first word: "noisygl/table-1", "mine.ini". */
static void name_jobs(submission *s, char *name, size_t size)
{
    snprintf(name, size, "%s", s->run.files.word[0]);
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c)) *c = '-';
    s->options.name = name;
}

static int complete(submission *s)
{
    char *end = NULL;
    if (strcmp(s->engine, "slurm") != 0) return cli_wrong("--engine %s: only slurm is known", s->engine);
    s->options.minutes = strtod(s->minutes, &end);
    if (end == s->minutes || *end || !(s->options.minutes > 0) || s->options.minutes > 1e6)
        return cli_wrong("--minutes %s: not a number of minutes", s->minutes);
    if (s->options.cpus < 1 || s->options.cpus > 4096)
        return cli_wrong("--cpus %lld: between 1 and 4096", (long long)s->options.cpus);
    if (!find_places(s, s->run.db ? s->run.db : "results.db")) return cli_fail("no path: %s", strerror(errno));
    s->run.db = s->options.db = s->db;
    s->options.program = s->program;
    s->options.place = s->place;
    s->options.words = s->words;
    add_words(s, NULL, &s->run.files);
    add_words(s, "--set", &s->run.sets);
    add_words(s, "--only", &s->run.only);
    if (s->run.quick) s->words[s->options.word_count++] = "--quick";
    return CLI_GO_ON;
}

/* Words after "--" are sbatch's. */
static int own_words(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) return i;
    return argc;
}

int verb_submit(int argc, char **argv)
{
    submission s = {.engine = "slurm", .minutes = "20", .options.cpus = 1};
    char name[100];
    bool dry = false;
    const cli_option options[] = {
        {.name = "db",
         .argument = "FILE",
         .text = &s.run.db,
         .help = "the store that receives the results; default: results.db"},
        {.name = "set", .argument = "SECTION.KEY=VALUE", .words = &s.run.sets, .help = "as for run; may be repeated"},
        {.name = "quick", .flag = &s.run.quick, .help = "of an artefact: with the values of its [quick]"},
        {.name = "only",
         .argument = "KEY=VALUES",
         .words = &s.run.only,
         .help = "of an artefact: only these cells; may be repeated"},
        {.name = "engine", .argument = "NAME", .text = &s.engine, .help = "the cluster's scheduler: slurm (default)"},
        {.name = "partition", .argument = "NAME", .text = &s.options.partition, .help = "where the jobs run"},
        {.name = "time",
         .argument = "T",
         .text = &s.options.time,
         .help = "limit of a task, as sbatch has it; default: three times the estimate and ten minutes"},
        {.name = "minutes", .argument = "N", .text = &s.minutes, .help = "what a task should take; default: 20"},
        {.name = "tasks", .argument = "N", .number = &s.options.tasks, .help = "how many tasks, instead of --minutes"},
        {.name = "cpus",
         .argument = "N",
         .number = &s.options.cpus,
         .help = "processors of a task, which runs as many trials at a time; default: 1"},
        {.name = "max-parallel",
         .argument = "K",
         .number = &s.options.max_parallel,
         .help = "tasks of an array at a time"},
        {.name = "dry-run", .flag = &dry, .help = "print the scripts and submit nothing"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "submit",
        .operands = "FILE|ARTEFACT|STUDY... [-- SBATCH-OPTION...]",
        .least = 1,
        .most = CLI_WORDS_MAX,
        .options = options,
        .about =
            "Submits the trials that have no result yet to a cluster: array jobs whose tasks hold trials for some\n"
            "minutes each, by the times that the store knows, and a job that merges their results into the\n"
            "store. Memory and time are asked for by method, from what its trials took. Submitting again\n"
            "submits only what is neither done nor under way. Data must be there for every node: fetch it first.\n"
            "Words after -- are options of sbatch.",
    };
    const int own = own_words(argc, argv);
    int code = cli_parse(&syntax, own, argv, &s.run.files);
    if (code != CLI_GO_ON) return code;
    s.options.extra = (const char *const *)(argv + (own < argc ? own + 1 : argc));
    s.options.extra_count = own < argc ? argc - own - 1 : 0;
    s.options.dry = dry ? stdout : NULL;
    code = complete(&s);
    if (code != CLI_GO_ON) return code;
    name_jobs(&s, name, sizeof name);
    return submit(&s);
}
