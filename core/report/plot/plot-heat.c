// SPDX-License-Identifier: Apache-2.0
/* plot-heat.c: heat maps of a table, of a matrix from a file, and of who does better than whom. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/words.h"
#include "report/plot/matrix.h"
#include "report/plot/plot.h"
#include "report/table/stats-compare.h"

static void *need(void *memory)
{
    if (!memory) cru_panic(CRU_NO_MEMORY, "plot: no memory for a matrix");
    return memory;
}

static const char **head_names(const table_head *heads, int64_t count)
{
    const char **names = need(malloc(((size_t)count + 1) * sizeof *names));
    for (int64_t i = 0; i < count; i++) names[i] = heads[i].label;
    return names;
}

static cru_status heat_of_table(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    int64_t cells = t->row_count * t->col_count;
    if (panel_need_values(t, err)) return CRU_UNSUPPORTED;
    double *values = need(malloc((size_t)cells * sizeof *values));
    const char **texts = need(calloc((size_t)cells, sizeof *texts));
    cell_words *words = need(malloc((size_t)cells * sizeof *words));
    for (int64_t i = 0; i < cells; i++) {
        values[i] = t->cells[i].mean * t->scale;
        words_of_cell(t, &t->cells[i], &words[i]);
        texts[i] = words[i].value;
    }
    char title[300], caption[300], label[120];
    panel_metric(t, label, sizeof label);
    snprintf(title, sizeof title, "%s: %s", t->experiment, label);
    words_of_caption(t, caption, sizeof caption);
    matrix m = {.rows = t->row_count,
                .cols = t->col_count,
                .values = values,
                .texts = texts,
                .row_names = head_names(t->rows, t->row_count),
                .col_names = head_names(t->cols, t->col_count),
                .diverging = t->minus != NULL,
                .title = title,
                .bar = label,
                .description = caption};
    matrix_draw(&m, out, in->alone);
    free(m.row_names);
    free(m.col_names);
    free(values);
    free(texts);
    free(words);
    return CRU_OK;
}

/* Names of rows and columns that a file does not give are their numbers. */
static const char **names_or_numbers(const plot_data *d, const char **names, int64_t count)
{
    const char **out = need(malloc(((size_t)count + 1) * sizeof *out));
    for (int64_t i = 0; i < count; i++) {
        char *text = cru_arena_alloc(d->arena, 24, 1);
        snprintf(text, 24, "%lld", (long long)i);
        out[i] = names ? names[i] : text;
    }
    return out;
}

static bool is_whole(const plot_data *d)
{
    for (int64_t i = 0; i < d->rows * d->cols; i++)
        if (d->values[i] != floorf(d->values[i])) return false;
    return true;
}

static cru_status heat_of_file(const plot_input *in, FILE *out, cru_error *err)
{
    const plot_data *d = in->data;
    enum { MOST = 10000 };
    if (d->rows < 1 || d->cols < 1 || d->rows * d->cols > MOST)
        return cru_fail(err, CRU_UNSUPPORTED, "%s: a heat map shows 1 to %d numbers, not %lld x %lld", d->path, MOST,
                        (long long)d->rows, (long long)d->cols);
    if (d->truth.ids) return cru_fail(err, CRU_UNSUPPORTED, "%s: rows with classes are points, not a matrix", d->path);
    double *values = need(malloc((size_t)(d->rows * d->cols) * sizeof *values));
    bool signs = false;
    for (int64_t i = 0; i < d->rows * d->cols; i++) {
        values[i] = d->values[i];
        signs |= values[i] < 0;
    }
    const char *slash = strrchr(d->path, '/'), *name = slash ? slash + 1 : d->path;
    matrix m = {.rows = d->rows,
                .cols = d->cols,
                .values = values,
                .row_names = names_or_numbers(d, d->row_names, d->rows),
                .col_names = names_or_numbers(d, d->names, d->cols),
                .digits = is_whole(d) ? 0 : 2,
                .diverging = signs,
                .title = name,
                .bar = "",
                .description = "A matrix from a file."};
    matrix_draw(&m, out, in->alone);
    free(m.row_names);
    free(m.col_names);
    free(values);
    return CRU_OK;
}

cru_status plot_heat(const plot_input *in, FILE *out, cru_error *err)
{
    return in->data ? heat_of_file(in, out, err) : heat_of_table(in, out, err);
}

/* ---- improvement ----------------------------------------------------------------------------------------- */

/* Values of a cell's runs, turned so that more is better. */
static stats_sample sample_of(const table *t, const table_cell *cell, double *room)
{
    for (int64_t i = 0; i < cell->run_count; i++) room[i] = cell->runs[i].value * (t->lower_is_better ? -1 : 1);
    return (stats_sample){room, cell->run_count};
}

/* P(a better than b), the mean over the columns in which both have runs. */
static double mean_improvement(const table *t, int64_t a, int64_t b, double *room[2])
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < t->col_count; c++) {
        double share =
            stats_improvement(sample_of(t, table_at(t, a, c), room[0]), sample_of(t, table_at(t, b, c), room[1]));
        if (isnan(share)) continue;
        sum += share;
        count++;
    }
    return a == b || !count ? NAN : sum / (double)count;
}

cru_status plot_improvement(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    int64_t most = 0, k = t->row_count;
    for (int64_t i = 0; i < k * t->col_count; i++)
        if (t->cells[i].run_count > most) most = t->cells[i].run_count;
    if (k < 2 || most < 1)
        return cru_fail(err, CRU_UNSUPPORTED, "improvement needs at least two rows with values of %s", t->metric);
    double *room[2] = {need(malloc((size_t)most * sizeof(double))), need(malloc((size_t)most * sizeof(double)))};
    double *values = need(malloc((size_t)(k * k) * sizeof *values));
    for (int64_t i = 0; i < k * k; i++) values[i] = 100 * mean_improvement(t, i / k, i % k, room);
    char title[300];
    snprintf(title, sizeof title, "%s: probability that the row has better %s than the column", t->experiment,
             t->metric);
    matrix m = {.rows = k,
                .cols = k,
                .values = values,
                .row_names = head_names(t->rows, k),
                .col_names = head_names(t->rows, k),
                .digits = 0,
                .diverging = true,
                .low = 0,
                .high = 100,
                .title = title,
                .bar = "% of pairs of runs, mean over the columns",
                .description = "Mann-Whitney's share of pairs of runs; ties count half."};
    matrix_draw(&m, out, in->alone);
    free(m.row_names);
    free(m.col_names);
    free(room[0]);
    free(room[1]);
    free(values);
    return CRU_OK;
}
