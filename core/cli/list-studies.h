// SPDX-License-Identifier: Apache-2.0
/* list-studies.h: what `crucible list studies` prints. */
#ifndef CORE_CLI_LIST_STUDIES_H
#define CORE_CLI_LIST_STUDIES_H

#include "cli/cli.h"

/* One line an artefact. The first store, when it is there, is told of the trials of all artefacts. Returns an exit code. */
int list_studies(const cli_words *dbs, bool json);

#endif
