// SPDX-License-Identifier: Apache-2.0
/* inner.h: the method inside a wrapper that is checked: small, without settings, for every kind of problem.
 *
 *     score(i, c) = log((labelled training items of class c + 1) / (all of them + classes)) + 0.1 N(0, 1)
 *
 * So a check needs no second file, and what goes wrong is the wrapper's. */
#ifndef CORE_CHECK_INNER_H
#define CORE_CHECK_INNER_H

#include <crucible/wrapper.h>

/* For cru_ctx_options.inner; NULL for a plugin that wraps nothing. */
const cru_inner *check_inner(const cru_plugin *plugin);

#endif
