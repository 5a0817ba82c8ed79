// SPDX-License-Identifier: Apache-2.0
/* label-cleaning.h: labels that similar neighbours do not have (CGNN). */
#ifndef PLUGINS_CGNN_LABEL_CLEANING_H
#define PLUGINS_CGNN_LABEL_CLEANING_H

#include <crucible/crucible.h>

typedef struct label_cleaning {
    const cru_csr *graph;
    const float *cosine;   /* of the outputs of both ends, per entry of the graph */
    const int32_t *labels; /* of all nodes; CRU_UNLABELLED counts for nothing */
    int32_t classes;
    double threshold;
} label_cleaning;

/* The label that most labelled neighbours of v have, the lowest of equals, when the share of neighbours whose cosine is
 * above the threshold is above it, too; else its own. count: classes, written. */
int32_t cleaned_label(const label_cleaning *c, int32_t v, int64_t *count);

#endif
