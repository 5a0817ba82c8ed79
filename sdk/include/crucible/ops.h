// SPDX-License-Identifier: Apache-2.0
/* ops.h: all operators. */
#ifndef CRUCIBLE_OPS_H
#define CRUCIBLE_OPS_H

#include <crucible/ops-basic.h>
#include <crucible/ops-loss.h>
#include <crucible/ops-sparse.h>

#endif
