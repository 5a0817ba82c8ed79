// SPDX-License-Identifier: Apache-2.0
/* against.h: what the cells of a table are measured against: other rows of it, or the same cells of another
 * experiment. */
#ifndef CORE_REPORT_AGAINST_H
#define CORE_REPORT_AGAINST_H

#include "report/table/table.h"

/* Notes the means of `other`, of the same metric, in the cells with equal labels, and whether they differ (Welch's
 * test, since runs of two experiments need not be paired). */
void table_against(cru_arena *arena, table *t, const table *other);

/* Notes which cells are worse than the best, or than all, of the rows that a text names with commas. CRU_BAD_INPUT:
 * there is no such row. */
cru_status table_below(cru_arena *arena, table *t, const char *rows, cru_error *err);

#endif
