// SPDX-License-Identifier: Apache-2.0
/* vector-table.h: a vector or matrix that trials reported, as a table of its numbers. */
#ifndef CORE_REPORT_VECTOR_TABLE_H
#define CORE_REPORT_VECTOR_TABLE_H

#include "report/plot/plot-data.h"
#include "report/table/table.h"

/* Rows and columns are numbered from 0; in the memory of `arena`. `digits` negative: 4. */
table *table_of_vector(cru_arena *arena, const char *experiment, const plot_data *vector, int32_t digits);

#endif
