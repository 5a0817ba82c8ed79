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

/* What to draw, and the files that some kinds are drawn from. */
typedef struct request {
    report_options options;
    const char *data, *labels;
    const plot_kind *kind;
} request;

/* A picture of a file needs no store. */
static cru_status draw_file(const request *q, FILE *out, cru_error *err)
{
    plot_data *data;
    cru_status status = plot_data_read(q->data, q->labels, &data, err);
    if (status) return status;
    status = q->kind->draw(&(plot_input){.data = data, .alone = true}, out, err);
    plot_data_destroy(data);
    return status;
}

static int draw_store(const request *q, FILE *out)
{
    cru_error err = {0};
    report *r;
    int code = report_options_make(&q->options, &r);
    if (code != CLI_OK) return code;
    cru_status status = report_plot(r, q->kind->name, out, &err);
    report_destroy(r);
    return status ? cli_fail("%s", err.text) : CLI_OK;
}

/* The picture is drawn in memory first, so that a plot that cannot be drawn leaves no file behind. */
static int draw(const request *q, char **text, size_t *size)
{
    cru_error err = {0};
    FILE *memory = open_memstream(text, size);
    if (!memory) return cli_fail("no memory for the plot");
    int code = CLI_OK;
    if (!q->data)
        code = draw_store(q, memory);
    else if (draw_file(q, memory, &err))
        code = err.status == CRU_BAD_INPUT ? cli_wrong("%s", err.text) : cli_fail("%s", err.text);
    if (fclose(memory) != 0 && code == CLI_OK) code = cli_fail("no memory for the plot");
    return code;
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
    if (!err.status && !closed) cru_fail(&err, CRU_IO, "%s", strerror(errno));
    if (!err.status) return CLI_OK;
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
static int check_options(const request *q)
{
    const report_options *o = &q->options;
    const struct {
        const char *name, *text;
    } some[] = {{"spread", o->spread}, {"digits", o->digits},
                {"alpha", o->alpha},   {"x", o->x},
                {"size", o->size},     {"data", q->data},
                {"labels", q->labels}, {"cliques", o->cliques},
                {"vector", o->vector}, {"ordinal", o->ordinal ? "" : NULL}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].text && !has_word(q->kind->uses, some[i].name))
            return cli_wrong("plot: %s does not show --%s", q->kind->name, some[i].name);
    if (o->metric && o->metric[strcspn(o->metric, ", ")] && !has_word(q->kind->uses, "metrics"))
        return cli_wrong("plot: a picture shows one metric, not '%s'", o->metric);
    if (q->kind->source == PLOT_OF_FILE && !q->data)
        return cli_wrong("plot: %s is drawn from a file: --data FILE", q->kind->name);
    return CLI_OK;
}

static const char about[] =
    "Draws one metric of an experiment, or numbers of a file, as an SVG or PNG picture. KIND is one of\n"
    "  bars         means with error bars: --spread, --digits\n"
    "  drop         bars over the levels of the last key of --cols, and the relative decrease to the last one\n"
    "  curve        mean and spread over those levels: --spread, --ordinal; several metrics: --metric A,B\n"
    "  slope        from the first to the last of those levels, or between two columns: --digits\n"
    "  box          quartiles of the runs, which are drawn as points when they are few: --spread and --digits of\n"
    "               what a pointer is told\n"
    "  methods      one box a method over the columns, coloured by its mean\n"
    "  histogram    how the runs of every method are distributed\n"
    "  heat         methods by columns as colours: --digits; a matrix: --vector NAME or --data FILE\n"
    "  scatter      cost against the metric, the area of a bubble another cost: --x, --size\n"
    "  ranks        average ranks; joined methods do not differ: --alpha, --cliques\n"
    "  profile      share of runs above every value, with bootstrap bands\n"
    "  improvement  how probable it is that a method does better than another\n"
    "  parallel     every setting that a search tried as a line; --where dataset=D takes one dataset\n"
    "  importance   share of the variance that every setting of a search explains (functional ANOVA)\n"
    "  map          points by t-SNE, coloured by class, with their silhouette: of trials that the metric silhouette\n"
    "               with map = yes judged, or of a file: --data, --labels\n"
    "  boundary     the plane as methods divide it, likewise; --data with columns 'class' and 'predicted METHOD'\n"
    "  counts       classes and degrees: crucible stats D --json | crucible plot counts --data -";

/* Every operand has been read: draws and writes. */
static int make_picture(request *q, const char *format, const char *scale)
{
    picture p = {.path = q->options.out};
    int code = check_options(q);
    if (code == CLI_OK) code = choose_format(format, &p);
    if (code == CLI_OK) code = choose_scale(scale, &p);
    if (code == CLI_OK) code = draw(q, &p.svg, &p.size);
    if (code == CLI_OK) code = save(&p);
    free(p.svg);
    return code;
}

int verb_plot(int argc, char **argv)
{
    request q = {0};
    report_options *o = &q.options;
    const char *format = NULL, *scale = NULL;
    cli_option all[REPORT_OPTIONS_MAX];
    const cli_option own[] = {
        {.name = "experiment",
         .letter = 'e',
         .argument = "NAME",
         .words = &o->experiments,
         .help = "the experiment (default: the latest); several are joined"},
        {.name = "x",
         .argument = "NAME",
         .text = &o->x,
         .help = "cost or metric of a scatter's axis (default: seconds)"},
        {.name = "size",
         .argument = "NAME",
         .text = &o->size,
         .help = "cost or metric that its bubbles' area shows, or none (default: peak-mib)"},
        {.name = "cliques",
         .argument = "KIND",
         .text = &o->cliques,
         .help = "what joins methods in the diagram of ranks: nemenyi or wilcoxon (with Holm) (default: nemenyi)"},
        {.name = "ordinal", .flag = &o->ordinal, .help = "the last key of --cols is a scale though it is no number"},
        {.name = "vector",
         .argument = "NAME",
         .text = &o->vector,
         .help = "of heat: a matrix that trials reported instead of a metric, such as transition; their mean"},
        {.name = "data",
         .argument = "FILE",
         .text = &q.data,
         .help = "draw a file instead: CSV with names on top, NPY, or JSON of 'crucible stats'; - is standard input"},
        {.name = "labels", .argument = "FILE", .text = &q.labels, .help = "the classes of its rows, where it has none"},
        {.name = "format",
         .letter = 'f',
         .argument = "NAME",
         .text = &format,
         .help = "svg or png (default: by the end of the file's name; without one svg)"},
        {.name = "scale", .argument = "N", .text = &scale, .help = "pixels per unit of a png (default: 2)"},
        {0},
    };
    const cli_syntax syntax = {.verb = "plot",
                               .operands = "KIND",
                               .least = 1,
                               .most = 1,
                               .options = report_options_table(o, own, all),
                               .about = about};
    char names[300];
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    q.kind = plot_find(operands.word[0]);
    if (!q.kind) return cli_wrong("no plot '%s'; there are %s", operands.word[0], plot_names(names, sizeof names));
    return make_picture(&q, format, scale);
}
