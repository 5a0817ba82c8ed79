// SPDX-License-Identifier: Apache-2.0
/* What an algorithm must do on the problems that it claims, and on those that it does not. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/suites.h"
#include "check/trial.h"

/* Runs the plan and passes the plugin's failure on as the verdict. A refusal with a reason is no fault: a method may
 * claim a kind of problem and still need, say, candidate labels. */
static float *scores_of(const cru_plugin *plugin, const trial_plan *plan, verdict *v)
{
    trial_outcome outcome = trial_run(plugin, plan, v);
    if (v->state == CHECK_FAILED || !outcome.status) return outcome.scores;
    const char *message = outcome.err.text;
    if (outcome.status == CRU_UNSUPPORTED && *message) {
        verdict_set(v, CHECK_NOTED, "refused: %s", message);
    } else {
        verdict_set(v, CHECK_FAILED, "%s: %s%s%s", outcome.call, cru_status_name(outcome.status), *message ? ": " : "",
                    message);
    }
    return NULL;
}

static void case_fits(const void *user, const cru_plugin *plugin, verdict *v)
{
    free(scores_of(plugin, user, v));
}

/* Two runs side by side; what `compare` expects of them is the caller's business. */
static bool same_scores(const cru_plugin *plugin, const trial_plan plans[2], verdict *v)
{
    float *first = scores_of(plugin, &plans[0], v);
    float *second = first ? scores_of(plugin, &plans[1], v) : NULL;
    cru_data *data = tiny_create(plans[0].problem);
    const size_t bytes = (size_t)(data->items * data->classes) * sizeof *first;
    bool same = first && second && memcmp(first, second, bytes) == 0;
    cru_data_destroy(data);
    free(first);
    free(second);
    return same;
}

static void case_repeats(const void *user, const cru_plugin *plugin, verdict *v)
{
    const trial_plan *plan = user;
    const trial_plan plans[2] = {*plan, *plan};
    if (!same_scores(plugin, plans, v) && v->state == CHECK_PASSED)
        verdict_set(v, CHECK_FAILED, "two instances with one seed give different scores");
}

static void case_threads(const void *user, const cru_plugin *plugin, verdict *v)
{
    const trial_plan *plan = user;
    trial_plan plans[2] = {*plan, *plan};
    plans[1].threads = 2;
    if (!same_scores(plugin, plans, v) && v->state == CHECK_PASSED)
        verdict_set(v, plan->foreign ? CHECK_NOTED : CHECK_FAILED, "one and two threads give different scores");
}

static void case_other_seed(const void *user, const cru_plugin *plugin, verdict *v)
{
    const trial_plan *plan = user;
    trial_plan plans[2] = {*plan, *plan};
    plans[1].seed = plan->seed + 1;
    if (same_scores(plugin, plans, v)) verdict_set(v, CHECK_NOTED, "deterministic: the seed changes nothing");
}

static void case_refuses(const void *user, const cru_plugin *plugin, verdict *v)
{
    trial_outcome outcome = trial_run(plugin, user, v);
    free(outcome.scores);
    if (v->state == CHECK_FAILED) return;
    if (!outcome.status || !outcome.call || strcmp(outcome.call, "create") != 0) {
        verdict_set(v, CHECK_FAILED, "takes a problem that it does not claim; create must return CRU_UNSUPPORTED");
    } else if (outcome.status != CRU_UNSUPPORTED) {
        verdict_set(v, CHECK_FAILED, "create returns '%s' instead of CRU_UNSUPPORTED", cru_status_name(outcome.status));
    } else if (!*outcome.err.text) {
        verdict_set(v, CHECK_FAILED, "refuses without a message; use cru_ctx_fail");
    }
}

/* malloc keeps up to seven freed pieces of every small size for the thread that freed them, and counts them as in use.
 * Until these caches are full, which with rare sizes takes long, the heap of a method without a leak grows, too. So
 * they are filled: the same amount is then in them whenever the heap is looked at. */
static void fill_malloc_caches(void)
{
    enum { PIECES = 7, SMALLEST = 24, LARGEST = 1032, STEP = 16, SIZES = (LARGEST - SMALLEST) / STEP + 1 };
    void *volatile pieces[SIZES * PIECES];
    for (int i = 0; i < SIZES * PIECES; i++) pieces[i] = malloc((size_t)(SMALLEST + i / PIECES * STEP));
    for (int i = 0; i < SIZES * PIECES; i++) free(pieces[i]);
}

static size_t heap_in_use(void)
{
    fill_malloc_caches();
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* The heap after every few runs. Growth now and then may be a cache of a library that fills; growth every time is a
 * leak. */
static void case_leaks(const void *user, const cru_plugin *plugin, verdict *v)
{
    enum { ROUNDS = 7, RUNS = 8 };
    size_t first = 0, last = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int run = 0; run < RUNS; run++) {
            float *scores = scores_of(plugin, user, v);
            free(scores);
            if (!scores) return;
        }
        const size_t now = heap_in_use();
        if (round && now <= last) return;
        if (!round) first = now;
        last = now;
    }
    verdict_set(v, CHECK_FAILED, "keeps %zu bytes after every instance", (last - first) / (RUNS * (ROUNDS - 1)));
}

static const struct {
    const char *name;
    case_body *body;
    bool own_memory; /* not for scripts: an interpreter frees when it likes */
} habits[] = {
    {"same seed, same bits", case_repeats, false},
    {"any number of threads, same bits", case_threads, false},
    {"another seed, other scores", case_other_seed, false},
    {"no leaks", case_leaks, true},
};

/* Every variant of a problem; returns the first that was accepted, NULL when there was none. */
static const tiny_problem *run_variants(suite *s, cru_problem problem)
{
    const tiny_problem *accepted = NULL;
    for (const tiny_problem *p = tiny_problems; p->name; p++) {
        if (p->problem != problem) continue;
        const trial_plan plan = {.problem = p, .seed = 1, .threads = 1, .epochs = s->options.epochs};
        check_state state = case_run(s, &(check_case){.name = p->name, .body = case_fits, .user = &plan});
        if (state == CHECK_PASSED && !accepted) accepted = p;
    }
    return accepted;
}

static void run_claimed(suite *s, cru_problem problem)
{
    const char *word = tiny_plain(problem)->name;
    char name[100];
    const tiny_problem *accepted = run_variants(s, problem);
    if (!accepted) {
        verdict none = {0};
        snprintf(name, sizeof name, "%s, any of these", word);
        verdict_set(&none, CHECK_FAILED, "claims this kind of problem, but solves none of them");
        suite_add_row(s, name, &none);
        return;
    }
    const trial_plan plan = {
        .problem = accepted, .seed = 1, .threads = 1, .epochs = s->options.epochs, .foreign = s->options.open != NULL};
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        if (plan.foreign && habits[i].own_memory) continue;
        snprintf(name, sizeof name, "%s, %s", word, habits[i].name);
        case_run(s, &(check_case){.name = name, .body = habits[i].body, .user = &plan});
    }
}

static void run_unclaimed(suite *s, cru_problem problem)
{
    const tiny_problem *plain = tiny_plain(problem);
    const trial_plan plan = {.problem = plain, .seed = 1, .threads = 1, .epochs = s->options.epochs};
    char name[100];
    snprintf(name, sizeof name, "%s, not claimed: refused", plain->name);
    case_run(s, &(check_case){.name = name, .body = case_refuses, .user = &plan});
}

static void case_survives(const void *user, const cru_plugin *plugin, verdict *v)
{
    trial_outcome outcome = trial_run(plugin, user, v);
    free(outcome.scores);
    if (v->state == CHECK_FAILED || !outcome.status) return;
    if (*outcome.err.text) {
        verdict_set(v, CHECK_NOTED, "%s: %s", outcome.call, outcome.err.text);
    } else {
        verdict_set(v, CHECK_FAILED, "%s: %s, without a message", outcome.call, cru_status_name(outcome.status));
    }
}

void suite_algorithm(suite *s)
{
    static const cru_problem problems[] = {CRU_NODES, CRU_GRAPHS, CRU_ANOMALY, CRU_ROWS};
    if (!s->plugin->problems) {
        verdict none = {0};
        verdict_set(&none, CHECK_FAILED, "`problems` is empty, so nothing will ever be run");
        suite_add_row(s, "claims a kind of problem", &none);
    }
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (s->plugin->problems & problems[i]) {
            run_claimed(s, problems[i]);
        } else {
            run_unclaimed(s, problems[i]);
        }
    }
    if (s->plugin->problems) suite_settings(s, case_survives);
}
