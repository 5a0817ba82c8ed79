// SPDX-License-Identifier: Apache-2.0
/* comparison.h: the rows of a table compared over all of its columns, as another table: average rank, mean and
 * interquartile mean of all runs with bootstrap intervals, and every row against the one of best rank. */
#ifndef CORE_REPORT_COMPARISON_H
#define CORE_REPORT_COMPARISON_H

#include "report/table/table.h"

typedef struct comparison_request {
    double rope;   /* differences up to it are as good as none, in the printed unit; negative: 1 in per cent, else 0 */
    int64_t draws; /* of the bootstrap; 0: 2000 */
} comparison_request;

/* Only columns in which all rows with any value have one are compared. CRU_UNSUPPORTED: fewer than two rows, or no such
 * column. Lives in the arena. */
cru_status table_comparison(cru_arena *arena, const table *t, const comparison_request *request, table **out,
                            cru_error *err);

/* How many different datasets some columns of a table are of; 1 when the columns do not name any. */
int64_t comparison_datasets(const table *t, const int64_t *cols, int64_t n);

#endif
