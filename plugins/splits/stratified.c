// SPDX-License-Identifier: Apache-2.0
/* stratified: scikit-learn's StratifiedShuffleSplit, twice: floor(train N) items against the rest, then
 * floor(val N) of the rest against the test items; every part has the classes in their proportions.
 *
 * With the shares and, under rng = study, the seeds 3407 + 10 t of GADBench. */
#include "drawing.h"

static const cru_param schema[] = {
    SHARE_SETTINGS(0.4, 0.2),
    CRU_END,
};

static cru_status divide(const cru_dividing *d)
{
    return take_stratified(d, d->settings);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(share_settings, schema),
    .name = "stratified",
    .version = "1.0",
    .summary = "equal shares of every class, as scikit-learn draws them",
    .citation = SPLITS_OF_GADBENCH,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
