// SPDX-License-Identifier: Apache-2.0
/* The suites, one per kind; check.c chooses. Each adds its rows to the report. */
#ifndef CORE_CHECK_SUITES_H
#define CORE_CHECK_SUITES_H

#include <crucible/plugin.h>

#include "check/case.h"
#include "check/trial.h"

void suite_algorithm(suite *s);
void suite_dataset(suite *s);
void suite_files(suite *s); /* a dataset on the files of the options */
void suite_corruptor(suite *s);
void suite_metric(suite *s);
void suite_split(suite *s);

/* The settings, one at a time at the limits of the plugin's own schema; `body` gets a trial_plan. One row a setting. */
void suite_settings(suite *s, case_body *body);

/* What a dataset plugin makes of a source, checked against the rules of task.h. The caller destroys *data, which is
 * NULL after a failure. `plan` (may be NULL) has a setting that is not at its default. */
cru_status load_data(const cru_plugin *plugin, const trial_plan *plan, const cru_source *source, cru_data **data,
                     cru_error *err);

/* Fails unless both are the same to the last bit. In a case with `images`. */
void compare_data(const cru_data *first, const cru_data *second, verdict *v);

#endif
