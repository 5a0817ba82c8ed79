// SPDX-License-Identifier: Apache-2.0
/* verdict.h: the page of a race. */
#ifndef CORE_PICK_VERDICT_H
#define CORE_PICK_VERDICT_H

#include <stdio.h>

#include "pick/race.h"

/* One rung as it was run. */
typedef struct verdict_rung {
    race_rung rung;
    const race_entry *entries; /* in their order */
    int64_t count, survivors;
    const double *seconds; /* count: of all its trials */
} verdict_rung;

typedef struct verdict {
    const char *dataset, *sentence, *judge; /* what was validated: "accuracy on validation data" */
    const char *const *facts;               /* "items", "1122", "classes", "16", ... NULL */
    const verdict_rung *rungs;
    int64_t rung_count;
    const char *metric;                 /* of the test */
    const double *test_mean, *test_std; /* of the last rung's entries, in their order; NAN: none */
    const char *ini, *command;
} verdict;

/* One self-contained page. Failures to write show in the stream. */
void verdict_page(const verdict *v, FILE *out);

#endif
