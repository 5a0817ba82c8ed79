// SPDX-License-Identifier: Apache-2.0
#include "pick/verdict.h"

#include <math.h>

#include "report/format/escape.h"
#include "report/format/page.h"

static void put(const char *before, const char *text, const char *after, FILE *out)
{
    fputs(before, out);
    escape_html(out, text);
    fputs(after, out);
}

static void put_number(double value, const char *format, FILE *out)
{
    fputs("<td>", out);
    if (isnan(value))
        fputs("—", out);
    else
        fprintf(out, format, value);
    fputs("</td>", out);
}

static void put_head(const verdict *v, FILE *out)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n",
          out);
    put("<title>A method for ", v->dataset, "</title>\n<style>\n", out);
    fputs(page_css, out);
    fputs("tr.out{color:var(--soft)}\n</style>\n</head>\n<body>\n", out);
    put("<h1>A method for ", v->dataset, "</h1>\n", out);
    put("<p><strong>", v->sentence, "</strong></p>\n<dl class=\"summary\">\n", out);
    for (const char *const *f = v->facts; f[0]; f += 2) {
        put("<dt>", f[0], "</dt>", out);
        put("<dd>", f[1], "</dd>\n", out);
    }
    put("<dt>command</dt><dd><code>", v->command, "</code></dd></dl>\n<main>\n", out);
}

static void put_final(const verdict *v, FILE *out)
{
    const verdict_rung *r = &v->rungs[v->rung_count - 1];
    fprintf(out, "<h2>The last of the race</h2>\n<div class=\"scroll\"><table><caption>Means over %lld seeds; ",
            (long long)r->rung.seeds);
    put("chosen by ", v->judge, " alone. The test was looked at when the choice was made.</caption>", out);
    fputs("<thead><tr><th>method</th><th>validation</th><th>p against the best</th><th>as good</th>", out);
    put("<th>test: ", v->metric, "</th><th>std</th><th>seconds</th></tr></thead><tbody>\n", out);
    for (int64_t i = 0; i < r->count; i++) {
        const race_entry *e = &r->entries[i];
        put(e->as_good ? "<tr><th scope=\"row\">" : "<tr class=\"out\"><th scope=\"row\">", e->name, "</th>", out);
        put_number(e->mean, "%.4f", out);
        put_number(e->p, "%.3g", out);
        fprintf(out, "<td>%s</td>", i == 0 && e->as_good ? "best" : e->as_good ? "yes" : "");
        put_number(v->test_mean[i], "%.4f", out);
        put_number(v->test_std[i], "%.4f", out);
        put_number(r->seconds[i], "%.1f", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_rung(const verdict_rung *r, int64_t number, FILE *out)
{
    fprintf(out, "<h2>Rung %lld</h2>\n<div class=\"scroll\"><table><caption>", (long long)(number + 1));
    fprintf(out, "%lld methods, %lld seed%s, at most %lld epochs; %lld went on</caption>", (long long)r->count,
            (long long)r->rung.seeds, r->rung.seeds == 1 ? "" : "s", (long long)r->rung.epochs,
            (long long)r->survivors);
    fputs("<thead><tr><th>method</th><th>validation</th><th>seconds</th></tr></thead><tbody>\n", out);
    for (int64_t i = 0; i < r->count; i++) {
        put(i < r->survivors ? "<tr><th scope=\"row\">" : "<tr class=\"out\"><th scope=\"row\">", r->entries[i].name,
            "</th>", out);
        put_number(r->entries[i].mean, "%.4f", out);
        put_number(r->seconds[i], "%.1f", out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void put_ini(const char *ini, FILE *out)
{
    fputs("<h2>To reproduce it</h2>\n<pre>", out);
    for (; *ini; ini++) {
        const char one[] = {*ini, 0};
        if (*ini == '\n')
            fputc('\n', out);
        else
            (unsigned char)*ini < 128 ? escape_html(out, one) : (void)fputc(*ini, out);
    }
    fputs("</pre>\n", out);
}

void verdict_page(const verdict *v, FILE *out)
{
    put_head(v, out);
    put_final(v, out);
    for (int64_t k = 0; k + 1 < v->rung_count; k++) put_rung(&v->rungs[k], k, out);
    put_ini(v->ini, out);
    fputs("</main>\n</body>\n</html>\n", out);
}
