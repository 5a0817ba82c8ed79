// SPDX-License-Identifier: Apache-2.0
#include "report/format/page.h"

#include <stdlib.h>
#include <string.h>

#include "report/format/escape.h"
#include "report/format/format.h"
#include "report/plot/svg.h"

/* What a browser draws at once without making its reader wait; what is too wide for half a screen. */
enum { PICTURE_BYTES = 300000, PICTURE_WIDE = 820 };

static void put_text(const char *before, const char *text, const char *after, FILE *out)
{
    fputs(before, out);
    escape_html(out, text);
    fputs(after, out);
}

/* ---- pictures -------------------------------------------------------------------------------------------- */

/* "accuracy: means with error bars", and the command that draws it alone. */
static void put_heading(const plot_input *in, const plot_kind *kind, FILE *out)
{
    fputs("<figcaption>", out);
    if (in->t) put_text("<strong>", in->t->metric, "</strong>: ", out);
    fprintf(out, "%s <code>plot %s</code></figcaption>\n", kind->help, kind->name);
}

/* Draws the picture into memory; NULL when the data does not allow it. The caller frees it. */
static char *draw(const plot_input *in, const plot_kind *kind, size_t *size)
{
    char *text = NULL;
    *size = 0;
    FILE *memory = open_memstream(&text, size);
    if (!memory) return NULL;
    cru_status status = kind->draw(in, memory, NULL);
    fclose(memory);
    if (!status) return text;
    free(text);
    return NULL;
}

static bool is_wide(const char *text)
{
    const char *width = strstr(text, " width=\"");
    return width && atof(width + 8) > PICTURE_WIDE;
}

/* Pictures that the data does not allow are left out; of those that are too large for a page the reader is told. */
static void put_picture(const plot_input *in, const plot_kind *kind, FILE *out)
{
    size_t size;
    char *text = draw(in, kind, &size);
    if (!text) return;
    fputs(is_wide(text) ? "<figure class=\"wide\">" : "<figure>", out);
    put_heading(in, kind, out);
    if (size > PICTURE_BYTES)
        fputs("<p class=\"legend\">Too large for this page; the command draws it.</p>\n", out);
    else
        fwrite(text, 1, size, out);
    fputs("</figure>\n", out);
    free(text);
}

static void put_pictures(const plot_input *in, bool of_file, FILE *out)
{
    fputs("<div class=\"charts\">\n", out);
    for (int i = 0; i < PLOT_KINDS; i++) {
        bool reads = plot_kinds[i].source == PLOT_OF_FILE || (of_file && strstr(plot_kinds[i].uses, "data"));
        bool plain = of_file && !in->data->truth.ids && plot_kinds[i].draw == plot_map; /* a map of no classes */
        if (reads == of_file && !plain) put_picture(in, &plot_kinds[i], out);
    }
    fputs("</div>\n", out);
}

/* ---- sections -------------------------------------------------------------------------------------------- */

void page_open(const char *title, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n",
          out);
    put_text("<title>", title, "</title>\n<style>\n", out);
    fputs(page_css, out);
    svg_style(out, false);
    fputs("</style>\n</head>\n<body>\n", out);
    put_text("<h1>", title, "</h1>\n", out);
}

void page_close(FILE *out)
{
    fprintf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", page_script);
}

static void put_tools(FILE *out)
{
    fputs(
        "<p class=\"tools\"><label>rows with <input type=\"search\" class=\"filter\" placeholder=\"gcn mlp\"></label> "
        "<button type=\"button\" class=\"csv\">CSV</button> <span>A click on a heading sorts.</span></p>\n",
        out);
}

void page_table(const page_section *s, const table *t, FILE *out)
{
    put_text("<section id=\"", s->id, "\">", out);
    put_text("<h2>", s->heading, "</h2>\n", out);
    if (t) {
        put_tools(out);
        format_html(t, out);
    }
    if (s->more) fputs(s->more, out);
    if (s->in && s->kind) {
        fputs("<div class=\"charts\">\n", out);
        put_picture(s->in, s->kind, out);
        fputs("</div>\n", out);
    }
    fputs("</section>\n", out);
}

static const char *title_of(const table *t)
{
    return t->caption ? "compared over all columns" : "";
}

static void put_index(const report *r, FILE *out)
{
    fputs("<nav aria-label=\"contents\"><ul>\n", out);
    for (int64_t i = 0; i < r->count; i++) {
        fprintf(out, "<li><a href=\"#table-%lld\">", (long long)i);
        escape_html(out, r->tables[i]->metric);
        fprintf(out, " %s</a></li>\n", title_of(r->tables[i]));
    }
    for (int64_t i = 0; i < r->data_count; i++) {
        fprintf(out, "<li><a href=\"#file-%lld\">", (long long)i);
        escape_html(out, r->data[i]->path);
        fputs("</a></li>\n", out);
    }
    fputs("<li><a href=\"#trials\">all trials</a></li>\n<li><a href=\"#configuration\">configuration</a></li>\n"
          "</ul></nav>\n",
          out);
}

static void put_table(const report *r, int64_t index, FILE *out)
{
    const table *t = r->tables[index];
    fprintf(out, "<section id=\"table-%lld\">", (long long)index);
    put_text("<h2>", t->metric, " ", out);
    fprintf(out, "%s</h2>\n", title_of(t));
    put_tools(out);
    format_html(t, out);
    plot_input in = report_input(r, index);
    if (index > 0) in.maps = NULL; /* they are of no metric, and once is enough */
    if (!t->caption) put_pictures(&in, false, out);
    fputs("</section>\n", out);
}

static void put_file(const report *r, int64_t index, FILE *out)
{
    plot_input in = {.data = r->data[index]};
    fprintf(out, "<section id=\"file-%lld\">", (long long)index);
    put_text("<h2>", r->data[index]->path, "</h2>\n", out);
    put_pictures(&in, true, out);
    fputs("</section>\n", out);
}

/* Control characters become spaces, line ends stay. */
static void put_config(const char *config, FILE *out)
{
    fputs("<section id=\"configuration\"><h2>Configuration</h2>\n<pre>", out);
    for (const char *line = config; *line;) {
        char buffer[512];
        size_t length = strcspn(line, "\n");
        size_t taken = length < sizeof buffer ? length : sizeof buffer - 1;
        memcpy(buffer, line, taken);
        buffer[taken] = '\0';
        escape_html(out, buffer);
        line += taken;
        if (*line == '\n') fputc(*line++, out);
    }
    fputs("</pre></section>\n", out);
}

void page_write(const report *r, FILE *out)
{
    page_open(r->f->experiment, out);
    page_summary(r->f, out);
    put_index(r, out);
    fputs("<main>\n", out);
    for (int64_t i = 0; i < r->count; i++) put_table(r, i, out);
    for (int64_t i = 0; i < r->data_count; i++) put_file(r, i, out);
    page_trials(r->f, out);
    put_config(r->f->config, out);
    page_close(out);
}
