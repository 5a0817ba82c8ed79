// SPDX-License-Identifier: Apache-2.0
/* listing.h: what was found of the labels, as CSV and as a page that needs nothing else. Failures to write show in the
 * stream (ferror). */
#ifndef CORE_CLEAN_LISTING_H
#define CORE_CLEAN_LISTING_H

#include <stdio.h>

#include "clean/evidence.h"

typedef struct listing {
    const char *dataset;
    const evidence *found;
    const char *const *class_names; /* classes */
    const char *verdict;            /* one or two sentences */
    const char *command;            /* that repeats it */
} listing;

/* rank,item,given,suggested,suspicion,methods_against,methods,probably_wrong: one line an item, the most suspect
 * first. */
void listing_csv(const listing *l, FILE *out);
void listing_page(const listing *l, FILE *out);

#endif
