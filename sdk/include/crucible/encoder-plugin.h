// SPDX-License-Identifier: Apache-2.0
/* encoder-plugin.h: layers from a plugin of their own, which methods take in place of a `backbone`. Continues
 * encoder.h.
 *
 * Who writes a kind of layers (cru_encoder_kind) offers it with
 *
 *     static const cru_encoder_kind kind = {
 *         "max-layers", {CRU_LOOPS_ADD, CRU_NORM_NONE}, CRU_UNARY_RELU, create, apply,
 *     };
 *
 *     CRU_PLUGIN = {
 *         CRU_ENCODER(&kind),
 *         .name = "max-layers", .version = "1.0", .problems = CRU_NODES | CRU_GRAPHS,
 *         .summary = "the largest of what the neighbours say",
 *     };
 *
 * That is a method by itself: `layers` such layers, a mean over the nodes of a graph where graphs are classified, and a
 * linear layer, trained by cross-entropy. And any method with the setting `encoder` can be given its layers:
 *
 *     [algorithm tam]
 *     encoder = max-layers
 *
 * A method offers that with CRU_ENCODER_PLUGIN in its schema, and asks cru_encoder_of or cru_learner_encoder_of where
 * it builds its network. The host loads the file into the same worker, under the same limits, and its name and version
 * are part of the trial's key. A method inside a wrapper cannot be given one. */
#ifndef CRUCIBLE_ENCODER_PLUGIN_H
#define CRUCIBLE_ENCODER_PLUGIN_H

#include <crucible/encoder.h>
#include <crucible/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- offering layers ------------------------------------------------------------------------------------- */

/* The method of a plugin with CRU_ENCODER. */
typedef struct cru_encoder_method {
    cru_method method; /* first */
    const cru_encoder_kind *kind;
} cru_encoder_method;

/* Its settings. */
typedef struct cru_encoder_alone {
    int64_t layers, hidden;
    double dropout;
    cru_graph_settings graphs; /* its matrix is what that of the layers is made of */
    cru_train train;
} cru_encoder_alone;

CRU_API extern const cru_param cru_encoder_alone_schema[]; /* of cru_encoder_alone */
CRU_API void cru_encoder_alone_build(cru_learner *l, void *model);
CRU_API cru_tensor *cru_encoder_alone_forward(cru_learner *l, void *model, cru_tape *t, const cru_graphs *graphs);

/* The first entries of the CRU_PLUGIN of layers. */
#define CRU_ENCODER(kind_)                                                                                             \
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),                                                                             \
        .settings_size = sizeof(cru_encoder_alone), .params = cru_encoder_alone_schema, .vtable = &cru_method_vtable,  \
        .method = &(const cru_encoder_method){.method = {.model_size = sizeof(cru_encoder),                            \
                                                         .train = CRU_AT(cru_encoder_alone, train),                    \
                                                         .graphs = CRU_AT(cru_encoder_alone, graphs),                  \
                                                         .build = cru_encoder_alone_build,                             \
                                                         .forward = cru_encoder_alone_forward},                        \
                                              .kind = (kind_)}                                                         \
                       .method

/* The layers that a plugin offers, or NULL. */
CRU_API const cru_encoder_kind *cru_encoder_offered(const cru_plugin *plugin);

/* ---- taking them ----------------------------------------------------------------------------------------- */

/* The key `encoder` for a `const char *`, beside `backbone`. */
#define CRU_ENCODER_PLUGIN(type_, field_)                                                                              \
    {                                                                                                                  \
        .key = "encoder", .type = CRU_PARAM_STRING, .offset = offsetof(type_, field_), .text = "",                     \
        .help = "a plugin whose layers take the place of `backbone`"                                                   \
    }

/* The layers of the plugin called `name`, which the host has loaded; NULL for "", and, with a failure in the context,
 * where there is none. */
CRU_API const cru_encoder_kind *cru_encoder_of(cru_ctx *ctx, const char *name);

/* cru_learner_encoder with the layers of the plugin called `name`, unless that is "". */
CRU_API cru_encoder cru_learner_encoder_of(cru_learner *learner, cru_net *net, const cru_encoder_settings *settings,
                                           const char *name);

#ifdef __cplusplus
}
#endif
#endif
