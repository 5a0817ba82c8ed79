// SPDX-License-Identifier: Apache-2.0
/* keys.h: which settings make the rows and the columns of a table. */
#ifndef CORE_REPORT_KEYS_H
#define CORE_REPORT_KEYS_H

#include "report/table/table.h"

typedef struct key_list {
    const frame_column **columns;
    int64_t count;
} key_list;

/* The column of that name; "rate" also stands for "corruptor.rate" when no setting is called "rate", and "algorithm"
 * for the name that the experiment gives to a method. NULL: none. */
const frame_column *pivot_key_find(const frame *f, const char *name);

typedef struct pivot_keys {
    key_list rows, cols, over;
} pivot_keys;

/* Takes the request's lists apart, and chooses what it leaves open:
 *
 * rows are the methods by alias; columns are settings that vary, dataset and corruptor first. A setting that follows
 * from those already chosen is left out (the format of a dataset follows from the dataset), as is one that follows once
 * the seed is known, too (the learning rate that a search found). A setting of a method that is swept becomes part of
 * the row. Of what searches tried (`tried`) every setting that was searched is part of the row. */
cru_status pivot_keys_choose(const frame *f, const table_request *request, pivot_keys *keys, cru_error *err);

/* Trials that differ only in what belongs to the method share a group: what the tests pair. */
grouping pivot_pairs(const frame *f, const pivot_keys *keys);

/* The same across columns: trials that differ only in the method and in what their columns determine. */
grouping pivot_pairs_across(const frame *f, const pivot_keys *keys);

#endif
