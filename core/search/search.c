// SPDX-License-Identifier: Apache-2.0
#include "search/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <crucible/study-rng.h>

#include "search/tpe.h"

typedef struct entry {
    double *point; /* coordinates */
    bool defaults, told;
    search_result result;
} entry;

struct search {
    search_problem problem;
    int64_t limit;
    entry *entries;
    int64_t count, space;
    int64_t told; /* all before this one were told */
    bool closed;  /* the time is up */
};

/* ---- how many -------------------------------------------------------------------------------------------- */

static int64_t grid_size(const search_problem *p)
{
    int64_t size = 1;
    for (int64_t i = 0; i < p->axis_count; i++)
        if (__builtin_mul_overflow(size, axis_grid_size(&p->axes[i], p->settings->points), &size)) return INT64_MAX;
    return size;
}

static int64_t limit_of(const search_problem *p)
{
    const search_settings *s = p->settings;
    if (p->axis_count == 0) return 1;
    if (s->method != SEARCH_GRID) return search_trials(s);
    const int64_t all = grid_size(p);
    return s->trials > 0 && s->trials < all ? s->trials : all;
}

search *search_create(const search_problem *problem)
{
    search *s = calloc(1, sizeof *s);
    if (!s) cru_panic(CRU_NO_MEMORY, "no memory for a search");
    s->problem = *problem;
    s->limit = limit_of(problem);
    return s;
}

void search_destroy(search *s)
{
    if (!s) return;
    for (int64_t i = 0; i < s->count; i++) free(s->entries[i].point);
    free(s->entries);
    free(s);
}

/* ---- where ----------------------------------------------------------------------------------------------- */

/* The last axis changes fastest. */
static void grid_point(const search *s, int64_t number, double *point)
{
    const search_problem *p = &s->problem;
    for (int64_t i = p->axis_count; i-- > 0;) {
        int64_t size = axis_grid_size(&p->axes[i], p->settings->points);
        point[i] = axis_grid_at(&p->axes[i], p->settings->points, number % size);
        number /= size;
    }
}

static void random_point(const search *s, const cru_rng *rng, double *point)
{
    const search_problem *p = &s->problem;
    for (int64_t i = 0; i < p->axis_count; i++) {
        cru_rng own = axis_stream(rng, axis_name(&p->axes[i]));
        point[i] = axis_at_share(&p->axes[i], cru_rng_uniform(&own));
    }
}

/* Setting c of trial t: every value from its own generator, seeded by the hash of (hash of (c, t), name). */
static void study_point(const search *s, int64_t number, double *point)
{
    const search_problem *p = &s->problem;
    char text[200];
    snprintf(text, sizeof text, "(%lld, %llu)", (long long)number, (unsigned long long)p->seed);
    uint32_t seed = cru_study_hash(text);
    for (int64_t i = 0; i < p->axis_count; i++) {
        cru_mt mt;
        snprintf(text, sizeof text, "(%" PRIu32 ", '%s')", seed, axis_name(&p->axes[i]));
        cru_mt_seed(&mt, cru_study_hash(text));
        int64_t levels = axis_levels(&p->axes[i]);
        point[i] =
            levels ? cru_mt_interval(&mt, (uint32_t)(levels - 1)) : axis_at_share(&p->axes[i], cru_mt_uniform(&mt));
    }
}

/* From the settings before `known`; later ones are under way, whether or not this process knows their result. */
static void tpe_point(const search *s, int64_t known, const cru_rng *rng, double *point)
{
    const double **points = calloc((size_t)s->count + 1, sizeof *points);
    double *scores = calloc((size_t)s->count + 1, sizeof *scores);
    if (!points || !scores) cru_panic(CRU_NO_MEMORY, "no memory for a search");
    for (int64_t i = 0; i < s->count; i++) {
        const search_result *r = &s->entries[i].result;
        points[i] = s->entries[i].point;
        scores[i] = i < known && r->ok && !isnan(r->score) ? r->score : -INFINITY;
    }
    tpe_history history = {.points = points, .scores = scores, .count = s->count, .finished = known};
    tpe_propose(s->problem.axes, s->problem.axis_count, &history, rng, point);
    free(points);
    free(scores);
}

static void fill(const search *s, int64_t number, int64_t known, entry *e)
{
    const search_problem *p = &s->problem;
    const search_settings *set = p->settings;
    cru_rng rng = cru_rng_stream(p->seed, "search", (uint64_t)number);
    e->defaults = p->axis_count == 0 || (number == 0 && set->defaults_first && set->method != SEARCH_GRID);
    if (e->defaults)
        for (int64_t i = 0; i < p->axis_count; i++) e->point[i] = p->defaults[i];
    else if (set->method == SEARCH_GRID)
        grid_point(s, number, e->point);
    else if (set->method == SEARCH_TPE && number >= set->startup && known > 0)
        tpe_point(s, known, &rng, e->point);
    else if (set->rng == SEARCH_RNG_STUDY)
        study_point(s, number, e->point);
    else
        random_point(s, &rng, e->point);
}

/* ---- asking and telling ---------------------------------------------------------------------------------- */

/* Whether the next setting depends on earlier results. */
static bool needs_results(const search *s)
{
    const search_settings *set = s->problem.settings;
    return set->minutes > 0 || (set->method == SEARCH_TPE && s->count >= set->startup);
}

/* A setting that has no time of its own counts as one second, so that a search cannot go on for ever. */
static double spent(const search *s, int64_t known)
{
    double sum = 0;
    for (int64_t i = 0; i < known; i++) sum += isnan(s->entries[i].result.seconds) ? 1 : s->entries[i].result.seconds;
    return sum;
}

static search_step add(search *s, int64_t known, int64_t *number)
{
    if (s->count == s->space) {
        s->space = s->space ? 2 * s->space : 16;
        s->entries = realloc(s->entries, (size_t)s->space * sizeof *s->entries);
        if (!s->entries) cru_panic(CRU_NO_MEMORY, "no memory for a search");
    }
    entry e = {.point = calloc((size_t)s->problem.axis_count + 1, sizeof *e.point)};
    if (!e.point) cru_panic(CRU_NO_MEMORY, "no memory for a search");
    fill(s, s->count, known, &e);
    s->entries[s->count] = e;
    *number = s->count++;
    return SEARCH_TRY;
}

search_step search_ask(search *s, int64_t *number)
{
    const search_settings *set = s->problem.settings;
    int64_t known = s->count - set->ahead + 1;
    if (known < 0) known = 0;
    if (s->count < s->limit && !s->closed) {
        if (!needs_results(s)) return add(s, known, number);
        if (s->told < known) return SEARCH_LATER;
        s->closed = set->minutes > 0 && spent(s, known) >= 60 * set->minutes;
        if (!s->closed) return add(s, known, number);
    }
    return s->told < s->count ? SEARCH_LATER : SEARCH_OVER;
}

const double *search_point(const search *s, int64_t number)
{
    return s->entries[number].defaults ? NULL : s->entries[number].point;
}

void search_tell(search *s, int64_t number, const search_result *result)
{
    cru_assert(number < s->count && !s->entries[number].told, "setting %lld of a search", (long long)number);
    s->entries[number].told = true;
    s->entries[number].result = *result;
    while (s->told < s->count && s->entries[s->told].told) s->told++;
}

static bool better(const search_result *a, const search_result *b, bool or_equal)
{
    if (a->ok != b->ok) return a->ok;
    double x = isnan(a->score) ? -INFINITY : a->score, y = isnan(b->score) ? -INFINITY : b->score;
    return x > y || (or_equal && x == y);
}

int64_t search_choice(const search *s)
{
    bool last = s->problem.settings->ties == SEARCH_TIES_LAST;
    int64_t best = 0;
    for (int64_t i = 1; i < s->count; i++)
        if (better(&s->entries[i].result, &s->entries[best].result, last)) best = i;
    return best;
}

int64_t search_count(const search *s)
{
    return s->count;
}

int64_t search_limit(const search *s)
{
    return s->limit;
}
