// SPDX-License-Identifier: Apache-2.0
/* watch.h: what the context keeps an eye on for its author's sake. */
#ifndef SDK_CONTEXT_WATCH_H
#define SDK_CONTEXT_WATCH_H

#include <crucible/context.h>

/* Whether tensors of a step that has ended are poisoned: see cru_ctx_options. */
bool ctx_checks_steps(const cru_ctx *ctx);

/* The loss of a step of training; and, after the last, a warning in the log when none of them was a number. */
void ctx_note_loss(cru_ctx *ctx, double loss);
void ctx_warn_of_losses(cru_ctx *ctx);

#endif
