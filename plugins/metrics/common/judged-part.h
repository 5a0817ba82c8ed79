// SPDX-License-Identifier: Apache-2.0
/* judged-part.h: a setting that chooses which part of the split a metric looks at. */
#ifndef METRICS_JUDGED_PART_H
#define METRICS_JUDGED_PART_H

#include <crucible/plugin.h>

typedef enum judged_part { PART_TEST, PART_VAL, PART_TRAIN } judged_part;

extern const char *const judged_parts[]; /* the choices, for a schema */

/* The settings of a metric that has this one alone: `part`, validation unless it is said. */
typedef struct part_settings {
    int64_t part;
} part_settings;

extern const cru_param part_params[];

/* A copy that is about that part; PART_TEST leaves the items as they are. */
cru_judging judging_of_part(const cru_judging *j, int64_t part);

#endif
