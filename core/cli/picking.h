// SPDX-License-Identifier: Apache-2.0
/* picking.h: a race of methods on one dataset, as `crucible pick` runs and tells it. */
#ifndef CORE_CLI_PICKING_H
#define CORE_CLI_PICKING_H

#include <stdbool.h>
#include <stdint.h>

#include <crucible/arena.h>

#include "cli/cli.h"
#include "cli/look.h"
#include "pick/verdict.h"

enum { CANDIDATES_MOST = 1000 };

typedef struct pick_request {
    const char *dataset, *config, *db, *methods, *metric, *hours, *out;
    cli_words sets, damage;
    int64_t jobs, seed;
    bool quiet, json, noise;
} pick_request;

typedef struct picking {
    const pick_request *q;
    cru_arena *arena;
    look data;
    const char *file, *metric, *monitor; /* the experiment file; of the test; of validation */
    double deadline;
    const char *names[CANDIDATES_MOST]; /* candidates, then those that are left */
    int64_t count, candidates;
    verdict_rung rungs[RACE_RUNGS];
    int64_t rung_count;
    bool late;
    const char *base, *ini, *page; /* names of files */
    const char *config;            /* the text of the INI file */
    double *test_mean, *test_std;
    const char *noise; /* of --noise: what is estimated; NULL: it was not asked for */
} picking;

extern const char *const pick_measures[]; /* of the data, in the order of look.measures */

/* The last rung that was run to its end: the one that decides. */
const verdict_rung *pick_last_rung(const picking *p);

/* "a, b" */
const char *pick_join(const picking *p, const char *const *names, int64_t count);

/* The sum, passing over NAN. */
double pick_total(const double *values, int64_t n);

/* Writes the page, and prints what was picked as the request asks. Returns an exit code. */
int pick_tell(const picking *p);

#endif
