// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/colour.h"
#include "report/format/format.h"
#include "report/format/page.h"
#include "report/plot/plot-vector.h"
#include "report/table/comparison.h"
#include "report/table/frechet.h"
#include "report/table/section.h"
#include "report/table/vector-table.h"

const char *const report_format_names[REPORT_FORMATS] = {"text", "markdown", "latex", "csv", "json", "html"};
const char *const report_spread_names[4] = {"std", "std0", "sem", "sem0"};

/* ---- what is asked for ----------------------------------------------------------------------------------- */

static cru_status find_spread(const char *word, report_spread *spread, cru_error *err)
{
    *spread = REPORT_STD;
    for (int i = 0; word && i < 4; i++) {
        if (strcmp(word, report_spread_names[i]) == 0) {
            *spread = (report_spread)i;
            return CRU_OK;
        }
    }
    return word ? cru_fail(err, CRU_BAD_INPUT, "unknown spread '%s'; there are std, std0, sem, sem0", word) : CRU_OK;
}

static cru_status unknown_metric(const frame *f, const char *name, cru_error *err)
{
    char known[300] = "";
    for (int64_t i = 0; i < f->measure_count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", f->measures[i].name);
    }
    return cru_fail(err, CRU_BAD_INPUT, "no metric '%s' in '%s'; there are: %s", name, f->experiment, known);
}

/* ---- making ---------------------------------------------------------------------------------------------- */

static cru_status add_table(report *r, const frame_measure *measure, const table_request *pivot,
                            const report_request *request, cru_error *err)
{
    table *t;
    cru_status status = table_make(r->f, measure, pivot, &t, err);
    if (!status && request->reference) {
        status = table_compare(t, request->reference, request->reference_k > 0 ? request->reference_k : 1, err);
    }
    if (!status) r->tables[r->count++] = t;
    comparison_request wanted = {.rope = request->rope};
    if (!status && request->compare) {
        status = table_comparison(r->f->arena, t, &wanted, &r->tables[r->count], err);
        r->count += !status;
    }
    return status;
}

typedef struct measure_list {
    const frame_measure **items;
    int64_t count;
} measure_list;

/* The measures that a text names, or those of the experiment when it is NULL. */
static cru_status find_measures(const frame *f, const char *text, measure_list *list, cru_error *err)
{
    char name[128];
    /* A text of n bytes cannot name more than n metrics. */
    int64_t most = text ? (int64_t)strlen(text) : f->measure_count;
    *list = (measure_list){.items = cru_arena_alloc(f->arena, most, sizeof *list->items)};
    for (int64_t i = 0; !text && i < f->measure_count; i++)
        if (f->measures[i].listed) list->items[list->count++] = &f->measures[i];
    while (text && *(text += strspn(text, ", "))) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ", "), text);
        text += strcspn(text, ", ");
        const frame_measure *measure = list->items[list->count++] = frame_find_measure(f, name);
        if (!measure) return unknown_metric(f, name, err);
    }
    return CRU_OK;
}

/* The table of distances instead of those of metrics. */
static cru_status add_curves(report *r, const table_request *pivot, const report_request *request, measure_list list,
                             cru_error *err)
{
    frechet_request wanted = {
        .target = frame_find_measure(r->f, request->curves), .measures = list.items, .pivot = *pivot};
    if (!wanted.target) return unknown_metric(r->f, request->curves, err);
    while (request->curve_scale && wanted.scale < FRECHET_SCALES &&
           strcmp(request->curve_scale, frechet_scale_names[wanted.scale]) != 0)
        wanted.scale++;
    if (wanted.scale == FRECHET_SCALES)
        return cru_fail(err, CRU_BAD_INPUT, "unknown curve scale '%s'; there are values, both, none",
                        request->curve_scale);
    for (int64_t i = 0; i < list.count; i++)
        if (list.items[i] != wanted.target) list.items[wanted.measure_count++] = list.items[i];
    if (wanted.measure_count == 0)
        return cru_fail(err, CRU_BAD_INPUT, "'%s' has no other metric to compare with %s", r->f->experiment,
                        request->curves);
    return table_frechet(r->f, &wanted, &r->tables[r->count++], err);
}

/* Leaves the trials that the request is about. */
static cru_status choose_trials(frame *f, const report_request *request, cru_error *err)
{
    int64_t all = f->count;
    cru_status status = CRU_OK;
    if (request->tried)
        frame_forget_choices(f);
    else
        frame_keep_choices(f);
    if (all > 0 && f->count == 0)
        return cru_fail(err, CRU_BAD_INPUT, "no search of '%s' has come to its end; --tried shows what was tried",
                        f->experiment);
    if (request->where) status = frame_filter(f, request->where, err);
    if (!status && f->count == 0)
        status = cru_fail(err, CRU_BAD_INPUT, "the experiment '%s' has no trials that fit", f->experiment);
    return status;
}

static bool was_searched(const frame *f)
{
    for (int64_t i = 0; i < f->count; i++)
        if (f->tried[i] != 0) return true;
    return false;
}

static cru_status find_cliques(const char *word, plot_cliques *cliques, cru_error *err)
{
    *cliques = word && strcmp(word, "wilcoxon") == 0 ? CLIQUES_WILCOXON : CLIQUES_NEMENYI;
    if (!word || *cliques == CLIQUES_WILCOXON || strcmp(word, "nemenyi") == 0) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "unknown cliques '%s'; there are nemenyi, wilcoxon", word);
}

/* The tables of a scatter's axis and bubbles. */
static cru_status add_costs(report *r, const table_request *pivot, const report_request *request, cru_error *err)
{
    const struct {
        const char *name;
        table **out;
    } costs[] = {{request->x ? request->x : "seconds", &r->x}, {request->size ? request->size : "peak-mib", &r->size}};
    table_request plain = *pivot;
    plain.other = NULL;
    plain.baselines = plain.groups = plain.minus = NULL;
    for (int i = 0; i < 2; i++) {
        if (strcmp(costs[i].name, "none") == 0) continue;
        const frame_measure *measure = frame_find_measure(r->f, costs[i].name);
        if (!measure) return unknown_metric(r->f, costs[i].name, err);
        cru_status status = table_make(r->f, measure, &plain, costs[i].out, err);
        if (status) return status;
    }
    return CRU_OK;
}

static cru_status add_tables(report *r, const report_request *request, cru_error *err)
{
    if (request->tried && !was_searched(r->f))
        return cru_fail(err, CRU_BAD_INPUT, "no setting of '%s' was searched; leave out --tried", r->f->experiment);
    table_request pivot = {.rows = request->rows,
                           .cols = request->cols,
                           .over = request->over,
                           .digits = request->digits,
                           .alpha = request->alpha,
                           .overlap = request->overlap,
                           .average = request->average,
                           .groups = request->groups,
                           .groups_asked = request->groups_asked,
                           .tried = request->tried,
                           .baselines = request->baselines,
                           .minus = request->minus,
                           .other = r->other};
    measure_list list;
    cru_status status = find_spread(request->spread, &pivot.spread, err);
    if (!status) status = choose_trials(r->f, request, err);
    if (!status) status = find_measures(r->f, request->metrics, &list, err);
    if (!status) status = add_costs(r, &pivot, request, err);
    if (status) return status;
    r->tables = cru_arena_alloc(r->f->arena, 2 * list.count + 1, sizeof *r->tables);
    if (request->curves) return add_curves(r, &pivot, request, list, err);
    for (int64_t i = 0; !status && i < list.count; i++) status = add_table(r, list.items[i], &pivot, request, err);
    return status;
}

static cru_status find_experiment(store *s, const char *name, int64_t *id, cru_error *err)
{
    cru_status status = store_find_experiment(s, name, id, err);
    if (status || *id) return status;
    char names[300];
    status = store_names(s, names, sizeof names, err);
    if (status) return status;
    return name ? cru_fail(err, CRU_BAD_INPUT, "%s: holds no experiment '%s'; there %s", store_path(s), name, names)
                : cru_fail(err, CRU_BAD_INPUT, "%s: holds no experiment yet", store_path(s));
}

/* The experiment to compare with, restricted to the same trials. */
static cru_status load_other(store *s, const report_request *request, frame **out, cru_error *err)
{
    int64_t id;
    cru_status status = find_experiment(s, request->against, &id, err);
    if (!status) status = frame_load(&(frame_source){s, id}, 1, out, err);
    return status ? status : choose_trials(*out, request, err);
}

/* The trials of a search with all settings that were tried, beside the chosen ones of the tables. */
static cru_status load_searched(const frame_source *sources, int64_t count, const report_request *request, frame **out,
                                cru_error *err)
{
    cru_status status = frame_load(sources, count, out, err);
    return !status && request->where ? frame_filter(*out, request->where, err) : status;
}

static cru_status load_files(report *r, const report_request *request, cru_error *err)
{
    cru_status status = CRU_OK;
    r->data = cru_arena_alloc(r->f->arena, request->data_count, sizeof *r->data);
    for (int64_t i = 0; !status && i < request->data_count; i++) {
        status = plot_data_read(request->data[i], NULL, &r->data[i], err);
        r->data_count += !status;
    }
    return status;
}

/* `sources`: where the frame is from, and another experiment to compare with may be; NULL: nowhere. */
static cru_status make_of(frame *f, const frame_source *sources, int64_t count, const report_request *request,
                          report **out, cru_error *err)
{
    report *r = cru_arena_alloc_zeroed(f->arena, 1, sizeof *r);
    cru_status status = CRU_OK;
    r->f = f;
    report_request complete = *request;
    complete.groups_asked = request->groups != NULL;
    section_apply(f->config, f->arena, &complete);
    r->ordinal = request->ordinal;
    r->together = 1;
    status = find_cliques(request->cliques, &r->cliques, err);
    if (!status && complete.against && sources) status = load_other(sources[0].store, &complete, &r->other, err);
    if (!status && was_searched(f) && sources) status = load_searched(sources, count, &complete, &r->searched, err);
    if (!status) status = load_files(r, request, err);
    if (!status) status = add_tables(r, &complete, err);
    if (!status && request->vector && sources)
        status = plot_vector_read(sources[0].store, sources[0].experiment, f, request->vector, &r->vector, err);
    if (!status && sources)
        status = plot_maps_read(f, sources, count, &(table_request){.rows = complete.rows, .cols = complete.cols},
                                &r->maps, err);
    if (!status && r->vector && request->tabled) {
        r->tables = cru_arena_alloc(f->arena, 1, sizeof *r->tables);
        r->tables[0] = table_of_vector(f->arena, f->experiment, r->vector, request->digits);
        r->count = 1;
    }
    if (!status && request->metrics && !request->compare) r->together = r->count;
    *out = r;
    return status;
}

static cru_status make(const frame_source *sources, int64_t count, const report_request *request, report **out,
                       cru_error *err)
{
    frame *f;
    *out = NULL;
    cru_status status = frame_load(sources, count, &f, err);
    if (status) return status;
    report *r;
    status = make_of(f, sources, count, request, &r, err);
    if (status)
        report_destroy(r);
    else
        *out = r;
    return status;
}

cru_status report_of_frame(frame *f, const report_request *request, report **out, cru_error *err)
{
    return make_of(f, NULL, 0, request, out, err);
}

/* The experiments that are asked for in a store, those of former lists behind them. */
typedef struct source_list {
    frame_source items[REPORT_SOURCES];
    int64_t count;
} source_list;

static cru_status add_source(source_list *list, store *s, int64_t id, bool latest, cru_error *err)
{
    if (list->count + 2 > REPORT_SOURCES)
        return cru_fail(err, CRU_BAD_INPUT, "more than %d experiments in one table", REPORT_SOURCES / 2);
    list->items[list->count++] = (frame_source){s, id};
    if (!latest) list->items[list->count++] = (frame_source){s, store_former(id)};
    return CRU_OK;
}

/* One that is named must be in some store, not in all. */
static cru_status add_named(source_list *list, const report_stores *stores, const char *name, bool latest,
                            cru_error *err)
{
    int64_t before = list->count, id;
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < stores->count; i++) {
        status = store_find_experiment(stores->items[i], name, &id, err);
        if (!status && id) status = add_source(list, stores->items[i], id, latest, err);
    }
    if (status || list->count > before) return status;
    return find_experiment(stores->items[0], name, &id, err);
}

cru_status report_make_joined(const report_stores *stores, const report_request *request, report **out, cru_error *err)
{
    *out = NULL;
    source_list list = {0};
    cru_status status = CRU_OK;
    if (request->experiment_count == 0) status = add_named(&list, stores, request->experiment, request->latest, err);
    for (int64_t i = 0; !status && i < request->experiment_count; i++)
        status = add_named(&list, stores, request->experiments[i], request->latest, err);
    return status ? status : make(list.items, list.count, request, out, err);
}

cru_status report_make(store *s, const report_request *request, report **out, cru_error *err)
{
    return report_make_joined(&(report_stores){(store *[]){s}, 1}, request, out, err);
}

void report_destroy(report *r)
{
    if (!r) return;
    frame_destroy(r->other);
    frame_destroy(r->searched);
    plot_data_destroy(r->vector);
    for (int64_t i = 0; i < r->data_count; i++) plot_data_destroy(r->data[i]);
    frame_destroy(r->f);
}

/* ---- writing --------------------------------------------------------------------------------------------- */

static void write_text(const report *r, FILE *out)
{
    struct winsize window;
    text_style style = {.colour = terminal_has_colours(out)};
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &window) == 0) style.width = window.ws_col;
    for (int64_t i = 0; i < r->count; i++) {
        if (i) fputc('\n', out);
        format_text(r->tables[i], &style, out);
    }
}

static void write_json(const report *r, FILE *out)
{
    cJSON *list = cJSON_CreateArray();
    for (int64_t i = 0; i < r->count; i++) cJSON_AddItemToArray(list, format_json(r->tables[i]));
    char *text = cJSON_Print(list);
    if (text) fprintf(out, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(list);
}

static void write_tables(const report *r, report_format format, FILE *out)
{
    for (int64_t i = 0; i < r->count; i++) {
        if (i && format != REPORT_CSV) fputc('\n', out);
        if (format == REPORT_MARKDOWN) format_markdown(r->tables[i], out);
        if (format == REPORT_LATEX) format_latex(r->tables[i], out);
        if (format == REPORT_CSV) format_csv(r->tables[i], i == 0, out);
    }
}

static cru_status check_written(FILE *out, cru_error *err)
{
    if (fflush(out) == 0 && !ferror(out)) return CRU_OK;
    return cru_fail(err, CRU_IO, "the report cannot be written: %s", strerror(errno));
}

cru_status report_write(const report *r, report_format format, FILE *out, cru_error *err)
{
    switch (format) {
    case REPORT_TEXT:
        write_text(r, out);
        break;
    case REPORT_JSON:
        write_json(r, out);
        break;
    case REPORT_HTML:
        page_write(r, out);
        break;
    default:
        write_tables(r, format, out);
    }
    return check_written(out, err);
}

plot_input report_input(const report *r, int64_t index)
{
    return (plot_input){.t = r->tables[index],
                        .tables = r->tables + index,
                        .table_count = 1,
                        .x = r->x,
                        .size = r->size,
                        .tried = r->searched,
                        .data = r->vector,
                        .maps = r->maps,
                        .target = r->searched ? frame_find_measure(r->searched, r->tables[index]->metric) : NULL,
                        .cliques = r->cliques,
                        .ordinal = r->ordinal};
}

cru_status report_plot(const report *r, const char *kind, FILE *out, cru_error *err)
{
    char names[300];
    const plot_kind *found = plot_find(kind);
    if (!found)
        return cru_fail(err, CRU_BAD_INPUT, "no plot '%s'; there are %s", kind, plot_names(names, sizeof names));
    if (r->count == 0) return cru_fail(err, CRU_BAD_INPUT, "'%s' has no metric to draw", r->f->experiment);
    if (found->source == PLOT_OF_FILE)
        return cru_fail(err, CRU_UNSUPPORTED, "the picture '%s' is of a file, not of an experiment", kind);
    if (found->source == PLOT_OF_MAPS && !r->maps)
        return cru_fail(err, CRU_UNSUPPORTED,
                        "no trial of '%s' reported a map; the metric silhouette does with map = yes", r->f->experiment);
    plot_input input = report_input(r, 0);
    input.alone = true;
    input.table_count = r->together;
    cru_status status = found->draw(&input, out, err);
    return status ? status : check_written(out, err);
}

cru_status report_check(store *s, int64_t experiment, cru_error *err)
{
    report *r;
    cru_status status =
        make(&(frame_source){s, experiment}, 1, &(report_request){.digits = -1, .metrics = "seconds"}, &r, err);
    if (!status) report_destroy(r);
    return status;
}

cru_status report_print_compact(store *s, int64_t experiment, FILE *out, cru_error *err)
{
    report *r;
    cru_status status = make(&(frame_source){s, experiment}, 1, &(report_request){.digits = -1}, &r, err);
    if (status) return status;
    status = report_write(r, REPORT_TEXT, out, err);
    report_destroy(r);
    return status;
}
