// SPDX-License-Identifier: Apache-2.0
#include "classifier-gain.h"

#include <math.h>

#include <crucible/stats.h>

static const char *const aggregators[] = {"sym", "rw", "none", NULL};
static const char *const norms[] = {"row-sum", "raw", NULL};
static const char *const undefineds[] = {"nan", "half", NULL};

const cru_param gain_params[] = {
    CRU_CHOICE(gain_settings, aggregator, AGGREGATE_SYM, aggregators, "how neighbours are aggregated"),
    CRU_CHOICE(gain_settings, feature_norm, NORM_ROW_SUM, norms, "features divided by their sum, or as they are"),
    CRU_INT(gain_settings, repeats, 100, 2, 100000, "how often a sample is drawn"),
    CRU_INT(gain_settings, sample, 500, 2, 20000, "nodes in a sample"),
    CRU_CHOICE(gain_settings, undefined, 0, undefineds, "the value when no accuracy varies; half: 0.5"),
    CRU_END,
};

/* ---- drawing --------------------------------------------------------------------------------------------- */

static gain_population by_class(const int32_t *labels, cru_ids nodes, int32_t classes, cru_arena *arena)
{
    gain_population p = {.labels = labels,
                         .ids = cru_arena_alloc(arena, nodes.count, sizeof *p.ids),
                         .offsets = cru_arena_alloc_zeroed(arena, classes + 1, sizeof *p.offsets),
                         .classes = classes};
    int64_t *next = cru_arena_alloc(arena, classes, sizeof *next);
    for (int64_t i = 0; i < nodes.count; i++) p.offsets[labels[nodes.ids[i]] + 1]++;
    for (int32_t c = 0; c < classes; c++) {
        p.offsets[c + 1] += p.offsets[c];
        next[c] = p.offsets[c];
    }
    for (int64_t i = 0; i < nodes.count; i++) p.ids[next[labels[nodes.ids[i]]]++] = nodes.ids[i];
    return p;
}

gain_population gain_population_create(const cru_data *data, cru_arena *arena)
{
    int32_t *ids = cru_arena_alloc(arena, data->nodes, sizeof *ids);
    int64_t count = 0;
    for (int32_t v = 0; v < data->nodes; v++)
        if (data->truth[v] != CRU_UNLABELLED) ids[count++] = v;
    return by_class(data->truth, (cru_ids){ids, count}, data->classes, arena);
}

/* Moves `each` random members of every class (all of a smaller one) to the front of its list and copies them to `out`;
 * returns how many there are in all. */
static int64_t draw_each(gain_population *p, int64_t each, cru_rng *rng, int32_t *out)
{
    int64_t drawn = 0;
    for (int32_t c = 0; c < p->classes; c++) {
        int32_t *of = p->ids + p->offsets[c];
        const int64_t members = p->offsets[c + 1] - p->offsets[c];
        for (int64_t i = 0; i < members && i < each; i++) {
            const int64_t k = i + cru_rng_below(rng, members - i);
            const int32_t chosen = of[k];
            of[k] = of[i];
            out[drawn++] = of[i] = chosen;
        }
    }
    return drawn;
}

gain_draw gain_sample(gain_population *p, int64_t sample, cru_rng *rng, cru_arena *arena)
{
    const int64_t all = p->offsets[p->classes];
    gain_population drawn = *p;
    if (all > sample) {
        const int64_t each = llrint((double)sample / p->classes);
        int32_t *ids = cru_arena_alloc(arena, each * p->classes, sizeof *ids);
        const int64_t count = draw_each(p, each, rng, ids);
        drawn = by_class(p->labels, (cru_ids){ids, count}, p->classes, arena);
    }
    gain_draw d = {.count = drawn.offsets[p->classes]};
    const int64_t each = llrint(0.6 * (double)d.count / p->classes);
    d.ids = cru_arena_alloc(arena, d.count, sizeof *d.ids);
    d.train = draw_each(&drawn, each, rng, d.ids);
    int64_t at = d.train;
    for (int32_t c = 0; c < p->classes; c++)
        for (int64_t i = drawn.offsets[c] + each; i < drawn.offsets[c + 1]; i++) d.ids[at++] = drawn.ids[i];
    return d;
}

/* ---- judging --------------------------------------------------------------------------------------------- */

cru_status gain_accuracy(const gain_view *view, const gain_draw *draw, gain_result *out, cru_error *err)
{
    const int64_t test = draw->count - draw->train;
    *out = (gain_result){.guess = cru_arena_alloc(view->arena, test, sizeof *out->guess), .accuracy = NAN};
    if (test == 0 || draw->train == 0) return CRU_OK;
    int32_t *labels = cru_arena_alloc(view->arena, draw->count, sizeof *labels);
    for (int64_t i = 0; i < draw->count; i++) labels[i] = view->population->labels[draw->ids[i]];
    const cru_ids nodes = {draw->ids, draw->count};
    const gain_case c = {.rows = feature_rows_take(view->source, nodes, view->aggregated, view->arena),
                         .labels = labels,
                         .train = draw->train,
                         .classes = view->population->classes,
                         .arena = view->arena};
    cru_status status = view->method->classify(view->method->settings, &c, out->guess, err);
    int64_t right = 0;
    for (int64_t i = 0; i < test && !status; i++) right += out->guess[i] == labels[draw->train + i];
    out->accuracy = (double)right / (double)test;
    return status;
}

gain_verdict gain_judge(const double *plain, const double *aggregated, int64_t n)
{
    gain_verdict v = {.p = cru_welch((cru_sample){plain, n}, (cru_sample){aggregated, n}).p};
    for (int64_t i = 0; i < n; i++) v.wins += (aggregated[i] > plain[i]) / (double)n;
    v.value = v.wins <= 0.5 ? v.p / 2 : 1 - v.p / 2;
    return v;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

typedef struct contest {
    const gain_job *job;
    cru_arena *arena;
    double *accuracy[2]; /* on X, on A X: repeats each */
} contest;

static cru_status compete(contest *c, cru_error *err)
{
    const gain_settings *s = c->job->settings;
    const cru_data *data = c->job->judging->data;
    const feature_source source =
        feature_source_create(data, (feature_aggregator)s->aggregator, (feature_norm)s->feature_norm, c->arena);
    gain_population population = gain_population_create(data, c->arena);
    gain_view view = {.method = &c->job->method, .source = &source, .population = &population, .arena = c->arena};
    for (int side = 0; side < 2; side++)
        c->accuracy[side] = cru_arena_alloc(c->arena, s->repeats, sizeof *c->accuracy[side]);
    for (int64_t r = 0; r < s->repeats; r++) {
        const cru_mark mark = cru_arena_mark(c->arena);
        cru_rng rng = cru_rng_stream(data->seed, "classifier-gain", (uint64_t)r);
        const gain_draw draw = gain_sample(&population, s->sample, &rng, c->arena);
        for (int side = 0; side < 2; side++) {
            gain_result result;
            view.aggregated = side == 1;
            cru_status status = gain_accuracy(&view, &draw, &result, err);
            if (status) return status;
            c->accuracy[side][r] = result.accuracy;
        }
        cru_arena_reset(c->arena, mark);
    }
    return CRU_OK;
}

static double mean_of(const double *values, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += values[i];
    return sum / (double)n;
}

static double conclude(const contest *c, cru_report *report)
{
    const int64_t n = c->job->settings->repeats;
    const gain_verdict v = gain_judge(c->accuracy[0], c->accuracy[1], n);
    cru_report_number(report, "accuracy_features", mean_of(c->accuracy[0], n));
    cru_report_number(report, "accuracy_aggregated", mean_of(c->accuracy[1], n));
    cru_report_number(report, "wins", v.wins);
    cru_report_number(report, "p", v.p);
    return isnan(v.value) && c->job->settings->undefined ? 0.5 : v.value;
}

cru_status gain_score(const gain_job *job, double *value)
{
    cru_error *err = job->judging->err;
    if (job->judging->data->x.cols == 0) return cru_fail(err, CRU_UNSUPPORTED, "the data has no features");
    contest c = {.job = job, .arena = cru_arena_create()};
    if (!c.arena) return cru_fail(err, CRU_NO_MEMORY, "no memory for samples");
    cru_status status = compete(&c, err);
    if (!status) *value = conclude(&c, job->judging->report);
    cru_arena_destroy(c.arena);
    return status;
}
