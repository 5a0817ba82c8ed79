// SPDX-License-Identifier: Apache-2.0
#include "train/shelf.h"

#include <crucible/nn.h>

#include "train/learner.h"

/* The weights of all nets at one moment. */
typedef struct moment {
    bool taken;
    cru_snapshot *nets[CRU_MAX_NETS]; /* NULL before the first time */
} moment;

typedef struct cru_shelf {
    moment kept[CRU_MAX_RULES];
    moment last; /* the end of the training, once a rule was selected */
} cru_shelf;

static void take(const cru_learner *l, moment *m)
{
    m->taken = true;
    for (int64_t i = 0; i < l->net_count; i++) {
        if (m->nets[i])
            cru_snapshot_take(m->nets[i]);
        else
            m->nets[i] = cru_snapshot_create(l->nets[i]);
    }
}

void shelf_keep(cru_learner *l, uint32_t verdict)
{
    for (int32_t rule = 0; rule < CRU_MAX_RULES; rule++) {
        if (!(verdict & CRU_KEEP_FOR(rule))) continue;
        if (!l->shelf) l->shelf = cru_ctx_alloc(l->ctx, 1, sizeof *l->shelf);
        take(l, &l->shelf->kept[rule]);
    }
}

void shelf_forget(cru_learner *l)
{
    for (int32_t rule = 0; l->shelf && rule < CRU_MAX_RULES; rule++) l->shelf->kept[rule].taken = false;
}

void method_select(void *self, int32_t rule)
{
    cru_learner *l = self;
    cru_assert(rule >= 0 && rule < CRU_MAX_RULES && !l->wider, "select: rule %d%s", (int)rule,
               l->wider ? " after widening" : "");
    if (!l->shelf) return; /* no rule chose anything: the weights are still the last ones */
    if (!l->shelf->last.taken) take(l, &l->shelf->last);
    const moment *chosen = l->shelf->kept[rule].taken ? &l->shelf->kept[rule] : &l->shelf->last;
    for (int64_t i = 0; i < l->net_count; i++) cru_snapshot_restore(chosen->nets[i]);
}
