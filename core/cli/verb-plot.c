// SPDX-License-Identifier: Apache-2.0
/* crucible plot: pictures of an experiment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/report-options.h"
#include "cli/verbs.h"
#include "report/plot/plot.h"
#include "report/plot/png.h"

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

typedef struct picture {
    const char *path; /* NULL: standard output */
    bool png;
    double scale;
    char *svg;
    size_t size;
} picture;

static int save(const picture *p)
{
    cru_error err = {0};
    const char *name = p->path ? p->path : "standard output";
    FILE *file = p->path ? fopen(p->path, "w") : stdout;
    if (!file) return cli_fail("%s: %s", name, strerror(errno));
    if (p->png)
        png_write(&(png_source){p->svg, p->size, p->scale}, file, &err);
    else if (fwrite(p->svg, 1, p->size, file) != p->size)
        cru_fail(&err, CRU_IO, "%s", strerror(errno));
    bool closed = p->path ? fclose(file) == 0 : fflush(file) == 0;
    if (err.status == CRU_OK && !closed) cru_fail(&err, CRU_IO, "%s", strerror(errno));
    if (err.status == CRU_OK) return CLI_OK;
    if (p->path) remove(p->path);
    return cli_fail("%s: %s", name, err.text);
}

/* By --format or, without it, by the end of the file's name. */
static int choose_format(const char *format, picture *p)
{
    const char *name = p->path ? strrchr(p->path, '/') : NULL;
    const char *end = p->path ? strrchr(name ? name : p->path, '.') : NULL;
    if (!format && end && strcmp(end, ".png") != 0 && strcmp(end, ".svg") != 0)
        return cli_wrong("plot: --out %s: a picture is .svg or .png; another name needs --format", p->path);
    if (!format) format = end && strcmp(end, ".png") == 0 ? "png" : "svg";
    p->png = strcmp(format, "png") == 0;
    if (!p->png && strcmp(format, "svg") != 0) return cli_wrong("no format '%s'; there are svg and png", format);
    if (p->png && !p->path && isatty(STDOUT_FILENO)) return cli_wrong("name a file for the pixels with --out");
    return CLI_OK;
}

static int choose_scale(const char *scale, picture *p)
{
    char *end;
    p->scale = 2; /* sharp on paper and on today's screens */
    if (!scale) return CLI_OK;
    p->scale = strtod(scale, &end);
    if (end != scale && *end == '\0' && p->scale >= 0.1 && p->scale <= 20) return CLI_OK;
    return cli_wrong("--scale takes a number from 0.1 to 20, not '%s'", scale);
}

static bool has_word(const char *words, const char *word)
{
    const char *at = strstr(words, word);
    const size_t length = strlen(word);
    return at && (at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0');
}

/* What the kind of picture would not show is refused. */
static int check_options(const report_options *options, const plot_kind *kind)
{
    const struct {
        const char *name, *text;
    } some[] = {{"spread", options->spread}, {"digits", options->digits}, {"alpha", options->alpha}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].text && !has_word(kind->uses, some[i].name))
            return cli_wrong("plot: %s does not show --%s", kind->name, some[i].name);
    if (options->metric && options->metric[strcspn(options->metric, ", ")])
        return cli_wrong("plot: a picture shows one metric, not '%s'", options->metric);
    return CLI_OK;
}

int verb_plot(int argc, char **argv)
{
    report_options options = {0};
    const char *format = NULL, *scale = NULL;
    cli_option all[REPORT_OPTIONS_MAX];
    const cli_option own[] = {
        {.name = "experiment",
         .letter = 'e',
         .argument = "NAME",
         .text = &options.experiment,
         .help = "the experiment (default: the latest)"},
        {.name = "format",
         .letter = 'f',
         .argument = "NAME",
         .text = &format,
         .help = "svg or png (default: by the end of the file's name; without one svg)"},
        {.name = "scale", .argument = "N", .text = &scale, .help = "pixels per unit of a png (default: 2)"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "plot",
        .operands = "KIND",
        .least = 1,
        .most = 1,
        .options = report_options_table(&options, own, all),
        .about = "Draws one metric of an experiment as an SVG or PNG picture. KIND is one of\n"
                 "  bars     means with error bars: --spread, --digits\n"
                 "  curve    mean and spread over a swept number, the last key of --cols: --spread\n"
                 "  box      quartiles of the runs: --spread and --digits of what a pointer is told\n"
                 "  scatter  seconds against the metric\n"
                 "  ranks    average ranks with the critical difference: --alpha",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    const plot_kind *kind = plot_find(operands.word[0]);
    if (!kind) return cli_wrong("no plot '%s'; there are bars, curve, box, scatter, ranks", operands.word[0]);
    picture p = {.path = options.out};
    code = check_options(&options, kind);
    if (code == CLI_OK) code = choose_format(format, &p);
    if (code == CLI_OK) code = choose_scale(scale, &p);
    if (code == CLI_OK) code = draw(&options, operands.word[0], &p.svg, &p.size);
    if (code == CLI_OK) code = save(&p);
    free(p.svg);
    return code;
}
