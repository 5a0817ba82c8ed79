// SPDX-License-Identifier: Apache-2.0
/* section.h: what the config of an experiment says about its report. */
#ifndef CORE_REPORT_SECTION_H
#define CORE_REPORT_SECTION_H

#include "report/report.h"

/* Fills what the request leaves open from the [report] section of a config's text as the store keeps it: one line for
 * every setting, however long. Keys that this version does not know are passed over. `config` may be NULL. */
void section_apply(const char *config, cru_arena *arena, report_request *request);

/* Whether its [search] chooses settings by test scores. `config` may be NULL. */
bool section_selects_by_test(const char *config, cru_arena *arena);

#endif
