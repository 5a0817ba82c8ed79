// SPDX-License-Identifier: Apache-2.0
#include "data/split-draw.h"

#include <inttypes.h>

void draw_pool(drawing *d, int32_t label)
{
    d->pool.count = 0;
    for (int64_t i = 0; i < d->data->items; i++) {
        int32_t truth = d->data->truth[i];
        if (!d->used[i] && (label < 0 ? truth != CRU_UNLABELLED : truth == label))
            d->pool.ids[d->pool.count++] = (int32_t)i;
    }
}

void draw_take(drawing *d, part *to, int64_t start, int64_t count)
{
    for (int64_t k = start; k < start + count; k++) {
        to->ids[to->count++] = d->pool.ids[k];
        d->used[d->pool.ids[k]] = 1;
    }
}

void draw_rest(drawing *d)
{
    draw_pool(d, -1);
    draw_take(d, &d->test_part, 0, d->pool.count);
}

cru_status draw_too_few(const char *scheme, int64_t needed, int64_t found, cru_error *err)
{
    return cru_fail(err, CRU_UNSUPPORTED, "split %s: needs %" PRId64 " items, found %" PRId64, scheme, needed, found);
}
