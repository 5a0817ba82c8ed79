// SPDX-License-Identifier: Apache-2.0
/* crucible pick: which method suits one's own data, by a race on validation data. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/labels.h"
#include "cli/picking.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "config/strings.h"
#include "host/clock.h"
#include "report/table/frame.h"
#include "report/table/stats.h"
#include "study/find.h"

const char *const pick_measures[] = {"edge-homophily", "adjusted-homophily", NULL};

/* ---- candidates ------------------------------------------------------------------------------------------ */

/* Methods for candidate sets say so. */
static bool takes_sets(const registry_entry *e)
{
    return e->categories && (strstr(e->categories, "partial labels") || strstr(e->categories, "complementary labels"));
}

static bool can_take(const picking *p, const registry_entry *e)
{
    return !e->broken && e->kind == CRU_KIND_ALGORITHM && e->problems & p->data.problem &&
           !(e->flags & CRU_ALGORITHM_WRAPS) && takes_sets(e) == p->data.partial;
}

static int find_candidates(picking *p, const registry *plugins)
{
    for (size_t i = 0; i < registry_count(plugins) && !p->q->methods; i++) {
        const registry_entry *e = registry_at(plugins, i);
        if (can_take(p, e) && p->count < CANDIDATES_MOST) p->names[p->count++] = string_copy(p->arena, e->name);
    }
    char *rest, *list = string_copy(p->arena, p->q->methods ? p->q->methods : "");
    for (char *word = strtok_r(list, ", ", &rest); word && p->count < CANDIDATES_MOST;
         word = strtok_r(NULL, ", ", &rest))
        p->names[p->count++] = word;
    p->candidates = p->count;
    return p->count ? CLI_OK : cli_fail("pick: no method can take %s", p->q->dataset);
}

/* The first metric of the card, or what suits the task; and by what validation is scored. */
static void choose_metric(picking *p, const outfit *with)
{
    data_found found = {0};
    p->metric = p->q->metric ? p->q->metric : p->data.problem == CRU_ANOMALY ? "auprc" : "accuracy";
    if (!p->q->metric && data_find(p->q->dataset, &with->places, &found, NULL) == CRU_OK && found.card->metric) {
        const char *first = string_copy_bytes(p->arena, found.card->metric, strcspn(found.card->metric, ", "));
        if (registry_find(with->plugins, CRU_KIND_METRIC, first)) p->metric = first;
    }
    data_found_clear(&found);
    p->monitor = strcmp(p->metric, "auroc") == 0 ? "auc" : strcmp(p->metric, "auprc") == 0 ? "auprc" : "accuracy";
}

/* ---- running --------------------------------------------------------------------------------------------- */

static void add(cli_words *words, const char *text)
{
    if (words->count < CLI_WORDS_MAX) words->word[words->count++] = text;
}

const char *pick_join(const picking *p, const char *const *names, int64_t count)
{
    const char *text = "";
    for (int64_t i = 0; i < count; i++) text = string_format(p->arena, "%s%s%s", text, i ? ", " : "", names[i]);
    return text;
}

/* "uniform:rate=0.3,kind=x": the corruptor and its settings. The chain is named before they are. */
static void add_damage(const picking *p, cli_words *sets)
{
    char *settings[CLI_WORDS_MAX], *rest;
    const char *names[CLI_WORDS_MAX];
    const int count = p->q->damage.count;
    for (int i = 0; i < count; i++) {
        char *name = string_copy(p->arena, p->q->damage.word[i]), *colon = strchr(name, ':');
        settings[i] = colon ? colon + 1 : name + strlen(name);
        if (colon) *colon = 0;
        names[i] = name;
    }
    if (count) add(sets, string_format(p->arena, "experiment.corruptors=%s", pick_join(p, names, count)));
    for (int i = 0; i < count; i++)
        for (char *word = strtok_r(settings[i], ",", &rest); word; word = strtok_r(NULL, ",", &rest))
            add(sets, string_format(p->arena, "corruptor.%s.%s", names[i], word));
}

/* One experiment of the race. `metric` NULL: that of the file, which judges nothing. */
typedef struct heat {
    const char *name, *methods, *metric;
    race_rung rung;
} heat;

static int run_heat(const picking *p, const heat *h)
{
    const pick_request *q = p->q;
    session_request run = {.db = q->db,
                           .jobs = q->jobs,
                           .no_table = true,
                           .quiet = q->quiet || q->json || h->metric,
                           .deadline = h->metric ? 0 : p->deadline};
    add(&run.files, p->file);
    if (q->config) add(&run.files, q->config);
    add(&run.sets, string_format(p->arena, "experiment.name=%s", h->name));
    add(&run.sets, string_format(p->arena, "experiment.datasets=%s", q->dataset));
    add(&run.sets, string_format(p->arena, "experiment.algorithms=%s", h->methods));
    add(&run.sets, string_format(p->arena, "experiment.seeds=%lld..%lld", (long long)q->seed,
                                 (long long)(q->seed + h->rung.seeds - 1)));
    add(&run.sets, string_format(p->arena, "monitor.epochs=%lld", (long long)h->rung.epochs));
    if (!p->data.partial) add(&run.sets, string_format(p->arena, "monitor.metric=%s", p->monitor));
    if (h->metric) add(&run.sets, string_format(p->arena, "experiment.metrics=%s", h->metric));
    for (int i = 0; i < q->sets.count; i++)
        add(&run.sets, string_format(p->arena, "dataset.%s.%s", q->dataset, q->sets.word[i]));
    add_damage(p, &run.sets);
    return session_run(&run);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

/* Of every method in `names`: a number of each seed, NAN where there is none. */
typedef struct table_of {
    const char *const *names;
    int64_t count, runs;
    const char *measure;
    double *values;   /* count x runs */
    int64_t pending;  /* trials that were not run */
    const char *text; /* the experiment's file */
} table_of;

static void collect(const picking *p, const frame *f, table_of *t)
{
    const frame_column *alias = &f->columns[0], *seed = frame_find_column(f, "seed");
    const frame_measure *m = frame_find_measure(f, t->measure);
    t->values = cru_arena_alloc(p->arena, t->count * t->runs + 1, sizeof *t->values);
    for (int64_t i = 0; i < t->count * t->runs; i++) t->values[i] = NAN;
    t->pending = 0;
    t->text = string_copy(p->arena, f->config ? f->config : "");
    for (int64_t i = 0; i < f->count; i++) {
        t->pending += f->outcomes[i] == STORE_PENDING;
        if (!m || !seed || alias->ids[i] < 0 || seed->ids[i] < 0) continue;
        const int64_t run = strtoll(seed->levels[seed->ids[i]], NULL, 10) - p->q->seed;
        for (int64_t k = 0; k < t->count; k++)
            if (run >= 0 && run < t->runs && strcmp(alias->levels[alias->ids[i]], t->names[k]) == 0)
                t->values[k * t->runs + run] = m->values[i];
    }
}

static int read_heat(const picking *p, const char *name, table_of *t)
{
    store *s = NULL;
    frame *f = NULL;
    cru_error err = {0};
    frame_source source = {0};
    cru_status status = store_open(p->q->db ? p->q->db : "results.db", &(store_options){.read_only = true}, &s, &err);
    if (!status) status = store_find_experiment(s, name, &source.experiment, &err);
    source.store = s;
    if (!status) status = frame_load(&source, 1, &f, &err);
    if (!status) {
        collect(p, f, t);
        frame_destroy(f);
    }
    if (s) store_close(s, NULL);
    return status ? cli_fail("pick: %s", err.text) : CLI_OK;
}

/* ---- the race -------------------------------------------------------------------------------------------- */

static const char *heat_name(const picking *p, int64_t rung)
{
    return string_format(p->arena, "pick %s rung %lld", p->q->dataset, (long long)(rung + 1));
}

/* A rung of the race on this data. */
static race_rung rung_of(const picking *p, int64_t k)
{
    return (race_rung){race_rungs[k].seeds * race_repeats(p->data.labelled), race_rungs[k].epochs};
}

double pick_total(const double *values, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += isnan(values[i]) ? 0 : values[i];
    return sum;
}

/* The rung in its order, from what the store has of it. */
static int read_rung(picking *p, int64_t k, verdict_rung *out)
{
    table_of scores = {.names = p->names, .count = p->count, .runs = rung_of(p, k).seeds, .measure = "validation"};
    table_of seconds = scores;
    seconds.measure = "seconds";
    int code = read_heat(p, heat_name(p, k), &scores);
    if (code == CLI_OK) code = read_heat(p, heat_name(p, k), &seconds);
    if (code != CLI_OK) return code;
    p->late = scores.pending > 0;
    race_entry *entries = cru_arena_alloc(p->arena, p->count + 1, sizeof *entries);
    double *spent = cru_arena_alloc(p->arena, p->count + 1, sizeof *spent);
    for (int64_t i = 0; i < p->count; i++)
        entries[i] = (race_entry){.name = p->names[i], .scores = scores.values + i * scores.runs, .p = NAN};
    race_order(entries, p->count, scores.runs);
    for (int64_t i = 0; i < p->count; i++)
        for (int64_t j = 0; j < p->count; j++)
            if (entries[i].name == p->names[j]) spent[i] = pick_total(seconds.values + j * seconds.runs, seconds.runs);
    *out = (verdict_rung){rung_of(p, k), entries, p->count, race_survivors(entries, p->count), spent};
    return CLI_OK;
}

/* Runs a rung; afterwards the names are those that go on. A rung that the hours cut short does not count. */
static int run_rung(picking *p, int64_t k)
{
    verdict_rung *r = &p->rungs[p->rung_count];
    const heat h = {.name = heat_name(p, k), .methods = pick_join(p, p->names, p->count), .rung = rung_of(p, k)};
    int code = run_heat(p, &h);
    if (code == CLI_USAGE) return code;
    const int ran = code;
    code = read_rung(p, k, r);
    if (code != CLI_OK) return ran == CLI_FAILED ? ran : code;
    if (p->late && !(p->deadline > 0 && clock_now() > p->deadline))
        return ran == CLI_OK ? CLI_FAILED : ran; /* interrupted */
    if (p->late) return CLI_OK;
    if (r->survivors == 0) return cli_fail("pick: no method has a result on %s", p->q->dataset);
    p->rung_count++;
    p->count = r->survivors;
    for (int64_t i = 0; i < p->count; i++) p->names[i] = r->entries[i].name;
    return CLI_OK;
}

/* Small fields skip the first rungs: there is nothing to save. */
static int race(picking *p)
{
    int code = CLI_OK;
    for (int64_t k = p->count <= RACE_FINALISTS ? RACE_RUNGS - 1 : 0; code == CLI_OK && !p->late && k < RACE_RUNGS; k++)
        code = run_rung(p, k);
    if (code == CLI_OK && p->rung_count == 0)
        return cli_fail("pick: the hours were over before every method had run once; the same command goes on");
    return code;
}

/* ---- the end --------------------------------------------------------------------------------------------- */

const verdict_rung *pick_last_rung(const picking *p)
{
    return &p->rungs[p->rung_count - 1];
}

/* Validation items per training item: of official splits as they are, else of the shares that the file asks for. */
static double overlap(const picking *p)
{
    const double official = p->data.official_train ? (double)p->data.official_val / (double)p->data.official_train : 0;
    return fmax(1.0 / 3, official);
}

/* Now, and not before, the finalists are judged on test data, from the scores that were kept. */
static int judge_finalists(picking *p)
{
    const verdict_rung *r = pick_last_rung(p);
    const char **names = cru_arena_alloc(p->arena, r->count + 1, sizeof *names);
    for (int64_t i = 0; i < r->count; i++) names[i] = r->entries[i].name;
    race_judge((race_entry *)r->entries, r->count, r->rung.seeds, overlap(p));
    const heat h = {.name = string_format(p->arena, "pick %s test", p->q->dataset),
                    .methods = pick_join(p, names, race_finished(r->entries, r->count)),
                    .metric = p->metric,
                    .rung = r->rung};
    table_of t = {.names = names, .count = r->count, .runs = r->rung.seeds, .measure = p->metric};
    int code = run_heat(p, &h);
    if (code != CLI_OK && code != CLI_PARTLY) return code;
    code = read_heat(p, h.name, &t);
    if (code != CLI_OK) return code;
    p->test_mean = cru_arena_alloc(p->arena, r->count + 1, sizeof *p->test_mean);
    p->test_std = cru_arena_alloc(p->arena, r->count + 1, sizeof *p->test_std);
    for (int64_t i = 0; i < r->count; i++) {
        p->test_mean[i] = stats_mean(t.values + i * t.runs, t.runs);
        p->test_std[i] = stats_spread(t.values + i * t.runs, t.runs, REPORT_STD);
    }
    return CLI_OK;
}

/* An experiment of the chosen method alone: its text is the file that reproduces it. */
static int write_choice(picking *p)
{
    const verdict_rung *r = pick_last_rung(p);
    const char *best = r->entries[0].name;
    const heat h = {
        .name = string_format(p->arena, "picked %s", p->base), .methods = best, .metric = p->metric, .rung = r->rung};
    table_of t = {.names = &best, .count = 1, .runs = r->rung.seeds, .measure = p->metric};
    int code = run_heat(p, &h);
    if (code == CLI_OK || code == CLI_PARTLY) code = read_heat(p, h.name, &t);
    if (code != CLI_OK) return code;
    p->config = t.text;
    FILE *file = fopen(p->ini, "w");
    if (!file) return cli_fail("%s: %s", p->ini, strerror(errno));
    fprintf(file, "; %s, picked for %s by crucible pick: crucible run %s\n%s", best, p->q->dataset, p->ini, p->config);
    return fclose(file) == 0 ? CLI_OK : cli_fail("%s: cannot be written", p->ini);
}

/* How many labels are wrong, as `clean` estimates it. That looks at all labels, and so comes after the choice. */
static int estimate_noise(picking *p)
{
    const pick_request *q = p->q;
    evidence *found = NULL;
    if (!q->noise) return CLI_OK;
    if (p->data.partial) {
        p->noise = "not estimated of candidate sets";
        return CLI_OK;
    }
    const int ran = labels_weigh(&(labels_request){.dataset = q->dataset,
                                                   .config = q->config,
                                                   .db = q->db,
                                                   .sets = &q->sets,
                                                   .jobs = q->jobs,
                                                   .quiet = q->quiet || q->json,
                                                   .data = &p->data},
                                 &found);
    const bool well = ran == CLI_OK || ran == CLI_PARTLY;
    if (well && evidence_judge(found) == EVIDENCE_UNKNOWN)
        p->noise = "cannot be told";
    else if (well)
        p->noise = string_format(p->arena, "%.1f %% (95 %%: %.1f to %.1f)%s", 100 * found->rate, 100 * found->low,
                                 100 * found->high, evidence_judge(found) == EVIDENCE_FEW ? ": little is wrong" : "");
    evidence_destroy(found);
    return well ? CLI_OK : ran;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static void name_files(picking *p)
{
    const char *slash = strrchr(p->q->dataset, '/'), *base = slash ? slash + 1 : p->q->dataset;
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".ini") == 0) length -= 4;
    p->base = string_copy_bytes(p->arena, base, length);
    p->ini = p->q->out ? string_copy(p->arena, p->q->out) : string_format(p->arena, "%s-pick.ini", p->base);
    length = strlen(p->ini);
    if (length > 4 && strcmp(p->ini + length - 4, ".ini") == 0) length -= 4;
    p->page = string_format(p->arena, "%.*s.html", (int)length, p->ini);
}

static int prepare(picking *p)
{
    outfit with;
    char problem[PROBLEMS_TEXT_SIZE];
    int code = outfit_open(p->q->config, &with);
    if (code != CLI_GO_ON) return code;
    code = look_at(
        &(look_request){.dataset = p->q->dataset, .sets = &p->q->sets, .with = &with, .measures = pick_measures},
        &p->data);
    if (code == CLI_OK) code = find_candidates(p, with.plugins);
    if (code == CLI_OK) choose_metric(p, &with);
    outfit_close(&with);
    if (code != CLI_OK) return code;
    const char *name = string_format(p->arena, "pick/%s%s", problems_text(p->data.problem, problem),
                                     p->data.partial ? "-partial" : "");
    char *path = study_path(NULL, name);
    if (!path) return cli_fail("pick: the file %s.ini of the experiment files is not here", name);
    p->file = string_copy(p->arena, path);
    free(path);
    return CLI_OK;
}

static int pick(picking *p)
{
    name_files(p);
    int code = prepare(p);
    if (code == CLI_OK) code = race(p);
    if (code == CLI_OK) code = judge_finalists(p);
    if (code == CLI_OK) code = write_choice(p);
    if (code == CLI_OK) code = estimate_noise(p);
    return code == CLI_OK ? pick_tell(p) : code;
}

int verb_pick(int argc, char **argv)
{
    pick_request q = {0};
    double hours = 0;
    const cli_option options[] = {
        OUTFIT_OPTION(&q.config),
        {.name = "set", .argument = "KEY=VALUE", .words = &q.sets, .help = "a setting of the dataset; may be repeated"},
        {.name = "damage",
         .argument = "NAME[:KEY=VALUE,...]",
         .words = &q.damage,
         .help = "damage what methods learn from, as uniform:rate=0.3; several are applied one after the other"},
        {.name = "methods", .argument = "NAMES", .text = &q.methods, .help = "race these only, as gcn,mlp"},
        {.name = "metric",
         .argument = "NAME",
         .text = &q.metric,
         .help = "of the test; default: the card's, else accuracy (auprc of anomalies)"},
        {.name = "noise", .flag = &q.noise, .help = "estimate at the end how many labels are wrong, as clean does"},
        {.name = "seed", .argument = "N", .number = &q.seed, .help = "the first seed; default: 0"},
        {.name = "hours",
         .argument = "N",
         .text = &q.hours,
         .help = "begin no trial after so many hours; what is then chosen depends on the machine"},
        {.name = "out",
         .letter = 'o',
         .argument = "FILE",
         .text = &q.out,
         .help = "the experiment file of the choice; the page stands beside it; default: DATASET-pick.ini"},
        TRIAL_OPTIONS(q),
        {0},
    };
    const cli_syntax syntax = {
        .verb = "pick",
        .operands = "DATASET",
        .least = 1,
        .most = 1,
        .options = options,
        .about =
            "Finds a method for a dataset: races all that can take it, with their default settings, and says which is\n"
            "best, which are as good, and when the data cannot decide. All run 30 epochs; the best third runs 100 "
            "with\n"
            "two seeds; the best third of these, at least four, runs to its end with five. Where few items are "
            "labelled\n"
            "there are more seeds: twice as many below 1000, four times below 200. Scores on validation data\n"
            "decide; test data is looked at when the choice is made. Rungs are epochs and seeds, not seconds: the "
            "same\n"
            "seed gives the same verdict, unless --hours or the time limit of a trial cuts the race short.\n"
            "Writes an experiment file of the choice and a page. The same command goes on where it stopped.\n"
            "DATASET is a card's name or path, or a generator.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    q.dataset = operands.word[0];
    char *end = NULL;
    if (q.hours) hours = strtod(q.hours, &end);
    if (q.hours && (end == q.hours || *end || !(hours > 0)))
        return cli_wrong("--hours takes a number above 0, not '%s'", q.hours);
    if (q.db && !*q.db) return cli_wrong("--db: the path of the results store is empty");
    if (q.jobs > 4096) return cli_wrong("--jobs %lld: at most 4096", (long long)q.jobs);
    picking *p = calloc(1, sizeof *p);
    if (!p) return cli_fail("pick: no memory");
    *p = (picking){.q = &q, .arena = cru_arena_create(), .deadline = q.hours ? clock_now() + 3600 * hours : 0};
    code = pick(p);
    look_clear(&p->data);
    cru_arena_destroy(p->arena);
    free(p);
    return code;
}
