// SPDX-License-Identifier: Apache-2.0
#include "search/tuning.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/sharing.h"
#include "search/draw.h"
#include "search/search.h"

/* A setting under trial: one value and time per seed. */
typedef struct attempt {
    const variant *drawn;
    double *values, *seconds;
    int64_t open; /* trials without a result */
    bool ok;
} attempt;

/* One search. */
typedef struct unit {
    int64_t base;  /* number of its trial, or of that with the first seed */
    int64_t seeds; /* how many seeds it covers */
    int64_t first; /* on how many of them settings are tried; the choice is run on the others */
    const variant *algorithm;
    search *search; /* NULL: not begun, or over */
    double *defaults;
    attempt *attempts;
    int64_t attempt_count, attempt_space;
    int64_t choice;
    bool settled; /* the choice is known */
    bool over;    /* and its trials have ended */
} unit;

/* A trial on its way: waiting to be pulled, or out. */
typedef struct errand {
    unit *unit;
    int64_t number, seed; /* setting and position of the seed */
    char key[SHA256_HEX];
    bool out;
} errand;

struct tuning {
    tuning_options options;
    char (*checksums)[SHA256_HEX]; /* of the dataset of every trial */
    unit *units;
    int64_t unit_count, first; /* all before `first` are over */
    errand *errands;
    int64_t errand_count, errand_space;
    tuning_figures figures;
    cru_error error;
};

enum { PLACES = 1 << 24 }; /* of one search in the experiment's list; more than [search] trials can be */

static void *grown(void *list, int64_t *space, size_t size)
{
    *space = *space ? 2 * *space : 16;
    list = realloc(list, (size_t)*space * size);
    if (!list) cru_panic(CRU_NO_MEMORY, "no memory for the searches");
    return list;
}

static void *zeroed(int64_t count, size_t size)
{
    void *list = calloc((size_t)count + 1, size);
    if (!list) cru_panic(CRU_NO_MEMORY, "no memory for the searches");
    return list;
}

/* ---- trials of a unit ------------------------------------------------------------------------------------ */

static int64_t trial_index(const tuning *t, const unit *u, int64_t seed)
{
    return u->seeds == 1 ? u->base : experiment_with_seed(t->options.experiment, u->base, seed);
}

static void make_trial(const tuning *t, const errand *e, trial *out)
{
    experiment_trial(t->options.experiment, trial_index(t, e->unit, e->seed), out);
    out->algorithm = e->unit->attempts[e->number].drawn;
    out->drawn = t->options.experiment->search.own_draws ? e->number : 0;
}

/* Enters the errand's trial into the store and fills its key. */
static cru_status enter(tuning *t, errand *e, int64_t tried)
{
    const unit *u = e->unit;
    trial made;
    char *text;
    make_trial(t, e, &made);
    trial_key(t->options.experiment, &made, t->checksums[made.index], e->key, &text);
    trial_entry entry = {.experiment = t->figures.experiment,
                         .trial = &made,
                         .key = e->key,
                         .text = text,
                         .place = 1 + ((u - t->units) * PLACES + e->number) * u->seeds + e->seed,
                         .tried = u->algorithm->axis_count ? tried : 0};
    cru_status status = trial_enter(t->options.store, &entry, &t->error);
    free(text);
    return status;
}

/* ---- the end of a search --------------------------------------------------------------------------------- */

static int by_settings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Settings that were drawn twice count once. */
static int64_t different_settings(const unit *u)
{
    const char **texts = zeroed(u->attempt_count, sizeof *texts);
    for (int64_t i = 0; i < u->attempt_count; i++) texts[i] = u->attempts[i].drawn->text;
    qsort(texts, (size_t)u->attempt_count, sizeof *texts, by_settings);
    int64_t count = u->attempt_count > 0;
    for (int64_t i = 1; i < u->attempt_count; i++) count += strcmp(texts[i], texts[i - 1]) != 0;
    free(texts);
    return count;
}

static void close_unit(unit *u)
{
    search_destroy(u->search);
    for (int64_t i = 0; i < u->attempt_count; i++) {
        free(u->attempts[i].values);
        free(u->attempts[i].seconds);
    }
    free(u->attempts);
    free(u->defaults);
    u->search = NULL;
    u->attempts = NULL;
    u->defaults = NULL;
    u->attempt_count = 0;
}

static void finish(tuning *t, unit *u)
{
    int64_t tried = different_settings(u);
    for (int64_t i = 0; i < u->seeds && !t->error.status; i++)
        enter(t, &(errand){.unit = u, .number = u->choice, .seed = i}, tried);
    if (u->algorithm->axis_count) {
        t->figures.over++;
        t->figures.settings += tried;
    }
    u->over = true;
    close_unit(u);
}

/* ---- results --------------------------------------------------------------------------------------------- */

static search_result summary_of(const unit *u, const attempt *a)
{
    search_result r = {.ok = a->ok};
    for (int64_t i = 0; i < u->first; i++) {
        r.score += a->values[i] / (double)u->first;
        r.seconds += a->seconds[i];
    }
    return r;
}

/* What came out of a trial, as far as a search looks at it. */
typedef struct trial_end {
    bool ok;
    double score, seconds; /* the larger the score the better */
} trial_end;

/* The number that settings are compared by, and its sign. */
static const char *score_name(const tuning *t, double *sign)
{
    const experiment *e = t->options.experiment;
    *sign = 1;
    if (e->search.select == SEARCH_SELECT_VALIDATION) return "validation";
    if (e->metrics[0]->plugin->flags & CRU_METRIC_LOWER_IS_BETTER) *sign = -1;
    return e->metrics[0]->label;
}

static void resolve(tuning *t, const errand *e, const trial_end *end)
{
    unit *u = e->unit;
    attempt *a = &u->attempts[e->number];
    a->values[e->seed] = end->score;
    a->seconds[e->seed] = end->seconds;
    a->ok &= end->ok;
    if (--a->open > 0) return;
    if (u->settled) {
        finish(t, u);
        return;
    }
    search_result result = summary_of(u, a);
    search_tell(u->search, e->number, &result);
}

/* Takes the errands with that key off the list; two settings may be the same one. */
static void resolve_key(tuning *t, const char *key, const trial_end *end)
{
    for (int64_t i = 0; i < t->errand_count;) {
        errand e = t->errands[i];
        if (strcmp(e.key, key) != 0) {
            i++;
            continue;
        }
        t->errand_count--;
        memmove(&t->errands[i], &t->errands[i + 1], (size_t)(t->errand_count - i) * sizeof e);
        resolve(t, &e, end);
    }
}

static bool read_end(tuning *t, const char *key, trial_end *end)
{
    store *s = t->options.store;
    store_outcome outcome;
    double sign;
    const char *name = score_name(t, &sign);
    cru_status status = store_status(s, key, &outcome, NULL, &t->error);
    if (!status) status = store_get_number(s, key, name, &end->score, &t->error);
    end->score *= sign;
    if (!status) status = store_get_seconds(s, key, &end->seconds, &t->error);
    if (status || outcome == STORE_PENDING) return false;
    end->ok = outcome == STORE_OK;
    return true;
}

static double score_of(const tuning *t, const runner_result *result)
{
    double sign;
    const char *name = score_name(t, &sign);
    if (t->options.experiment->search.select == SEARCH_SELECT_VALIDATION) return result->validation;
    for (int64_t i = 0; i < result->result.number_count; i++)
        if (strcmp(result->result.numbers[i].name, name) == 0) return sign * result->result.numbers[i].value;
    return NAN;
}

void tuning_done(void *user, const runner_result *result)
{
    trial_end end = {.ok = result->result.outcome == STORE_OK,
                     .score = score_of(user, result),
                     .seconds = result->result.seconds_total};
    resolve_key(user, result->key, &end);
}

void tuning_known(void *user, const char *key)
{
    trial_end end;
    if (read_end(user, key, &end)) resolve_key(user, key, &end);
}

/* ---- what to try next ------------------------------------------------------------------------------------ */

/* Enters the trials of a setting on the seeds from .. to - 1; those whose result is known need not be run. */
static void send(tuning *t, unit *u, int64_t number, const int64_t seeds[2])
{
    u->attempts[number].open = seeds[1] - seeds[0];
    u->attempts[number].ok = true;
    for (int64_t i = seeds[0]; i < seeds[1]; i++) {
        errand e = {.unit = u, .number = number, .seed = i};
        trial_end end;
        if (enter(t, &e, STORE_CANDIDATE) != CRU_OK) return;
        if (read_end(t, e.key, &end)) {
            t->figures.known++;
            resolve(t, &e, &end);
            continue;
        }
        if (t->error.status) return;
        if (t->errand_count == t->errand_space) t->errands = grown(t->errands, &t->errand_space, sizeof e);
        t->errands[t->errand_count++] = e;
    }
}

static void try_setting(tuning *t, unit *u, int64_t number)
{
    attempt a = {.values = zeroed(u->seeds, sizeof *a.values), .seconds = zeroed(u->seeds, sizeof *a.seconds)};
    if (u->attempt_count == u->attempt_space) u->attempts = grown(u->attempts, &u->attempt_space, sizeof *u->attempts);
    if (search_limit(u->search) == INT64_MAX) t->figures.trials += u->first;
    a.drawn = u->algorithm;
    if (u->algorithm->axis_count)
        draw_variant(t->options.experiment, u->algorithm, search_point(u->search, number), &a.drawn, &t->error);
    u->attempts[u->attempt_count++] = a;
    if (!t->error.status) send(t, u, number, (const int64_t[]){0, u->first});
}

static void settle(tuning *t, unit *u)
{
    u->choice = search_choice(u->search);
    u->settled = true;
    if (u->first == u->seeds)
        finish(t, u);
    else
        send(t, u, u->choice, (const int64_t[]){u->first, u->seeds});
}

static void begin(const tuning *t, unit *u)
{
    const experiment *e = t->options.experiment;
    const variant *v = u->algorithm;
    trial base;
    experiment_trial(e, u->base, &base);
    u->defaults = zeroed(v->axis_count, sizeof *u->defaults);
    draw_defaults(v, u->defaults);
    u->search = search_create(&(search_problem){.settings = &e->search,
                                                .axes = v->axes,
                                                .axis_count = v->axis_count,
                                                .defaults = u->defaults,
                                                .seed = base.seed});
}

/* Moves one search a step on; false when all wait for results. */
static bool advance(tuning *t)
{
    int64_t number;
    while (t->first < t->unit_count && t->units[t->first].over) t->first++;
    for (int64_t i = t->first; i < t->unit_count; i++) {
        unit *u = &t->units[i];
        if (u->over || u->settled) continue;
        if (!u->search) begin(t, u);
        search_step step = search_ask(u->search, &number);
        if (step == SEARCH_LATER) continue;
        if (step == SEARCH_TRY)
            try_setting(t, u, number);
        else
            settle(t, u);
        return true;
    }
    return false;
}

/* Whether nobody was sent for the trial yet. Of two errands with one key only the first is ever sent. */
static bool waits(const tuning *t, int64_t i)
{
    bool sent = t->errands[i].out;
    for (int64_t k = 0; k < i && !sent; k++) sent = strcmp(t->errands[k].key, t->errands[i].key) == 0;
    return !sent;
}

static errand *waiting_errand(const tuning *t)
{
    for (int64_t i = 0; i < t->errand_count; i++)
        if (waits(t, i)) return &t->errands[i];
    return NULL;
}

runner_next tuning_next(void *user, trial *out, char key[SHA256_HEX])
{
    tuning *t = user;
    errand *e = waiting_errand(t);
    while (!e && !t->error.status && advance(t)) e = waiting_errand(t);
    if (t->error.status || t->first == t->unit_count) return RUNNER_END;
    if (!e) return RUNNER_WAIT;
    e->out = true;
    make_trial(t, e, out);
    memcpy(key, e->key, SHA256_HEX);
    return RUNNER_TRIAL;
}

/* ---- trials that share a training ------------------------------------------------------------------------ */

static unit *unit_of(const tuning *t, int64_t index)
{
    const experiment *e = t->options.experiment;
    int64_t base = e->search.per == SEARCH_PER_SEED ? index : experiment_with_seed(e, index, 0);
    for (int64_t low = 0, high = t->unit_count; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (t->units[middle].base == base) return &t->units[middle];
        if (t->units[middle].base < base)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Lets the search try settings up to this number, as far as it can without further results. */
static void catch_up(tuning *t, unit *u, int64_t number)
{
    int64_t next;
    while (!t->error.status && !u->over && !u->settled && u->attempt_count <= number) {
        if (!u->search) begin(t, u);
        if (search_ask(u->search, &next) != SEARCH_TRY) return;
        try_setting(t, u, next);
    }
}

/* The number of the setting that the trial tries in its search. */
static int64_t number_of(const tuning *t, const trial *tried)
{
    const unit *u = unit_of(t, tried->index);
    for (int64_t i = 0; u && i < u->attempt_count; i++)
        if (u->attempts[i].drawn == tried->algorithm) return i;
    return -1;
}

/* The waiting trial with that number in the experiment which shares its training with *t. */
static errand *partner_errand(const tuning *t, const trial *lead, int64_t index, trial *other)
{
    for (int64_t i = 0; i < t->errand_count; i++) {
        errand *e = &t->errands[i];
        if (trial_index(t, e->unit, e->seed) != index || !waits(t, i)) continue;
        make_trial(t, e, other);
        if (trials_share_training(lead, other)) return e;
    }
    return NULL;
}

/* Searches under different rules draw the same settings as long as these do not depend on results. */
bool tuning_partner(void *user, const trial *lead, trial *other, char key[SHA256_HEX])
{
    tuning *t = user;
    const experiment *x = t->options.experiment;
    int64_t number = number_of(t, lead);
    for (int64_t i = 0; i < experiment_monitor_count(x, lead->index) && !t->error.status; i++) {
        int64_t index = experiment_with_monitor(x, lead->index, i);
        unit *u = unit_of(t, index);
        if (index == lead->index || !u) continue;
        catch_up(t, u, number);
        errand *e = partner_errand(t, lead, index, other);
        if (!e) continue;
        e->out = true;
        memcpy(key, e->key, SHA256_HEX);
        return true;
    }
    return false;
}

/* ---- opening and closing --------------------------------------------------------------------------------- */

/* Members of an experiment are known only until it is entered again. */
static cru_status forget(const tuning *t, cru_error *err)
{
    int64_t id;
    store *s = t->options.store;
    cru_status status = store_find_experiment(s, t->options.experiment->name, &id, err);
    uint32_t outcomes = agenda_forgets(t->options.again);
    return !status && id && outcomes ? store_reset(s, id, outcomes, NULL, err) : status;
}

static int64_t trials_of(const experiment *e, const unit *u)
{
    search *s = search_create(
        &(search_problem){.settings = &e->search, .axes = u->algorithm->axes, .axis_count = u->algorithm->axis_count});
    int64_t limit = search_limit(s);
    search_destroy(s);
    return limit == INT64_MAX ? u->seeds - u->first : limit * u->first + u->seeds - u->first;
}

static void add_units(tuning *t)
{
    const experiment *e = t->options.experiment;
    int64_t count = experiment_trial_count(e);
    bool apart = e->search.per == SEARCH_PER_SEED;
    t->units = zeroed(count, sizeof *t->units);
    for (int64_t i = 0; i < count; i++) {
        trial made;
        experiment_trial(e, i, &made);
        if (!apart && experiment_with_seed(e, i, 0) != i) continue;
        unit *u = &t->units[t->unit_count++];
        *u = (unit){.base = i, .seeds = apart ? 1 : e->seed_count, .algorithm = made.algorithm};
        u->first = e->search.per == SEARCH_ALL_SEEDS || !made.algorithm->axis_count ? u->seeds : 1;
        u->over = t->options.takes_part && !t->options.takes_part(t->options.takes_part_user, &made);
        if (u->over) continue; /* it keeps its place in the list */
        t->figures.searches += made.algorithm->axis_count > 0;
        t->figures.trials += trials_of(e, u);
    }
}

cru_status tuning_open(const tuning_options *options, tuning **out, cru_error *err)
{
    const experiment *e = options->experiment;
    int64_t count = experiment_trial_count(e);
    tuning *t = zeroed(1, sizeof *t);
    t->options = *options;
    t->checksums = zeroed(count, sizeof *t->checksums);
    cru_status status = CRU_OK;
    for (int64_t i = 0; i < count && !status; i++) {
        trial made;
        experiment_trial(e, i, &made);
        status = runner_checksum(options->runner, &made, t->checksums[i], err);
    }
    if (!status) status = forget(t, err);
    if (!status) status = experiment_enter(e, options->store, &t->figures.experiment, err);
    if (!status) status = store_flush(options->store, err);
    if (!status) add_units(t);
    *out = !status ? t : NULL;
    if (status) tuning_close(t);
    return status;
}

void tuning_close(tuning *t)
{
    if (!t) return;
    for (int64_t i = 0; i < t->unit_count; i++) close_unit(&t->units[i]);
    free(t->checksums);
    free(t->units);
    free(t->errands);
    free(t);
}

cru_status tuning_status(const tuning *t, cru_error *err)
{
    if (!t->error.status) return CRU_OK;
    return cru_fail(err, t->error.status, "%s", t->error.text);
}

const tuning_figures *tuning_count(const tuning *t)
{
    return &t->figures;
}
