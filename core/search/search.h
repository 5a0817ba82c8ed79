// SPDX-License-Identifier: Apache-2.0
/* search.h: one search, from the settings it tries to the one it chooses. Runs nothing itself:
 *
 *     search *s = search_create(&problem);
 *     while ((step = search_ask(s, &number)) != SEARCH_OVER)
 *         if (step == SEARCH_TRY) try search_point(s, number), now or later, and search_tell(s, number, &result);
 *     choice = search_choice(s);
 *
 * What is tried as number k depends on the problem and on the results of settings 0 .. k - ahead alone, whatever else
 * is known by then. So a search does not depend on how many trials run at a time or in which order they end, and one
 * that is told old results again goes on exactly where it stopped. */
#ifndef CORE_SEARCH_H
#define CORE_SEARCH_H

#include "search/space.h"

typedef struct search search;

/* Everything outlives the search. */
typedef struct search_problem {
    const search_settings *settings;
    const search_axis *axes; /* none: the only setting is the defaults */
    int64_t axis_count;
    const double *defaults; /* coordinates of the defaults; NAN where the distribution does not have the value */
    uint64_t seed;          /* of the stream "search" */
} search_problem;

/* Never NULL: memory running out is a panic, here and below. */
search *search_create(const search_problem *problem);
void search_destroy(search *s); /* NULL is fine */

typedef enum search_step {
    SEARCH_TRY,   /* the setting *number is to be tried; numbers go up from 0 */
    SEARCH_LATER, /* not before another result */
    SEARCH_OVER,  /* all results are in */
} search_step;
search_step search_ask(search *s, int64_t *number);

/* Coordinates of a setting that was asked for; NULL: the defaults. */
const double *search_point(const search *s, int64_t number);

typedef struct search_result {
    bool ok;        /* the trial, or all of several, ended well */
    double score;   /* on validation data, the larger the better; NAN: none, counts as -INFINITY */
    double seconds; /* that it took; NAN: unknown */
} search_result;

/* Once for every setting, in any order. */
void search_tell(search *s, int64_t number, const search_result *result);

/* The number of the best setting: the highest score, of equal ones the first or the last as [search] ties says; one
 * that failed only when all did. After SEARCH_OVER. */
int64_t search_choice(const search *s);

/* How many settings were asked for. */
int64_t search_count(const search *s);

/* How many it will ask for at most; INT64_MAX: only time limits it. */
int64_t search_limit(const search *s);

#endif
