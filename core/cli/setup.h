// SPDX-License-Identifier: Apache-2.0
/* setup.h: from config files on a command line to an experiment that can be run, or to the places of data. */
#ifndef CORE_CLI_SETUP_H
#define CORE_CLI_SETUP_H

#include "cli/cli.h"
#include "config/config.h"
#include "process/nursery.h"

typedef struct setup {
    nursery *nursery; /* of scanners and workers; was started before anything was read */
    registry *plugins;
    experiment *experiment;
} setup;

/* Scans for plugins, those of [paths] included, and loads the configuration. Returns CLI_GO_ON, or an exit code after
 * all faults have been printed; warnings are printed in both cases. The caller closes it only after CLI_GO_ON. */
int setup_open(const cli_words *files, const cli_words *sets, setup *s);
int setup_open_quick(const cli_words *files, const cli_words *sets, bool quick,
                     setup *s); /* with [quick], or without */
void setup_close(setup *s);

/* What commands about datasets need: plugins, and where data is, by the [paths] of a config file. */
typedef struct outfit {
    config_paths *paths;
    data_places places; /* points into paths */
    registry *plugins;
} outfit;

/* `config` NULL: the defaults. Returns CLI_GO_ON, or an exit code after the faults have been printed; the caller closes
 * it only after CLI_GO_ON. */
int outfit_open(const char *config, outfit *o);
void outfit_close(outfit *o);

/* The option that names the file. */
#define OUTFIT_OPTION(variable)                                                                                        \
    {                                                                                                                  \
        .name = "config", .argument = "FILE", .text = (variable),                                                      \
        .help = "look where the [paths] of this experiment say"                                                        \
    }

/* How a verb that runs trials of its own runs them: `q` has db, jobs, quiet and json. */
#define TRIAL_OPTIONS(q)                                                                                               \
    {.name = "db", .argument = "FILE", .text = &(q).db, .help = "where trials are kept; default: results.db"},         \
        {.name = "jobs",                                                                                               \
         .letter = 'j',                                                                                                \
         .argument = "N",                                                                                              \
         .number = &(q).jobs,                                                                                          \
         .help = "trials at a time; default: one a core"},                                                             \
        {.name = "quiet", .letter = 'q', .flag = &(q).quiet, .help = "print nothing but errors"},                      \
    {                                                                                                                  \
        .name = "json", .flag = &(q).json, .help = "print a JSON object"                                               \
    }

#endif
