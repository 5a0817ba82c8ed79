// SPDX-License-Identifier: Apache-2.0
#include "report/format/page.h"

#include <stdlib.h>
#include <string.h>

#include "report/format/escape.h"
#include "report/format/format.h"
#include "report/plot/plot.h"
#include "report/plot/svg.h"

/* Plots that the data does not allow are left out. */
static void put_plots(const report *r, int64_t index, FILE *out)
{
    plot_input input = report_input(r, index);
    for (int i = 0; i < PLOT_KINDS; i++) {
        if (plot_kinds[i].source == PLOT_OF_FILE) continue;
        char *text = NULL;
        size_t size = 0;
        FILE *memory = open_memstream(&text, &size);
        if (!memory) return;
        cru_status status = plot_kinds[i].draw(&input, memory, NULL);
        fclose(memory);
        if (!status) fprintf(out, "<h3>%s</h3>\n<div class=\"scroll\">%s</div>\n", plot_kinds[i].help, text);
        free(text);
    }
}

void page_write(const report *r, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    escape_html(out, r->f->experiment);
    fprintf(out, "</title>\n<style>\n%s", page_css);
    svg_style(out, false);
    fputs("</style>\n</head>\n<body>\n<h1>", out);
    escape_html(out, r->f->experiment);
    fputs("</h1>\n<p>Click a heading to sort.</p>\n<main>\n", out);
    for (int64_t i = 0; i < r->count; i++) {
        fputs("<section><h2>", out);
        escape_html(out, r->tables[i]->metric);
        fputs("</h2>\n", out);
        format_html(r->tables[i], out);
        if (!r->tables[i]->caption) put_plots(r, i, out);
        fputs("</section>\n", out);
    }
    fputs("<section><h2>Configuration</h2>\n<pre>", out);
    for (const char *line = r->f->config; *line;) {
        char buffer[512];
        size_t length = strcspn(line, "\n");
        size_t taken = length < sizeof buffer ? length : sizeof buffer - 1;
        memcpy(buffer, line, taken);
        buffer[taken] = '\0';
        escape_html(out, buffer);
        line += taken;
        if (*line == '\n') fputc(*line++, out);
    }
    fprintf(out, "</pre></section>\n</main>\n<script>\n%s</script>\n</body>\n</html>\n", page_script);
}
