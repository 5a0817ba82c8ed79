// SPDX-License-Identifier: Apache-2.0
/* summary.h: the columns behind a table that sum its rows up: averages, improvements, ranks, over all columns and over
 * named groups of them. */
#ifndef CORE_REPORT_SUMMARY_H
#define CORE_REPORT_SUMMARY_H

#include "report/table/table.h"

/* Adds the columns that the request asks for, from the finished cells: Ave. with `average`, Imp. where there is another
 * experiment to compare with, rank where there is more than one column, rel. % and W/T/L where there are baselines;
 * then the same for every group. CRU_BAD_INPUT: `groups` cannot be read. */
cru_status table_sum_up(cru_arena *arena, table *t, const table_request *request, cru_error *err);

#endif
