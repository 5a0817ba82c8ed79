// SPDX-License-Identifier: Apache-2.0
/* crucible clean: which labels of a dataset are probably wrong. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clean/listing.h"
#include "cli/json.h"
#include "cli/labels.h"
#include "cli/verbs.h"
#include "config/strings.h"

typedef struct request {
    const char *dataset, *config, *db, *methods, *truth, *out;
    cli_words sets;
    int64_t seeds, jobs;
    bool quiet, json;
} request;

typedef struct cleaning {
    const request *q;
    cru_arena *arena;
    look data;
    look truth; /* of --truth */
    evidence *found;
    evidence_quality quality;
    char *csv, *page;
} cleaning;

/* ---- telling --------------------------------------------------------------------------------------------- */

static const char *verdict(const cleaning *c)
{
    const evidence *e = c->found;
    switch (evidence_judge(e)) {
    case EVIDENCE_FEW:
        return string_format(
            c->arena,
            "Little is wrong: about %.1f %% of the labels (95 %%: %.1f to %.1f), which is not shown to "
            "be more than %g %%.",
            100 * e->rate, 100 * e->low, 100 * e->high, 100 * EVIDENCE_LITTLE);
    case EVIDENCE_MANY:
        return string_format(
            c->arena,
            "About %.1f %% of the labels are wrong (95 %%: %.1f to %.1f): look at the first %lld items of the list.",
            100 * e->rate, 100 * e->low, 100 * e->high, (long long)e->wrong);
    default:
        return e->learned ? "How many labels are wrong cannot be told: no class of any item is clear to the methods."
                          : "How many labels are wrong cannot be told, and the order means nothing: no method agrees "
                            "with the labels more often than naming the largest class does.";
    }
}

static void print_text(const cleaning *c)
{
    enum { SHOWN = 10 };
    const evidence *e = c->found;
    printf("%s%s%s: %s\n", cli_paint(stdout, CLI_BOLD), c->q->dataset, cli_paint(stdout, CLI_PLAIN), verdict(c));
    printf("\n  %-20s %s\n", "method", "agrees with the label, out of fold");
    for (int32_t m = 0; m < e->method_count; m++)
        printf("  %-20s %.1f %%\n", e->methods[m].name, 100 * e->methods[m].agrees);
    printf("\n  %10s  %-20s %-20s %9s  %s\n", "item", "given", "suggested", "suspicion", "methods against");
    for (int64_t k = 0; k < e->count && k < SHOWN; k++) {
        const int32_t i = e->order[k];
        printf("  %10d  %-20.20s %-20.20s %9.3f  %d of %d\n", i, c->data.class_names[e->given[i]],
               c->data.class_names[e->suggested[i]], e->suspicion[i], e->against[i], e->method_count);
    }
    if (c->q->truth)
        printf(
            "\nAgainst %s: %lld of %lld labels are wrong; average precision %.3f, precision of the first %lld %.3f\n",
            c->q->truth, (long long)c->quality.wrong, (long long)c->quality.known, c->quality.average_precision,
            (long long)e->wrong, c->quality.precision);
    printf("\nAll items: %s; page: %s\n", c->csv, c->page);
}

static int print_json(const cleaning *c)
{
    static const char *const words[] = {"unknown", "little", "many"};
    const evidence *e = c->found;
    cJSON *object = cJSON_CreateObject(), *methods = cJSON_CreateObject();
    json_add_text(object, "name", c->q->dataset);
    json_add_text(object, "verdict", words[evidence_judge(e)]);
    json_add_number(object, "labelled", (double)e->count);
    json_add_number(object, "rate", e->rate);
    json_add_number(object, "low", e->low);
    json_add_number(object, "high", e->high);
    json_add_number(object, "probably_wrong", (double)e->wrong);
    for (int32_t m = 0; m < e->method_count; m++) json_add_number(methods, e->methods[m].name, e->methods[m].agrees);
    cJSON_AddItemToObject(object, "agrees", methods);
    if (c->q->truth) {
        json_add_number(object, "truly_wrong", (double)c->quality.wrong);
        json_add_number(object, "average_precision", c->quality.average_precision);
        json_add_number(object, "precision", c->quality.precision);
    }
    json_add_text(object, "csv", c->csv);
    json_add_text(object, "page", c->page);
    return json_print(object);
}

static int write_file(const char *path, const listing *l, void (*write)(const listing *, FILE *))
{
    FILE *file = fopen(path, "w");
    if (!file) return cli_fail("%s: %s", path, strerror(errno));
    write(l, file);
    const bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad) return cli_fail("%s: cannot be written", path);
    return CLI_OK;
}

static const char *command_of(const cleaning *c)
{
    const request *q = c->q;
    const char *text = string_format(c->arena, "crucible clean %s", q->dataset);
    for (int i = 0; i < q->sets.count; i++) text = string_format(c->arena, "%s --set %s", text, q->sets.word[i]);
    if (q->methods) text = string_format(c->arena, "%s --methods %s", text, q->methods);
    if (q->seeds) text = string_format(c->arena, "%s --seeds %lld", text, (long long)q->seeds);
    return text;
}

static int write_files(const cleaning *c)
{
    const listing l = {.dataset = c->q->dataset,
                       .found = c->found,
                       .class_names = (const char *const *)c->data.class_names,
                       .verdict = verdict(c),
                       .command = command_of(c)};
    int code = write_file(c->csv, &l, listing_csv);
    return code == CLI_OK ? write_file(c->page, &l, listing_page) : code;
}

/* "labels.csv" and "labels.html" beside it; by default named after the dataset, in the working directory. */
static void name_files(cleaning *c)
{
    const char *slash = strrchr(c->q->dataset, '/'), *base = slash ? slash + 1 : c->q->dataset, *out = c->q->out;
    size_t length = strlen(base);
    if (length > 4 && strcmp(base + length - 4, ".ini") == 0) length -= 4;
    c->csv = out ? string_copy(c->arena, out) : string_format(c->arena, "%.*s-labels.csv", (int)length, base);
    length = strlen(c->csv);
    if (length > 4 && strcmp(c->csv + length - 4, ".csv") == 0) length -= 4;
    c->page = string_format(c->arena, "%.*s.html", (int)length, c->csv);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static int check_data(const cleaning *c)
{
    const look *d = &c->data;
    if (d->partial)
        return cli_fail("clean: the labels of %s are candidate sets, none of which says one thing", c->q->dataset);
    if (d->labelled == 0 || d->classes < 2)
        return cli_fail("clean: %s has no labels of two classes to compare", c->q->dataset);
    if (c->q->truth && c->truth.items != d->items)
        return cli_wrong("--truth %s has %lld items, and %s has %lld", c->q->truth, (long long)c->truth.items,
                         c->q->dataset, (long long)d->items);
    if (c->q->truth && c->truth.classes != d->classes)
        return cli_wrong("--truth %s has %d classes, and %s has %d", c->q->truth, c->truth.classes, c->q->dataset,
                         d->classes);
    return CLI_OK;
}

static int look_around(cleaning *c)
{
    const request *q = c->q;
    outfit with;
    int code = outfit_open(q->config, &with);
    if (code != CLI_GO_ON) return code;
    code = look_at(&(look_request){.dataset = q->dataset, .sets = &q->sets, .with = &with}, &c->data);
    if (code == CLI_OK && q->truth) code = look_at(&(look_request){.dataset = q->truth, .with = &with}, &c->truth);
    outfit_close(&with);
    return code == CLI_OK ? check_data(c) : code;
}

static int clean(cleaning *c)
{
    name_files(c);
    int code = look_around(c);
    if (code != CLI_OK) return code;
    const request *q = c->q;
    const labels_request wanted = {.dataset = q->dataset,
                                   .config = q->config,
                                   .db = q->db,
                                   .methods = q->methods,
                                   .sets = &q->sets,
                                   .seeds = q->seeds,
                                   .jobs = q->jobs,
                                   .quiet = q->quiet || q->json,
                                   .data = &c->data};
    const int ran = labels_weigh(&wanted, &c->found);
    if (ran != CLI_OK && ran != CLI_PARTLY) return ran;
    if (c->q->truth) c->quality = evidence_check(c->found, c->truth.labels, c->found->wrong);
    code = write_files(c);
    if (code != CLI_OK) return code;
    if (c->q->json)
        code = print_json(c);
    else if (!c->q->quiet)
        print_text(c);
    return code == CLI_OK ? ran : code;
}

int verb_clean(int argc, char **argv)
{
    request q = {0};
    const cli_option options[] = {
        OUTFIT_OPTION(&q.config),
        {.name = "set", .argument = "KEY=VALUE", .words = &q.sets, .help = "a setting of the dataset; may be repeated"},
        {.name = "methods",
         .argument = "NAMES",
         .text = &q.methods,
         .help = "ask these methods, as gcn,mlp, instead of those of the file clean/TASK.ini"},
        {.name = "seeds",
         .argument = "N",
         .number = &q.seeds,
         .help = "judge every item so many times, with other folds; default: 1"},
        {.name = "truth",
         .argument = "DATASET",
         .text = &q.truth,
         .help = "a dataset of the same items whose labels are right: tells how well wrong ones were found"},
        {.name = "out",
         .letter = 'o',
         .argument = "FILE",
         .text = &q.out,
         .help = "the CSV; the page stands beside it; default: DATASET-labels.csv"},
        TRIAL_OPTIONS(q),
        {0},
    };
    const cli_syntax syntax = {
        .verb = "clean",
        .operands = "DATASET",
        .least = 1,
        .most = 1,
        .options = options,
        .about =
            "Ranks the items of a dataset by how probably their labels are wrong, and says how many are. Several "
            "methods\n"
            "judge every labelled item without having learned from its label (five folds); what they say is averaged.\n"
            "Writes a CSV of all items and a page; items are numbered from 0 in the order of the data's file. The "
            "share of\n"
            "wrong labels is estimated as confident learning does; little is wrong when the data does not show that\n"
            "it is more than 5 %. What is merely hard can look wrong: look before you change a label.\n"
            "DATASET is a card's name or path, or a generator; 'relabelled' makes data with known wrong labels of\n"
            "another dataset. An interrupted run goes on where it stopped.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    q.dataset = operands.word[0];
    if (q.db && !*q.db) return cli_wrong("--db: the path of the results store is empty");
    if (q.jobs > 4096) return cli_wrong("--jobs %lld: at most 4096", (long long)q.jobs);
    cleaning c = {.q = &q, .arena = cru_arena_create()};
    code = clean(&c);
    evidence_destroy(c.found);
    look_clear(&c.data);
    look_clear(&c.truth);
    cru_arena_destroy(c.arena);
    return code;
}
