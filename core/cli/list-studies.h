// SPDX-License-Identifier: Apache-2.0
/* list-studies.h: what `crucible list studies` prints. */
#ifndef CORE_CLI_LIST_STUDIES_H
#define CORE_CLI_LIST_STUDIES_H

#include "cli/cli.h"

typedef struct list_studies_request {
    cli_words names; /* studies or artefacts; none: all */
    cli_words dbs;
    bool json;
    bool probe; /* run one trial of every method that was never timed, in the first store */
} list_studies_request;

/* One line an artefact. The first store, when it is there, is told of the trials of all artefacts. Returns an exit
 * code. */
int list_studies(const list_studies_request *r);

#endif
