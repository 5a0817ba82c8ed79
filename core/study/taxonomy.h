// SPDX-License-Identifier: Apache-2.0
/* taxonomy.h: what kind of graph a dataset is, by what graph-aware baselines gain over graph-agnostic ones.
 *
 *     homophilic   min(H_edge, H_node) > 0.57
 *     else, with a = GCN - MLP-2 and b = SGC-1 - MLP-1, means of tuned models:
 *     malignant    a < 0 and b < 0: the graph harms
 *     benign       a > 0 and b > 0: the graph helps although neighbours differ
 *     ambiguous    the signs differ, or one of them is 0
 *
 * The paper says "smaller or close to 0.5" instead of 0.57; this cut gives its grouping of all 27 datasets. It tests
 * nothing; here each difference has a Wilcoxon signed-rank test over the runs, with Holm's correction for the two of
 * them.
 *
 * Luan, Lu, Hua et al. Are Heterophilic GNNs and Homophily Metrics Really Effective? Evaluation Pitfalls and New
 * Benchmarks. 2024. */
#ifndef CORE_STUDY_TAXONOMY_H
#define CORE_STUDY_TAXONOMY_H

#include <stdbool.h>
#include <stdint.h>

#define TAXONOMY_CUT 0.57

typedef enum taxonomy_kind {
    TAXONOMY_UNKNOWN, /* a score or a measure is missing */
    TAXONOMY_HOMOPHILIC,
    TAXONOMY_MALIGNANT,
    TAXONOMY_BENIGN,
    TAXONOMY_AMBIGUOUS,
} taxonomy_kind;

/* Runs are paired: run i of all four models has the same split. */
typedef struct taxonomy_scores {
    double edge_homophily, node_homophily;
    const double *aware[2];    /* GCN, SGC-1 */
    const double *agnostic[2]; /* MLP-2, MLP-1 */
    int64_t runs;
} taxonomy_scores;

typedef struct taxonomy {
    taxonomy_kind kind;
    double gain[2]; /* a, b */
    double p[2];    /* corrected; NAN when no run differs */
} taxonomy;

taxonomy taxonomy_judge(const taxonomy_scores *s);
const char *taxonomy_name(taxonomy_kind kind); /* "malignant", ... */

#endif
