// SPDX-License-Identifier: Apache-2.0
/* crucible report: tables of an experiment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/artefact-run.h"
#include "cli/cli.h"
#include "cli/report-options.h"
#include "cli/verbs.h"

static int find_format(const char *name)
{
    for (int i = 0; i < REPORT_FORMATS; i++) {
        if (strcmp(name, report_format_names[i]) == 0) return i;
    }
    return -1;
}

static int write_report(const report_options *options, const session_request *of_artefact, report_format format,
                        FILE *out)
{
    artefact_words named;
    if (artefact_known(&options->experiments, &named)) {
        int done = artefact_report_all(of_artefact, &named, &options->dbs, format, out);
        artefact_words_clear(&named);
        return done;
    }
    cru_error err = {0};
    report *r;
    int code = report_options_make(options, &r);
    if (code != CLI_OK) return code;
    cru_status status = report_write(r, format, out, &err);
    report_destroy(r);
    return status ? cli_fail("%s", err.text) : CLI_OK;
}

/* Options that say nothing without another one, or contradict it. */
static int check_options(const report_options *o, report_format format)
{
    if (o->curve_scale && !o->curves) return cli_wrong("report: --curve-scale is of --curves METRIC");
    if (o->data.count && format != REPORT_HTML) return cli_wrong("report: --data is of --format html");
    if (o->rope && !o->compare) return cli_wrong("report: --rope is of --compare");
    if (o->vector && (o->compare || o->curves || format == REPORT_HTML))
        return cli_wrong("report: --vector is a table of its own, and not of html");
    if (o->compare && o->curves) return cli_wrong("report: --compare and --curves: choose one");
    return CLI_OK;
}

static int write_where_asked(const report_options *options, const session_request *of_artefact, report_format format)
{
    if (!options->out) return write_report(options, of_artefact, format, stdout);
    FILE *file = fopen(options->out, "w");
    if (!file) return cli_fail("%s: %s", options->out, strerror(errno));
    int code = write_report(options, of_artefact, format, file);
    if (fclose(file) != 0 && code == CLI_OK) code = cli_fail("%s: %s", options->out, strerror(errno));
    return code;
}

int verb_report(int argc, char **argv)
{
    report_options options = {0};
    const char *format = "text";
    bool json = false;
    session_request q = {0};
    cli_option all[REPORT_OPTIONS_MAX];
    const cli_option own[] = {
        {.name = "format",
         .letter = 'f',
         .argument = "NAME",
         .text = &format,
         .help = "text, markdown, latex, csv, json or html (default: text)"},
        {.name = "average", .flag = &options.average, .help = "a column with the mean over all columns"},
        {.name = "against",
         .argument = "NAME",
         .text = &options.against,
         .help = "another experiment of the store: a column Imp. with the mean gain, and a mark where a cell is\n"
                 "significantly better"},
        {.name = "groups",
         .argument = "TEXT",
         .text = &options.groups,
         .help = "ranks (and averages) of some columns by themselves: \"small: cora, texas | large: pubmed\""},
        {.name = "baselines",
         .argument = "ROWS",
         .text = &options.baselines,
         .help = "rows that others are measured against: marks for worse than the best and worse than all, a row with "
                 "the best of\nthem, columns with the relative gain on it and wins, ties and losses"},
        {.name = "compare",
         .flag = &options.compare,
         .help =
             "behind every table its rows over all columns: Friedman's test, average ranks, means and interquartile\n"
             "means with bootstrap intervals, probability of improvement, Wilcoxon-Holm and the Bayesian signed-rank\n"
             "test against the row of best rank"},
        {.name = "rope",
         .argument = "X",
         .text = &options.rope,
         .help = "of --compare: differences up to X are as good as none (default: 1 in per cent, else 0)"},
        {.name = "overlap",
         .argument = "RATIO",
         .text = &options.overlap,
         .help =
             "the runs are of splits that overlap, with RATIO test items per training item: mark differences by the\n"
             "t test of Nadeau and Bengio instead of Wilcoxon's"},
        {.name = "curves",
         .argument = "METRIC",
         .text = &options.curves,
         .help = "instead: how far the curves of the other metrics are from the one of METRIC over the last key of\n"
                 "--cols, as discrete Fréchet distance"},
        {.name = "curve-scale",
         .argument = "KIND",
         .text = &options.curve_scale,
         .help = "values of a curve to 0..1 (values), the swept number too (both), or as they are (none)"},
        {.name = "vector",
         .argument = "NAME",
         .text = &options.vector,
         .help = "instead: a vector or matrix that trials reported, such as transition, as the mean over them"},
        {.name = "reference",
         .argument = "FILE",
         .text = &options.reference,
         .help = "CSV of published values (row, col, mean, std) to compare with"},
        {.name = "k",
         .argument = "K",
         .text = &options.k,
         .help = "how many published std may lie between (default: 1)"},
        {.name = "data",
         .argument = "FILE",
         .words = &options.data,
         .help =
             "of html: the pictures of a file, too (maps, boundaries, matrices, counts: see plot); may be repeated"},
        {.name = "published",
         .argument = "HOW",
         .text = &q.published,
         .help = "published values of an artefact: side (beside ours, default), diff or off"},
        {.name = "quick", .flag = &q.quick, .help = "of an artefact: what its [quick] asks for"},
        {.name = "only",
         .argument = "KEY=VALUES",
         .words = &q.only,
         .help = "of an artefact: only these cells, as method=gcn,nrgnn; may be repeated"},
        {.name = "json", .flag = &json, .help = "the same as --format json"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "report",
        .operands = "[EXPERIMENT|ARTEFACT|STUDY]...",
        .most = CLI_WORDS_MAX,
        .options = report_options_table(&options, own, all),
        .about = "Prints the results of an experiment (the latest, if none is named) as tables: mean and spread,\n"
                 "best and second best, ranks, paired tests, and why a cell is empty. Several experiments, and several "
                 "stores,\n"
                 "make one table.\n"
                 "Settings that vary are found by themselves; --rows, --cols and --where choose others.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    int chosen = find_format(json ? "json" : format);
    if (chosen < 0) return cli_wrong("no format '%s'; there are text, markdown, latex, csv, json, html", format);
    code = check_options(&options, (report_format)chosen);
    if (code != CLI_OK) return code;
    options.tabled = options.vector != NULL;
    options.experiments = operands;
    return write_where_asked(&options, &q, (report_format)chosen);
}
