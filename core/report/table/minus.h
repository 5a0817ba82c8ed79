// SPDX-License-Identifier: Apache-2.0
/* minus.h: cells as differences: what a damage costs a method, what a method gains on another.
 *
 * `name` is a part of columns or of rows ("none", "rate=0", "gcn"; with keys dataset and corruptor the cell under cora
 * uniform is taken less that under cora none). A cell then holds the differences of its runs from the runs of the other
 * that differ from them in nothing else, their mean and spread, and p of being zero by Wilcoxon's signed-rank test with
 * Holm's correction over the rows of its column. The cells that were taken away are left out; where no run has its like
 * nothing is defined. */
#ifndef CORE_REPORT_MINUS_H
#define CORE_REPORT_MINUS_H

#include "report/table/table.h"

/* The runs of the table are numbered by pivot_pairs_across. CRU_BAD_INPUT: neither a column nor a row has that part. */
cru_status table_minus(cru_arena *arena, table *t, const char *name, cru_error *err);

#endif
