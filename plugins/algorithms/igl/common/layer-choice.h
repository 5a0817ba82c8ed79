// SPDX-License-Identifier: Apache-2.0
/* layer-choice.h: two settings for one thing: `backbone` names layers, `encoder` a plugin that brings its own
 * (encoder-plugin.h), which comes first. */
#ifndef IGL_LAYER_CHOICE_H
#define IGL_LAYER_CHOICE_H

#include <crucible/crucible.h>
#include <crucible/encoder-plugin.h>

typedef struct layer_choice {
    int64_t backbone;   /* among the names that the method offers */
    const char *plugin; /* "": none */
} layer_choice;

/* Entries of a schema for such a member; ENCODER_CHOICE: one of cru_encoder_choice. */
#define LAYER_CHOICE(type_, member_, default_, names_, help_)                                                          \
    CRU_CHOICE_KEY(type_, "backbone", member_.backbone, default_, names_, help_),                                      \
        CRU_ENCODER_PLUGIN(type_, member_.plugin)
#define ENCODER_CHOICE(type_, member_) LAYER_CHOICE(type_, member_, CRU_ENCODER_GCN, cru_encoder_names, "the network")

/* The layers of an ENCODER_CHOICE. */
const cru_encoder_kind *layer_choice_kind(cru_ctx *ctx, const layer_choice *choice);

/* Whether these are our own graph convolutions. */
bool layer_choice_is_gcn(const layer_choice *choice);

#endif
