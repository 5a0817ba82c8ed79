// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.h"

#include <string.h>

#include <crucible/params.h>

#include "cli/cli.h"

typedef struct verb {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* NULL: for programs, help does not list it */
} verb;

/* In the order in which help lists them, those that it leaves out last. A new verb is one line here and one prototype
 * in verbs.h. */
static const verb verbs[] = {
    {"run", verb_run, "run the trials of an experiment"},
    {"search", verb_search, "search settings of methods, then report the chosen ones"},
    {"score", verb_score, "judge kept scores by metrics that came later"},
    {"pick", verb_pick, "race methods on a dataset and say which suits it"},
    {"clean", verb_clean, "rank the labels of a dataset that are probably wrong"},
    {"list", verb_list, "list the plugins that were found"},
    {"info", verb_info, "describe a plugin, a dataset or a section of experiment files, with its settings"},
    {"fetch", verb_fetch, "download datasets and check them"},
    {"stats", verb_stats, "describe a dataset: counts, classes, degrees"},
    {"report", verb_report, "print the results of an experiment as tables"},
    {"show", verb_show, "show the experiments and trials of a store: messages, logs, curves, predictions"},
    {"plot", verb_plot, "draw the results of an experiment"},
    {"serve", verb_serve, "show a store in the browser while a run goes on"},
    {"claims", verb_claims, "say which findings of a study hold, in print and in our results"},
    {"export", verb_export, "write every trial on one line, as CSV or JSON"},
    {"diff", verb_diff, "compare the results of two stores"},
    {"merge", verb_merge, "make one store from several"},
    {"submit", verb_submit, "run the trials of an experiment on a cluster"},
    {"status", verb_status, "say how submitted trials get on"},
    {"check", verb_check, "test a plugin file against the rules of the interface"},
    {"new", verb_new, "start a plugin of your own"},
    {"doctor", verb_doctor, "look over the machine and the installation"},
    {"version", verb_version, "print the version of the program and of the plugin interface"},
    {"complete", verb_complete, NULL},
};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs, LISTED_COUNT = VERB_COUNT - 1 };

static int print_verbs(FILE *out)
{
    fputs("Usage: crucible VERB [OPTION]... [ARGUMENT]...\n\n"
          "Does this learning method still work when the data is bad?\n\n",
          out);
    for (int i = 0; i < LISTED_COUNT; i++)
        fprintf(out, "  %s%-10s%s %s\n", cli_paint(out, CLI_BOLD), verbs[i].name, cli_paint(out, CLI_PLAIN),
                verbs[i].summary);
    fputs("\n'crucible VERB --help' explains a verb. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done in part.\n",
          out);
    return CLI_OK;
}

void verbs_print_names(void)
{
    for (int i = 0; i < LISTED_COUNT; i++) puts(verbs[i].name);
}

static const verb *find_verb(const char *name)
{
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i].name, name) == 0) return &verbs[i];
    return NULL;
}

static int say_unknown(const char *name)
{
    const char *names[LISTED_COUNT];
    for (int i = 0; i < LISTED_COUNT; i++) names[i] = verbs[i].name;
    const char *nearest = cru_nearest(name, names, LISTED_COUNT);
    if (nearest) return cli_wrong("unknown verb '%s'; did you mean '%s'?", name, nearest);
    return cli_wrong("unknown verb '%s'; 'crucible --help' lists them", name);
}

static int run_verb(const char *name, int argc, char **argv)
{
    const verb *found = find_verb(name);
    if (!found) return say_unknown(name);
    return found->run(argc, argv);
}

int verbs_run(int argc, char **argv)
{
    if (argc < 2) {
        print_verbs(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return print_verbs(stdout);
    if (strcmp(name, "--version") == 0) return run_verb("version", 1, argv + 1);
    if (strcmp(name, "help") == 0) {
        if (argc == 2) return print_verbs(stdout);
        return run_verb(argv[2], 2, (char *[]){argv[2], "--help", NULL});
    }
    return run_verb(name, argc - 1, argv + 1);
}
