// SPDX-License-Identifier: Apache-2.0
#include "report/table/comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/table/stats-compare.h"

/* The columns of the comparison, under two levels of headings. "#" is the row of best rank. */
static const char *const heads[][2] = {
    {"", "rank"},
    {"mean", "value"},
    {"mean", "low"},
    {"mean", "high"},
    {"middle half", "value"},
    {"middle half", "low"},
    {"middle half", "high"},
    {"against #", "P(better)"},
    {"against #", "p"},
    {"Bayes against #", "worse"},
    {"Bayes against #", "same"},
    {"Bayes against #", "better"},
};
enum { COLS = sizeof heads / sizeof *heads, RANK = 0, MEAN = 1, MIDDLE = 4, BETTER = 7, WILCOXON = 8, BAYES = 9 };
enum { BAYES_DRAWS = 20000 };

typedef struct contest {
    cru_arena *arena;
    const table *t;
    const comparison_request *request;
    int64_t *rows, *cols; /* what is compared */
    int64_t k, n;
    int64_t best;  /* of `rows` */
    double *ranks; /* k, the average */
    friedman all;
    table *out;
} contest;

int64_t comparison_datasets(const table *t, const int64_t *cols, int64_t n)
{
    int64_t key = -1, count = 0;
    for (int64_t k = 0; k < t->col_key_count; k++)
        if (strcmp(t->col_keys[k], "dataset") == 0) key = k;
    if (key < 0) return 1;
    for (int64_t c = 0; c < n; c++) {
        bool seen = false;
        for (int64_t b = 0; b < c && !seen; b++)
            seen = strcmp(t->cols[cols[b]].parts[key], t->cols[cols[c]].parts[key]) == 0;
        count += !seen;
    }
    return count;
}

/* ---- what is compared ------------------------------------------------------------------------------------ */

static void choose(contest *c)
{
    const table *t = c->t;
    c->rows = cru_arena_alloc(c->arena, t->row_count, sizeof *c->rows);
    c->cols = cru_arena_alloc(c->arena, t->col_count, sizeof *c->cols);
    for (int64_t r = 0; r < t->row_count; r++)
        if (!isnan(t->average_ranks[r])) c->rows[c->k++] = r;
    for (int64_t col = 0; col < t->col_count; col++) {
        bool complete = true;
        for (int64_t i = 0; i < c->k; i++) complete &= table_at(t, c->rows[i], col)->mark == TABLE_VALUE;
        if (complete) c->cols[c->n++] = col;
    }
}

static void rank(contest *c)
{
    double *ranks = cru_arena_alloc(c->arena, c->n * c->k, sizeof *ranks);
    double *means = cru_arena_alloc(c->arena, c->k, sizeof *means);
    c->ranks = cru_arena_alloc_zeroed(c->arena, c->k, sizeof *c->ranks);
    for (int64_t j = 0; j < c->n; j++) {
        for (int64_t i = 0; i < c->k; i++) means[i] = table_at(c->t, c->rows[i], c->cols[j])->mean;
        stats_ranks(means, c->k, c->t->lower_is_better, ranks + j * c->k);
        for (int64_t i = 0; i < c->k; i++) c->ranks[i] += ranks[j * c->k + i] / (double)c->n;
    }
    for (int64_t i = 1; i < c->k; i++)
        if (c->ranks[i] < c->ranks[c->best]) c->best = i;
    c->all = stats_friedman(ranks, c->n, c->k);
}

/* The runs of a row by column, in the printed unit. */
static stats_sample *samples_of(const contest *c, int64_t i)
{
    stats_sample *samples = cru_arena_alloc(c->arena, c->n, sizeof *samples);
    for (int64_t j = 0; j < c->n; j++) {
        const table_cell *cell = table_at(c->t, c->rows[i], c->cols[j]);
        double *values = cru_arena_alloc(c->arena, cell->run_count, sizeof *values);
        for (int64_t k = 0; k < cell->run_count; k++) values[k] = cell->runs[k].value * c->t->scale;
        samples[j] = (stats_sample){values, cell->run_count};
    }
    return samples;
}

/* ---- cells ----------------------------------------------------------------------------------------------- */

static void set(const contest *c, int64_t i, int64_t col, double value)
{
    table_cell *cell = table_at(c->out, i, col);
    cell->mean = value;
    cell->mark = isnan(value) ? TABLE_MISSING : TABLE_VALUE;
    cell->run_count = cell->trials = isnan(value) ? 0 : 1;
}

static double mean_of(double *values, int64_t n)
{
    return stats_mean(values, n);
}

static void put_interval(const contest *c, int64_t i, int64_t col, stats_function *function)
{
    const stats_sample *samples = samples_of(c, i);
    int64_t total = 0, at = 0;
    for (int64_t j = 0; j < c->n; j++) total += samples[j].n;
    double *all = cru_arena_alloc(c->arena, total, sizeof *all);
    for (int64_t j = 0; j < c->n; j++)
        for (int64_t k = 0; k < samples[j].n; k++) all[at++] = samples[j].values[k];
    cru_rng rng = cru_rng_stream(0, "bootstrap", (uint64_t)i);
    bootstrap b = {.samples = samples,
                   .count = c->n,
                   .function = function,
                   .level = 0.95,
                   .draws = c->request->draws > 0 ? c->request->draws : 2000};
    stats_interval interval = stats_bootstrap(&b, &rng);
    set(c, i, col, function(all, total));
    set(c, i, col + 1, interval.low);
    set(c, i, col + 2, interval.high);
}

/* The mean over the columns of the share of pairs of runs in which row i does better than the best row. */
static double improvement(const contest *c, int64_t i)
{
    const stats_sample *own = samples_of(c, i), *best = samples_of(c, c->best);
    double sum = 0;
    for (int64_t j = 0; j < c->n; j++) {
        double share = stats_improvement(own[j], best[j]);
        sum += c->t->lower_is_better ? 1 - share : share;
    }
    return sum / (double)c->n;
}

/* What row i gains on the best one in every column, in the printed unit. */
static double *gains(const contest *c, int64_t i)
{
    double *out = cru_arena_alloc(c->arena, c->n, sizeof *out), sign = c->t->lower_is_better ? -1 : 1;
    for (int64_t j = 0; j < c->n; j++)
        out[j] = sign * c->t->scale *
                 (table_at(c->t, c->rows[i], c->cols[j])->mean - table_at(c->t, c->rows[c->best], c->cols[j])->mean);
    return out;
}

static double rope_of(const contest *c)
{
    if (c->request->rope >= 0) return c->request->rope;
    return c->t->scale == 100 ? 1 : 0;
}

static void put_against(const contest *c)
{
    double *p = cru_arena_alloc(c->arena, c->k, sizeof *p);
    for (int64_t i = 0; i < c->k; i++) {
        bool other = i != c->best;
        p[i] = other && c->n > 1 ? stats_wilcoxon(gains(c, i), c->n) : NAN;
        set(c, i, BETTER, other ? improvement(c, i) : NAN);
        cru_rng rng = cru_rng_stream(0, "bayes", (uint64_t)i);
        signed_rank b = {NAN, NAN, NAN};
        if (other && c->n > 1)
            b = stats_bayes_signed_rank((stats_sample){gains(c, i), c->n}, rope_of(c), BAYES_DRAWS, &rng);
        set(c, i, BAYES, b.below);
        set(c, i, BAYES + 1, b.within);
        set(c, i, BAYES + 2, b.above);
    }
    stats_holm(p, c->k);
    for (int64_t i = 0; i < c->k; i++) set(c, i, WILCOXON, p[i]);
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static char *format_text(const contest *c, const char *text, const char *name)
{
    size_t size = strlen(text) + strlen(name) + 1, used = 0;
    char *out = cru_arena_alloc_zeroed(c->arena, (int64_t)size, 1);
    for (; *text; text++) {
        if (*text != '#') {
            out[used++] = *text;
            continue;
        }
        strcpy(out + used, name);
        used += strlen(name);
    }
    return out;
}

static table_head *make_cols(const contest *c)
{
    const char *best = c->t->rows[c->rows[c->best]].label;
    table_head *cols = cru_arena_alloc(c->arena, COLS, sizeof *cols);
    for (int i = 0; i < COLS; i++) {
        cols[i] = (table_head){.parts = cru_arena_alloc(c->arena, 2, sizeof *cols[i].parts), .number = NAN};
        cols[i].parts[0] = format_text(c, heads[i][0], best);
        cols[i].parts[1] = heads[i][1];
        size_t size = strlen(cols[i].parts[0]) + strlen(heads[i][1]) + 2;
        char *label = cru_arena_alloc(c->arena, (int64_t)size, 1);
        snprintf(label, size, "%s%s%s", cols[i].parts[0], *cols[i].parts[0] ? " " : "", heads[i][1]);
        cols[i].label = label;
    }
    return cols;
}

static const char *make_caption(const contest *c)
{
    enum { SIZE = 800 };
    char *text = cru_arena_alloc(c->arena, SIZE, 1), friedman_text[120] = "", few[160] = "", of[120] = "";
    int64_t datasets = comparison_datasets(c->t, c->cols, c->n);
    if (datasets < c->n)
        snprintf(of, sizeof of, ", which are of %lld dataset%s and not independent", (long long)datasets,
                 datasets == 1 ? "" : "s");
    if (!isnan(c->all.p))
        snprintf(friedman_text, sizeof friedman_text, "; Friedman χ² = %.2f, p = %.3g (Iman-Davenport p = %.3g)",
                 c->all.chi2, c->all.p, c->all.f_of_p);
    if (stats_wilcoxon_least(c->n) * (double)(c->k - 1) >= c->t->alpha)
        snprintf(few, sizeof few, "; with %lld column%s no p can be below %g: that takes %lld", (long long)c->n,
                 c->n == 1 ? "" : "s", c->t->alpha, (long long)stats_wilcoxon_needed(c->t->alpha, c->k - 1));
    snprintf(
        text, SIZE,
        "%s%s over %lld column%s%s%s%s; low and high: 95 %% bootstrap over runs within columns; middle half: "
        "interquartile mean; P(better): share of pairs of runs; p: Wilcoxon over columns, Holm; Bayes: signed rank, "
        "as good as the same within %g",
        c->t->metric, c->t->scale == 100 ? " in %" : "", (long long)c->n, c->n == 1 ? "" : "s", of, friedman_text, few,
        rope_of(c));
    return text;
}

static void make_table(contest *c)
{
    const char **keys = cru_arena_alloc(c->arena, 2, sizeof *keys);
    keys[0] = "statistic";
    keys[1] = "part";
    c->out = cru_arena_alloc(c->arena, 1, sizeof *c->out);
    *c->out = (table){.experiment = c->t->experiment,
                      .metric = c->t->metric,
                      .caption = make_caption(c),
                      .lower_is_better = c->t->lower_is_better,
                      .scale = 1,
                      .digits = 3,
                      .alpha = c->t->alpha,
                      .full_runs = 1,
                      .row_count = c->k,
                      .col_count = COLS,
                      .row_key_count = c->t->row_key_count,
                      .col_key_count = 2,
                      .row_keys = c->t->row_keys,
                      .col_keys = keys,
                      .rows = cru_arena_alloc(c->arena, c->k, sizeof(table_head)),
                      .cols = make_cols(c),
                      .cells = cru_arena_alloc_zeroed(c->arena, c->k * COLS, sizeof(table_cell)),
                      .average_ranks = c->ranks};
    for (int64_t i = 0; i < c->k; i++) c->out->rows[i] = c->t->rows[c->rows[i]];
    for (int64_t i = 0; i < c->k * COLS; i++) {
        table_cell *cell = &c->out->cells[i];
        cell->spread = cell->rank = cell->p = cell->against_mean = cell->against_p = NAN;
    }
}

cru_status table_comparison(cru_arena *arena, const table *t, const comparison_request *request, table **out,
                            cru_error *err)
{
    contest c = {.arena = arena, .t = t, .request = request};
    choose(&c);
    if (c.k < 2 || c.n < 1)
        return cru_fail(
            err, CRU_UNSUPPORTED,
            "a comparison needs two rows and a column in which all have a value of %s; there are %lld and %lld",
            t->metric, (long long)c.k, (long long)c.n);
    rank(&c);
    make_table(&c);
    for (int64_t i = 0; i < c.k; i++) {
        set(&c, i, RANK, c.ranks[i]);
        put_interval(&c, i, MEAN, mean_of);
        put_interval(&c, i, MIDDLE, stats_interquartile_mean);
    }
    put_against(&c);
    *out = c.out;
    return CRU_OK;
}
