// SPDX-License-Identifier: Apache-2.0
#include "host/progress.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "host/agenda.h"
#include "host/clock.h"

enum { TITLE = 160 };

void progress_begin(progress *p, progress_style style, int64_t total, FILE *out)
{
    *p = (progress){.style = style, .out = out, .total = total, .begun = clock_now()};
    if (style == PROGRESS_BAR && !status_line_works(out)) p->style = PROGRESS_LINES;
    status_line_begin(&p->line, out);
}

/* ---- the bar --------------------------------------------------------------------------------------------- */

static void draw(progress *p)
{
    char line[1024], left[DURATION_SIZE], bar[BAR_CELLS + 1];
    double seconds = clock_now() - p->begun, rate = seconds > 0 ? (double)p->done / seconds : 0;
    bar_text(p->total ? (double)p->done / (double)p->total : 1, bar);
    double remaining = rate > 0 ? (double)(p->total - p->done) / rate : INFINITY;
    int n = snprintf(line, sizeof line, "[%s] %lld/%lld  %.3g/s  %s left", bar, (long long)p->done, (long long)p->total,
                     rate, duration_text(remaining, left));
    if (p->failed) n += snprintf(line + n, sizeof line - (size_t)n, "  %lld failed", (long long)p->failed);
    snprintf(line + n, sizeof line - (size_t)n, "  %s", p->running);
    status_line_draw(&p->line, line);
}

void progress_tick(progress *p, const trial *const *running, int32_t count)
{
    if (p->style != PROGRESS_BAR) return;
    char title[TITLE];
    p->running[0] = 0;
    if (count > 0) snprintf(p->running, sizeof p->running, "%s", trial_title(running[0], title, sizeof title));
    size_t used = strlen(p->running);
    if (count > 1) snprintf(p->running + used, sizeof p->running - used, " and %d more", (int)count - 1);
    draw(p);
}

void progress_end(progress *p)
{
    status_line_erase(&p->line);
    fflush(p->out);
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

static int first_line(const char *text)
{
    return text ? (int)strcspn(text, "\n") : 0;
}

static void write_line(progress *p, const runner_result *r)
{
    char title[TITLE];
    const store_result *s = &r->result;
    fprintf(p->out, "%lld/%lld %s: %s", (long long)p->done, (long long)p->total,
            trial_title(r->trial, title, sizeof title), store_outcome_name(s->outcome));
    if (s->outcome == STORE_OK) {
        if (s->number_count) fprintf(p->out, " %s %.4g", s->numbers[0].name, s->numbers[0].value);
        fprintf(p->out, " in %.3g s%s%.*s\n", s->seconds_total, s->message ? "; warning: " : "", first_line(s->message),
                s->message ? s->message : "");
    } else {
        fprintf(p->out, ": %.*s\n", first_line(s->message), s->message ? s->message : "");
    }
}

static void write_json(progress *p, const runner_result *r)
{
    const store_result *s = &r->result;
    char seed[24];
    cJSON *object = cJSON_CreateObject(), *numbers = cJSON_CreateObject(), *vectors = cJSON_CreateObject();
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->trial->seed);
    json_add_text(object, "event", "trial");
    json_add_text(object, "key", r->key);
    json_add_text(object, "algorithm", r->trial->algorithm->label);
    json_add_text(object, "dataset", r->trial->dataset->label);
    json_add_text(object, "corruptor", r->trial->chain_label);
    cJSON_AddRawToObject(object, "seed", seed);
    cJSON *monitor = r->trial->monitor->swept_count ? cJSON_AddObjectToObject(object, "monitor") : NULL;
    for (int64_t i = 0; monitor && i < r->trial->monitor->swept_count; i++)
        json_add_text(monitor, r->trial->monitor->swept[i].key, r->trial->monitor->swept[i].text);
    json_add_text(object, "outcome", store_outcome_name(s->outcome));
    json_add_text(object, "message", s->message);
    json_add_number(object, "seconds", s->seconds_total);
    cJSON_AddNumberToObject(object, "peak_bytes", (double)s->peak_bytes);
    for (int64_t i = 0; i < s->number_count; i++) json_add_number(numbers, s->numbers[i].name, s->numbers[i].value);
    for (int64_t i = 0; i < s->vector_count; i++)
        json_add_numbers(vectors, s->vectors[i].name, s->vectors[i].values, s->vectors[i].count);
    cJSON_AddItemToObject(object, "numbers", numbers);
    cJSON_AddItemToObject(object, "vectors", vectors);
    char *text = cJSON_PrintUnformatted(object);
    fprintf(p->out, "%s\n", text ? text : "{}");
    cJSON_free(text);
    cJSON_Delete(object);
}

void progress_done(progress *p, const runner_result *result)
{
    bool failed = result->result.outcome != STORE_OK;
    p->done++;
    p->failed += failed;
    switch (p->style) {
    case PROGRESS_QUIET:
        return;
    case PROGRESS_LINES:
        write_line(p, result);
        return;
    case PROGRESS_JSON:
        write_json(p, result);
        fflush(p->out);
        return;
    case PROGRESS_BAR:
        if (!failed && !result->result.message) return;
        status_line_erase(&p->line);
        write_line(p, result);
        draw(p);
        return;
    }
}
