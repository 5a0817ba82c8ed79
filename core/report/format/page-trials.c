// SPDX-License-Identifier: Apache-2.0
/* page-trials.c: what the page says of all trials together, and the trials as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/format/escape.h"
#include "report/format/page.h"

/* ---- summary --------------------------------------------------------------------------------------------- */

static void put_entry(const char *name, const char *text, FILE *out)
{
    fprintf(out, "<dt>%s</dt><dd>", name);
    escape_html(out, text);
    fputs("</dd>\n", out);
}

/* The values of a setting, in their order; the first dozen of them. */
static void put_levels(const frame *f, const char *name, const char *column, FILE *out)
{
    enum { SHOWN = 12 };
    char text[1200] = "";
    const frame_column *c = frame_find_column(f, column);
    if (!c || c->level_count == 0) return;
    for (int32_t i = 0; i < c->level_count && i < SHOWN; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.80s", i ? ", " : "", c->levels[i]);
    }
    size_t used = strlen(text);
    if (c->level_count > SHOWN)
        snprintf(text + used, sizeof text - used, " and %d more", (int)(c->level_count - SHOWN));
    put_entry(name, text, out);
}

/* "0 ... 4 (5)" of whole numbers in a row, else a list. */
static void put_seeds(const frame *f, FILE *out)
{
    const frame_column *c = frame_find_column(f, "seed");
    char text[200];
    if (!c || c->level_count < 3) {
        put_levels(f, "Seeds", "seed", out);
        return;
    }
    snprintf(text, sizeof text, "%.40s to %.40s (%d)", c->levels[0], c->levels[c->level_count - 1],
             (int)c->level_count);
    put_entry("Seeds", text, out);
}

static void put_outcomes(const frame *f, FILE *out)
{
    char text[300] = "";
    int64_t counts[STORE_OUTCOMES] = {0}, failed = 0;
    for (int64_t i = 0; i < f->count; i++) counts[f->outcomes[i]]++;
    snprintf(text, sizeof text, "%lld, %lld of them finished well", (long long)f->count, (long long)counts[STORE_OK]);
    put_entry("Trials", text, out);
    text[0] = '\0';
    for (int i = 0; i < STORE_OUTCOMES; i++) {
        if (i == STORE_OK || counts[i] == 0) continue;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%lld %s", used ? ", " : "", (long long)counts[i],
                 i == STORE_PENDING ? "not run yet" : store_outcome_name((store_outcome)i));
        failed += counts[i];
    }
    put_entry("Failures", failed ? text : "none", out);
}

static void put_cost(const frame *f, FILE *out)
{
    const frame_measure *seconds = frame_find_measure(f, "seconds"), *peak = frame_find_measure(f, "peak-mib");
    double total = 0, most = 0;
    char text[200];
    for (int64_t i = 0; i < f->count; i++) {
        if (seconds->values[i] > 0) total += seconds->values[i];
        if (peak->values[i] > most) most = peak->values[i];
    }
    if (total < 600)
        snprintf(text, sizeof text, "%.3g s of runs, at most %.4g MiB each", total, most);
    else
        snprintf(text, sizeof text, "%.3g h of runs, at most %.4g MiB each", total / 3600, most);
    put_entry("Cost", text, out);
}

/* The line "key = value" of the environment. */
static void put_environment(const frame *f, const char *name, const char *key, FILE *out)
{
    char text[200];
    size_t length = strlen(key);
    for (const char *line = f->environment; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0 || strncmp(line + length, " = ", 3) != 0) continue;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line + length + 3, "\n"), line + length + 3);
        put_entry(name, text, out);
        return;
    }
}

static void put_date(const frame *f, FILE *out)
{
    char text[64];
    time_t when = (time_t)(f->finished_ms / 1000);
    struct tm parts;
    if (f->finished_ms == 0 || !gmtime_r(&when, &parts)) return;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
    put_entry("Last trial", text, out);
}

void page_summary(const frame *f, FILE *out)
{
    fputs("<dl class=\"summary\">\n", out);
    put_levels(f, "Data", "dataset", out);
    put_levels(f, "Damage", "corruptor", out);
    put_levels(f, "Split", "split.scheme", out);
    put_levels(f, "Methods", "alias", out);
    put_seeds(f, out);
    put_outcomes(f, out);
    put_cost(f, out);
    put_date(f, out);
    put_environment(f, "Crucible", "crucible", out);
    put_environment(f, "Processor", "cpu", out);
    fputs("</dl>\n", out);
}

/* ---- trials ---------------------------------------------------------------------------------------------- */

/* A JSON string that also stands inside a script: '<' cannot end it. */
static void put_string(const char *text, FILE *out)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p < 32 || *p == '"' || *p == '\\' || *p == '<' || *p == '>' || *p == '&' || *p == 127)
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    }
    fputc('"', out);
}

/* The shortest text that reads back as the number. */
static void put_number(double number, FILE *out)
{
    char text[32];
    if (!isfinite(number)) {
        fputs("null", out);
        return;
    }
    for (int digits = 6; digits <= 17; digits += digits < 15 ? 3 : 1) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    fputs(text, out);
}

static void put_column(const frame *f, const frame_column *c, FILE *out)
{
    fputs("{\"name\":", out);
    put_string(strcmp(c->name, "alias") == 0 ? "method" : c->name, out);
    fputs(",\"levels\":[", out);
    for (int32_t i = 0; i < c->level_count; i++) {
        if (i) fputc(',', out);
        put_string(c->levels[i], out);
    }
    fputs("],\"ids\":[", out);
    for (int64_t i = 0; i < f->count; i++) fprintf(out, i ? ",%d" : "%d", (int)c->ids[i]);
    fputs("]}", out);
}

static void put_measure(const frame *f, const frame_measure *m, FILE *out)
{
    fputs("{\"name\":", out);
    put_string(m->name, out);
    fputs(",\"values\":[", out);
    for (int64_t i = 0; i < f->count; i++) {
        if (i) fputc(',', out);
        put_number(m->values[i], out);
    }
    fputs("]}", out);
}

void page_trials(const frame *f, FILE *out)
{
    fprintf(
        out,
        "<section id=\"trials\"><h2>All trials</h2>\n<p class=\"tools\"><label>with <input type=\"search\" "
        "id=\"find\" placeholder=\"cora 0.3 ok\"></label> <button type=\"button\" id=\"raw-csv\">All %lld trials as "
        "CSV</button> <span id=\"found\"></span></p>\n<div class=\"scroll\"><table id=\"list\"></table></div>\n"
        "<script type=\"application/json\" id=\"raw\">{\"name\":",
        (long long)f->count);
    put_string(f->experiment, out);
    fputs(",\"columns\":[", out);
    for (int64_t i = 0; i < f->column_count; i++) {
        if (i) fputc(',', out);
        put_column(f, &f->columns[i], out);
    }
    fputs("],\"outcomes\":[", out);
    for (int i = 0; i < STORE_OUTCOMES; i++)
        fprintf(out, i ? ",\"%s\"" : "\"%s\"", store_outcome_name((store_outcome)i));
    fputs("],\"outcome\":[", out);
    for (int64_t i = 0; i < f->count; i++) fprintf(out, i ? ",%d" : "%d", (int)f->outcomes[i]);
    fputs("],\"measures\":[", out);
    for (int64_t i = 0; i < f->measure_count; i++) {
        if (i) fputc(',', out);
        put_measure(f, &f->measures[i], out);
    }
    fputs("]}</script>\n</section>\n", out);
}
