// SPDX-License-Identifier: Apache-2.0
#include "report/table/section.h"

#include <stdlib.h>
#include <string.h>

static char *copy(cru_arena *arena, const char *text, size_t length)
{
    char *out = cru_arena_alloc(arena, (int64_t)length + 1, 1);
    memcpy(out, text, length);
    out[length] = '\0';
    return out;
}

/* "key = value" */
static void set(cru_settings *settings, cru_arena *arena, const char *line, size_t length)
{
    const char *sign = memchr(line, '=', length);
    if (!sign) return;
    size_t key = (size_t)(sign - line), skip = key + 1;
    while (key > 0 && line[key - 1] == ' ') key--;
    while (skip < length && line[skip] == ' ') skip++;
    cru_settings_set(settings, copy(arena, line, key), copy(arena, line + skip, length - skip), NULL);
}

static void read_lines(cru_settings *settings, cru_arena *arena, const char *config, const char *heading)
{
    bool inside = false;
    for (const char *line = config; *line;) {
        size_t length = strcspn(line, "\n");
        if (*line == '[')
            inside = strncmp(line, heading, strlen(heading)) == 0;
        else if (inside)
            set(settings, arena, line, length);
        line += length + (line[length] == '\n');
    }
}

void section_apply(const char *config, cru_arena *arena, report_request *request)
{
    cru_settings *settings = config ? cru_settings_create(report_params, sizeof(report_settings)) : NULL;
    if (!settings) return;
    read_lines(settings, arena, config, "[report]");
    const report_settings *s = cru_settings_struct(settings);
    const struct {
        const char **target, *text;
    } texts[] = {{&request->rows, s->rows},
                 {&request->cols, s->cols},
                 {&request->where, s->where},
                 {&request->metrics, s->metrics},
                 {&request->spread, report_spread_names[s->spread]},
                 {&request->reference, s->reference},
                 {&request->groups, s->groups},
                 {&request->baselines, s->baselines},
                 {&request->minus, s->minus},
                 {&request->against, s->against}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!*texts[i].target && *texts[i].text) *texts[i].target = copy(arena, texts[i].text, strlen(texts[i].text));
    request->average |= s->average;
    cru_settings_destroy(settings);
}

bool section_selects_by_test(const char *config, cru_arena *arena)
{
    cru_settings *settings = config ? cru_settings_create(search_params, sizeof(search_settings)) : NULL;
    if (!settings) return false;
    read_lines(settings, arena, config, "[search]");
    const bool test = ((const search_settings *)cru_settings_struct(settings))->select == SEARCH_SELECT_TEST;
    cru_settings_destroy(settings);
    return test;
}
