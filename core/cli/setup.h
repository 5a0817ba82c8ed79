/* setup.h: from config files on a command line to an experiment that can be run. */
#ifndef CORE_CLI_SETUP_H
#define CORE_CLI_SETUP_H

#include "cli/cli.h"
#include "config/config.h"

typedef struct setup {
    registry *plugins;
    experiment *experiment;
} setup;

/* Scans for plugins, those of [paths] included, and loads the configuration. Returns CLI_GO_ON, or an exit code after
 * all faults have been printed. The caller closes it only after CLI_GO_ON. */
int setup_open(const cli_words *files, const cli_words *sets, setup *s);
void setup_close(setup *s);

#endif
