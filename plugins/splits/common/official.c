// SPDX-License-Identifier: Apache-2.0

#include "drawing.h"

cru_status take_official(const cru_dividing *d, int64_t index)
{
    cru_data *data = d->data;
    if (data->official_count == 0)
        return cru_fail(d->err, CRU_UNSUPPORTED, "this dataset comes without splits of its own");
    if (index >= data->official_count)
        return cru_fail(d->err, CRU_BAD_INPUT, "index = %lld, but there are %d", (long long)index,
                        data->official_count);
    data->split = data->official[index >= 0 ? index : (int64_t)(data->seed % (uint64_t)data->official_count)];
    return CRU_OK;
}
