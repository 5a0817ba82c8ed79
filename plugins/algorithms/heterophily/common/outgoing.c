// SPDX-License-Identifier: Apache-2.0
#include "outgoing.h"

cru_csr outgoing_graph(cru_learner *l)
{
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr pattern = cru_csr_pattern(&l->task->graph);
    const cru_csr bare = cru_graph_loops(pool, &pattern, CRU_LOOPS_REMOVE);
    return cru_graph_is_symmetric(&bare) ? bare : cru_csr_transpose(pool, &bare, NULL);
}
