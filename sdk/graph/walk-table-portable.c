// SPDX-License-Identifier: Apache-2.0
#define LANES      4
#define WALK_LEARN walk_learn_portable
#include "graph/walk-table-kernel.h"
