// SPDX-License-Identifier: Apache-2.0
#include "cli/report-options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cli_option *report_options_table(report_options *options, const cli_option *own,
                                       cli_option all[REPORT_OPTIONS_MAX])
{
    const cli_option shared[] = {
        {.name = "db",
         .argument = "FILE",
         .words = &options->dbs,
         .help = "the results store (default: results.db); several are joined"},
        {.name = "latest",
         .flag = &options->latest,
         .help = "only what the last run of an experiment listed, not what other files or --set options of its name "
                 "did"},
        {.name = "rows", .argument = "KEYS", .text = &options->rows, .help = "settings that make the rows"},
        {.name = "cols", .argument = "KEYS", .text = &options->cols, .help = "settings that make the columns"},
        {.name = "over",
         .argument = "KEYS",
         .text = &options->over,
         .help = "settings averaged over (default: seed,split.index)"},
        {.name = "where",
         .argument = "KEY=VALUE",
         .words = &options->where,
         .help = "only such trials: key=a,b key=0..4 key!=a; may be repeated"},
        {.name = "metric",
         .letter = 'm',
         .argument = "NAMES",
         .text = &options->metric,
         .help = "metrics to show (default: all of the experiment); also seconds and its parts "
                 "seconds-construct and seconds-train, seconds-to-best, peak-mib"},
        {.name = "tried",
         .flag = &options->tried,
         .help = "all settings that a search tried instead of those that it chose"},
        {.name = "spread",
         .argument = "KIND",
         .text = &options->spread,
         .help = "std (n-1), std0 (n), sem or sem0 (either over the root of n) (default: std)"},
        {.name = "minus",
         .argument = "NAME",
         .text = &options->minus,
         .help = "a column or a row, such as none or gcn: the others as differences from it, run by run"},
        {.name = "digits", .argument = "N", .text = &options->digits, .help = "digits after the point"},
        {.name = "alpha", .argument = "P", .text = &options->alpha, .help = "level of the tests (default: 0.05)"},
        {.name = "out",
         .letter = 'o',
         .argument = "FILE",
         .text = &options->out,
         .help = "write there (default: standard output)"},
        {0},
    };
    int count = 0;
    for (const cli_option *o = own; o->name; o++) all[count++] = *o;
    for (const cli_option *o = shared; o->name; o++) all[count++] = *o;
    all[count] = (cli_option){0};
    return all;
}

/* A number in low..high; `text` may be NULL, then *number stays. */
static int read_number(const char *option, const char *text, const double range[2], double *number)
{
    if (!text) return CLI_OK;
    char *end;
    *number = strtod(text, &end);
    if (end != text && *end == '\0' && *number >= range[0] && *number <= range[1]) return CLI_OK;
    return cli_wrong("--%s takes a number from %g to %g, not '%s'", option, range[0], range[1], text);
}

static char *join_conditions(const cli_words *where)
{
    size_t size = 1;
    for (int i = 0; i < where->count; i++) size += strlen(where->word[i]) + 1;
    char *text = calloc(size, 1);
    for (int i = 0; text && i < where->count; i++) {
        if (i) strcat(text, ",");
        strcat(text, where->word[i]);
    }
    return text;
}

void report_options_close(store **stores, int count)
{
    for (int i = 0; i < count; i++) store_close(stores[i], NULL);
}

int report_options_open(const cli_words *dbs, store **stores)
{
    const cli_words usual = {.word = {"results.db"}, .count = 1}, *names = dbs->count ? dbs : &usual;
    cru_error err = {0};
    for (int i = 0; i < names->count; i++) {
        const char *db = names->word[i];
        bool there = access(db, F_OK) == 0;
        int code = !*db     ? cli_wrong("--db: the path of the results store is empty")
                   : !there ? cli_fail("%s: %s; --db FILE names the results store", db, strerror(errno))
                   : store_open(db, &(store_options){.read_only = true}, &stores[i], &err) ? cli_fail("%s", err.text)
                                                                                           : CLI_OK;
        if (code == CLI_OK) continue;
        report_options_close(stores, i);
        return code;
    }
    return CLI_OK;
}

static int make(const report_options *options, report_request *request, report **out)
{
    cru_error err = {0};
    store *stores[CLI_WORDS_MAX];
    int code = report_options_open(&options->dbs, stores);
    if (code != CLI_OK) return code;
    int count = options->dbs.count ? options->dbs.count : 1;
    cru_status status = report_make_joined(&(report_stores){stores, count}, request, out, &err);
    report_options_close(stores, count);
    if (!status) return CLI_OK;
    return status == CRU_BAD_INPUT ? cli_wrong("%s", err.text) : cli_fail("%s", err.text);
}

int report_options_make(const report_options *options, report **out)
{
    double digits = -1, k = 1, alpha = 0.05, rope = -1, overlap = 0;
    int code = read_number("digits", options->digits, (const double[]){0, 15}, &digits);
    if (code == CLI_OK) code = read_number("k", options->k, (const double[]){0, 1000}, &k);
    if (code == CLI_OK) code = read_number("rope", options->rope, (const double[]){0, 1e9}, &rope);
    if (code == CLI_OK) code = read_number("overlap", options->overlap, (const double[]){1e-6, 1000}, &overlap);
    if (code == CLI_OK) code = read_number("alpha", options->alpha, (const double[]){1e-6, 0.5}, &alpha);
    if (code != CLI_OK) return code;
    char *where = join_conditions(&options->where);
    if (!where) return cli_fail("out of memory");
    report_request request = {.experiments = options->experiments.word,
                              .experiment_count = options->experiments.count,
                              .latest = options->latest,
                              .rows = options->rows,
                              .cols = options->cols,
                              .over = options->over,
                              .where = options->where.count ? where : NULL,
                              .metrics = options->metric,
                              .spread = options->spread,
                              .reference = options->reference,
                              .reference_k = k,
                              .alpha = alpha,
                              .digits = (int32_t)digits,
                              .tried = options->tried,
                              .average = options->average,
                              .groups = options->groups,
                              .baselines = options->baselines,
                              .minus = options->minus,
                              .against = options->against,
                              .curves = options->curves,
                              .curve_scale = options->curve_scale,
                              .compare = options->compare,
                              .rope = rope,
                              .overlap = overlap,
                              .x = options->x,
                              .size = options->size,
                              .cliques = options->cliques,
                              .ordinal = options->ordinal,
                              .vector = options->vector,
                              .tabled = options->tabled,
                              .data = options->data.word,
                              .data_count = options->data.count};
    code = make(options, &request, out);
    free(where);
    return code;
}
