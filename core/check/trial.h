// SPDX-License-Identifier: Apache-2.0
/* One run of an algorithm on a small problem. For case processes. */
#ifndef CORE_CHECK_TRIAL_H
#define CORE_CHECK_TRIAL_H

#include "check/case.h"
#include "check/tiny.h"

typedef struct trial_plan {
    const tiny_problem *problem;
    const char *key, *value; /* one setting that is not at its default; key NULL: none */
    const check_setting *settings;
    int64_t setting_count; /* further ones */
    uint64_t seed;
    int32_t threads;
    int64_t epochs;
    bool foreign; /* a script: its sums are those of libraries that may share them among threads as they like */
} trial_plan;

typedef struct trial_outcome {
    cru_status status; /* of the first call that failed */
    cru_error err;
    const char *call; /* its name */
    float *scores;    /* items x classes, malloc'ed; NULL unless all went well */
    int64_t rows, cols;
} trial_outcome;

/* The plugin's settings with those of the plan; `plan` may be NULL. The caller destroys them. */
cru_settings *plan_settings(const cru_plugin *plugin, const trial_plan *plan);

/* Creates an instance, trains it, lets it predict twice, destroys it. What plugin.h forbids whatever the task - scores
 * that are not finite or go beyond their place, a second prediction that differs - is stored in `v` as failed; then
 * `scores` is NULL. A call that fails is left to the caller to judge. */
trial_outcome trial_run(const cru_plugin *plugin, const trial_plan *plan, verdict *v);

#endif
