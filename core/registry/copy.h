/* Deep copies of a plugin's description. */
#ifndef CORE_REGISTRY_COPY_H
#define CORE_REGISTRY_COPY_H

#include "registry/arena.h"
#include "registry/registry.h"

/* Copies `from` with everything that it points to into `a`. The table may still contain groups; the copy is flat. Fails
 * with CRU_NO_MEMORY. */
cru_status entry_copy(arena *a, const registry_entry *from, registry_entry *to);

#endif
