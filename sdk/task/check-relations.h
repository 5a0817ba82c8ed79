// SPDX-License-Identifier: Apache-2.0
/* Whether the merged graph is the union of its relations, apart from self-loops of its own. */
#ifndef CRU_TASK_CHECK_RELATIONS_H
#define CRU_TASK_CHECK_RELATIONS_H

#include <crucible/task.h>

/* The graph and all relations must have passed their own checks. */
cru_status check_union(const cru_data *d, cru_error *err);

#endif
