// SPDX-License-Identifier: Apache-2.0
/* format-data.c: tables for programs, CSV and JSON. Numbers are in the unit that is printed (percent where the metric
 * is in percent), with all their digits. */
#include <math.h>

#include "base/json.h"
#include "report/format/escape.h"
#include "report/format/format.h"

static const char *mark_name(table_mark mark)
{
    static const char *const names[] = {"ok", "oom", "timeout", "failed", "undefined", "missing"};
    return names[mark];
}

/* Which baselines a cell is worse than. */
static const char *below_name(table_below_mark below)
{
    static const char *const names[] = {"", "best", "all"};
    return names[below];
}

/* An empty field where there is no number. */
static void put_number(FILE *out, double number)
{
    fputc(',', out);
    if (isfinite(number)) fprintf(out, "%.17g", number);
}

void format_csv(const table *t, bool first, FILE *out)
{
    if (first)
        fputs("experiment,metric,row,col,mean,spread,runs,trials,outcome,place,rank,p,reference,inside,against,against_"
              "p,below\n",
              out);
    for (int64_t i = 0; i < table_lines(t) * t->col_count; i++) {
        const table_cell *cell = &t->cells[i];
        const char *names[] = {t->experiment, t->metric, t->rows[i / t->col_count].label,
                               t->cols[i % t->col_count].label};
        for (int k = 0; k < 4; k++) {
            if (k) fputc(',', out);
            escape_csv(out, names[k]);
        }
        put_number(out, cell->mean * t->scale);
        put_number(out, cell->spread * t->scale);
        fprintf(out, ",%lld,%lld,%s,%d", (long long)cell->run_count, (long long)cell->trials, mark_name(cell->mark),
                cell->place);
        put_number(out, cell->rank);
        put_number(out, cell->p);
        put_number(out, cell->has_reference ? cell->reference_mean : NAN);
        fprintf(out, ",%s",
                !cell->has_reference || isnan(cell->reference_mean) || cell->unjudged || isnan(cell->mean) ? ""
                : cell->inside                                                                             ? "yes"
                                                                                                           : "no");
        put_number(out, cell->against_mean * t->scale);
        put_number(out, cell->against_p);
        fprintf(out, ",%s\n", below_name(cell->below));
    }
}

static cJSON *heads(const table_head *head, int64_t count, const char **keys, int64_t key_count)
{
    cJSON *list = cJSON_CreateArray();
    for (int64_t i = 0; i < count; i++) {
        cJSON *entry = cJSON_CreateObject();
        json_add_text(entry, "label", head[i].label);
        for (int64_t k = 0; k < key_count; k++) json_add_text(entry, keys[k], head[i].parts[k]);
        cJSON_AddItemToArray(list, entry);
    }
    return list;
}

static cJSON *cell_object(const table *t, int64_t index)
{
    const table_cell *cell = &t->cells[index];
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "row", t->rows[index / t->col_count].label);
    json_add_text(object, "col", t->cols[index % t->col_count].label);
    json_add_text(object, "outcome", mark_name(cell->mark));
    json_add_number(object, "mean", cell->mean * t->scale);
    json_add_number(object, "spread", cell->spread * t->scale);
    json_add_number(object, "trials", (double)cell->trials);
    json_add_number(object, "place", cell->place);
    json_add_number(object, "rank", cell->rank);
    json_add_number(object, "p", cell->p);
    cJSON *values = cJSON_AddArrayToObject(object, "values");
    for (int64_t i = 0; i < cell->run_count; i++) {
        cJSON_AddItemToArray(values, cJSON_CreateNumber(cell->runs[i].value * t->scale));
    }
    if (cell->has_reference) {
        cJSON *reference = cJSON_AddObjectToObject(object, "reference");
        json_add_number(reference, "mean", cell->reference_mean);
        json_add_number(reference, "std", cell->reference_std);
        cJSON_AddBoolToObject(reference, "inside", cell->inside);
    }
    if (t->against) {
        cJSON *against = cJSON_AddObjectToObject(object, "against");
        json_add_number(against, "mean", cell->against_mean * t->scale);
        json_add_number(against, "p", cell->against_p);
    }
    if (cell->below) json_add_text(object, "below_baselines", below_name(cell->below));
    return object;
}

/* "average", "improvement", "rank", "relative_percent" and "wins_ties_losses", for all columns; for a group under
 * "groups" and its name. */
static void add_summaries(cJSON *object, const table *t)
{
    static const char *const names[] = {"average", "improvement", "rank", "relative_percent", "wins_ties_losses"};
    cJSON *groups = NULL;
    for (int64_t i = 0; i < t->summary_count; i++) {
        const table_summary *s = &t->summaries[i];
        cJSON *into = object;
        if (s->group[0]) {
            if (!groups) groups = cJSON_AddObjectToObject(object, "groups");
            into = cJSON_GetObjectItemCaseSensitive(groups, s->group);
            if (!into) into = cJSON_AddObjectToObject(groups, s->group);
        } else if (s->kind == SUMMARY_RANK) {
            continue; /* it is there as average_rank */
        }
        cJSON *rows = cJSON_AddObjectToObject(into, names[s->kind]);
        for (int64_t r = 0; r < t->row_count; r++) {
            const double tally[] = {s->tally ? (double)s->tally[r][0] : 0, s->tally ? (double)s->tally[r][1] : 0,
                                    s->tally ? (double)s->tally[r][2] : 0};
            if (s->tally)
                json_add_numbers(rows, t->rows[r].label, tally, 3);
            else
                json_add_number(rows, t->rows[r].label, s->values[r] * summary_scale(t, s->kind));
        }
    }
}

cJSON *format_json(const table *t)
{
    static const char *const spreads[] = {"std", "std0", "sem", "sem0"};
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "experiment", t->experiment);
    json_add_text(object, "metric", t->metric);
    cJSON_AddBoolToObject(object, "lower_is_better", t->lower_is_better);
    cJSON_AddBoolToObject(object, "percent", t->scale == 100);
    json_add_text(object, "spread", spreads[t->spread]);
    if (t->against) json_add_text(object, "against", t->against);
    if (t->tried[1]) cJSON_AddNumberToObject(object, "settings_tried", (double)t->tried[1]);
    cJSON_AddItemToObject(object, "rows", heads(t->rows, table_lines(t), t->row_keys, t->row_key_count));
    cJSON_AddItemToObject(object, "cols", heads(t->cols, t->col_count, t->col_keys, t->col_key_count));
    cJSON *ranks = cJSON_AddObjectToObject(object, "average_rank");
    for (int64_t r = 0; r < t->row_count; r++) json_add_number(ranks, t->rows[r].label, t->average_ranks[r]);
    add_summaries(object, t);
    cJSON *cells = cJSON_AddArrayToObject(object, "cells");
    for (int64_t i = 0; i < table_lines(t) * t->col_count; i++) cJSON_AddItemToArray(cells, cell_object(t, i));
    return object;
}
