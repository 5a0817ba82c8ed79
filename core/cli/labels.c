// SPDX-License-Identifier: Apache-2.0
#include "cli/labels.h"

#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "config/strings.h"
#include "study/find.h"

#define METRIC "label-evidence" /* of the experiment: what it reports is read here */

typedef struct weighing {
    const labels_request *q;
    cru_arena *arena;
    evidence *found;
} weighing;

/* ---- running --------------------------------------------------------------------------------------------- */

static void add(cli_words *words, const char *text)
{
    if (words->count < CLI_WORDS_MAX) words->word[words->count++] = text;
}

static int run_methods(weighing *c, const char *name)
{
    const labels_request *q = c->q;
    char problem[PROBLEMS_TEXT_SIZE];
    const char *wanted = string_format(c->arena, "clean/%s", problems_text(q->data->problem, problem));
    char *file = study_path(NULL, wanted);
    if (!file) return cli_fail("the file %s.ini of the experiment files is not here", wanted);
    session_request run = {.db = q->db, .jobs = q->jobs, .no_table = true, .quiet = q->quiet};
    add(&run.files, file);
    if (q->config) add(&run.files, q->config);
    add(&run.sets, string_format(c->arena, "experiment.name=%s", name));
    add(&run.sets, string_format(c->arena, "experiment.datasets=%s", q->dataset));
    if (q->seeds) add(&run.sets, string_format(c->arena, "experiment.seeds=0..%lld", (long long)(q->seeds - 1)));
    if (q->methods) add(&run.sets, string_format(c->arena, "experiment.algorithms=%s", q->methods));
    for (int i = 0; i < q->sets->count; i++)
        add(&run.sets, string_format(c->arena, "dataset.%s.%s", q->dataset, q->sets->word[i]));
    int code = session_run(&run);
    free(file);
    return code;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

typedef struct trial_list {
    char **keys, **aliases;
    int64_t count;
    cru_arena *arena;
} trial_list;

static bool note_trial(void *user, const store_trial_view *view)
{
    trial_list *list = user;
    if (view->outcome != STORE_OK || view->index < 0) return true;
    list->keys[list->count] = string_copy(list->arena, view->key);
    list->aliases[list->count++] = string_copy(list->arena, view->alias ? view->alias : "");
    return true;
}

/* The three vectors of one trial. */
typedef struct vectors {
    cru_arena *arena;
    double *item, *given, *probability;
    int64_t items, labels, cells;
} vectors;

static double *copy_values(cru_arena *arena, const store_vector *v)
{
    double *values = cru_arena_alloc(arena, v->count + 1, sizeof *values);
    if (v->count) memcpy(values, v->values, (size_t)v->count * sizeof *values);
    return values;
}

static bool note_vector(void *user, const store_vector *v)
{
    vectors *all = user;
    if (strcmp(v->name, METRIC ".item") == 0) all->item = copy_values(all->arena, v), all->items = v->count;
    if (strcmp(v->name, METRIC ".given") == 0) all->given = copy_values(all->arena, v), all->labels = v->count;
    if (strcmp(v->name, METRIC ".probability") == 0)
        all->probability = copy_values(all->arena, v), all->cells = v->count;
    return true;
}

static cru_status add_trial(weighing *c, store *s, const char *key, const char *method, cru_error *err)
{
    cru_arena *arena = cru_arena_create();
    vectors all = {.arena = arena};
    cru_status status = store_each_vector(s, key, note_vector, &all, err);
    const bool whole = all.item && all.given && all.probability && all.items == all.labels &&
                       all.cells == all.items * c->q->data->classes;
    if (!status && whole) {
        const evidence_part part = {method, all.item, all.given, all.probability, all.items};
        status = evidence_add(c->found, &part, err);
    }
    cru_arena_destroy(arena);
    return status;
}

static cru_status read_store(weighing *c, store *s, const char *name, cru_error *err)
{
    int64_t id = 0, length = 0;
    cru_status status = store_find_experiment(s, name, &id, err);
    if (!status) status = store_length(s, id, &length, err);
    if (status) return status;
    trial_list list = {.arena = c->arena,
                       .keys = cru_arena_alloc(c->arena, length + 1, sizeof(char *)),
                       .aliases = cru_arena_alloc(c->arena, length + 1, sizeof(char *))};
    status = store_each_trial(s, id, note_trial, &list, err);
    for (int64_t i = 0; !status && i < list.count; i++) status = add_trial(c, s, list.keys[i], list.aliases[i], err);
    return status;
}

static int read_evidence(weighing *c, const char *name)
{
    cru_error err = {0};
    store *s = NULL;
    cru_status status = evidence_create(c->q->data->items, c->q->data->classes, &c->found, &err);
    if (!status) status = store_open(c->q->db ? c->q->db : "results.db", &(store_options){.read_only = true}, &s, &err);
    if (!status) status = read_store(c, s, name, &err);
    if (s) store_close(s, NULL);
    if (!status) status = evidence_conclude(c->found, &err);
    return status ? cli_fail("%s", err.text) : CLI_OK;
}

int labels_weigh(const labels_request *q, evidence **out)
{
    weighing c = {.q = q, .arena = cru_arena_create()};
    const char *name = string_format(c.arena, "clean %s", q->dataset);
    int code = CLI_OK, ran = run_methods(&c, name);
    if (ran == CLI_OK || ran == CLI_PARTLY) code = read_evidence(&c, name);
    cru_arena_destroy(c.arena);
    *out = c.found;
    return code == CLI_OK ? ran : code;
}
