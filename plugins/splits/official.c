// SPDX-License-Identifier: Apache-2.0
/* official: one of the splits that come with the data. */
#include "drawing.h"

typedef struct settings {
    int64_t index;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, index, -1, -1, 1e6, "which of them; -1: seed modulo their number"),
    CRU_END,
};

static cru_status divide(const cru_dividing *d)
{
    return take_official(d, ((const settings *)d->settings)->index);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(settings, schema),
    .name = "official",
    .version = "1.0",
    .summary = "one of the splits that come with the data",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
