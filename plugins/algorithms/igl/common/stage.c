// SPDX-License-Identifier: Apache-2.0
#include "stage.h"

#include <math.h>

void stage_run(cru_learner *l, const stage *s)
{
    cru_snapshot *kept = cru_snapshot_create(s->net);
    double best = -INFINITY;
    cru_snapshot_take(kept);
    for (int64_t i = 0, at = 0; (double)i < s->epochs && (double)(i - at) <= s->patience; i++) {
        s->step(l, s->user, s->optim);
        if (cru_ctx_status(l->ctx) != CRU_OK) return;
        cru_tape_begin(l->tape, CRU_EVAL);
        const double score = s->score(l, s->user, l->tape);
        if (score < best || (s->earliest && score == best)) continue;
        best = score, at = i;
        cru_snapshot_take(kept);
    }
    cru_snapshot_restore(kept);
}
