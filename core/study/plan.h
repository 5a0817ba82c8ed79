// SPDX-License-Identifier: Apache-2.0
/* plan.h: which experiments fill an artefact, and what of it cannot be run here. */
#ifndef CORE_STUDY_PLAN_H
#define CORE_STUDY_PLAN_H

#include "config/artefact.h"
#include "data/data.h"
#include "study/published.h"

/* One --only KEY=a,b; the values as published. */
typedef struct study_only {
    const char *key;
    value_list values;
} study_only;

/* A method or dataset of the artefact that takes no part, and why. */
typedef struct study_missing {
    const char *kind, *name, *reason;
} study_missing;

typedef struct study_part {
    const char *files[2];
    int64_t file_count;
    const char *experiment;  /* its name in the store */
    const char *const *sets; /* as --set has them */
    int64_t set_count;
    bool empty;   /* nothing of it can be run */
    bool lacking; /* a method or a dataset of it is not here */
} study_part;

typedef struct study_plan {
    study_part *parts;
    int64_t part_count;
    study_missing *missing;
    int64_t missing_count;
} study_plan;

typedef struct study_request {
    const artefact_file *artefact;
    const published *print; /* filtered; what it does not have is not run */
    const registry *plugins;
    const data_places *places;
    bool quick;
    const char *const *sets; /* of the user */
    int64_t set_count;
    const study_only *only;
    int64_t only_count;
    cru_arena *arena; /* for the plan */
} study_request;

/* Reads KEY=a,b. CRU_BAD_INPUT: not of that form, or a key that nothing is matched with. */
cru_status study_only_read(cru_arena *arena, const artefact_file *a, const char *text, study_only *out, cru_error *err);

/* Whether a published value passes all conditions on the key. */
bool study_only_takes(const study_only *only, int64_t count, const char *key, const char *value);

void study_plan_make(const study_request *request, study_plan *out);

#endif
