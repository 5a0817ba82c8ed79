// SPDX-License-Identifier: Apache-2.0
#include "folds.h"

typedef struct run {
    int64_t from, to;
} run;

static run run_of(cru_ids list, int64_t f)
{
    return (run){list.count * f / FOLDS, list.count * (f + 1) / FOLDS};
}

cru_ids folds_without(cru_ctx *ctx, cru_ids list, int64_t f)
{
    const run rest = run_of(list, f);
    int32_t *ids = cru_ctx_alloc(ctx, list.count, sizeof *ids);
    int64_t count = 0;
    for (int64_t i = 0; i < list.count; i++)
        if (i < rest.from || i >= rest.to) ids[count++] = list.ids[i];
    return count ? (cru_ids){ids, count} : list;
}

subset folds_resting(const cru_learner *learner, cru_ids one, cru_ids other, int64_t f)
{
    const cru_ids lists[] = {one, other};
    int32_t *ids = cru_ctx_alloc(learner->ctx, one.count + other.count, sizeof *ids);
    cru_ids resting = {ids, 0};
    for (int k = 0; k < 2; k++) {
        const run rest = run_of(lists[k], f);
        for (int64_t i = rest.from; i < rest.to; i++) ids[resting.count++] = lists[k].ids[i];
    }
    return subset_labelled(learner, resting);
}
