// SPDX-License-Identifier: Apache-2.0
/* imbalance-ratio: size of the largest class over that of the smallest.
 *
 *     max_c n_c / min_c n_c      over the classes that occur in the training part (in all items when there is no split)
 *
 * by true label. */
#include <crucible/imbalance.h>

#include "described.h"

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    cru_arena *scratch = cru_arena_create();
    if (!scratch) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for item numbers");
    *value = cru_imbalance_of_classes(data->truth, described_items(cru_arena_pool(scratch), data), data->classes);
    cru_arena_destroy(scratch);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET | CRU_METRIC_LOWER_IS_BETTER, .score = score),
    .name = "imbalance-ratio",
    .version = "1.0",
    .summary = "training items of the largest class over those of the smallest",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
