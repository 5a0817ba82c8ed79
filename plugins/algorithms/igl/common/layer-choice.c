// SPDX-License-Identifier: Apache-2.0
#include "layer-choice.h"

const cru_encoder_kind *layer_choice_kind(cru_ctx *ctx, const layer_choice *choice)
{
    const cru_encoder_kind *offered = cru_encoder_of(ctx, choice->plugin);
    return offered ? offered : cru_encoder_kind_of((cru_encoder_choice)choice->backbone);
}

bool layer_choice_is_gcn(const layer_choice *choice)
{
    return choice->backbone == CRU_ENCODER_GCN && !*choice->plugin;
}
