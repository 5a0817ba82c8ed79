// SPDX-License-Identifier: Apache-2.0
/* describe.h: the numbers of a dataset that `crucible stats` shows. */
#ifndef CORE_DATA_DESCRIBE_H
#define CORE_DATA_DESCRIBE_H

#include <stdbool.h>

#include <crucible/task.h>

#define DESCRIBE_BINS 48

typedef struct data_summary {
    int64_t arcs, loops;   /* stored entries of the graph; those on the diagonal */
    bool symmetric;        /* every arc has its way back */
    int64_t stored;        /* feature values that are stored: all cells of dense features */
    int64_t *class_counts; /* classes */
    int64_t unlabelled;
    double degree_mean;
    int64_t degree_median, degree_max, isolated; /* in-degrees, loops not counted */
    int64_t degree_bins[DESCRIBE_BINS];          /* how many nodes have degree 0, 1, 2-3, 4-7, 8-15, ... */
    int32_t bin_count;
    double size_mean; /* nodes a graph, for CRU_GRAPHS */
    int64_t size_min, size_max;
    /* size of candidate sets and share of those that miss the true label, over the items that not every official split
     * tests */
    double candidates_mean, candidates_wrong;
    int64_t *candidate_counts; /* classes: sets that hold the class; NULL: the data has no candidate sets */
    double *flips; /* classes x classes: share of the sets of items of class i that hold j; NAN: no such item */
} data_summary;

/* CRU_NO_MEMORY. The caller calls data_summary_clear. */
cru_status data_summarise(const cru_data *data, data_summary *out, cru_error *err);
void data_summary_clear(data_summary *s);

/* The degrees of bin k: *from .. *to. */
void data_degree_bin(int32_t k, int64_t *from, int64_t *to);

#endif
