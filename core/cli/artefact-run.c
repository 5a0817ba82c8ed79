// SPDX-License-Identifier: Apache-2.0
#include "cli/artefact-run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report-options.h"
#include "cli/settings-table.h"
#include "cli/study-page.h"
#include "config/strings.h"
#include "protocol/trial-settings.h"
#include "report/format/format.h"
#include "report/table/section.h"
#include "study/find.h"

/* ---- names ----------------------------------------------------------------------------------------------- */

void artefact_words_clear(artefact_words *w)
{
    for (int64_t i = 0; i < w->count; i++) free(w->path[i]);
    free(w->path);
    *w = (artefact_words){0};
}

/* Takes over `path`. */
static void push(artefact_words *w, char *path)
{
    char **grown = path ? realloc(w->path, (size_t)(w->count + 1) * sizeof *grown) : NULL;
    if (!grown) cru_panic(CRU_NO_MEMORY, "no memory for the names of artefacts");
    w->path = grown;
    w->path[w->count++] = path;
}

static bool holds_artefact(const char *path)
{
    artefact_file *a;
    diagnostics ignored = {0};
    artefact_read(path, &a, &ignored);
    bool is = a->is_artefact;
    artefact_destroy(a);
    diagnostics_clear(&ignored);
    return is;
}

/* Studies are looked for in the folders of CRUCIBLE_STUDIES and where the program's own lie. */
static int find_word(const char *word, artefact_words *out)
{
    cru_error err = {0};
    study_list list;
    char *path = NULL;
    if (access(word, R_OK) == 0 && strlen(word) > 4 && strcmp(word + strlen(word) - 4, ".ini") == 0) {
        if (holds_artefact(word)) push(out, strdup(word));
        return CLI_GO_ON;
    }
    if ((path = study_path(NULL, word))) {
        push(out, path);
        return CLI_GO_ON;
    }
    if (study_artefacts(NULL, word, &list, &err) != CRU_OK) return cli_fail("%s", err.text);
    for (int64_t i = 0; i < list.count; i++)
        if ((path = study_path(NULL, list.items[i]))) push(out, path);
    study_list_clear(&list);
    return CLI_GO_ON;
}

/* The name that was probably meant, among artefacts of all studies. */
static int unknown_artefact(const char *word)
{
    study_list studies = {0}, list = {0};
    const char *names[1024], *near = NULL;
    char *copies[1024], text[200] = "";
    size_t count = 0;
    if (study_names(NULL, &studies, NULL) != CRU_OK) return CLI_GO_ON;
    for (int64_t i = 0; i < studies.count; i++) {
        if (study_artefacts(NULL, studies.items[i], &list, NULL) != CRU_OK) break;
        for (int64_t k = 0; k < list.count && count < 1024; k++)
            if ((copies[count] = strdup(list.items[k]))) count++;
        study_list_clear(&list);
    }
    study_list_clear(&studies);
    for (size_t i = 0; i < count; i++) names[i] = copies[i];
    near = cru_nearest(word, names, count);
    if (near) snprintf(text, sizeof text, "; did you mean %s?", near);
    for (size_t i = 0; i < count; i++) free(copies[i]);
    return cli_wrong("%s: neither a file nor an artefact of a study%s%s", word, text,
                     near ? "" : "; 'crucible list studies' names them");
}

int artefact_find(const cli_words *words, artefact_words *out)
{
    *out = (artefact_words){0};
    int named = 0, code = CLI_GO_ON;
    for (int i = 0; code == CLI_GO_ON && i < words->count; i++) {
        const char *word = words->word[i];
        int64_t before = out->count;
        code = find_word(word, out);
        named += out->count > before;
        bool like_a_name = !strchr(word, '.') && strchr(word, '/') && access(word, F_OK) != 0;
        if (code == CLI_GO_ON && out->count == before && like_a_name) code = unknown_artefact(word);
    }
    if (code == CLI_GO_ON && named && named < words->count)
        code = cli_wrong("artefacts and files of an experiment cannot be run together");
    if (code != CLI_GO_ON) artefact_words_clear(out);
    return code;
}

bool artefact_known(const cli_words *words, artefact_words *out)
{
    *out = (artefact_words){0};
    int named = 0;
    for (int i = 0; i < words->count; i++) {
        int64_t before = out->count;
        find_word(words->word[i], out);
        named += out->count > before;
    }
    if (words->count && named == words->count) return true;
    artefact_words_clear(out);
    return false;
}

bool artefact_published_style(const char *word, table_published *style)
{
    static const char *const names[] = {"side", "diff", "off"};
    *style = TABLE_SIDE;
    for (int i = 0; word && i < 3; i++) {
        *style = (table_published)i;
        if (strcmp(word, names[i]) == 0) return true;
    }
    return !word;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* What --only cannot mean here: a mistake, but for one of many artefacts, which is passed over. */
static int leave_out(artefact_view *v, const session_request *q, const char *why)
{
    if (!q->of_many) return cli_wrong("%s", why);
    v->nothing = string_copy(v->file->arena, why);
    return CLI_OK;
}

static int read_only_options(artefact_view *v, const session_request *q)
{
    cru_error err = {0};
    value_list quick = q->quick ? artefact_quick_only(v->file) : (value_list){0};
    v->only = cru_arena_alloc(v->file->arena, q->only.count + quick.count, sizeof *v->only);
    for (int64_t i = 0; i < quick.count; i++)
        if (study_only_read(v->file->arena, v->file, quick.items[i], &v->only[v->only_count++], &err) != CRU_OK)
            return cli_wrong("%s: [quick]: %s", v->file->path, err.text);
    for (int i = 0; i < q->only.count; i++)
        if (study_only_read(v->file->arena, v->file, q->only.word[i], &v->only[v->only_count++], &err) != CRU_OK)
            return leave_out(v, q, err.text);
    return CLI_GO_ON;
}

static bool has_value(const published *p, int64_t column, const char *value)
{
    for (int64_t i = 0; i < p->count; i++)
        if (layout_same(p->lines[i].fields[column], value)) return true;
    return false;
}

/* Of one artefact every value of --only is one of its column. */
static int check_values(const artefact_view *v, const study_only *only, int64_t column)
{
    const published *p = &v->print;
    const char **names = cru_arena_alloc(v->file->arena, p->count, sizeof *names);
    for (int64_t i = 0; i < p->count; i++) names[i] = p->lines[i].fields[column];
    for (int64_t k = 0; k < only->values.count; k++) {
        const char *value = only->values.items[k];
        if (has_value(p, column, value)) continue;
        const char *near = cru_nearest(value, names, (size_t)p->count);
        return cli_wrong("--only: %s has no %s '%s'%s%s%s", v->file->name, only->key, value,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    return CLI_GO_ON;
}

static int check_only(const artefact_view *v, const session_request *q)
{
    int code = CLI_GO_ON;
    for (int64_t i = 0; code == CLI_GO_ON && !q->of_many && i < v->only_count; i++) {
        int64_t column = published_column(&v->print, v->only[i].key);
        if (column >= 0) code = check_values(v, &v->only[i], column);
    }
    return code;
}

/* The lines of the CSV that the artefact is about, of which --only takes some. */
static int read_published(artefact_view *v, const session_request *q)
{
    cru_arena *arena = v->file->arena;
    const artefact_settings *s = &v->file->settings;
    cru_error err = {0};
    if (!*s->published || s->kind == ARTEFACT_SETTINGS) return CLI_GO_ON;
    config_place place = artefact_place(v->file, "published");
    cru_status status = published_read(arena, s->published, &v->print, &err);
    if (status == CRU_IO) return cli_wrong("%s:%d: published: %s", place.file, place.line, err.text);
    if (status) return cli_wrong("%s", err.text);
    place = artefact_place(v->file, "where");
    if (published_filter(arena, &v->print, s->where, &err) != CRU_OK)
        return cli_wrong("%s:%d: where: %s", place.file, place.line, err.text);
    place = artefact_place(v->file, "also");
    if (published_open(arena, &v->print, s->also, &err) != CRU_OK)
        return cli_wrong("%s:%d: also: %s", place.file, place.line, err.text);
    int code = check_only(v, q);
    for (int64_t i = 0; code == CLI_GO_ON && i < v->only_count; i++) {
        const study_only *only = &v->only[i];
        const char *where = string_format(arena, "%s=", only->key);
        if (published_column(&v->print, only->key) < 0) continue;
        for (int64_t k = 0; k < only->values.count; k++)
            where = string_format(arena, "%s%s%s", where, k ? "," : "", only->values.items[k]);
        if (published_filter(arena, &v->print, where, &err) != CRU_OK)
            return leave_out(v, q, string_format(arena, "--only: %s", err.text));
    }
    return code;
}

static int lay_out(const artefact_view *v, frame *f, layout *out)
{
    cru_error err = {0};
    *out = (layout){0};
    if (!v->print.count) return CLI_GO_ON;
    layout_request request = {.artefact = v->file,
                              .print = &v->print,
                              .f = f,
                              .spread = v->spread,
                              .cut = v->only_count > 0,
                              .arena = v->file->arena};
    return layout_make(&request, out, &err) == CRU_OK ? CLI_GO_ON : cli_wrong("%s", err.text);
}

int artefact_view_open(const char *path, const session_request *q, artefact_view *v)
{
    diagnostics faults = {0};
    *v = (artefact_view){0};
    cru_status status = artefact_read(path, &v->file, &faults);
    if (!status && q->quick) artefact_check_quick(v->file, &faults);
    const bool wrong = status || faults.count;
    diagnostics_print(&faults, stderr);
    diagnostics_clear(&faults);
    if (wrong) return CLI_USAGE;
    int code = read_only_options(v, q);
    if (code == CLI_GO_ON) code = read_published(v, q);
    if (code != CLI_GO_ON) return code;
    const char *config = v->file->path;
    code = outfit_open(config, &v->with);
    if (code != CLI_GO_ON) {
        v->with = (outfit){0};
        return code;
    }
    study_request request = {.artefact = v->file,
                             .print = &v->print,
                             .plugins = v->with.plugins,
                             .places = &v->with.places,
                             .quick = q->quick,
                             .sets = q->sets.word,
                             .set_count = q->sets.count,
                             .only = v->only,
                             .only_count = v->only_count,
                             .arena = v->file->arena};
    study_plan_make(&request, &v->plan);
    return lay_out(v, NULL, &v->blank);
}

void artefact_view_close(artefact_view *v)
{
    if (v->f) frame_destroy(v->f);
    if (v->with.plugins) outfit_close(&v->with);
    artefact_destroy(v->file);
    *v = (artefact_view){0};
}

/* ---- running --------------------------------------------------------------------------------------------- */

typedef struct question {
    const artefact_view *view;
    const trial *trial;
    trial_settings settings;
} question;

static const char *setting_of(void *user, const char *ours)
{
    const question *q = user;
    if (strcmp(ours, "alias") == 0) return q->trial->algorithm->label;
    for (int64_t k = 0; k < q->settings.count; k++)
        if (strcmp(q->settings.items[k].name, ours) == 0) return q->settings.items[k].value;
    return "";
}

/* Whether a trial passes the conditions of --only, and the print has a cell for it. */
static bool takes_part(void *user, const trial *t)
{
    const artefact_view *v = user;
    question q = {.view = v, .trial = t};
    bool takes = true;
    trial_settings_make(t, &q.settings);
    for (int64_t i = 0; takes && i < v->only_count; i++) {
        const artefact_match *m = layout_match(v->file, v->only[i].key);
        if (strcmp(m->key, "metric") == 0) continue;
        takes = study_only_takes(v->only, v->only_count, v->only[i].key,
                                 layout_published_value(v->file, v->only[i].key, setting_of(&q, m->key)));
    }
    if (takes && v->blank.t) takes = layout_takes(&v->blank, v->file, setting_of, &q);
    trial_settings_clear(&q.settings);
    return takes;
}

static int run_chosen(const session_request *q, const study_part *part, agenda_filter *takes, void *user)
{
    session_request own = *q;
    own.files = (cli_words){.count = (int)part->file_count};
    own.sets = (cli_words){.count = (int)part->set_count};
    if (part->set_count > CLI_WORDS_MAX) return cli_wrong("too many --set options");
    for (int64_t i = 0; i < part->file_count; i++) own.files.word[i] = part->files[i];
    for (int64_t i = 0; i < part->set_count; i++) own.sets.word[i] = part->sets[i];
    own.no_table = true;
    own.takes_part = takes;
    own.takes_part_user = user;
    return session_run(&own);
}

static int run_part(artefact_view *v, const session_request *q, const study_part *part)
{
    return run_chosen(q, part, v->only_count || v->blank.t ? takes_part : NULL, v);
}

static int run_parts(artefact_view *v, const session_request *q)
{
    int worst = CLI_OK;
    for (int64_t i = 0; i < v->plan.part_count && worst != CLI_USAGE; i++) {
        if (v->plan.parts[i].empty) continue;
        int code = run_part(v, q, &v->plan.parts[i]);
        if (code > worst) worst = code;
    }
    return worst;
}

typedef struct chosen {
    artefact_view *view;
    agenda_filter *takes;
    void *user;
} chosen;

static bool is_chosen(void *user, const trial *t)
{
    const chosen *c = user;
    return takes_part(c->view, t) && c->takes(c->user, t);
}

int artefact_view_run(artefact_view *v, const session_request *q, agenda_filter *takes, void *user)
{
    chosen c = {v, takes, user};
    session_request own = *q;
    int worst = CLI_OK;
    own.no_search = true;
    for (int64_t i = 0; i < v->plan.part_count && worst != CLI_USAGE; i++) {
        if (v->plan.parts[i].empty) continue;
        int code = run_chosen(&own, &v->plan.parts[i], is_chosen, &c);
        if (code > worst) worst = code;
    }
    return worst;
}

/* Whether the store lists a part of which something is not here. Entered again it would lose its trials of that. */
static bool is_listed(const study_part *part, const char *db)
{
    store *s;
    int64_t id = 0;
    if (!part->lacking || store_open(db, &(store_options){.read_only = true}, &s, NULL) != CRU_OK) return false;
    if (store_find_experiment(s, part->experiment, &id, NULL) != CRU_OK) id = 0;
    store_close(s, NULL);
    return id != 0;
}

int artefact_view_enter(artefact_view *v, const session_request *q)
{
    int worst = CLI_OK;
    if (v->file->settings.kind == ARTEFACT_SETTINGS) return CLI_OK;
    session_request own = *q;
    own.enter_only = own.quiet = true;
    for (int64_t i = 0; i < v->plan.part_count && worst != CLI_USAGE; i++) {
        const study_part *part = &v->plan.parts[i];
        if (part->empty || is_listed(part, q->db ? q->db : "results.db")) continue;
        int code = run_part(v, &own, part);
        if (code > worst) worst = code;
    }
    return worst;
}

/* ---- what is known --------------------------------------------------------------------------------------- */

static cru_status add_sources(const artefact_view *v, store *s, frame_source *list, int64_t *count, cru_error *err)
{
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < v->plan.part_count; i++) {
        int64_t id;
        status = store_find_experiment(s, v->plan.parts[i].experiment, &id, err);
        if (status || !id) continue;
        list[(*count)++] = (frame_source){s, id};
        list[(*count)++] = (frame_source){s, store_former(id)};
    }
    return status;
}

static int add_lists(artefact_view *v, const frame_source *list, int64_t sources)
{
    value_list names = {0};
    cru_error err = {0};
    config_place place = artefact_place(v->file, "lists");
    if (*v->file->settings.lists) values_split(v->file->arena, v->file->settings.lists, ',', &names, NULL);
    for (int64_t i = 0; i < names.count; i++)
        if (frame_add_list(v->f, list, sources, names.items[i], &err) != CRU_OK)
            return cli_wrong("%s:%d: lists: %s", place.file, place.line, err.text);
    return CLI_OK;
}

/* As many as the rows and columns of its report. */
static int load_maps(artefact_view *v, const frame_source *list, int64_t sources)
{
    cru_error err = {0};
    const plot_kind *kind = plot_find(v->file->settings.plot);
    report_request request = {0};
    if (!kind || kind->source != PLOT_OF_MAPS) return CLI_OK;
    section_apply(v->f->config, v->f->arena, &request);
    const table_request keys = {.rows = request.rows, .cols = request.cols};
    if (plot_maps_read(v->f, list, sources, &keys, &v->maps, &err) == CRU_OK) return CLI_OK;
    return cli_wrong("%s: %s", v->file->name, err.text);
}

/* The [report] of the first experiment says which spread its study prints. */
static void read_spread(artefact_view *v)
{
    report_request request = {0};
    section_apply(v->f->config, v->f->arena, &request);
    for (int i = 0; request.spread && i < 4; i++)
        if (strcmp(request.spread, report_spread_names[i]) == 0) v->spread = (report_spread)i;
}

static int load_frame(artefact_view *v, store **stores, int count)
{
    cru_error err = {0};
    frame_source *list = cru_arena_alloc(v->file->arena, 2 * v->plan.part_count * count + 1, sizeof *list);
    int64_t sources = 0;
    for (int i = 0; i < count; i++)
        if (add_sources(v, stores[i], list, &sources, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (sources && frame_load(list, sources, &v->f, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (!v->f) return CLI_OK;
    read_spread(v);
    for (int64_t i = 0; i < v->f->count; i++) v->searched |= v->f->tried[i] != 0;
    frame_keep_choices(v->f);
    frame_keep_former_choices(v->f);
    int code = add_lists(v, list, sources);
    return code == CLI_OK ? load_maps(v, list, sources) : code;
}

/* Of a table of settings the counts are those of its lines. */
static int load_settings(artefact_view *v)
{
    int code = settings_table_make(v, &v->settings);
    v->layout.cells = v->settings.count;
    v->layout.measured = v->layout.judged = v->settings.known;
    v->layout.inside = v->settings.same;
    return code;
}

int artefact_view_load(artefact_view *v, const cli_words *dbs, bool must_exist)
{
    store *stores[CLI_WORDS_MAX];
    int count = dbs->count ? dbs->count : 1, code = CLI_OK;
    const char *first = dbs->count ? dbs->word[0] : "results.db";
    if (v->file->settings.kind == ARTEFACT_SETTINGS) return load_settings(v);
    if (must_exist || access(first, F_OK) == 0) {
        code = report_options_open(dbs, stores);
        if (code != CLI_OK) return code;
        code = load_frame(v, stores, count);
        report_options_close(stores, count);
    }
    if (code != CLI_OK) return code;
    code = lay_out(v, v->f, &v->layout);
    return code == CLI_GO_ON ? CLI_OK : code;
}

/* ---- printing -------------------------------------------------------------------------------------------- */

static int print_layout(const artefact_view *v, const session_request *q, report_format format, FILE *out)
{
    cru_error err = {0};
    artefact_published_style(q->published, &v->layout.t->published);
    report r = {.f = v->f, .tables = (table *[]){v->layout.t}, .count = 1};
    if (format == REPORT_HTML) return cli_wrong("an artefact is printed as text, markdown, latex, csv or json");
    return report_write(&r, format, out, &err) == CRU_OK ? CLI_OK : cli_fail("%s", err.text);
}

/* What no CSV describes is the table of the joined experiments. */
static int print_plain(const artefact_view *v, report_format format, FILE *out)
{
    cru_error err = {0};
    report *r;
    if (!v->f || !v->f->count) return cli_fail("%s: no trial has been run", v->file->name);
    report_request request = {.digits = -1, .metrics = *v->file->settings.metric ? v->file->settings.metric : NULL};
    if (report_of_frame(v->f, &request, &r, &err) != CRU_OK) return cli_wrong("%s: %s", v->file->name, err.text);
    cru_status status = report_write(r, format, out, &err);
    return status ? cli_fail("%s", err.text) : CLI_OK;
}

/* A figure goes to a file beside the working directory: noisygl-figure-2.svg. */
static int draw_figure(const artefact_view *v)
{
    cru_error err = {0};
    report *r;
    char *path = string_format(v->file->arena, "%s.svg", v->file->name), *slash = strchr(path, '/');
    if (slash) *slash = '-';
    if (!v->f || !v->f->count) return CLI_OK;
    report_request request = {.digits = -1, .metrics = *v->file->settings.metric ? v->file->settings.metric : NULL};
    if (report_of_frame(v->f, &request, &r, &err) != CRU_OK) return cli_wrong("%s: %s", v->file->name, err.text);
    r->maps = v->maps;
    FILE *file = fopen(path, "w");
    if (!file) return cli_fail("%s: cannot be written", path);
    cru_status status = report_plot(r, v->file->settings.plot, file, &err);
    if (fclose(file) != 0 && !status) status = cru_fail(&err, CRU_IO, "%s: cannot be written", path);
    if (status) {
        unlink(path);
        return cli_fail("%s: %s", v->file->name, err.text);
    }
    fprintf(stderr, "%s: picture in %s\n", v->file->name, path);
    return CLI_OK;
}

int artefact_view_print(const artefact_view *v, const session_request *q, report_format format, FILE *out)
{
    if (v->file->settings.kind == ARTEFACT_SETTINGS) return settings_table_print(v, &v->settings, format, out);
    int code = v->layout.t ? print_layout(v, q, format, out) : print_plain(v, format, out);
    if (code == CLI_OK && *v->file->settings.plot) code = draw_figure(v);
    return code;
}

/* "no plugin: s-model, jocor; not fetched: flickr" */
static void say_missing(const artefact_view *v)
{
    const study_plan *plan = &v->plan;
    for (int64_t i = 0; i < plan->missing_count; i++) {
        bool told = false;
        for (int64_t k = 0; k < i; k++) told |= plan->missing[k].reason == plan->missing[i].reason;
        if (told) continue;
        fprintf(stderr, "%s: left out, %s:", v->file->name, plan->missing[i].reason);
        for (int64_t k = i; k < plan->missing_count; k++)
            if (plan->missing[k].reason == plan->missing[i].reason) fprintf(stderr, " %s", plan->missing[k].name);
        fputc('\n', stderr);
    }
}

static void say_counts(const artefact_view *v)
{
    const layout *l = &v->layout;
    if (l->t && !l->cells)
        fprintf(stderr, "%s: %lld of %lld cells measured, none is published\n", v->file->name, (long long)l->filled,
                (long long)l->places);
    if (!l->t || !l->cells) return;
    fprintf(stderr, "%s: %lld of %lld cells measured, %lld of %lld judged are inside\n", v->file->name,
            (long long)l->measured, (long long)l->cells, (long long)l->inside, (long long)l->judged);
}

/* ---- reporting ------------------------------------------------------------------------------------------- */

static int report_one(const session_request *q, const char *path, const cli_words *dbs, report_format format, FILE *out)
{
    artefact_view v;
    session_request own = *q;
    own.db = dbs->count ? dbs->word[0] : NULL;
    const char *db = own.db ? own.db : "results.db";
    int code = artefact_view_open(path, q, &v);
    const bool trains = code == CLI_GO_ON && v.file->settings.kind != ARTEFACT_SETTINGS;
    if (v.nothing) {
        artefact_view_close(&v);
        return CLI_OK;
    }
    if (trains) say_missing(&v);
    if (code == CLI_GO_ON) code = access(db, W_OK) == 0 ? artefact_view_enter(&v, &own) : CLI_OK;
    if (code == CLI_OK) code = artefact_view_load(&v, dbs, true);
    if (code == CLI_OK) code = artefact_view_print(&v, q, format, out);
    artefact_view_close(&v);
    return code;
}

int artefact_report_all(const session_request *q, const artefact_words *named, const cli_words *dbs,
                        report_format format, FILE *out)
{
    table_published style;
    int worst = CLI_OK;
    if (!artefact_published_style(q->published, &style))
        return cli_wrong("--published %s: side, diff or off", q->published);
    if (format == REPORT_HTML) return study_page_write(q, named, dbs, out);
    session_request each = *q;
    each.of_many = named->count > 1;
    for (int64_t i = 0; i < named->count; i++) {
        if (i && format != REPORT_CSV) fputc('\n', out);
        int code = report_one(&each, named->path[i], dbs, format, out);
        if (code > worst) worst = code;
    }
    return worst;
}

/* ---- running them ---------------------------------------------------------------------------------------- */

/* Whether --only has cut away every part, and not because something is missing. */
static bool leaves_nothing(const artefact_view *v)
{
    bool any = !v->only_count || v->plan.missing_count;
    for (int64_t i = 0; i < v->plan.part_count; i++) any |= !v->plan.parts[i].empty;
    return !any;
}

/* `why`: room for the reason why --only leaves nothing; "" when something is left. */
static int run_one(const session_request *q, const char *path, char *why, size_t size)
{
    artefact_view v;
    int code = artefact_view_open(path, q, &v);
    const bool trains = code == CLI_GO_ON && v.file->settings.kind != ARTEFACT_SETTINGS;
    if (trains && leaves_nothing(&v)) code = leave_out(&v, q, "nothing of this artefact passes --only");
    snprintf(why, size, "%s", v.nothing ? v.nothing : "");
    if (code != CLI_GO_ON) {
        artefact_view_close(&v);
        return code;
    }
    if (trains) say_missing(&v);
    code = trains ? run_parts(&v, q) : CLI_OK;
    if (code != CLI_USAGE && !q->json && !q->quiet) {
        const cli_words db = {.word = {q->db}, .count = q->db ? 1 : 0};
        int shown = artefact_view_load(&v, &db, false);
        if (shown == CLI_OK) shown = artefact_view_print(&v, q, REPORT_TEXT, stdout);
        if (shown == CLI_OK) say_counts(&v);
        if (shown > code) code = shown;
    }
    artefact_view_close(&v);
    return code;
}

int artefact_run_all(const session_request *q, const artefact_words *named)
{
    table_published style;
    int worst = CLI_OK;
    if (!artefact_published_style(q->published, &style))
        return cli_wrong("--published %s: side, diff or off", q->published);
    session_request each = *q;
    each.of_many = named->count > 1;
    char first[400] = "", why[400];
    int64_t passed_over = 0;
    for (int64_t i = 0; i < named->count; i++) {
        int code = run_one(&each, named->path[i], why, sizeof why);
        if (code > worst) worst = code;
        if (*why && !passed_over++) memcpy(first, why, sizeof first);
    }
    return passed_over && passed_over == named->count ? cli_wrong("%s", first) : worst;
}
