// SPDX-License-Identifier: Apache-2.0
/* auto: official when the data comes with splits, else stratified. */
#include "drawing.h"

typedef struct settings {
    int64_t index;
    share_settings shares;
} settings;

static const cru_param share_params[] = {SHARE_SETTINGS(0.6, 0.2), CRU_END};

static const cru_param schema[] = {
    CRU_INT(settings, index, -1, -1, 1e6, "which official split; -1: seed modulo their number"),
    CRU_GROUP(settings, shares, share_params),
    CRU_END,
};

static cru_status divide(const cru_dividing *d)
{
    const settings *s = d->settings;
    return d->data->official_count > 0 ? take_official(d, s->index) : take_stratified(d, &s->shares);
}

CRU_PLUGIN = {
    CRU_SPLIT(.divide = divide),
    CRU_SETTINGS(settings, schema),
    .name = "auto",
    .version = "1.0",
    .summary = "official when the data has splits of its own, else stratified",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = SPLIT_PROBLEMS,
};
