#include "runner/progress.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/json.h"
#include "runner/agenda.h"
#include "runner/clock.h"

enum { BAR_CELLS = 24, TITLE = 160 };

const char *duration_text(double seconds, char text[DURATION_SIZE])
{
    if (!isfinite(seconds) || seconds > 1e8) {
        snprintf(text, DURATION_SIZE, "?");
        return text;
    }
    long s = lround(fmax(seconds, 0));
    if (s < 60)
        snprintf(text, DURATION_SIZE, "%ld s", s);
    else if (s < 3600)
        snprintf(text, DURATION_SIZE, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(text, DURATION_SIZE, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

static int terminal_columns(FILE *out)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
    return 80;
}

static bool can_draw(FILE *out)
{
    const char *term = getenv("TERM");
    return isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
}

void progress_begin(progress *p, progress_style style, int64_t total, FILE *out)
{
    *p = (progress){.style = style, .out = out, .total = total, .begun = clock_now()};
    if (style == PROGRESS_BAR && !can_draw(out)) p->style = PROGRESS_LINES;
    if (p->style == PROGRESS_BAR) p->columns = terminal_columns(out);
}

/* ---- the bar ------------------------------------------------------------------------------------------------------
 */

static void erase(progress *p)
{
    if (p->drawn) fputs("\r\033[K", p->out);
    p->drawn = false;
}

static void draw(progress *p)
{
    char line[1024], left[DURATION_SIZE], bar[BAR_CELLS + 1];
    double seconds = clock_now() - p->begun, rate = seconds > 0 ? (double)p->done / seconds : 0;
    int filled = p->total ? (int)(BAR_CELLS * p->done / p->total) : BAR_CELLS;
    memset(bar, '#', sizeof bar);
    memset(bar + filled, '.', (size_t)(BAR_CELLS - filled));
    bar[BAR_CELLS] = 0;
    double remaining = rate > 0 ? (double)(p->total - p->done) / rate : INFINITY;
    int n = snprintf(line, sizeof line, "[%s] %" PRId64 "/%" PRId64 "  %.3g/s  %s left", bar, p->done, p->total, rate,
                     duration_text(remaining, left));
    if (p->failed) n += snprintf(line + n, sizeof line - (size_t)n, "  %" PRId64 " failed", p->failed);
    snprintf(line + n, sizeof line - (size_t)n, "  %s", p->running);
    erase(p);
    fprintf(p->out, "%.*s", p->columns - 1, line);
    fflush(p->out);
    p->drawn = true;
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
    erase(p);
    fflush(p->out);
}

/* ---- lines --------------------------------------------------------------------------------------------------------
 */

static int first_line(const char *text)
{
    return text ? (int)strcspn(text, "\n") : 0;
}

static void write_line(progress *p, const runner_result *r)
{
    char title[TITLE];
    const store_result *s = &r->result;
    fprintf(p->out, "%" PRId64 "/%" PRId64 " %s: %s", p->done, p->total, trial_title(r->trial, title, sizeof title),
            store_outcome_name(s->outcome));
    if (s->outcome == STORE_OK) {
        if (s->number_count) fprintf(p->out, " %s %.4g", s->numbers[0].name, s->numbers[0].value);
        fprintf(p->out, " in %.3g s\n", s->seconds_total);
    } else {
        fprintf(p->out, ": %.*s\n", first_line(s->message), s->message ? s->message : "");
    }
}

static void write_json(progress *p, const runner_result *r)
{
    const store_result *s = &r->result;
    char seed[24];
    cJSON *object = cJSON_CreateObject(), *numbers = cJSON_CreateObject();
    snprintf(seed, sizeof seed, "%" PRIu64, r->trial->seed);
    json_add_text(object, "event", "trial");
    json_add_text(object, "key", r->key);
    json_add_text(object, "algorithm", r->trial->algorithm->label);
    json_add_text(object, "dataset", r->trial->dataset->label);
    json_add_text(object, "corruptor", r->trial->chain_label);
    cJSON_AddRawToObject(object, "seed", seed);
    json_add_text(object, "outcome", store_outcome_name(s->outcome));
    json_add_text(object, "message", s->message);
    json_add_number(object, "seconds", s->seconds_total);
    cJSON_AddNumberToObject(object, "peak_bytes", (double)s->peak_bytes);
    for (int64_t i = 0; i < s->number_count; i++) json_add_number(numbers, s->numbers[i].name, s->numbers[i].value);
    cJSON_AddItemToObject(object, "numbers", numbers);
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
        if (!failed) return;
        erase(p);
        write_line(p, result);
        draw(p);
        return;
    }
}
