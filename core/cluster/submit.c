// SPDX-License-Identifier: Apache-2.0
#include "cluster/submit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/command.h"

enum {
    UNKNOWN_MIB = 4096,
    LEAST_MIB = 1024,
    ARRAY_MOST = 1001, /* Slurm's own default of MaxArraySize; numbers of tasks stay below it */
    TIME_SPARE = 3,    /* times the estimate, */
    TIME_LEAST = 10,   /* and minutes more */
};

static void *zeroed(int64_t count, size_t size)
{
    void *list = calloc((size_t)count + 1, size);
    if (!list) cru_panic(CRU_NO_MEMORY, "no memory for what is submitted");
    return list;
}

void submit_work_add(submit_work *w, const submit_part *part)
{
    w->parts = realloc(w->parts, (size_t)(w->count + 1) * sizeof *w->parts);
    if (!w->parts) cru_panic(CRU_NO_MEMORY, "no memory for what is submitted");
    w->parts[w->count++] = *part;
}

void submit_work_clear(submit_work *w)
{
    for (int64_t i = 0; i < w->count; i++) {
        free(w->parts[i].subject.name);
        shard_groups_clear(&w->parts[i].groups);
    }
    free(w->parts);
    *w = (submit_work){0};
}

int64_t submit_mib(int64_t peak, int64_t limit)
{
    int64_t wanted = limit > 0 ? limit + 512 : peak > 0 ? (peak >> 20) * 3 / 2 + 512 : UNKNOWN_MIB;
    int64_t mib = LEAST_MIB;
    while (mib < wanted) mib *= 2;
    return mib;
}

int64_t submit_array_most(const char *config)
{
    const char *line = strstr(config, "MaxArraySize");
    int64_t most = ARRAY_MOST;
    if (line && sscanf(line, "MaxArraySize = %" SCNd64, &most) == 1 && most > 1) return most;
    return ARRAY_MOST;
}

/* ---- tasks ----------------------------------------------------------------------------------------------- */

/* All groups of one request, side by side, and where they came from. */
typedef struct request {
    int64_t mib, first, tasks; /* shards first .. first + tasks - 1 */
    shard_group *groups;
    shard_group **origins;
    int64_t count;
    double seconds;
} request;

typedef struct sending {
    const submit_options *options;
    char *folder;
    request *requests; /* by memory */
    int64_t request_count;
    batch_task *tasks; /* of all shards */
    int64_t task_count;
    int64_t array_most;
} sending;

static request *request_of(sending *r, int64_t mib)
{
    for (int64_t i = 0; i < r->request_count; i++)
        if (r->requests[i].mib == mib) return &r->requests[i];
    r->requests = realloc(r->requests, (size_t)(r->request_count + 1) * sizeof *r->requests);
    if (!r->requests) cru_panic(CRU_NO_MEMORY, "no memory for what is submitted");
    r->requests[r->request_count] = (request){.mib = mib};
    return &r->requests[r->request_count++];
}

/* Groups by what they need. */
static void sort_groups(sending *r, const submit_work *work)
{
    for (int64_t i = 0; i < work->count; i++)
        for (int64_t k = 0; k < work->parts[i].groups.count; k++)
            request_of(r, work->parts[i].groups.items[k].kind)->count++;
    for (int64_t i = 0; i < r->request_count; i++) {
        request *q = &r->requests[i];
        q->groups = zeroed(q->count, sizeof *q->groups);
        q->origins = zeroed(q->count, sizeof *q->origins);
        q->count = 0;
    }
    for (int64_t i = 0; i < work->count; i++)
        for (int64_t k = 0; k < work->parts[i].groups.count; k++) {
            shard_group *g = &work->parts[i].groups.items[k];
            request *q = request_of(r, g->kind);
            q->groups[q->count] = *g;
            q->origins[q->count++] = g;
            q->seconds += g->seconds;
        }
}

static int64_t tasks_wanted(const sending *r, const request *q)
{
    const submit_options *o = r->options;
    double all = 0;
    for (int64_t i = 0; i < r->request_count; i++) all += r->requests[i].seconds;
    double wanted =
        o->tasks > 0 ? (double)o->tasks * q->seconds / all : q->seconds / (60 * o->minutes * (double)o->cpus);
    int64_t count = (int64_t)ceil(wanted - 1e-9);
    return count < 1 ? 1 : count > q->count ? q->count : count;
}

static void deal(sending *r)
{
    for (int64_t i = 0; i < r->request_count; i++) {
        request *q = &r->requests[i];
        q->first = r->task_count + 1;
        q->tasks = tasks_wanted(r, q);
        r->task_count += q->tasks;
        shard_deal(q->groups, q->count, q->first, q->tasks);
    }
    r->tasks = zeroed(r->task_count, sizeof *r->tasks);
    for (int64_t i = 0; i < r->request_count; i++)
        for (int64_t k = 0; k < r->requests[i].count; k++) {
            const shard_group *g = &r->requests[i].groups[k];
            batch_task *t = &r->tasks[g->part - 1];
            r->requests[i].origins[k]->part = g->part;
            t->seconds += g->seconds;
            t->trials += g->trials;
            t->mib = r->requests[i].mib;
        }
}

/* ---- scripts --------------------------------------------------------------------------------------------- */

/* A word as the shell reads it back. */
static void print_quoted(FILE *out, const char *word)
{
    putc('\'', out);
    for (const char *c = word; *c; c++) fputs(*c == '\'' ? "'\\''" : (const char[]){*c, 0}, out);
    putc('\'', out);
}

static void print_word(FILE *out, const char *word)
{
    putc(' ', out);
    print_quoted(out, word);
}

static double longest(const sending *r, const request *q)
{
    double most = 0;
    for (int64_t i = 0; i < q->tasks; i++) most = fmax(most, r->tasks[q->first - 1 + i].seconds);
    return most / (double)r->options->cpus;
}

static bool is_given(const submit_options *o, const char *option)
{
    for (int64_t i = 0; i < o->extra_count; i++)
        if (strncmp(o->extra[i], option, strlen(option)) == 0) return true;
    return false;
}

static void print_head(const submit_options *o, FILE *out)
{
    if (o->partition) fprintf(out, "#SBATCH --partition=%s\n", o->partition);
    for (int64_t i = 0; i < o->extra_count; i++) fprintf(out, "#SBATCH %s\n", o->extra[i]);
}

/* Tasks first .. first + count - 1 of a request. */
typedef struct array {
    const request *request;
    int64_t first, count;
} array;

static void print_requests(const sending *r, const array *a, FILE *out)
{
    const submit_options *o = r->options;
    fprintf(out, "#!/bin/sh\n#SBATCH --job-name=crucible-%s\n#SBATCH --array=0-%lld", o->name,
            (long long)(a->count - 1));
    if (o->max_parallel) fprintf(out, "%%%lld", (long long)o->max_parallel);
    fprintf(out, "\n#SBATCH --output=%s/logs/%%A_%%a.txt\n#SBATCH --cpus-per-task=%lld\n", r->folder,
            (long long)o->cpus);
    if (!is_given(o, "--mem")) fprintf(out, "#SBATCH --mem=%lldM\n", (long long)(a->request->mib * o->cpus));
    if (o->time)
        fprintf(out, "#SBATCH --time=%s\n", o->time);
    else if (!is_given(o, "--time"))
        fprintf(out, "#SBATCH --time=%lld\n",
                (long long)((int64_t)ceil(TIME_SPARE * longest(r, a->request) / 60) + TIME_LEAST));
    if (o->gpu && !is_given(o, "--gres")) fputs("#SBATCH --gres=gpu:1\n", out);
    print_head(o, out);
}

/* A requeued task whose results are there already has nothing to do. The store is copied beside its place first, since
 * a rename between two disks is none. */
static void print_task(const sending *r, const array *a, FILE *out)
{
    const submit_options *o = r->options;
    fprintf(out, "shard=$((%lld + SLURM_ARRAY_TASK_ID))\nfolder=", (long long)a->first);
    print_quoted(out, r->folder);
    fputs("\n[ ! -e \"$folder/shards/$shard.db\" ] || exit 0\n"
          "local=$(mktemp -d \"${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/crucible-XXXXXX\") || exit 1\n"
          "trap 'rm -rf \"$local\"' EXIT\n"
          "trap 'kill \"$run\" 2>/dev/null; wait \"$run\"; exit 143' TERM INT\n"
          "cd",
          out);
    print_word(out, o->place);
    fputs(" || exit 1\n", out);
    print_quoted(out, o->program);
    fputs(" run", out);
    for (int64_t i = 0; i < o->word_count; i++) print_word(out, o->words[i]);
    fprintf(out,
            " --shard \"$shard/%lld\" --plan \"$folder\" --db \"$local/shard.db\" --jobs %lld --quiet &\nrun=$!\nwait "
            "\"$run\"\ncode=$?\n"
            "case $code in 0 | 3) ;; *) exit \"$code\" ;; esac\n"
            "part=\"$folder/shards/.$shard.$SLURM_JOB_ID\"\n"
            "cp \"$local/shard.$shard-of-%lld.db\" \"$part\" && mv \"$part\" \"$folder/shards/$shard.db\"\n",
            (long long)r->task_count, (long long)o->cpus, (long long)r->task_count);
}

static void print_array(const sending *r, const array *a, FILE *out)
{
    print_requests(r, a, out);
    print_task(r, a, out);
}

static void print_merge(const sending *r, FILE *out)
{
    const submit_options *o = r->options;
    fprintf(out, "#!/bin/sh\n#SBATCH --job-name=crucible-%s-merge\n#SBATCH --output=%s/logs/merge-%%j.txt\n", o->name,
            r->folder);
    print_head(o, out);
    fputs("exec", out);
    print_word(out, o->program);
    fputs(" merge", out);
    print_word(out, o->db);
    print_word(out, r->folder);
    fputs("/shards\n", out);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static cru_status make_folder(const char *path, cru_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return CRU_OK;
    return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
}

static cru_status make_folders(const batch *b, const sending *r, cru_error *err)
{
    char *shards = command_text("%s/shards", r->folder), *logs = command_text("%s/logs", r->folder);
    const char *const all[] = {b->folder, r->folder, shards, logs};
    cru_status status = CRU_OK;
    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++) status = make_folder(all[i], err);
    free(shards);
    free(logs);
    return status;
}

static cru_status write_plans(const sending *r, const submit_work *work, cru_error *err)
{
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < work->count; i++) {
        const submit_part *p = &work->parts[i];
        int64_t *parts = zeroed(p->subject.trials, sizeof *parts);
        for (int64_t k = 0; k < p->subject.trials; k++)
            parts[k] = p->groups.of_trial[k] < 0 ? 0 : p->groups.items[p->groups.of_trial[k]].part;
        status = shard_plan_write(r->folder, &p->subject, parts, r->task_count, err);
        free(parts);
    }
    return status;
}

static cru_status close_file(FILE *out, const char *path, cru_error *err)
{
    bool good = !ferror(out);
    good = fclose(out) == 0 && good;
    return good ? CRU_OK : cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
}

/* The last of the files: with it the round is there. */
static cru_status write_tasks(const sending *r, cru_error *err)
{
    char *path = command_text("%s/tasks", r->folder);
    FILE *out = fopen(path, "w");
    cru_status status = out ? CRU_OK : cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    for (int64_t i = 0; out && i < r->task_count; i++)
        fprintf(out, "%lld %.3f %lld %lld\n", (long long)(i + 1), r->tasks[i].seconds, (long long)r->tasks[i].trials,
                (long long)r->tasks[i].mib);
    if (out) status = close_file(out, path, err);
    free(path);
    return status;
}

/* ---- handing over ---------------------------------------------------------------------------------------- */

/* Submits a script with one option more, or none. *job: the number that Slurm gave it. */
static cru_status hand_over(const char *path, const char *option, int64_t *job, cru_error *err)
{
    const char *const words[] = {"sbatch", "--parsable", option ? option : path, option ? path : NULL, NULL};
    char *text;
    cru_status status = command_run(words, &text, err);
    if (status) return status;
    if (sscanf(text, "%" SCNd64, job) != 1) status = cru_fail(err, CRU_IO, "sbatch printed no number of a job");
    free(text);
    return status;
}

/* Notes the array before the next one is submitted, so that none is forgotten. */
static cru_status note_job(const sending *r, const array *a, int64_t job, cru_error *err)
{
    char *path = command_text("%s/jobs", r->folder);
    FILE *out = fopen(path, "a");
    cru_status status = out ? CRU_OK : cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    if (out) {
        fprintf(out, "%lld %lld %lld\n", (long long)job, (long long)a->first, (long long)a->count);
        status = close_file(out, path, err);
    }
    free(path);
    return status;
}

static cru_status submit_array(const sending *r, const array *a, int64_t number, char **after, cru_error *err)
{
    FILE *dry = r->options->dry;
    char *path = command_text("%s/array-%lld.sh", r->folder, (long long)number);
    FILE *out = dry ? dry : fopen(path, "w");
    int64_t job = 0;
    cru_status status = out ? CRU_OK : cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    if (out && dry) fprintf(dry, "# %s\n", path);
    if (out) print_array(r, a, out);
    if (out && !dry) status = close_file(out, path, err);
    if (!status && !dry) status = hand_over(path, NULL, &job, err);
    if (!status && !dry) status = note_job(r, a, job, err);
    if (!status && !dry) {
        char *longer = command_text("%s:%lld", *after, (long long)job);
        free(*after);
        *after = longer;
    }
    free(path);
    return status;
}

static cru_status submit_merge(const sending *r, const char *after, cru_error *err)
{
    FILE *dry = r->options->dry;
    char *path = command_text("%s/merge.sh", r->folder);
    FILE *out = dry ? dry : fopen(path, "w");
    int64_t job;
    cru_status status = out ? CRU_OK : cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    if (out && dry) fprintf(dry, "# %s, when the others have ended\n", path);
    if (out) print_merge(r, out);
    if (out && !dry) status = close_file(out, path, err);
    if (!status && !dry) status = hand_over(path, after, &job, err);
    free(path);
    return status;
}

static cru_status submit_arrays(const sending *r, submit_figures *f, cru_error *err)
{
    char *after = command_text("--dependency=afterany");
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < r->request_count; i++) {
        const request *q = &r->requests[i];
        for (int64_t done = 0; !status && done < q->tasks;) {
            const int64_t left = q->tasks - done;
            const array a = {q, q->first + done, left < r->array_most ? left : r->array_most};
            status = submit_array(r, &a, f->arrays + 1, &after, err);
            f->arrays += !status;
            done += a.count;
        }
    }
    if (!status) status = submit_merge(r, after, err);
    free(after);
    return status;
}

static cru_status ask_array_most(sending *r, cru_error *err)
{
    const char *const words[] = {"scontrol", "show", "config", NULL};
    char *config;
    cru_error why = {0};
    r->array_most = ARRAY_MOST;
    cru_status status = command_run(words, &config, &why);
    if (status && r->options->dry) return CRU_OK;
    if (status) return cru_fail(err, status, "%s", why.text);
    r->array_most = submit_array_most(config);
    free(config);
    return CRU_OK;
}

static void count(const sending *r, submit_figures *f)
{
    f->tasks = r->task_count;
    for (int64_t i = 0; i < r->task_count; i++) {
        f->trials += r->tasks[i].trials;
        f->seconds += r->tasks[i].seconds;
        f->longest = fmax(f->longest, r->tasks[i].seconds);
    }
}

cru_status submit_round(const batch *b, submit_work *work, const submit_options *options, submit_figures *figures,
                        cru_error *err)
{
    sending r = {.options = options, .folder = command_text("%s/%lld", b->folder, (long long)(b->count + 1))};
    *figures = (submit_figures){0};
    sort_groups(&r, work);
    deal(&r);
    count(&r, figures);
    cru_status status = ask_array_most(&r, err);
    if (!status && !options->dry) status = make_folders(b, &r, err);
    if (!status && !options->dry) status = write_plans(&r, work, err);
    if (!status && !options->dry) status = write_tasks(&r, err);
    if (!status) status = submit_arrays(&r, figures, err);
    for (int64_t i = 0; i < r.request_count; i++) {
        free(r.requests[i].groups);
        free(r.requests[i].origins);
    }
    free(r.requests);
    free(r.tasks);
    free(r.folder);
    return status;
}
