// SPDX-License-Identifier: Apache-2.0
#define LANES      8
#define WALK_LEARN walk_learn_avx2
#include "graph/walk-table-kernel.h"
