// SPDX-License-Identifier: Apache-2.0
/* What `crucible pick` says: the sentence, the page, a table or JSON. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/picking.h"
#include "config/strings.h"
#include "host/progress.h"

enum { FACTS_MOST = 32 };

static int64_t count_good(const verdict_rung *r)
{
    int64_t good = 0;
    for (int64_t i = 0; i < r->count; i++) good += r->entries[i].as_good;
    return good;
}

static const char *sentence(const picking *p)
{
    const verdict_rung *r = pick_last_rung(p);
    const char *late =
        p->late ? " The hours were over before the race was: the last rung that was run to its end decides." : "";
    const char *names = "", *cheapest = r->entries[0].name;
    double least = r->seconds[0];
    for (int64_t i = 1; i < r->count; i++) {
        if (!r->entries[i].as_good) continue;
        names = string_format(p->arena, "%s%s%s", names, *names ? ", " : "", r->entries[i].name);
        if (r->seconds[i] < least) least = r->seconds[i], cheapest = r->entries[i].name;
    }
    if (p->candidates == 1) return string_format(p->arena, "%s ran alone.%s", r->entries[0].name, late);
    if (count_good(r) == 1)
        return string_format(p->arena, "%s is the best of %lld methods: the others are worse, or fell out before.%s",
                             r->entries[0].name, (long long)p->candidates, late);
    return string_format(p->arena,
                         "%s has the best mean of %lld methods, but the data cannot decide between it and %s. The "
                         "cheapest of them is %s.%s",
                         r->entries[0].name, (long long)p->candidates, names, cheapest, late);
}

static const char *const *make_facts(const picking *p, double seconds)
{
    const look *d = &p->data;
    const char **facts = cru_arena_alloc(p->arena, FACTS_MOST, sizeof *facts), **f = facts;
    char problem[PROBLEMS_TEXT_SIZE], took[DURATION_SIZE];
    int64_t most = 0, least = INT64_MAX;
    for (int32_t c = 0; c < d->classes; c++) {
        if (d->class_counts[c] > most) most = d->class_counts[c];
        if (d->class_counts[c] && d->class_counts[c] < least) least = d->class_counts[c];
    }
    *f++ = "task",
    *f++ = string_format(p->arena, "%s%s", problems_text(d->problem, problem), d->partial ? ", candidate sets" : "");
    *f++ = "items", *f++ = string_format(p->arena, "%lld, %lld labelled", (long long)d->items, (long long)d->labelled);
    *f++ = "features", *f++ = string_format(p->arena, "%lld", (long long)d->features);
    *f++ = "classes", *f++ = string_format(p->arena, "%d, the largest %.1f times the smallest", d->classes,
                                           most ? (double)most / (double)least : NAN);
    if (d->arcs) *f++ = "edges", *f++ = string_format(p->arena, "%lld", (long long)d->arcs);
    for (int k = 0; pick_measures[k]; k++)
        if (d->arcs && !isnan(d->measures[k]))
            *f++ = pick_measures[k], *f++ = string_format(p->arena, "%.3f", d->measures[k]);
    if (p->q->damage.count) *f++ = "damage", *f++ = pick_join(p, p->q->damage.word, p->q->damage.count);
    if (p->noise) *f++ = "wrong labels", *f++ = p->noise;
    *f++ = "cost", *f++ = string_format(p->arena, "%s of training", duration_text(seconds, took));
    *f = NULL;
    return facts;
}

static void print_text(const picking *p, const verdict *v)
{
    const verdict_rung *r = pick_last_rung(p);
    printf("%s%s%s: %s\n\n", cli_paint(stdout, CLI_BOLD), p->q->dataset, cli_paint(stdout, CLI_PLAIN), v->sentence);
    for (const char *const *f = v->facts; f[0]; f += 2) printf("  %-20s %s\n", f[0], f[1]);
    for (int64_t k = 0; k + 1 < p->rung_count; k++)
        printf("  %-20s %lld methods, %lld seeds, %lld epochs at most: %lld went on\n", "rung",
               (long long)p->rungs[k].count, (long long)p->rungs[k].rung.seeds, (long long)p->rungs[k].rung.epochs,
               (long long)p->rungs[k].survivors);
    printf("\n  %-20s %10s %8s %8s  test: %s\n", "method", "validation", "p", "seconds", p->metric);
    for (int64_t i = 0; i < r->count; i++) {
        const race_entry *e = &r->entries[i];
        char shown[32] = "";
        if (!isnan(e->p)) snprintf(shown, sizeof shown, "%.3g", e->p);
        printf("%s %-20s %10.4f %8s %8.1f  %.4f ± %.4f\n", e->as_good ? " *" : "  ", e->name, e->mean, shown,
               r->seconds[i], p->test_mean[i], p->test_std[i]);
    }
    printf("  * the best, and those not shown to be worse (t test for overlapping splits, Holm): over %lld seeds\n",
           (long long)r->rung.seeds);
    printf("\nTo reproduce it: crucible run %s; page: %s\n", p->ini, p->page);
}

static int print_json(const picking *p, const verdict *v)
{
    const verdict_rung *r = pick_last_rung(p);
    cJSON *object = cJSON_CreateObject(), *good = cJSON_CreateArray(), *list = cJSON_CreateArray();
    json_add_text(object, "name", p->q->dataset);
    json_add_text(object, "best", r->entries[0].name);
    json_add_text(object, "sentence", v->sentence);
    cJSON_AddBoolToObject(object, "decided", count_good(r) == 1);
    cJSON_AddBoolToObject(object, "cut", p->late);
    json_add_text(object, "metric", p->metric);
    if (p->noise) json_add_text(object, "wrong_labels", p->noise);
    json_add_number(object, "candidates", (double)p->candidates);
    for (int64_t i = 0; i < r->count; i++) {
        cJSON *one = cJSON_CreateObject();
        if (r->entries[i].as_good) cJSON_AddItemToArray(good, cJSON_CreateString(r->entries[i].name));
        json_add_text(one, "name", r->entries[i].name);
        json_add_number(one, "validation", r->entries[i].mean);
        json_add_number(one, "p", r->entries[i].p);
        json_add_number(one, "test", p->test_mean[i]);
        json_add_number(one, "test_std", p->test_std[i]);
        json_add_number(one, "seconds", r->seconds[i]);
        cJSON_AddItemToArray(list, one);
    }
    cJSON_AddItemToObject(object, "as_good", good);
    cJSON_AddItemToObject(object, "finalists", list);
    json_add_text(object, "ini", p->ini);
    json_add_text(object, "page", p->page);
    return json_print(object);
}

static const char *command_of(const picking *p)
{
    const pick_request *q = p->q;
    const char *text = string_format(p->arena, "crucible pick %s", q->dataset);
    for (int i = 0; i < q->sets.count; i++) text = string_format(p->arena, "%s --set %s", text, q->sets.word[i]);
    for (int i = 0; i < q->damage.count; i++) text = string_format(p->arena, "%s --damage %s", text, q->damage.word[i]);
    if (q->methods) text = string_format(p->arena, "%s --methods %s", text, q->methods);
    if (q->metric) text = string_format(p->arena, "%s --metric %s", text, q->metric);
    if (q->seed) text = string_format(p->arena, "%s --seed %lld", text, (long long)q->seed);
    if (q->hours) text = string_format(p->arena, "%s --hours %s", text, q->hours);
    return text;
}

int pick_tell(const picking *p)
{
    double seconds = 0;
    for (int64_t k = 0; k < p->rung_count; k++) seconds += pick_total(p->rungs[k].seconds, p->rungs[k].count);
    const verdict v = {.dataset = p->q->dataset,
                       .sentence = sentence(p),
                       .judge = p->data.partial ? "approximated accuracy on validation data"
                                                : string_format(p->arena, "%s on validation data", p->monitor),
                       .facts = make_facts(p, seconds),
                       .rungs = p->rungs,
                       .rung_count = p->rung_count,
                       .metric = p->metric,
                       .test_mean = p->test_mean,
                       .test_std = p->test_std,
                       .ini = p->config,
                       .command = command_of(p)};
    FILE *file = fopen(p->page, "w");
    if (!file) return cli_fail("%s: %s", p->page, strerror(errno));
    verdict_page(&v, file);
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad) return cli_fail("%s: cannot be written", p->page);
    if (p->q->json) return print_json(p, &v);
    if (!p->q->quiet) print_text(p, &v);
    return CLI_OK;
}
