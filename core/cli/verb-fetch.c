// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/line.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "fetch/fetch.h"
#include "host/clock.h"

typedef struct request {
    bool all, json, quiet;
    const char *mirror, *config;
    int64_t megabytes, speed, patience, seconds; /* limits; 0: the usual ones */
} request;

/* ---- while it runs --------------------------------------------------------------------------------------- */

/* On a terminal a bar, elsewhere a line for each file. */
typedef struct display {
    bool bar, lines;
    status_line line;
    double begun;
} display;

enum { BYTES_SIZE = 32 };

static const char *bytes_text(double bytes, char text[BYTES_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) bytes /= 1000;
    snprintf(text, BYTES_SIZE, "%.3g %s", bytes, units[unit]);
    return text;
}

static void on_tick(void *user, const transfer_totals *t)
{
    display *d = user;
    if (!d->bar) return;
    char bar[BAR_CELLS + 1], got[BYTES_SIZE], rate[BYTES_SIZE], left[DURATION_SIZE], text[512];
    double seconds = fmax(clock_now() - d->begun, 1e-3);
    double remaining = t->share > 0 ? seconds * (1 - t->share) / t->share : INFINITY;
    snprintf(text, sizeof text, "[%s] %lld/%lld files  %s  %s/s  %s left  %s", bar_text(t->share, bar),
             (long long)t->done, (long long)t->files, bytes_text((double)t->bytes, got),
             bytes_text((double)t->bytes / seconds, rate), duration_text(remaining, left),
             t->running ? t->running : "");
    status_line_draw(&d->line, text);
}

static void on_done(void *user, const transfer *t)
{
    const display *d = user;
    char size[BYTES_SIZE], kept[BYTES_SIZE];
    if (!d->lines || t->status) return;
    printf("%s: %s from %s", t->name, bytes_text((double)t->have, size), t->goal.url);
    if (t->resumed > 0) printf(", %s of it from before", bytes_text((double)t->resumed, kept));
    putchar('\n');
    fflush(stdout);
}

/* ---- what came of it ------------------------------------------------------------------------------------- */

static const char *outcome_name(const fetch_dataset *d)
{
    if (d->status == CRU_UNSUPPORTED) return "refused";
    if (d->status) return "failed";
    for (int64_t i = 0; i < d->count; i++)
        if (d->files[i].source_count > 0) return "fetched";
    return "present";
}

static cJSON *file_json(const fetch_file *f)
{
    cJSON *object = cJSON_CreateObject();
    const transfer *t = &f->transfer;
    const bool fetched = f->source_count > 0;
    const card_form *form = fetched ? f->sources[f->at].form : card_published(f->file);
    bool here = !fetched || (!t->status && t->sha256[0]);
    json_add_text(object, "role", f->file->role);
    json_add_text(object, "path", here ? fetch_path(f) : NULL);
    json_add_text(object, "from", fetched ? f->sources[f->at].url : NULL);
    json_add_text(object, "sha256", t->sha256[0] ? t->sha256 : form->sha256);
    cJSON_AddNumberToObject(object, "bytes", (double)t->have);
    cJSON_AddNumberToObject(object, "resumed", (double)t->resumed);
    json_add_text(object, "message", t->status ? t->error.text : NULL);
    return object;
}

static cJSON *dataset_json(const fetch_dataset *d)
{
    cJSON *object = cJSON_CreateObject(), *files = cJSON_CreateArray();
    json_add_text(object, "name", d->card->name);
    json_add_text(object, "status", outcome_name(d));
    json_add_text(object, "message", d->status ? d->error.text : NULL);
    if (!d->status) {
        cJSON_AddNumberToObject(object, "items", (double)d->counts.items);
        cJSON_AddNumberToObject(object, "nodes", (double)d->counts.nodes);
        cJSON_AddNumberToObject(object, "edges", (double)d->counts.arcs);
        cJSON_AddNumberToObject(object, "features", (double)d->counts.features);
        cJSON_AddNumberToObject(object, "classes", (double)d->counts.classes);
    }
    for (int64_t i = 0; i < d->count; i++) cJSON_AddItemToArray(files, file_json(&d->files[i]));
    cJSON_AddItemToObject(object, "files", files);
    return object;
}

static void print_dataset(const fetch_dataset *d)
{
    const fetch_counts *n = &d->counts;
    printf("%s: %s; %lld items, ", d->card->name, outcome_name(d), (long long)n->items);
    if (n->arcs > 0) printf("%lld edges, ", (long long)n->arcs);
    printf("%lld features, %lld classes\n", (long long)n->features, (long long)n->classes);
}

static int print_outcome(const fetch_plan *plan, const request *q)
{
    int code = CLI_OK;
    cJSON *array = q->json ? cJSON_CreateArray() : NULL;
    for (int64_t i = 0; i < plan->count; i++) {
        const fetch_dataset *d = &plan->datasets[i];
        if (q->json) cJSON_AddItemToArray(array, dataset_json(d));
        if (d->status)
            code = cli_fail("%s", d->error.text);
        else if (!q->json && !q->quiet)
            print_dataset(d);
    }
    if (q->json && json_print(array) != CLI_OK) code = CLI_FAILED;
    return code;
}

/* ---- the verb -------------------------------------------------------------------------------------------- */

static cru_status fill_plan(fetch_plan *plan, const request *q, const cli_words *names, cru_error *err)
{
    cru_status status = q->all ? fetch_add_all(plan, err) : CRU_OK;
    for (int i = 0; !status && i < names->count; i++) status = fetch_add(plan, names->word[i], err);
    return status;
}

static int fetch(const request *q, const cli_words *names, const outfit *with)
{
    fetch_plan plan = {.mirror = q->mirror, .places = &with->places, .plugins = with->plugins};
    plan.limits = (transfer_limits){.most_bytes = q->megabytes * 1000000,
                                    .least_speed = q->speed,
                                    .patience = (double)q->patience,
                                    .most_seconds = (double)q->seconds};
    bool shown = !q->json && !q->quiet;
    display shows = {.bar = shown && status_line_works(stderr), .begun = clock_now()};
    shows.lines = shown && !shows.bar;
    status_line_begin(&shows.line, stderr);
    const transfer_watch watch = {.user = &shows, .tick = on_tick, .done = on_done};
    cru_error err = {0};
    cru_status status = fill_plan(&plan, q, names, &err);
    const bool wrong = status == CRU_BAD_INPUT; /* a name or a card */
    if (!status) status = fetch_run(&plan, &watch, &err);
    status_line_erase(&shows.line);
    int code = !status ? print_outcome(&plan, q) : wrong ? cli_wrong("%s", err.text) : cli_fail("%s", err.text);
    fetch_clear(&plan);
    return code;
}

int verb_fetch(int argc, char **argv)
{
    request q = {0};
    const cli_option options[] = {
        {.name = "all", .flag = &q.all, .help = "every dataset that can be downloaded"},
        {.name = "mirror", .argument = "DIR", .text = &q.mirror, .help = "copy DIR/<dataset>/<file> if it is there"},
        {.name = "max-size", .argument = "MB", .number = &q.megabytes, .help = "largest file of unknown size (4295)"},
        {.name = "min-speed", .argument = "B/S", .number = &q.speed, .help = "give up a slower server (500)"},
        {.name = "patience", .argument = "S", .number = &q.patience, .help = "seconds the speed is taken over (30)"},
        {.name = "max-time", .argument = "S", .number = &q.seconds, .help = "seconds for one file (14400)"},
        OUTFIT_OPTION(&q.config),
        {.name = "json", .flag = &q.json, .help = "print a JSON array"},
        {.name = "quiet", .letter = 'q', .flag = &q.quiet, .help = "print errors only"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "fetch",
        .operands = "NAME...",
        .most = CLI_WORDS_MAX,
        .options = options,
        .about = "Downloads datasets, verifies their checksums, reads them once, checks their counts and caches them.\n"
                 "NAME is a card's name or path. Files go to $XDG_DATA_HOME/crucible/datasets; what is there, beside\n"
                 "the card or in the mirror of CRUCIBLE_MIRROR is not downloaded. A broken download goes on where it\n"
                 "stopped when the command is run again. A file of the wrong size, kind or checksum is set aside as\n"
                 "FILE.bad, and the card's next address is tried.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (operands.count == 0 && !q.all) return cli_wrong("fetch: wants NAME... or --all; see 'crucible fetch --help'");
    outfit with;
    code = outfit_open(q.config, &with);
    if (code != CLI_GO_ON) return code;
    code = fetch(&q, &operands, &with);
    outfit_close(&with);
    return code;
}
