// SPDX-License-Identifier: Apache-2.0
#include "cli/taxonomy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/session.h"
#include "cli/setup.h"
#include "config/strings.h"
#include "data/data.h"
#include "report/table/frame.h"
#include "report/table/stats.h"
#include "study/find.h"
#include "study/taxonomy.h"

enum { MODELS = 4 };
static const char *const models[MODELS] = {"gcn", "sgc-1", "mlp-2", "mlp-1"}; /* aliases in the file */

/* What was measured: scores[m] are the runs of models[m]. */
typedef struct measured {
    const char *metric;
    double *scores[MODELS];
    double homophily[2]; /* of edges, of nodes */
    int64_t runs;
} measured;

/* ---- running --------------------------------------------------------------------------------------------- */

/* The first metric of the card that baselines are judged by; accuracy where it names none. */
static const char *metric_of(const char *dataset, const char *config)
{
    outfit with;
    data_found found = {0};
    const char *metric = "accuracy";
    if (outfit_open(config, &with) != CLI_GO_ON) return metric;
    if (data_find(dataset, &with.places, &found, NULL) == CRU_OK && found.card->metric) {
        const char *ranking = strstr(found.card->metric, "auroc"), *share = strstr(found.card->metric, "accuracy");
        if (ranking && (!share || ranking < share)) metric = "auroc";
    }
    data_found_clear(&found);
    outfit_close(&with);
    return metric;
}

static void add(cli_words *words, const char *text)
{
    if (words->count < CLI_WORDS_MAX) words->word[words->count++] = text;
}

static int run_baselines(cru_arena *arena, const taxonomy_request *q, const char *file, const measured *m,
                         const char *name)
{
    session_request run = {.db = q->db, .no_table = true, .quiet = q->json};
    add(&run.files, file);
    if (q->config) add(&run.files, q->config);
    add(&run.sets, string_format(arena, "experiment.name=%s", name));
    add(&run.sets, string_format(arena, "experiment.datasets=%s", q->dataset));
    add(&run.sets, string_format(arena, "experiment.metrics=%s,edge-homophily,node-homophily", m->metric));
    if (strcmp(m->metric, "auroc") == 0) add(&run.sets, "monitor.metric=auc");
    for (int i = 0; i < q->sets->count; i++)
        add(&run.sets, string_format(arena, "dataset.%s.%s", q->dataset, q->sets->word[i]));
    return session_run(&run);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static int64_t level_of(const frame_column *c, int64_t i)
{
    return c && c->ids[i] >= 0 ? c->ids[i] : -1;
}

/* Scores by the level of the seed: runs of one seed are a pair. */
static void collect(cru_arena *arena, const frame *f, measured *m)
{
    const frame_column *alias = &f->columns[0], *seed = frame_find_column(f, "seed");
    const frame_measure *score = frame_find_measure(f, m->metric);
    const frame_measure *measures[] = {frame_find_measure(f, "edge-homophily"),
                                       frame_find_measure(f, "node-homophily")};
    m->runs = seed ? seed->level_count : 0;
    for (int k = 0; k < MODELS; k++) {
        m->scores[k] = cru_arena_alloc(arena, m->runs + 1, sizeof *m->scores[k]);
        for (int64_t i = 0; i < m->runs; i++) m->scores[k][i] = NAN;
    }
    for (int64_t i = 0; i < f->count; i++) {
        if (level_of(alias, i) < 0 || level_of(seed, i) < 0) continue;
        for (int k = 0; k < MODELS; k++)
            if (score && strcmp(alias->levels[alias->ids[i]], models[k]) == 0)
                m->scores[k][seed->ids[i]] = score->values[i];
        for (int k = 0; k < 2; k++)
            if (measures[k] && !isnan(measures[k]->values[i])) m->homophily[k] = measures[k]->values[i];
    }
}

static int read_results(cru_arena *arena, const char *db, const char *name, measured *m)
{
    store *s = NULL;
    frame *f = NULL;
    cru_error err = {0};
    frame_source source = {0};
    cru_status status = store_open(db ? db : "results.db", &(store_options){.read_only = true}, &s, &err);
    if (!status) status = store_find_experiment(s, name, &source.experiment, &err);
    source.store = s;
    if (!status) status = frame_load(&source, 1, &f, &err);
    if (!status) {
        frame_keep_choices(f);
        collect(arena, f, m);
        frame_destroy(f);
    }
    if (s) store_close(s, NULL);
    return status ? cli_fail("%s", err.text) : CLI_OK;
}

/* ---- printing -------------------------------------------------------------------------------------------- */

static const char *const gains[2] = {"gcn - mlp-2", "sgc-1 - mlp-1"};

static int print_json(const taxonomy_request *q, const measured *m, const taxonomy *t)
{
    cJSON *object = cJSON_CreateObject(), *scores = cJSON_CreateObject();
    json_add_text(object, "name", q->dataset);
    json_add_text(object, "kind", taxonomy_name(t->kind));
    json_add_text(object, "metric", m->metric);
    json_add_number(object, "runs", (double)m->runs);
    json_add_number(object, "edge-homophily", m->homophily[0]);
    json_add_number(object, "node-homophily", m->homophily[1]);
    for (int k = 0; k < MODELS; k++) json_add_number(scores, models[k], stats_mean(m->scores[k], m->runs));
    cJSON_AddItemToObject(object, "scores", scores);
    for (int k = 0; k < 2; k++) {
        cJSON *gain = cJSON_AddObjectToObject(object, gains[k]);
        json_add_number(gain, "points", 100 * t->gain[k]);
        json_add_number(gain, "p", t->p[k]);
    }
    return json_print(object);
}

static int print_text(const taxonomy_request *q, const measured *m, const taxonomy *t)
{
    printf("%s%s%s is %s\n", cli_paint(stdout, CLI_BOLD), q->dataset, cli_paint(stdout, CLI_PLAIN),
           taxonomy_name(t->kind));
    printf("  %-15s %.4f\n  %-15s %.4f\n", "edge-homophily", m->homophily[0], "node-homophily", m->homophily[1]);
    for (int k = 0; k < MODELS; k++)
        printf("  %-15s %.2f ± %.2f, %s in %%, %lld runs\n", models[k], 100 * stats_mean(m->scores[k], m->runs),
               100 * stats_spread(m->scores[k], m->runs, REPORT_STD), m->metric, (long long)m->runs);
    for (int k = 0; k < 2; k++) {
        printf("  %-15s %+.2f points", gains[k], 100 * t->gain[k]);
        if (isnan(t->p[k]))
            printf(", no run differs\n");
        else
            printf(", p = %.3g%s\n", t->p[k], t->p[k] < 0.05 ? "" : ": may be chance");
    }
    printf("Homophilic: the smaller homophily is above %g. Else malignant, benign or ambiguous: both differences are "
           "below\n"
           "0, both above, or neither. p: Wilcoxon's signed-rank test over the runs, with Holm's correction.\n",
           TAXONOMY_CUT);
    return CLI_OK;
}

int taxonomy_run(const taxonomy_request *q)
{
    char *file = study_path(NULL, "heterophily/taxonomy");
    if (!file) return cli_fail("stats: the file heterophily/taxonomy.ini of the studies is not here");
    cru_arena *arena = cru_arena_create();
    measured m = {.metric = metric_of(q->dataset, q->config), .homophily = {NAN, NAN}};
    const char *name = string_format(arena, "taxonomy %s", q->dataset);
    int code = run_baselines(arena, q, file, &m, name);
    if (code == CLI_OK) code = read_results(arena, q->db, name, &m);
    if (code == CLI_OK) {
        const taxonomy_scores scores = {
            m.homophily[0], m.homophily[1], {m.scores[0], m.scores[1]}, {m.scores[2], m.scores[3]}, m.runs};
        const taxonomy t = taxonomy_judge(&scores);
        code = q->json ? print_json(q, &m, &t) : print_text(q, &m, &t);
    }
    cru_arena_destroy(arena);
    free(file);
    return code;
}
