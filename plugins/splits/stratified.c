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

static const cru_splitter vtable = {.size = sizeof(cru_splitter), .divide = divide};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_SPLIT),
    .name = "stratified",
    .version = "1.0",
    .summary = "equal shares of every class, as scikit-learn draws them",
    .citation = "Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. "
                "NeurIPS 2023.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
    .settings_size = sizeof(share_settings),
    .params = schema,
    .vtable = &vtable,
};
