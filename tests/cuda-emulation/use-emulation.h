/* Included before every file of an emulated test: contexts live on the emulated card. */
#ifndef USE_EMULATION_H
#define USE_EMULATION_H

#include <crucible/context.h>

#include "emulation.h"

static inline cru_ctx *emulated_ctx_create(const cru_ctx_options *options)
{
    cru_ctx_options own = {0};
    if (options) own = *options;
    if (!own.backend) own.backend = emulated_backend();
    return cru_ctx_create(&own);
}
#define cru_ctx_create emulated_ctx_create

#endif
