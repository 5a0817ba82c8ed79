// SPDX-License-Identifier: Apache-2.0
/* crucible stats: what a dataset looks like. Plugins never run in the host's own process: all of it happens in a
 * child. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/printable.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/measure.h"
#include "cli/setup.h"
#include "cli/taxonomy.h"
#include "cli/verbs.h"
#include "data/data.h"
#include "data/describe.h"
#include "judge/judge-files.h"
#include "loader/loader.h"

enum { MOST_SETTINGS = 64, BAR = 40 };

typedef struct request {
    const char *name;
    bool json, taxonomy;
    const char *config, *db;
    int64_t seed;
    cli_words sets;
    bool all;           /* measures, also those that take long */
    cli_words measures; /* these only; none: all that are quick */
} request;

typedef struct stats {
    const request *q;
    int figures; /* of several datasets: where the child writes its numbers; -1: it prints */
    const registry *plugins;
    const data_places *places;
    const cru_data *data;
    data_summary summary;
    char title[300];
} stats;

static const char *problem_name(const cru_data *data)
{
    static char text[PROBLEMS_TEXT_SIZE];
    return problems_text(data->problem, text);
}

enum { NAME_SIZE = 200 };

/* Names are from the data's files. */
static const char *shown(const char *name, char text[NAME_SIZE])
{
    snprintf(text, NAME_SIZE, "%s", name);
    return printable(text, false);
}

static const char *class_name(const cru_data *data, int32_t c, char text[NAME_SIZE])
{
    if (data->class_names) return shown(data->class_names[c], text);
    snprintf(text, NAME_SIZE, "%d", c);
    return text;
}

/* ---- metrics of the dataset -------------------------------------------------------------------------------------- */

typedef void metric_visitor(void *user, const char *name, double value);

static bool is_measure(const registry_entry *e)
{
    return !e->broken && e->kind == CRU_KIND_METRIC && e->flags & CRU_METRIC_OF_DATASET;
}

static bool is_wanted(const request *q, const registry_entry *e)
{
    for (int i = 0; i < q->measures.count; i++)
        if (strcmp(q->measures.word[i], e->name) == 0) return true;
    return q->measures.count == 0 && (q->all || !(e->flags & CRU_METRIC_COSTLY));
}

/* Who waits at a terminal sees for what. */
static void say_what_lasts(const registry_entry *e)
{
    if (e->flags & CRU_METRIC_COSTLY && isatty(STDERR_FILENO)) fprintf(stderr, "measuring %s ...\n", e->name);
}

static void visit_metrics(const stats *s, metric_visitor *visit, void *user)
{
    for (size_t i = 0; i < registry_count(s->plugins); i++) {
        const registry_entry *e = registry_at(s->plugins, i);
        if (!is_measure(e) || !(e->problems & s->data->problem) || !is_wanted(s->q, e)) continue;
        say_what_lasts(e);
        visit(user, e->name, measure_data(s->data, e));
    }
}

/* A name that is none is said before anything is read. */
static int check_measures(const request *q, const registry *plugins)
{
    for (int i = 0; i < q->measures.count; i++) {
        const registry_entry *e = registry_find(plugins, CRU_KIND_METRIC, q->measures.word[i]);
        if (!e || !is_measure(e))
            return cli_wrong("stats: '%s' is no measure of data; 'crucible stats --all DATASET' shows them",
                             q->measures.word[i]);
    }
    return CLI_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void add_metric(void *user, const char *name, double value)
{
    json_add_number(user, name, value);
}

static cJSON *degrees_json(const data_summary *d)
{
    cJSON *object = cJSON_CreateObject(), *bins = cJSON_AddArrayToObject(object, "histogram");
    json_add_number(object, "mean", d->degree_mean);
    json_add_number(object, "median", (double)d->degree_median);
    json_add_number(object, "max", (double)d->degree_max);
    json_add_number(object, "isolated", (double)d->isolated);
    for (int32_t k = 0; k < d->bin_count; k++) {
        int64_t from, to;
        data_degree_bin(k, &from, &to);
        cJSON *bin = cJSON_CreateObject();
        json_add_number(bin, "from", (double)from);
        json_add_number(bin, "to", (double)to);
        json_add_number(bin, "nodes", (double)d->degree_bins[k]);
        cJSON_AddItemToArray(bins, bin);
    }
    return object;
}

static cJSON *classes_json(const stats *s)
{
    cJSON *array = cJSON_CreateArray();
    for (int32_t c = 0; c < s->data->classes; c++) {
        char number[NAME_SIZE];
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "name", class_name(s->data, c, number));
        json_add_number(object, "items", (double)s->summary.class_counts[c]);
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static cJSON *splits_json(const cru_data *data)
{
    cJSON *array = cJSON_CreateArray();
    for (int32_t k = 0; k < data->official_count; k++) {
        cJSON *object = cJSON_CreateObject();
        json_add_number(object, "train", (double)data->official[k].train.count);
        json_add_number(object, "val", (double)data->official[k].val.count);
        json_add_number(object, "test", (double)data->official[k].test.count);
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

/* Of every class: how many sets hold it, and which classes the sets of its items hold. */
static cJSON *candidates_json(const stats *s)
{
    const int32_t classes = s->data->classes;
    cJSON *array = cJSON_CreateArray();
    for (int32_t c = 0; c < classes; c++) {
        cJSON *object = cJSON_CreateObject(), *shares = cJSON_AddArrayToObject(object, "flips");
        json_add_number(object, "sets", (double)s->summary.candidate_counts[c]);
        for (int32_t k = 0; k < classes; k++) {
            const double share = s->summary.flips[(int64_t)c * classes + k];
            cJSON_AddItemToArray(shares, isnan(share) ? cJSON_CreateNull() : cJSON_CreateNumber(share));
        }
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

static int print_json(const stats *s)
{
    const cru_data *data = s->data;
    const data_summary *d = &s->summary;
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", s->q->name);
    json_add_text(object, "problem", problem_name(data));
    json_add_number(object, "items", (double)data->items);
    json_add_number(object, "nodes", (double)data->nodes);
    json_add_number(object, "edges", (double)d->arcs);
    cJSON_AddBoolToObject(object, "undirected", d->symmetric);
    json_add_number(object, "self_loops", (double)d->loops);
    json_add_number(object, "relations", data->relation_count);
    json_add_number(object, "features", (double)data->x.cols);
    cJSON_AddBoolToObject(object, "sparse", data->x.sparse.offsets != NULL);
    json_add_number(object, "feature_values", (double)d->stored);
    cJSON_AddItemToObject(object, "classes", classes_json(s));
    json_add_number(object, "unlabelled", (double)d->unlabelled);
    cJSON_AddItemToObject(object, "official_splits", splits_json(data));
    if (d->arcs > 0) cJSON_AddItemToObject(object, "degree", degrees_json(d));
    if (data->candidates) {
        json_add_number(object, "candidates_mean", d->candidates_mean);
        json_add_number(object, "candidates_wrong", d->candidates_wrong);
        cJSON_AddItemToObject(object, "candidates", candidates_json(s));
    }
    visit_metrics(s, add_metric, cJSON_AddObjectToObject(object, "metrics"));
    return json_print(object);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* A bar of eighths of a character, `share` of BAR wide. */
static void print_bar(double share)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int length = (int)(share * BAR * 8 + 0.5);
    fputs(cli_paint(stdout, CLI_GREEN), stdout);
    for (int k = 0; k < length / 8; k++) fputs("█", stdout);
    printf("%s%s\n", eighths[length % 8], cli_paint(stdout, CLI_PLAIN));
}

static void print_heading(const char *text)
{
    printf("\n%s%s%s\n", cli_paint(stdout, CLI_BOLD), text, cli_paint(stdout, CLI_PLAIN));
}

static void print_counts(const stats *s)
{
    const cru_data *data = s->data;
    const data_summary *d = &s->summary;
    printf("%s%s%s  %s\n", cli_paint(stdout, CLI_BOLD), s->q->name, cli_paint(stdout, CLI_PLAIN), s->title);
    printf("  task      %s\n", problem_name(data));
    printf("  items     %lld\n", (long long)data->items);
    if (data->problem == CRU_GRAPHS) {
        printf("  nodes     %lld, %.2f a graph (%lld to %lld)\n", (long long)data->nodes, d->size_mean,
               (long long)d->size_min, (long long)d->size_max);
    }
    if (data->graph.offsets) {
        printf("  edges     %lld stored, %s, %lld self-loops\n", (long long)d->arcs,
               d->symmetric ? "undirected" : "directed", (long long)d->loops);
    }
    char name[NAME_SIZE];
    for (int32_t r = 0; r < data->relation_count; r++)
        printf("  relation  %s, %lld stored\n", shown(data->relations[r].name, name),
               (long long)cru_csr_nnz(&data->relations[r].graph));
    double cells = (double)data->x.rows * (double)data->x.cols;
    printf("  features  %lld, %s%.3g %% stored\n", (long long)data->x.cols,
           data->x.sparse.offsets ? "sparse, " : "dense, ", cells > 0 ? 100 * (double)d->stored / cells : 0);
    for (int32_t k = 0; k < data->official_count && k < 3; k++) {
        printf("  split %-3d %lld train, %lld val, %lld test\n", k, (long long)data->official[k].train.count,
               (long long)data->official[k].val.count, (long long)data->official[k].test.count);
    }
    if (data->official_count > 3) printf("  ...       %d official splits\n", data->official_count);
    if (data->candidates)
        printf("  candidate sets of %.4g labels, %.3g %% miss the true one\n", d->candidates_mean,
               100 * d->candidates_wrong);
}

static void print_classes(const stats *s)
{
    enum { SHOWN = 30 };
    const data_summary *d = &s->summary;
    int64_t most = 1;
    int width = 1;
    for (int32_t c = 0; c < s->data->classes; c++) {
        char number[NAME_SIZE];
        int length = (int)strlen(class_name(s->data, c, number));
        if (d->class_counts[c] > most) most = d->class_counts[c];
        if (length > width) width = length < 24 ? length : 24;
    }
    print_heading("classes");
    for (int32_t c = 0; c < s->data->classes && c < SHOWN; c++) {
        char number[NAME_SIZE];
        double share = (double)d->class_counts[c] / (double)(s->data->items - d->unlabelled);
        printf("  %-*.24s %8lld %5.1f %% ", width, class_name(s->data, c, number), (long long)d->class_counts[c],
               100 * share);
        print_bar((double)d->class_counts[c] / (double)most);
    }
    if (s->data->classes > SHOWN) printf("  ... %d classes\n", s->data->classes);
    if (d->unlabelled) printf("  unlabelled %lld\n", (long long)d->unlabelled);
}

/* A row a true class: in how many of a hundred sets of its items each class is, and how many sets hold it at all. */
static void print_candidates(const stats *s)
{
    enum { MOST = 25 };
    const data_summary *d = &s->summary;
    const int32_t classes = s->data->classes;
    if (!d->flips || classes > MOST) return;
    print_heading(
        "candidates: % of the sets of a true class (row) that hold a class (column); sets that hold the class");
    for (int32_t c = 0; c < classes; c++) {
        printf("  %3d ", c);
        for (int32_t k = 0; k < classes; k++) {
            const double share = d->flips[(int64_t)c * classes + k];
            if (isnan(share))
                printf("   -");
            else
                printf(" %3.0f", 100 * share);
        }
        printf(" %8lld\n", (long long)d->candidate_counts[c]);
    }
}

static void print_degrees(const data_summary *d)
{
    int64_t most = 1;
    for (int32_t k = 0; k < d->bin_count; k++)
        if (d->degree_bins[k] > most) most = d->degree_bins[k];
    print_heading("degrees");
    printf("  mean %.4g, median %lld, most %lld, isolated %lld\n", d->degree_mean, (long long)d->degree_median,
           (long long)d->degree_max, (long long)d->isolated);
    for (int32_t k = 0; k < d->bin_count; k++) {
        int64_t from, to;
        char range[48];
        data_degree_bin(k, &from, &to);
        snprintf(range, sizeof range, from == to ? "%lld" : "%lld-%lld", (long long)from, (long long)to);
        printf("  %-14s %9lld ", range, (long long)d->degree_bins[k]);
        print_bar((double)d->degree_bins[k] / (double)most);
    }
}

static void print_metric(void *user, const char *name, double value)
{
    bool *any = user;
    if (!*any) print_heading("measures");
    *any = true;
    if (isnan(value))
        printf("  %-24s not defined\n", name);
    else
        printf("  %-24s %.4f\n", name, value);
}

static void print_unmeasured(const stats *s)
{
    int count = 0;
    for (size_t i = 0; i < registry_count(s->plugins); i++) {
        const registry_entry *e = registry_at(s->plugins, i);
        if (!is_measure(e) || !(e->problems & s->data->problem) || s->q->measures.count || is_wanted(s->q, e)) continue;
        printf("%s%s", count++ ? ", " : "  with --all, or --measure NAME, which take longer: ", e->name);
    }
    if (count) putchar('\n');
}

static int print_text(const stats *s)
{
    bool any = false;
    print_counts(s);
    if (s->data->items > s->summary.unlabelled)
        print_classes(s);
    else
        printf("  labels    none\n");
    print_candidates(s);
    if (s->summary.arcs > 0) print_degrees(&s->summary);
    visit_metrics(s, print_metric, &any);
    print_unmeasured(s);
    return CLI_OK;
}

/* ---- several datasets -------------------------------------------------------------------------------------------- */

/* What a child tells of its dataset: the figures below, then every measure that is asked for in the registry's
 * order. */
static const char *const figure_names[] = {"items",         "nodes",       "edges",      "features", "classes",
                                           "largest class", "mean degree", "unlabelled", "splits"};
enum { FIGURES = sizeof figure_names / sizeof *figure_names, MEASURES_MOST = 64, BLOCK = 100, CELL = 14 };

typedef struct figures {
    double values[FIGURES + MEASURES_MOST]; /* NAN: not defined */
} figures;

/* The name of a figure or a measure; NULL behind the last one. */
static const char *figure_name(const stats *s, int index)
{
    if (index < FIGURES) return figure_names[index];
    index -= FIGURES;
    for (size_t i = 0; i < registry_count(s->plugins) && index < MEASURES_MOST; i++) {
        const registry_entry *e = registry_at(s->plugins, i);
        if (is_measure(e) && is_wanted(s->q, e) && index-- == 0) return e->name;
    }
    return NULL;
}

static double largest_class(const stats *s)
{
    int64_t most = 0;
    for (int32_t c = 0; c < s->data->classes; c++)
        if (s->summary.class_counts[c] > most) most = s->summary.class_counts[c];
    return (double)most;
}

static int send_figures(const stats *s)
{
    const cru_data *data = s->data;
    const data_summary *d = &s->summary;
    figures f = {{(double)data->items, (double)data->nodes, data->graph.offsets ? (double)d->arcs : NAN,
                  (double)data->x.cols, data->classes, largest_class(s), data->graph.offsets ? d->degree_mean : NAN,
                  (double)d->unlabelled, data->official_count}};
    int used = FIGURES;
    for (size_t i = 0; i < registry_count(s->plugins) && used < FIGURES + MEASURES_MOST; i++) {
        const registry_entry *e = registry_at(s->plugins, i);
        if (!is_measure(e) || !is_wanted(s->q, e)) continue;
        say_what_lasts(e);
        f.values[used++] = e->problems & data->problem ? measure_data(s->data, e) : NAN;
    }
    for (; used < FIGURES + MEASURES_MOST; used++) f.values[used] = NAN;
    return write(s->figures, &f, sizeof f) == (ssize_t)sizeof f ? CLI_OK : CLI_FAILED;
}

static void print_block(const stats *s, const cli_words *names, const figures *all, const int range[2])
{
    const char *name;
    printf("%-28s", "");
    for (int i = range[0]; i < range[1]; i++) printf(" %*.*s", CELL, CELL, names->word[i]);
    putchar('\n');
    for (int k = 0; (name = figure_name(s, k)); k++) {
        bool any = false;
        for (int i = range[0]; i < range[1]; i++) any |= !isnan(all[i].values[k]);
        if (!any) continue;
        printf("%-28s", name);
        for (int i = range[0]; i < range[1]; i++) {
            double value = all[i].values[k];
            if (isnan(value))
                printf(" %*s", CELL, "-");
            else
                printf(" %*.*f", CELL, k >= FIGURES ? 4 : value == floor(value) ? 0 : 2, value);
        }
        putchar('\n');
    }
}

static int print_together(const stats *s, const cli_words *names, const figures *all)
{
    const int columns = (BLOCK - 28) / (CELL + 1);
    const char *name;
    if (!s->q->json) {
        for (int from = 0; from < names->count; from += columns) {
            int to = from + columns < names->count ? from + columns : names->count;
            if (from) putchar('\n');
            print_block(s, names, all, (const int[]){from, to});
        }
        return CLI_OK;
    }
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < names->count; i++) {
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "name", names->word[i]);
        for (int k = 0; (name = figure_name(s, k)); k++) json_add_number(object, name, all[i].values[k]);
        cJSON_AddItemToArray(list, object);
    }
    return json_print(list);
}

/* ---- the child --------------------------------------------------------------------------------------------------- */

static int split_settings_words(const request *q, data_setting *out)
{
    for (int i = 0; i < q->sets.count; i++) {
        char *equals = strchr(q->sets.word[i], '=');
        if (!equals || i == MOST_SETTINGS) return cli_wrong("stats: --set %s: expected key=value", q->sets.word[i]);
        *equals = 0;
        out[i] = (data_setting){q->sets.word[i], equals + 1};
    }
    return CLI_GO_ON;
}

static void find_title(stats *s)
{
    data_found found;
    if (data_find(s->q->name, s->places, &found, NULL) != CRU_OK) {
        const registry_entry *generator = registry_find(s->plugins, CRU_KIND_DATASET, s->q->name);
        if (generator) snprintf(s->title, sizeof s->title, "%s", generator->summary);
        return;
    }
    if (found.card->title) snprintf(s->title, sizeof s->title, "%s", found.card->title);
    data_found_clear(&found);
}

static int describe(stats *s)
{
    data_setting settings[MOST_SETTINGS];
    int code = split_settings_words(s->q, settings);
    if (code != CLI_GO_ON) return code;
    data_request wanted = {.name = s->q->name,
                           .plugins = s->plugins,
                           .settings = settings,
                           .setting_count = s->q->sets.count,
                           .seed = (uint64_t)s->q->seed,
                           .places = s->places};
    cru_error err = {0};
    cru_data *data = NULL;
    char checksum[65];
    if (judge_lock_for(&wanted, &err) != CRU_OK) return cli_fail("%s", err.text);
    if (data_checksum(&wanted, checksum, &err) == CRU_BAD_INPUT) /* the name, a setting or the card */
        return cli_wrong("%s", err.text);
    err = (cru_error){0};
    if (data_open(&wanted, &data, &err) != CRU_OK) return cli_fail("%s", err.text);
    s->data = data;
    find_title(s);
    if (data_summarise(data, &s->summary, &err) != CRU_OK)
        code = cli_fail("%s", err.text);
    else
        code = s->figures >= 0 ? send_figures(s) : s->q->json ? print_json(s) : print_text(s);
    data_summary_clear(&s->summary);
    cru_data_destroy(data);
    return code;
}

static int describe_in_child(stats *s)
{
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return cli_fail("stats: cannot start a process");
    if (child == 0) {
        int code = describe(s);
        fflush(NULL);
        _exit(code);
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return cli_fail("stats: the plugin that reads %s crashed: %s", s->q->name, strsignal(WTERMSIG(status)));
}

/* One child after the other; a dataset that cannot be read ends it, having said why. */
static int describe_together(stats *s, const cli_words *names)
{
    figures *all = calloc((size_t)names->count, sizeof *all);
    int ends[2], code = all ? CLI_OK : cli_fail("stats: no memory");
    request q = *s->q;
    s->q = &q;
    for (int i = 0; code == CLI_OK && i < names->count; i++) {
        q.name = names->word[i];
        if (pipe(ends) != 0) {
            code = cli_fail("stats: cannot start a process");
            break;
        }
        s->figures = ends[1];
        code = describe_in_child(s);
        close(ends[1]);
        if (code == CLI_OK && read(ends[0], &all[i], sizeof all[i]) != (ssize_t)sizeof all[i])
            code = cli_fail("stats: %s: its numbers did not come", q.name);
        close(ends[0]);
    }
    if (code == CLI_OK) code = print_together(s, names, all);
    free(all);
    return code;
}

int verb_stats(int argc, char **argv)
{
    request q = {0};
    const cli_option options[] = {
        OUTFIT_OPTION(&q.config),
        {.name = "json", .flag = &q.json, .help = "print a JSON object; of several datasets an array"},
        {.name = "set", .argument = "KEY=VALUE", .words = &q.sets, .help = "a setting of the dataset; may be repeated"},
        {.name = "seed", .argument = "N", .number = &q.seed, .help = "seed of a generator"},
        {.name = "all", .flag = &q.all, .help = "all measures, also those that take seconds or minutes"},
        {.name = "measure", .argument = "NAME", .words = &q.measures, .help = "this measure only; may be repeated"},
        {.name = "taxonomy",
         .flag = &q.taxonomy,
         .help = "run four baselines and say whether its graph is malignant, benign, ambiguous or homophilic"},
        {.name = "db", .argument = "FILE", .text = &q.db, .help = "where they are kept; default: results.db"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "stats",
        .operands = "DATASET...",
        .least = 1,
        .most = CLI_WORDS_MAX,
        .options = options,
        .about = "Describes a dataset: counts, classes, degrees and the measures that describe data.\n"
                 "DATASET is a card's name or path, or a generator; 'crucible list datasets' prints all.\n"
                 "Several make one table, a column each; --set then holds for all of them.\n"
                 "With --taxonomy it says instead what a graph is worth: whether gcn and sgc-1, tuned, are better\n"
                 "than perceptrons that do not see it. That takes minutes, and goes on where it stopped.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    q.name = operands.word[0];
    if (q.taxonomy && operands.count > 1) return cli_wrong("stats: --taxonomy is of one dataset");
    if (q.db && !q.taxonomy) return cli_wrong("stats: --db is for --taxonomy");
    if (q.seed && q.taxonomy) return cli_wrong("stats: --taxonomy has seeds of its own; leave out --seed");
    if (q.taxonomy)
        return taxonomy_run(
            &(taxonomy_request){.dataset = q.name, .config = q.config, .db = q.db, .sets = &q.sets, .json = q.json});
    outfit with;
    code = outfit_open(q.config, &with);
    if (code != CLI_GO_ON) return code;
    stats s = {.q = &q, .figures = -1, .plugins = with.plugins, .places = &with.places};
    code = check_measures(&q, with.plugins);
    if (code == CLI_OK) code = operands.count > 1 ? describe_together(&s, &operands) : describe_in_child(&s);
    outfit_close(&with);
    return code;
}
