// SPDX-License-Identifier: Apache-2.0
#include "cluster/batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/command.h"

static void *grown(void *list, int64_t count, size_t size)
{
    list = realloc(list, (size_t)(count + 1) * size);
    if (!list) cru_panic(CRU_NO_MEMORY, "no memory for what was submitted");
    return list;
}

char *batch_folder(const char *db)
{
    const size_t length = strlen(db);
    const bool ending = length > 3 && strcmp(db + length - 3, ".db") == 0;
    return command_text("%.*s.shards", (int)(ending ? length - 3 : length), db);
}

/* ---- reading a round ------------------------------------------------------------------------------------- */

/* Calls `take` for every line of a file; false from it: the line is wrong. */
static cru_status each_line(batch_round *r, const char *name, bool (*take)(batch_round *r, const char *line),
                            cru_error *err)
{
    char *path = command_text("%s/%s", r->folder, name), line[200];
    FILE *in = fopen(path, "r");
    cru_status status = in ? CRU_OK : cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    for (int number = 1; !status && fgets(line, sizeof line, in); number++)
        if (!take(r, line)) status = cru_fail(err, CRU_BAD_INPUT, "%s:%d: not a line of such a file", path, number);
    if (in) fclose(in);
    free(path);
    return status;
}

static bool take_task(batch_round *r, const char *line)
{
    batch_task t = {.state = BATCH_LOST, .array = -1};
    int64_t number;
    if (sscanf(line, "%" SCNd64 " %lf %" SCNd64 " %" SCNd64, &number, &t.seconds, &t.trials, &t.mib) != 4 ||
        number != r->task_count + 1)
        return false;
    r->tasks = grown(r->tasks, r->task_count, sizeof *r->tasks);
    r->tasks[r->task_count++] = t;
    return true;
}

static bool take_array(batch_round *r, const char *line)
{
    batch_array a;
    if (sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64, &a.job, &a.first, &a.count) != 3 || a.first < 1 ||
        a.count < 1 || a.first + a.count - 1 > r->task_count)
        return false;
    r->arrays = grown(r->arrays, r->array_count, sizeof *r->arrays);
    for (int64_t i = 0; i < a.count; i++) r->tasks[a.first - 1 + i].array = r->array_count;
    r->arrays[r->array_count++] = a;
    return true;
}

static void look_for_results(batch_round *r)
{
    for (int64_t i = 0; i < r->task_count; i++) {
        char *path = command_text("%s/shards/%lld.db", r->folder, (long long)(i + 1));
        if (access(path, F_OK) == 0) r->tasks[i].state = BATCH_DONE;
        free(path);
    }
}

static void close_round(batch_round *r)
{
    free(r->folder);
    free(r->tasks);
    free(r->arrays);
}

/* A submission that was interrupted before anything went to Slurm left a round without jobs: its tasks are lost. */
static cru_status read_round(batch_round *r, cru_error *err)
{
    char *jobs = command_text("%s/jobs", r->folder);
    cru_status status = each_line(r, "tasks", take_task, err);
    if (!status && access(jobs, F_OK) == 0) status = each_line(r, "jobs", take_array, err);
    if (!status) look_for_results(r);
    free(jobs);
    return status;
}

/* ---- the queue ------------------------------------------------------------------------------------------- */

static void note_task(batch *b, int64_t job, int64_t task, const char *state)
{
    for (int64_t i = 0; i < b->count; i++) {
        batch_round *r = &b->rounds[i];
        for (int64_t k = 0; k < r->array_count; k++) {
            if (r->arrays[k].job != job || task < 0 || task >= r->arrays[k].count) continue;
            batch_task *t = &r->tasks[r->arrays[k].first - 1 + task];
            if (t->state != BATCH_DONE) t->state = strcmp(state, "PENDING") == 0 ? BATCH_WAITING : BATCH_RUNNING;
        }
    }
}

void batch_note_queue(batch *b, const char *queue)
{
    int64_t job, task;
    char state[40];
    for (const char *line = queue; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "%" SCNd64 " %" SCNd64 " %39s", &job, &task, state) == 3) note_task(b, job, task, state);
    }
}

static bool has_open_tasks(const batch *b)
{
    for (int64_t i = 0; i < b->count; i++)
        for (int64_t k = 0; k < b->rounds[i].task_count; k++)
            if (b->rounds[i].tasks[k].state != BATCH_DONE && b->rounds[i].tasks[k].array >= 0) return true;
    return false;
}

/* Every task of an array on a line of its own; a task that is being ended is not counted on. */
static cru_status ask_queue(batch *b, cru_error *err)
{
    const char *const words[] = {"squeue", "-h",       "-r", "-t", "PENDING,CONFIGURING,RUNNING,SUSPENDED",
                                 "-o",     "%F %K %T", NULL};
    char *queue;
    if (!has_open_tasks(b)) return CRU_OK;
    cru_status status = command_run(words, &queue, err);
    if (status) return status;
    batch_note_queue(b, queue);
    free(queue);
    return CRU_OK;
}

cru_status batch_open(const char *folder, batch *b, cru_error *err)
{
    cru_status status = CRU_OK;
    *b = (batch){.folder = command_text("%s", folder)};
    for (int64_t number = 1; !status; number++) {
        char *path = command_text("%s/%lld", folder, (long long)number), *tasks = command_text("%s/tasks", path);
        const bool there = access(tasks, F_OK) == 0;
        free(tasks);
        if (!there) {
            free(path);
            break;
        }
        b->rounds = grown(b->rounds, b->count, sizeof *b->rounds);
        b->rounds[b->count] = (batch_round){.folder = path, .number = number};
        status = read_round(&b->rounds[b->count++], err);
    }
    if (!status) status = ask_queue(b, err);
    if (status) batch_close(b);
    return status;
}

void batch_close(batch *b)
{
    for (int64_t i = 0; i < b->count; i++) close_round(&b->rounds[i]);
    free(b->rounds);
    free(b->folder);
    *b = (batch){0};
}

/* ---- what need not be submitted -------------------------------------------------------------------------- */

/* A round of an experiment that has changed since says nothing of the present trials; those that gave a result are
 * known to the store. */
static cru_status taken_in(const batch_round *r, const experiment *e, int64_t *parts, bool *taken, cru_error *err)
{
    int64_t count;
    bool there;
    cru_error why = {0};
    cru_status status = shard_plan_read(r->folder, e, parts, &count, &there, &why);
    if (status == CRU_BAD_INPUT || (!status && !there)) return CRU_OK;
    if (status) return cru_fail(err, status, "%s", why.text);
    for (int64_t i = 0; i < experiment_trial_count(e); i++)
        if (parts[i] >= 1 && parts[i] <= r->task_count && r->tasks[parts[i] - 1].state != BATCH_LOST) taken[i] = true;
    return CRU_OK;
}

cru_status batch_taken(const batch *b, const experiment *e, bool *taken, cru_error *err)
{
    cru_status status = CRU_OK;
    int64_t *parts = calloc((size_t)experiment_trial_count(e) + 1, sizeof *parts);
    if (!parts) cru_panic(CRU_NO_MEMORY, "no memory for what was submitted");
    for (int64_t i = 0; !status && i < b->count; i++) status = taken_in(&b->rounds[i], e, parts, taken, err);
    free(parts);
    return status;
}
