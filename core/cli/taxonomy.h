// SPDX-License-Identifier: Apache-2.0
/* cli/taxonomy.h: `crucible stats DATASET --taxonomy`: runs four baselines and says which kind of graph it is. */
#ifndef CORE_CLI_TAXONOMY_H
#define CORE_CLI_TAXONOMY_H

#include "cli/cli.h"

typedef struct taxonomy_request {
    const char *dataset;   /* a card's name or path, or a generator */
    const char *config;    /* a further file of the experiment, NULL: none */
    const char *db;        /* NULL: results.db */
    const cli_words *sets; /* settings of the dataset, key=value */
    bool json;
} taxonomy_request;

/* The experiment is the file heterophily/taxonomy.ini of the studies. Returns an exit code. */
int taxonomy_run(const taxonomy_request *q);

#endif
