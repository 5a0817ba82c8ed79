// SPDX-License-Identifier: Apache-2.0
#include "cli/settings-table.h"

#include <string.h>

#include "cli/param-text.h"
#include "config/strings.h"

/* ---- ours ------------------------------------------------------------------------------------------------ */

enum { ALGORITHMS_MOST = 512 };

/* The methods of all parts, each with its first values. */
typedef struct methods {
    const variant *items[ALGORITHMS_MOST];
    int64_t count;
} methods;

static void add_methods(methods *m, const experiment *e)
{
    const int64_t trials = experiment_trial_count(e);
    trial t;
    for (int64_t i = 0; i < trials && i < ALGORITHMS_MOST && m->count < ALGORITHMS_MOST; i++) {
        bool met = false;
        experiment_trial(e, i, &t);
        for (int64_t k = 0; k < m->count; k++) met |= strcmp(m->items[k]->label, t.algorithm->label) == 0;
        if (!met) m->items[m->count++] = t.algorithm;
    }
}

static const variant *find_method(const methods *m, const char *label)
{
    for (int64_t i = 0; i < m->count; i++)
        if (strcmp(m->items[i]->label, label) == 0) return m->items[i];
    return NULL;
}

static const char *kept(cru_arena *arena, const char *text)
{
    return string_copy(arena, text);
}

/* The value of a line "key=value" of the variant's text; NULL: there is no such setting. */
static const char *value_of(cru_arena *arena, const variant *m, const char *key)
{
    const size_t length = strlen(key);
    for (const char *line = m->text; line && *line;) {
        const size_t size = strcspn(line, "\n");
        if (size > length && strncmp(line, key, length) == 0 && line[length] == '=')
            return string_copy_bytes(arena, line + length + 1, size - length - 1);
        line += size + (line[size] == '\n');
    }
    return NULL;
}

static bool is_given(const variant *m, const char *key)
{
    for (int64_t i = 0; i < m->given_count; i++)
        if (strcmp(m->given[i].key, key) == 0) return true;
    return false;
}

static const cru_param *find_param(const variant *m, const char *key)
{
    for (const cru_param *p = m->params; p && p->key; p++)
        if (strcmp(p->key, key) == 0) return p;
    return NULL;
}

/* What a search of the experiment draws, or, where it has none, what one would draw. NULL: nothing. */
static const cru_param *find_axis(const variant *m, const char *key, bool searches, cru_param *room)
{
    for (int64_t i = 0; i < m->axis_count; i++) {
        if (strcmp(m->axes[i].param->key, key) != 0) continue;
        *room = *m->axes[i].param;
        room->search = m->axes[i].search;
        return room;
    }
    const cru_param *p = find_param(m, key);
    return !searches && p && !is_given(m, key) && p->search.kind != CRU_SEARCH_NONE ? p : NULL;
}

/* ---- the same? ------------------------------------------------------------------------------------------- */

static bool close_to(double a, double b)
{
    const double gap = a > b ? a - b : b - a, size = a > 0 ? a : -a;
    return gap <= 1e-3 * size || gap < 1e-300; /* 10^-0.5 is written with few digits */
}

static bool has_value(const cru_search *s, double value)
{
    for (int64_t i = 0; i < s->count; i++)
        if (close_to(s->values[i], value)) return true;
    return false;
}

/* The same values, in any order and however often; or the same interval. */
static bool same_search(const cru_search *a, const cru_search *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind != CRU_SEARCH_ONE_OF) return close_to(a->lo, b->lo) && close_to(a->hi, b->hi);
    for (int64_t i = 0; i < a->count; i++)
        if (!has_value(b, a->values[i])) return false;
    for (int64_t i = 0; i < b->count; i++)
        if (!has_value(a, b->values[i])) return false;
    return (a->count == 0) == (b->count == 0);
}

static bool same_value(const char *a, const char *b)
{
    double x, y;
    if (values_number(a, &x) && values_number(b, &y)) return close_to(x, y);
    return strcmp(a, b) == 0;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* As param_search, and choices by their names. */
static const char *search_text(cru_arena *arena, const cru_param *p)
{
    char text[400];
    const char *out = "one of";
    if (p->type != CRU_PARAM_CHOICE || p->search.kind != CRU_SEARCH_ONE_OF || !p->search.count)
        return kept(arena, param_search(p, text, sizeof text));
    for (int64_t i = 0; i < p->search.count; i++)
        out = string_format(arena, "%s%s %s", out, i ? "," : "", p->choices[(int64_t)p->search.values[i]]);
    return out;
}

static cru_status compare_search(cru_arena *arena, const cru_param *param, const cru_param *axis, settings_line *line,
                                 cru_error *err)
{
    value_search printed;
    line->ours.search = axis ? search_text(arena, axis) : "";
    if (!*line->published.search) return CRU_OK;
    cru_status status =
        values_search(arena, string_format(arena, "search(%s)", line->published.search), param, &printed, err);
    if (!status) line->same &= axis && same_search(&printed.distribution, &axis->search);
    return status;
}

static cru_status fill(cru_arena *arena, const variant *m, bool searches, settings_line *line, cru_error *err)
{
    char text[400];
    cru_param room;
    const cru_param *param = m ? find_param(m, line->setting) : NULL;
    if (!param) return CRU_OK;
    const cru_param *axis = find_axis(m, line->setting, searches, &room);
    const char *fixed = value_of(arena, m, line->setting);
    line->known = line->same = true;
    line->ours.initial = fixed ? fixed : kept(arena, param_default(axis ? axis : param, text, sizeof text));
    if (*line->published.initial) line->same = same_value(line->published.initial, line->ours.initial);
    return compare_search(arena, param, axis, line, err);
}

enum { METHOD, KEY, SETTING, DEFAULT, SEARCH, FIELDS };

static int read_lines(const artefact_view *v, published *print, int64_t columns[FIELDS])
{
    static const char *const names[FIELDS] = {"method", "key", "setting", "default", "search"};
    cru_error err = {0};
    if (published_read_words(v->file->arena, v->file->settings.published, print, &err) != CRU_OK)
        return cli_wrong("%s", err.text);
    for (int i = 0; i < FIELDS; i++) {
        columns[i] = published_column(print, names[i]);
        if (columns[i] < 0) return cli_wrong("%s:1: a table of settings has a column '%s'", print->path, names[i]);
    }
    return CLI_OK;
}

typedef struct loaded {
    experiment *items[64];
    int64_t count;
    bool searches;
} loaded;

static int load_parts(const artefact_view *v, loaded *all, methods *m)
{
    for (int64_t i = 0; i < v->plan.part_count && all->count < 64; i++) {
        diagnostics faults = {0};
        const config_request request = {
            .files = v->plan.parts[i].files, .file_count = v->plan.parts[i].file_count, .registry = v->with.plugins};
        cru_status status = config_load(&request, &all->items[all->count], &faults);
        diagnostics_print(&faults, stderr);
        diagnostics_clear(&faults);
        if (status) return CLI_USAGE;
        const experiment *e = all->items[all->count++];
        all->searches |= e->search.method != SEARCH_NONE;
        add_methods(m, e);
    }
    return CLI_OK;
}

static int fill_lines(const artefact_view *v, const published *print, const int64_t columns[FIELDS], const methods *m,
                      bool searches, settings_table *out)
{
    cru_arena *arena = v->file->arena;
    out->items = cru_arena_alloc_zeroed(arena, print->count, sizeof *out->items);
    for (int64_t i = 0; i < print->count; i++) {
        const char *const *f = print->lines[i].fields;
        settings_line *line = &out->items[out->count++];
        cru_error err = {0};
        *line = (settings_line){.method = f[columns[METHOD]],
                                .key = f[columns[KEY]],
                                .setting = f[columns[SETTING]],
                                .published = {f[columns[DEFAULT]], f[columns[SEARCH]]},
                                .ours = {"", ""}};
        if (fill(arena, find_method(m, line->method), searches, line, &err) != CRU_OK)
            return cli_wrong("%s:%lld: %s", print->path, (long long)print->lines[i].number, err.text);
        out->known += line->known;
        out->same += line->same;
    }
    return CLI_OK;
}

int settings_table_make(const artefact_view *v, settings_table *out)
{
    published print;
    int64_t columns[FIELDS];
    loaded all = {0};
    methods m = {0};
    *out = (settings_table){0};
    int code = read_lines(v, &print, columns);
    if (code == CLI_OK) code = load_parts(v, &all, &m);
    if (code == CLI_OK) code = fill_lines(v, &print, columns, &m, all.searches, out);
    for (int64_t i = 0; i < all.count; i++) experiment_destroy(all.items[i]);
    return code;
}

/* ---- printing -------------------------------------------------------------------------------------------- */

enum { COLUMNS = 8 };

static void cells_of(const settings_line *line, const char *cells[COLUMNS])
{
    const char *verdict = !*line->setting ? "none of ours"
                          : !line->known  ? "not here"
                          : line->same    ? "same"
                                          : "differs";
    const char *all[COLUMNS] = {
        line->method,           line->key,         line->setting, line->published.initial, line->ours.initial,
        line->published.search, line->ours.search, verdict};
    memcpy(cells, all, sizeof all);
}

static void put_row(const char *const cells[COLUMNS], const size_t wide[COLUMNS], report_format format, FILE *out)
{
    if (format == REPORT_CSV) {
        for (int i = 0; i < COLUMNS; i++) {
            const bool quoted = strpbrk(cells[i], ",\"") != NULL; /* no value has quotes of its own */
            fprintf(out, quoted ? "%s\"%s\"" : "%s%s", i ? "," : "", cells[i]);
        }
    } else if (format == REPORT_MARKDOWN) {
        for (int i = 0; i < COLUMNS; i++) fprintf(out, "| %s ", cells[i]);
        fputc('|', out);
    } else {
        for (int i = 0; i < COLUMNS - 1; i++) fprintf(out, "%-*s  ", (int)wide[i], cells[i]);
        fputs(cells[COLUMNS - 1], out);
    }
    fputc('\n', out);
}

int settings_table_print(const artefact_view *v, const settings_table *t, report_format format, FILE *out)
{
    static const char *const heads[COLUMNS] = {"method", "as printed", "ours", "default",
                                               "ours",   "search",     "ours", "verdict"};
    size_t wide[COLUMNS];
    const char *cells[COLUMNS];
    if (format != REPORT_TEXT && format != REPORT_MARKDOWN && format != REPORT_CSV)
        return cli_wrong("a table of settings is printed as text, markdown or csv");
    for (int i = 0; i < COLUMNS; i++) wide[i] = strlen(heads[i]);
    for (int64_t k = 0; k < t->count; k++) {
        cells_of(&t->items[k], cells);
        for (int i = 0; i < COLUMNS; i++)
            if (strlen(cells[i]) > wide[i]) wide[i] = strlen(cells[i]);
    }
    if (format != REPORT_CSV)
        fprintf(out, format == REPORT_MARKDOWN ? "**%s**: %s\n\n" : "%s: %s\n\n", v->file->name,
                v->file->settings.title);
    put_row(heads, wide, format, out);
    if (format == REPORT_MARKDOWN) fputs("|---|---|---|---|---|---|---|---|\n", out);
    for (int64_t k = 0; k < t->count; k++) {
        cells_of(&t->items[k], cells);
        put_row(cells, wide, format, out);
    }
    if (format != REPORT_CSV)
        fprintf(out, "\n%lld of %lld settings are here, %lld as printed%s%s\n", (long long)t->known,
                (long long)t->count, (long long)t->same, *v->file->settings.note ? "; " : "", v->file->settings.note);
    return CLI_OK;
}
