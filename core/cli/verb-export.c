// SPDX-License-Identifier: Apache-2.0
/* crucible export: one line a trial, with all its settings and numbers. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/report-options.h"
#include "cli/verbs.h"
#include "report/format/escape.h"

/* What is known of every trial besides settings and numbers. A setting or metric of such a name gets a prefix. */
static const char *const own[] = {"store", "experiment", "key", "method", "outcome", "tried"};
enum { OWN = sizeof own / sizeof *own };

typedef struct exporting {
    FILE *out;
    bool json, first;
    int64_t lines;
    const char *store;
} exporting;

static bool is_own(const char *name)
{
    for (int i = 0; i < OWN; i++)
        if (strcmp(own[i], name) == 0) return true;
    return false;
}

/* Names of settings and of numbers stay apart: "setting.algorithm" where both, or we, use the word. */
static const char *column_name(const frame *f, const frame_column *c, char *text, size_t size)
{
    bool taken = is_own(c->name) || frame_find_measure(f, c->name);
    snprintf(text, size, "%s%s", taken ? "setting." : "", c->name);
    return text;
}

static const char *measure_name(const frame_measure *m, char *text, size_t size)
{
    snprintf(text, size, "%s%s", is_own(m->name) ? "number." : "", m->name);
    return text;
}

static bool is_shown(const frame_column *c)
{
    return strcmp(c->name, FRAME_EXPERIMENT) != 0; /* it is among our own */
}

static void put_csv_header(const frame *f, FILE *out)
{
    char text[400];
    for (int i = 0; i < OWN; i++) fprintf(out, "%s%s", i ? "," : "", own[i]);
    for (int64_t c = 1; c < f->column_count; c++) {
        if (!is_shown(&f->columns[c])) continue;
        fputc(',', out);
        escape_csv(out, column_name(f, &f->columns[c], text, sizeof text));
    }
    for (int64_t m = 0; m < f->measure_count; m++) {
        fputc(',', out);
        escape_csv(out, measure_name(&f->measures[m], text, sizeof text));
    }
    fputc('\n', out);
}

static const char *value_of(const frame_column *c, int64_t i)
{
    return c->ids[i] < 0 ? "" : c->levels[c->ids[i]];
}

static const char *experiment_of(const frame *f, int64_t i)
{
    const frame_column *c = frame_find_column(f, FRAME_EXPERIMENT);
    return c ? value_of(c, i) : f->experiment;
}

static void put_csv_line(const exporting *e, const frame *f, int64_t i)
{
    char tried[32] = "";
    if (f->tried[i]) snprintf(tried, sizeof tried, "%lld", (long long)f->tried[i]);
    const char *texts[OWN] = {
        e->store, f->experiment, f->keys[i], value_of(&f->columns[0], i), store_outcome_name(f->outcomes[i]), tried};
    for (int k = 0; k < OWN; k++) {
        if (k) fputc(',', e->out);
        escape_csv(e->out, texts[k]);
    }
    for (int64_t c = 1; c < f->column_count; c++) {
        if (!is_shown(&f->columns[c])) continue;
        fputc(',', e->out);
        escape_csv(e->out, value_of(&f->columns[c], i));
    }
    for (int64_t m = 0; m < f->measure_count; m++) {
        double value = f->measures[m].values[i];
        fputc(',', e->out);
        if (!isnan(value)) fprintf(e->out, "%.17g", value);
    }
    fputc('\n', e->out);
}

static void put_json_line(const exporting *e, const frame *f, int64_t i)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "store", e->store);
    json_add_text(object, "experiment", experiment_of(f, i));
    json_add_text(object, "key", f->keys[i]);
    json_add_text(object, "method", value_of(&f->columns[0], i));
    json_add_text(object, "outcome", store_outcome_name(f->outcomes[i]));
    if (f->tried[i]) cJSON_AddNumberToObject(object, "tried", (double)f->tried[i]);
    cJSON *settings = cJSON_AddObjectToObject(object, "settings"),
          *numbers = cJSON_AddObjectToObject(object, "numbers");
    for (int64_t c = 1; c < f->column_count; c++)
        if (is_shown(&f->columns[c]) && f->columns[c].ids[i] >= 0)
            json_add_text(settings, f->columns[c].name, value_of(&f->columns[c], i));
    for (int64_t m = 0; m < f->measure_count; m++)
        if (!isnan(f->measures[m].values[i])) json_add_number(numbers, f->measures[m].name, f->measures[m].values[i]);
    char *text = cJSON_PrintUnformatted(object);
    if (text) fprintf(e->out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(object);
}

static void put_frame(exporting *e, const frame *f)
{
    if (!e->json && e->first) put_csv_header(f, e->out);
    e->first = false;
    for (int64_t i = 0; i < f->count; i++) {
        if (e->json)
            put_json_line(e, f, i);
        else
            put_csv_line(e, f, i);
        e->lines++;
    }
}

typedef struct id_list {
    int64_t items[REPORT_SOURCES];
    int64_t count;
    const cli_words *names;
} id_list;

static bool add_id(void *user, const store_experiment_view *view)
{
    id_list *list = user;
    bool wanted = list->names->count == 0;
    for (int i = 0; i < list->names->count; i++) wanted |= strcmp(list->names->word[i], view->name) == 0;
    if (wanted && list->count + 2 <= REPORT_SOURCES) {
        list->items[list->count++] = view->id;
        list->items[list->count++] = store_former(view->id);
    }
    return true;
}

/* All experiments of a store as one frame, so that a CSV has one header; or each by itself for JSON. */
static int export_stores(exporting *e, store **stores, int count, const report_options *options)
{
    cru_error err = {0};
    frame_source *sources = calloc((size_t)count * REPORT_SOURCES, sizeof *sources);
    int64_t total = 0;
    cru_status status = sources ? CRU_OK : cru_fail(&err, CRU_NO_MEMORY, "out of memory");
    for (int i = 0; !status && i < count; i++) {
        id_list list = {.names = &options->experiments};
        status = store_each_experiment(stores[i], add_id, &list, &err);
        for (int64_t k = 0; k < list.count; k++) sources[total++] = (frame_source){stores[i], list.items[k]};
    }
    if (!status && total == 0)
        status = cru_fail(&err, CRU_BAD_INPUT, "%s: holds no such experiment", store_path(stores[0]));
    frame *f = NULL;
    if (!status) status = frame_load(sources, total, &f, &err);
    free(sources);
    if (status) return status == CRU_BAD_INPUT ? cli_wrong("%s", err.text) : cli_fail("%s", err.text);
    for (int i = 0; !status && i < options->where.count; i++) status = frame_filter(f, options->where.word[i], &err);
    if (!status) put_frame(e, f);
    frame_destroy(f);
    return status ? cli_wrong("%s", err.text) : CLI_OK;
}

static int export_to(const report_options *options, bool json, FILE *out)
{
    store *stores[CLI_WORDS_MAX];
    int count = options->dbs.count ? options->dbs.count : 1;
    int code = report_options_open(&options->dbs, stores);
    if (code != CLI_OK) return code;
    exporting e = {.out = out, .json = json, .first = true, .store = count == 1 ? store_path(stores[0]) : ""};
    code = export_stores(&e, stores, count, options);
    report_options_close(stores, count);
    if (code == CLI_OK && (fflush(out) != 0 || ferror(out))) code = cli_fail("cannot be written: %s", strerror(errno));
    return code;
}

int verb_export(int argc, char **argv)
{
    report_options options = {0};
    const char *format = "csv";
    const cli_option list[] = {
        {.name = "format", .letter = 'f', .argument = "NAME", .text = &format, .help = "csv or jsonl (default: csv)"},
        {.name = "db",
         .argument = "FILE",
         .words = &options.dbs,
         .help = "the results store (default: results.db); several are joined"},
        {.name = "where",
         .argument = "KEY=VALUE",
         .words = &options.where,
         .help = "only such trials: key=a,b key=0..4 key!=a; may be repeated"},
        {.name = "out", .letter = 'o', .argument = "FILE", .text = &options.out, .help = "write there"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "export",
        .operands = "[EXPERIMENT]...",
        .most = CLI_WORDS_MAX,
        .options = list,
        .about =
            "Writes every trial of the store, or of some of its experiments, on one line: its method, outcome, all\n"
            "settings and all numbers, in the units of the store (an accuracy is a share, not per cent).\n"
            "What trials do not have is empty. A trial that several experiments list stands once.",
    };
    int code = cli_parse(&syntax, argc, argv, &options.experiments);
    if (code != CLI_GO_ON) return code;
    bool json = strcmp(format, "jsonl") == 0;
    if (!json && strcmp(format, "csv") != 0) return cli_wrong("no format '%s'; there are csv, jsonl", format);
    if (!options.out) return export_to(&options, json, stdout);
    FILE *file = fopen(options.out, "w");
    if (!file) return cli_fail("%s: %s", options.out, strerror(errno));
    code = export_to(&options, json, file);
    if (fclose(file) != 0 && code == CLI_OK) code = cli_fail("%s: %s", options.out, strerror(errno));
    return code;
}
