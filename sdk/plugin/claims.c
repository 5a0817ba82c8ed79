// SPDX-License-Identifier: Apache-2.0
/* Refusing tasks that a method does not claim. */
#include <crucible/plugin.h>

static const char *kind_of_task(cru_problem problem)
{
    switch (problem) {
    case CRU_NODES:
        return "the nodes of a graph are classified";
    case CRU_GRAPHS:
        return "whole graphs are classified";
    case CRU_ANOMALY:
        return "anomalous nodes are found";
    case CRU_ROWS:
        return "rows without a graph are classified";
    }
    return "the kind of problem is unknown";
}

cru_status cru_task_claim(const cru_task *task, uint32_t problems, cru_ctx *ctx)
{
    if (task->problem & problems) return CRU_OK;
    return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "not a method for tasks in which %s", kind_of_task(task->problem));
}
