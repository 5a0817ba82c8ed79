// SPDX-License-Identifier: Apache-2.0
/* crucible status: how submitted trials get on. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "cluster/batch.h"
#include "host/progress.h"

typedef struct figures {
    int64_t tasks[BATCH_LOST + 1], trials[BATCH_LOST + 1];
    double seconds_left; /* of tasks that run or wait */
} figures;

static figures count(const batch_round *r)
{
    figures f = {0};
    for (int64_t i = 0; i < r->task_count; i++) {
        const batch_task *t = &r->tasks[i];
        f.tasks[t->state]++;
        f.trials[t->state] += t->trials;
        if (t->state == BATCH_RUNNING || t->state == BATCH_WAITING) f.seconds_left += t->seconds;
    }
    return f;
}

static void add(figures *sum, const figures *f)
{
    for (int i = 0; i <= BATCH_LOST; i++) {
        sum->tasks[i] += f->tasks[i];
        sum->trials[i] += f->trials[i];
    }
    sum->seconds_left += f->seconds_left;
}

static const char *const names[] = {"done", "running", "waiting", "failed"};

/* As if as many tasks went on running as do now. */
static double seconds_to_go(const figures *f)
{
    return f->seconds_left / (double)(f->tasks[BATCH_RUNNING] > 0 ? f->tasks[BATCH_RUNNING] : 1);
}

static void print_line(const char *title, const figures *f)
{
    int64_t all = 0;
    char left[DURATION_SIZE];
    for (int i = 0; i <= BATCH_LOST; i++) all += f->tasks[i];
    printf("%-12s", title);
    for (int i = 0; i <= BATCH_LOST; i++) printf("  %6lld", (long long)f->tasks[i]);
    printf("  %6lld  %s\n", (long long)all, f->seconds_left > 0 ? duration_text(seconds_to_go(f), left) : "-");
}

static int print_text(const batch *b)
{
    figures sum = {0};
    char title[40];
    printf("%-12s    done running waiting  failed     all  left\n", "submission");
    for (int64_t i = 0; i < b->count; i++) {
        figures f = count(&b->rounds[i]);
        snprintf(title, sizeof title, "%lld", (long long)b->rounds[i].number);
        print_line(title, &f);
        add(&sum, &f);
    }
    if (b->count > 1) print_line("all", &sum);
    if (sum.tasks[BATCH_LOST])
        puts("Tasks failed or were cancelled; the same crucible submit submits their trials again unless a later one "
             "did.");
    return CLI_OK;
}

static int print_json(const batch *b)
{
    cJSON *array = cJSON_CreateArray();
    for (int64_t i = 0; i < b->count; i++) {
        figures f = count(&b->rounds[i]);
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "submission", (double)b->rounds[i].number);
        for (int k = 0; k <= BATCH_LOST; k++) cJSON_AddNumberToObject(object, names[k], (double)f.tasks[k]);
        cJSON_AddNumberToObject(object, "trials_done", (double)f.trials[BATCH_DONE]);
        cJSON_AddNumberToObject(object, "seconds_left", f.seconds_left > 0 ? seconds_to_go(&f) : 0);
        cJSON_AddItemToArray(array, object);
    }
    return json_print(array);
}

int verb_status(int argc, char **argv)
{
    const char *db = "results.db";
    bool json = false;
    const cli_option options[] = {
        {.name = "db",
         .argument = "FILE",
         .text = &db,
         .help = "the store that they were submitted for (default: results.db)"},
        {.name = "json", .flag = &json, .help = "the same as JSON"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "status",
        .options = options,
        .about = "Says how many tasks of every submission are done, run, wait, or failed, and how long the rest takes\n"
                 "if as many go on running as do now.",
    };
    cli_words none;
    int code = cli_parse(&syntax, argc, argv, &none);
    if (code != CLI_GO_ON) return code;
    cru_error err = {0};
    batch b;
    char *folder = batch_folder(db);
    cru_status status = batch_open(folder, &b, &err);
    if (status)
        code = cli_fail("%s", err.text);
    else if (!b.count)
        code = cli_fail("nothing was submitted for %s (no %s)", db, folder);
    else
        code = json ? print_json(&b) : print_text(&b);
    if (!status) batch_close(&b);
    free(folder);
    return code;
}
