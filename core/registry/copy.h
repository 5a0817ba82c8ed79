// SPDX-License-Identifier: Apache-2.0
/* Deep copies of a plugin's description. */
#ifndef CORE_REGISTRY_COPY_H
#define CORE_REGISTRY_COPY_H

#include <crucible/arena.h>

#include "registry/registry.h"

/* Copies `from` with everything that it points to into `a`. The table may still contain groups; the copy is flat. */
registry_entry entry_copy(cru_arena *a, const registry_entry *from);

/* A copy of a text that may be NULL. */
const char *text_copy(cru_arena *a, const char *text);

#endif
