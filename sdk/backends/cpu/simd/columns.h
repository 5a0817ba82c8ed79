// SPDX-License-Identifier: Apache-2.0
/* Columns of outer x count x inner, taken side by side in groups: walking down one column alone would fetch a line of
 * the cache for every number. */
#ifndef CRUCIBLE_CPU_SIMD_COLUMNS_H
#define CRUCIBLE_CPU_SIMD_COLUMNS_H

#include "vector.h"

enum { COLUMN_GROUP = 32 };

static int64_t column_groups(int64_t inner)
{
    return (inner + COLUMN_GROUP - 1) / COLUMN_GROUP;
}

/* Columns from .. to-1, where column k of outer slice o has number o * inner + k. */
typedef struct columns {
    int64_t from, to;
} columns;

/* Group number `at` of all slices; never of two slices at once. */
static columns columns_of_group(int64_t at, int64_t inner)
{
    const int64_t groups = column_groups(inner), outer = at / groups, first = (at - outer * groups) * COLUMN_GROUP;
    const int64_t width = inner - first < COLUMN_GROUP ? inner - first : COLUMN_GROUP;
    return (columns){outer * inner + first, outer * inner + first + width};
}

#endif
