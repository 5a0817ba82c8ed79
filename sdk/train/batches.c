// SPDX-License-Identifier: Apache-2.0
/* Shuffled minibatches. */
#include <string.h>

#include <crucible/draft/minibatch.h>
#include <crucible/train.h>

cru_batches cru_batches_create(cru_ctx *ctx, cru_ids rows, int64_t size, bool drop_last)
{
    cru_assert(size > 0 && rows.count > 0, "batches: %lld rows in batches of %lld", (long long)rows.count,
               (long long)size);
    cru_batches b = {.rng = cru_ctx_stream(ctx, "sampling"),
                     .order = cru_ctx_alloc(ctx, rows.count, sizeof(int32_t)),
                     .count = rows.count,
                     .size = size,
                     .at = rows.count, /* the first call starts a pass */
                     .drop_last = drop_last};
    memcpy(b.order, rows.ids, (size_t)rows.count * sizeof *b.order);
    return b;
}

cru_ids cru_batches_next(cru_batches *batches)
{
    int64_t left = batches->count - batches->at;
    bool short_batch = left < batches->size && batches->at > 0;
    if (left == 0 || (short_batch && batches->drop_last)) {
        cru_rng_shuffle(&batches->rng, batches->order, batches->count);
        batches->at = 0;
        left = batches->count;
    }
    int64_t n = left < batches->size ? left : batches->size;
    cru_ids batch = {.ids = batches->order + batches->at, .count = n};
    batches->at += n;
    return batch;
}

int64_t cru_batches_per_pass(const cru_batches *batches)
{
    int64_t whole = batches->count / batches->size;
    bool rest = batches->count % batches->size != 0;
    return whole + (rest && (!batches->drop_last || whole == 0) ? 1 : 0);
}
