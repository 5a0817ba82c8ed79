// SPDX-License-Identifier: Apache-2.0
#define LANES      16
#define WALK_LEARN walk_learn_avx512
#include "graph/walk-table-kernel.h"
