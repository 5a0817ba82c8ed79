// SPDX-License-Identifier: Apache-2.0
/* resolve.h: a data request with everything looked up that does not need the data's files. */
#ifndef CORE_DATA_RESOLVE_H
#define CORE_DATA_RESOLVE_H

#include "data/data.h"

/* A dataset plugin with a string setting of this name gets the dataset that the setting names as a memory image
 * (cru_data_map), in the file of the same role. */
#define DATA_BASE "base"

typedef struct resolved {
    const data_request *request;
    card *card;                   /* NULL for a generator called by its own name */
    const registry_entry *plugin; /* the format or generator */
    cru_settings *settings;       /* NULL when the plugin has none */
    char *base;                   /* the dataset that the plugin builds on, or NULL */
} resolved;

/* On CRU_OK the caller calls resolved_clear. CRU_BAD_INPUT: unknown name, plugin or setting. */
cru_status data_resolve(const data_request *request, resolved *r, cru_error *err);
void resolved_clear(resolved *r);

/* Data that depends on the seed is made anew each time and never cached. */
static inline bool resolved_is_generated(const resolved *r)
{
    return r->plugin->problems != 0;
}

#endif
