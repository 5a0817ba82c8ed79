// SPDX-License-Identifier: Apache-2.0
/* look.h: what `clean` and `pick` must know of a dataset before they choose anything. Plugins never run in the host's
 * own process: a child that is locked to the dataset's files reads it and sends back these figures. */
#ifndef CORE_CLI_LOOK_H
#define CORE_CLI_LOOK_H

#include "cli/cli.h"
#include "cli/setup.h"
#include "data/data.h"

typedef struct look_request {
    const char *dataset;   /* a card's name or path, or a generator */
    const cli_words *sets; /* its settings, key=value; NULL: none */
    const outfit *with;
    const char *const *measures; /* metrics of data, by name, ending with NULL; NULL: none */
} look_request;

enum { LOOK_MEASURES = 8 };

typedef struct look {
    cru_problem problem;
    int64_t items, nodes, arcs, features, labelled;
    int32_t classes, official;
    int64_t official_train, official_val; /* items of the first official split; 0: there is none */
    bool partial;                         /* labels are candidate sets */
    int32_t *labels;                      /* items; CRU_UNLABELLED where there is none */
    int64_t *class_counts;                /* classes */
    char **class_names;                   /* classes, fit for printing */
    double measures[LOOK_MEASURES];       /* in the order asked for; NAN: not defined for such data */
} look;

/* Returns CLI_OK, and the caller calls look_clear, or an exit code after the fault has been printed. */
int look_at(const look_request *q, look *out);
void look_clear(look *l);

#endif
