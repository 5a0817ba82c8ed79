// SPDX-License-Identifier: Apache-2.0
#include "clean/listing.h"

#include <math.h>

#include "report/format/escape.h"
#include "report/format/page.h"

enum { ROWS_MOST = 1000, BINS = 40, WIDTH = 640, HEIGHT = 160, CLASSES_MOST = 40 };

static int32_t voices(const evidence *e, int32_t item)
{
    int32_t count = 0;
    for (int32_t m = 0; m < e->method_count; m++) count += e->methods[m].judged[item] > 0;
    return count;
}

void listing_csv(const listing *l, FILE *out)
{
    const evidence *e = l->found;
    fputs("rank,item,given,suggested,suspicion,methods_against,methods,probably_wrong\n", out);
    for (int64_t k = 0; k < e->count; k++) {
        const int32_t i = e->order[k];
        fprintf(out, "%lld,%d,", (long long)(k + 1), i);
        escape_csv(out, l->class_names[e->given[i]]);
        fputc(',', out);
        escape_csv(out, l->class_names[e->suggested[i]]);
        fprintf(out, ",%.6f,%d,%d,%s\n", e->suspicion[i], e->against[i], voices(e, i), k < e->wrong ? "yes" : "no");
    }
}

/* ---- page ------------------------------------------------------------------------------------------------ */

static void put(const char *before, const char *text, const char *after, FILE *out)
{
    fputs(before, out);
    escape_html(out, text);
    fputs(after, out);
}

static void put_head(const listing *l, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n",
          out);
    put("<title>Labels of ", l->dataset, "</title>\n<style>\n", out);
    fputs(page_css, out);
    fputs("rect.all{fill:var(--faint)}rect.wrong{fill:#c2410c}svg text{fill:var(--soft);font-size:12px}\n"
          "td.text{text-align:left}\n</style>\n</head>\n<body>\n",
          out);
    put("<h1>Labels of ", l->dataset, "</h1>\n", out);
    put("<p><strong>", l->verdict, "</strong></p>\n", out);
}

static void put_summary(const listing *l, FILE *out)
{
    const evidence *e = l->found;
    fprintf(out, "<dl class=\"summary\"><dt>labelled items</dt><dd>%lld of %lld</dd>\n", (long long)e->count,
            (long long)e->items);
    if (!isnan(e->rate))
        fprintf(out,
                "<dt>wrong labels, estimated</dt><dd>%.1f %% (95 %%: %.1f to %.1f), from %lld items whose class is "
                "clear</dd>\n",
                100 * e->rate, 100 * e->low, 100 * e->high, (long long)e->counted);
    put("<dt>command</dt><dd><code>", l->command, "</code></dd></dl>\n", out);
}

/* How many items have which suspicion; those that are probably wrong in another colour. */
static void put_histogram(const evidence *e, FILE *out)
{
    int64_t all[BINS] = {0}, wrong[BINS] = {0}, most = 1;
    for (int64_t k = 0; k < e->count; k++) {
        int bin = (int)(e->suspicion[e->order[k]] * BINS);
        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        all[bin]++;
        wrong[bin] += k < e->wrong;
        if (all[bin] > most) most = all[bin];
    }
    fprintf(
        out,
        "<figure><figcaption>Items by suspicion, 0 to 1; dark: probably wrong</figcaption>\n"
        "<svg role=\"img\" aria-label=\"histogram of suspicion\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
        WIDTH, HEIGHT + 24, WIDTH, HEIGHT + 24);
    for (int b = 0; b < BINS; b++) {
        const double w = (double)WIDTH / BINS, scale = (HEIGHT - 16.0) / (double)most;
        const double tall = scale * (double)all[b], bad = scale * (double)wrong[b];
        fprintf(out, "<rect class=\"all\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", b * w, HEIGHT - tall,
                w - 1, tall - bad);
        fprintf(out, "<rect class=\"wrong\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", b * w,
                HEIGHT - bad, w - 1, bad);
    }
    fprintf(out,
            "<text x=\"0\" y=\"%d\">0</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">1</text>"
            "<text x=\"0\" y=\"12\">%lld items</text></svg></figure>\n",
            HEIGHT + 18, WIDTH, HEIGHT + 18, (long long)most);
}

static void put_methods(const evidence *e, FILE *out)
{
    fputs("<h2>Methods</h2>\n<div class=\"scroll\"><table><thead><tr><th>method</th><th>agrees with the label, %</th>"
          "<th>power of its probabilities</th></tr></thead><tbody>\n",
          out);
    for (int32_t m = 0; m < e->method_count; m++) {
        put("<tr><th scope=\"row\">", e->methods[m].name, "</th>", out);
        fprintf(out, "<td>%.1f</td><td>%.2f</td></tr>\n", 100 * e->methods[m].agrees, e->methods[m].power);
    }
    fputs("</tbody></table></div>\n<p class=\"legend\">Every item is judged by methods that have not learned from its "
          "label. A "
          "power below 1 makes the probabilities of a method less sure, above 1 more.</p>\n",
          out);
}

static void put_classes(const listing *l, FILE *out)
{
    const evidence *e = l->found;
    if (e->classes > CLASSES_MOST) return;
    fputs(
        "<h2>Which labels are taken for which</h2>\n<div class=\"scroll\"><table><caption>Items whose class is clear: "
        "labelled (row), found (column)</caption><thead><tr><th></th>",
        out);
    for (int32_t c = 0; c < e->classes; c++) put("<th>", l->class_names[c], "</th>", out);
    fputs("</tr></thead><tbody>\n", out);
    for (int32_t c = 0; c < e->classes; c++) {
        put("<tr><th scope=\"row\">", l->class_names[c], "</th>", out);
        for (int32_t j = 0; j < e->classes; j++)
            fprintf(out, "<td>%lld</td>", (long long)e->confident[(int64_t)c * e->classes + j]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_items(const listing *l, FILE *out)
{
    const evidence *e = l->found;
    const int64_t shown = e->count < ROWS_MOST ? e->count : ROWS_MOST;
    fprintf(out,
            "<section><h2>Items, the most suspect first</h2>\n<p class=\"legend\">%lld of %lld; the CSV has all. Items "
            "are numbered from 0 in the order of the data's file.</p>\n"
            "<p class=\"tools\"><label>rows with <input type=\"search\" class=\"filter\"></label> "
            "<button type=\"button\" class=\"csv\">CSV</button> <span>A click on a heading sorts.</span></p>\n"
            "<div class=\"scroll\"><table><thead><tr>",
            (long long)shown, (long long)e->count);
    static const char *const heads[] = {"item", "given", "suggested", "suspicion", "methods against", "probably wrong"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        fprintf(out, "<th><button type=\"button\">%s</button></th>", heads[k]);
    fputs("</tr></thead><tbody>\n", out);
    for (int64_t k = 0; k < shown; k++) {
        const int32_t i = e->order[k];
        fprintf(out, "<tr><th scope=\"row\" data-value=\"%d\">%d</th>", i, i);
        put("<td>", l->class_names[e->given[i]], "</td>", out);
        put("<td>", l->class_names[e->suggested[i]], "</td>", out);
        fprintf(
            out,
            "<td data-value=\"%.6f\">%.3f</td><td data-value=\"%d\">%d of %d</td><td data-value=\"%d\">%s</td></tr>\n",
            e->suspicion[i], e->suspicion[i], e->against[i], e->against[i], voices(e, i), k < e->wrong,
            k < e->wrong ? "yes" : "");
    }
    fputs("</tbody></table></div></section>\n", out);
}

void listing_page(const listing *l, FILE *out)
{
    put_head(l, out);
    put_summary(l, out);
    fputs("<main>\n", out);
    put_histogram(l->found, out);
    put_methods(l->found, out);
    put_classes(l, out);
    put_items(l, out);
    fprintf(out, "</main>\n<script>\n%s</script>\n</body>\n</html>\n", page_script);
}
