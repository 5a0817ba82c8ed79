// SPDX-License-Identifier: Apache-2.0
/* Notes of what comes before a classifier. */
#include <string.h>

#include <crucible/nn.h>
#include <crucible/ops.h>

#include "autograd/tape.h"

void cru_represent_parts(cru_tape *t, cru_tensor *const *parts, int64_t count)
{
    cru_assert(count >= 0 && count <= TAPE_PARTS, "represent: %lld parts", (long long)count);
    if (count) memcpy(t->represented, parts, (size_t)count * sizeof *parts);
    t->represented_count = count;
}

cru_tensor *cru_represent(cru_tape *t, cru_tensor *h)
{
    cru_represent_parts(t, &h, h ? 1 : 0);
    return h;
}

cru_tensor *cru_represented(cru_tape *t)
{
    if (t->represented_count == 0) return NULL;
    return t->represented_count == 1 ? t->represented[0] : cru_concat_cols(t, t->represented, t->represented_count);
}
