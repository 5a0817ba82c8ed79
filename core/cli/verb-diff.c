// SPDX-License-Identifier: Apache-2.0
/* crucible diff: what two stores say of the same trials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/report-options.h"
#include "cli/verbs.h"

/* Times and memory differ between any two runs. */
static bool is_cost(const char *name)
{
    return strncmp(name, "seconds", 7) == 0 || strcmp(name, "peak-mib") == 0;
}

typedef struct id_list {
    int64_t items[REPORT_SOURCES];
    int64_t count;
} id_list;

static bool add_id(void *user, const store_experiment_view *view)
{
    id_list *list = user;
    if (list->count + 2 <= REPORT_SOURCES) {
        list->items[list->count++] = view->id;
        list->items[list->count++] = store_former(view->id);
    }
    return true;
}

static cru_status load(store *s, frame **out, cru_error *err)
{
    id_list list = {0};
    frame_source sources[REPORT_SOURCES];
    cru_status status = store_each_experiment(s, add_id, &list, err);
    for (int64_t i = 0; i < list.count; i++) sources[i] = (frame_source){s, list.items[i]};
    if (!status && !list.count) status = cru_fail(err, CRU_BAD_INPUT, "%s: holds no experiment", store_path(s));
    return status ? status : frame_load(sources, list.count, out, err);
}

typedef struct keyed {
    const char *key;
    int64_t index;
} keyed;

static int by_key(const void *a, const void *b)
{
    return strcmp(((const keyed *)a)->key, ((const keyed *)b)->key);
}

/* Of the trials that have ended. */
static keyed *sorted_keys(const frame *f, int64_t *count)
{
    keyed *list = cru_arena_alloc(f->arena, f->count, sizeof *list);
    *count = 0;
    for (int64_t i = 0; i < f->count; i++)
        if (f->outcomes[i] != STORE_PENDING) list[(*count)++] = (keyed){f->keys[i], i};
    if (*count > 1) qsort(list, (size_t)*count, sizeof *list, by_key);
    return list;
}

typedef struct comparison {
    frame *f[2];
    bool costs;
    double tolerance;
    cJSON *list; /* NULL: text */
    int64_t both, differing, only[2], outcomes;
} comparison;

static const char *title(const frame *f, int64_t i, char *text, size_t size)
{
    const char *names[] = {"alias", "dataset", "corruptor", "seed"};
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < 4 && used < size; k++) {
        const frame_column *c = frame_find_column(f, names[k]);
        if (!c || c->ids[i] < 0) continue;
        int n =
            snprintf(text + used, size - used, "%s%s%s", used ? " " : "", k == 3 ? "seed " : "", c->levels[c->ids[i]]);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

static void tell(const comparison *c, int64_t i, const char *name, const double values[2])
{
    char text[300];
    title(c->f[0], i, text, sizeof text);
    if (c->list) {
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "key", c->f[0]->keys[i]);
        json_add_text(object, "trial", text);
        json_add_text(object, "number", name);
        json_add_number(object, "a", values[0]);
        json_add_number(object, "b", values[1]);
        cJSON_AddItemToArray(c->list, object);
    } else {
        printf("%.12s  %-40s  %-20s  %.9g  %.9g  %+.3g\n", c->f[0]->keys[i], text, name, values[0], values[1],
               values[1] - values[0]);
    }
}

static bool apart(const comparison *c, const double values[2])
{
    if (isnan(values[0]) || isnan(values[1])) return isnan(values[0]) != isnan(values[1]);
    return fabs(values[0] - values[1]) > c->tolerance;
}

static void compare_numbers(comparison *c, int64_t a, int64_t b)
{
    bool differs = false;
    for (int64_t m = 0; m < c->f[0]->measure_count; m++) {
        const frame_measure *one = &c->f[0]->measures[m], *other = frame_find_measure(c->f[1], one->name);
        if (is_cost(one->name) && !c->costs) continue;
        double values[2] = {one->values[a], other ? other->values[b] : NAN};
        if (!apart(c, values)) continue;
        differs = true;
        tell(c, a, one->name, values);
    }
    c->differing += differs;
}

static void compare_trials(comparison *c)
{
    int64_t n[2];
    keyed *a = sorted_keys(c->f[0], &n[0]), *b = sorted_keys(c->f[1], &n[1]);
    for (int64_t i = 0, k = 0; i < n[0] || k < n[1];) {
        int order = i == n[0] ? 1 : k == n[1] ? -1 : strcmp(a[i].key, b[k].key);
        if (order < 0 && i > 0 && strcmp(a[i].key, a[i - 1].key) == 0) {
            i++; /* under a second name */
        } else if (order > 0 && k > 0 && strcmp(b[k].key, b[k - 1].key) == 0) {
            k++;
        } else if (order != 0) {
            c->only[order > 0]++;
            *(order < 0 ? &i : &k) += 1;
        } else {
            store_outcome x = c->f[0]->outcomes[a[i].index], y = c->f[1]->outcomes[b[k].index];
            c->both++;
            if (x != y) {
                c->outcomes++;
                char text[300];
                if (!c->list)
                    printf("%.12s  %-40s  outcome  %s  %s\n", a[i].key, title(c->f[0], a[i].index, text, sizeof text),
                           store_outcome_name(x), store_outcome_name(y));
            } else {
                compare_numbers(c, a[i].index, b[k].index);
            }
            i++;
            k++;
        }
    }
}

static int finish(const comparison *c, const cli_words *files)
{
    bool same = !c->differing && !c->outcomes && !c->only[0] && !c->only[1];
    if (c->list) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddNumberToObject(object, "both", (double)c->both);
        cJSON_AddNumberToObject(object, "differing", (double)c->differing);
        cJSON_AddNumberToObject(object, "outcomes", (double)c->outcomes);
        cJSON_AddNumberToObject(object, "only_a", (double)c->only[0]);
        cJSON_AddNumberToObject(object, "only_b", (double)c->only[1]);
        cJSON_AddItemToObject(object, "numbers", c->list);
        int code = json_print(object);
        return code == CLI_OK && !same ? CLI_FAILED : code;
    }
    printf(
        "%lld trials in both, %lld with other numbers, %lld with another outcome; %lld only in %s, %lld only in %s\n",
        (long long)c->both, (long long)c->differing, (long long)c->outcomes, (long long)c->only[0], files->word[0],
        (long long)c->only[1], files->word[1]);
    return same ? CLI_OK : CLI_FAILED;
}

int verb_diff(int argc, char **argv)
{
    bool json = false, costs = false;
    const char *tolerance = NULL;
    const cli_option options[] = {
        {.name = "costs", .flag = &costs, .help = "times and memory, too"},
        {.name = "within", .argument = "X", .text = &tolerance, .help = "numbers that are as near count as equal"},
        {.name = "json", .flag = &json, .help = "print a JSON object"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "diff",
        .operands = "A.db B.db",
        .least = 2,
        .most = 2,
        .options = options,
        .about =
            "Compares the trials that two stores have in common, number by number: which differ and by how much.\n"
            "Trials are the same when all that decides their result is. Exit code 0 when the stores say the same,\n"
            "1 when they do not.",
    };
    cli_words files;
    int code = cli_parse(&syntax, argc, argv, &files);
    if (code != CLI_GO_ON) return code;
    comparison c = {.costs = costs, .list = NULL};
    char *end = NULL;
    if (tolerance) c.tolerance = strtod(tolerance, &end);
    if (tolerance && (end == tolerance || *end || !(c.tolerance >= 0)))
        return cli_wrong("--within takes a number of at least 0, not '%s'", tolerance);
    store *stores[CLI_WORDS_MAX];
    cru_error err = {0};
    code = report_options_open(&files, stores);
    if (code != CLI_OK) return code;
    cru_status status = load(stores[0], &c.f[0], &err);
    if (!status) status = load(stores[1], &c.f[1], &err);
    report_options_close(stores, 2);
    if (!status) {
        c.list = json ? cJSON_CreateArray() : NULL;
        compare_trials(&c);
        code = finish(&c, &files);
    } else {
        code = cli_fail("%s", err.text);
    }
    if (c.f[0]) frame_destroy(c.f[0]);
    if (c.f[1]) frame_destroy(c.f[1]);
    return code;
}
