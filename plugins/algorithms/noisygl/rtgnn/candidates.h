// SPDX-License-Identifier: Apache-2.0
/* candidates.h: the edges between labelled and other nodes that rtgnn may add. */
#ifndef PLUGINS_CANDIDATES_H
#define PLUGINS_CANDIDATES_H

#include <crucible/crucible.h>

/* Row i lists the k nodes of the other kind (training nodes, all others) whose features are most similar to those of i
 * by cosine, all of them when there are fewer. With `empty_first` the nodes without features, whose cosine is 0 / 0,
 * count as the most similar ones, as in a sort that puts NaN on top. Pattern of nodes x nodes, in memory of the
 * pool. */
typedef struct candidate_rules {
    int64_t k;
    bool empty_first;
} candidate_rules;
cru_csr candidate_pairs(cru_pool pool, const cru_task *task, cru_ids others, const candidate_rules *rules);

#endif
