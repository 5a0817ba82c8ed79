/* crucible plot: pictures of an experiment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report-options.h"
#include "cli/verbs.h"
#include "report/plot.h"

/* The picture is drawn in memory first, so that a plot that cannot be drawn leaves no file behind. */
static int draw(const report_options *options, const char *kind, char **text, size_t *size)
{
    cru_error err = {0};
    report *r;
    int code = report_options_make(options, &r);
    if (code != CLI_OK) return code;
    FILE *memory = open_memstream(text, size);
    if (!memory) {
        report_destroy(r);
        return cli_fail("no memory for the plot");
    }
    cru_status status = report_plot(r, kind, memory, &err);
    if (fclose(memory) != 0 && !status) status = cru_fail(&err, CRU_NO_MEMORY, "no memory for the plot");
    report_destroy(r);
    return status ? cli_fail("%s", err.text) : CLI_OK;
}

static int save(const char *path, const char *text, size_t size)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    if (!file) return cli_fail("%s: %s", path, strerror(errno));
    bool written = fwrite(text, 1, size, file) == size;
    bool closed = path ? fclose(file) == 0 : true;
    return written && closed ? CLI_OK : cli_fail("%s: %s", path ? path : "standard output", strerror(errno));
}

int verb_plot(int argc, char **argv)
{
    report_options options = {0};
    cli_option all[REPORT_OPTIONS_MAX];
    const cli_option own[] = {
        {.name = "experiment",
         .letter = 'e',
         .argument = "NAME",
         .text = &options.experiment,
         .help = "the experiment (default: the latest)"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "plot",
        .operands = "KIND",
        .least = 1,
        .most = 1,
        .options = report_options_table(&options, own, all),
        .about = "Draws one metric of an experiment as an SVG picture. KIND is one of\n"
                 "  bars     means with error bars\n"
                 "  curve    mean and spread over a swept number, the last key of --cols\n"
                 "  box      quartiles of the runs\n"
                 "  scatter  seconds against the metric\n"
                 "  ranks    average ranks with the critical difference",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (!plot_find(operands.word[0])) {
        return cli_wrong("no plot '%s'; there are bars, curve, box, scatter, ranks", operands.word[0]);
    }
    size_t length = options.out ? strlen(options.out) : 0;
    if (length > 4 && strcmp(options.out + length - 4, ".png") == 0) {
        return cli_wrong("pictures are SVG; write %.*s.svg and turn it into a PNG with rsvg-convert", (int)length - 4,
                         options.out);
    }
    char *text = NULL;
    size_t size = 0;
    code = draw(&options, operands.word[0], &text, &size);
    if (code == CLI_OK) code = save(options.out, text, size);
    free(text);
    return code;
}
