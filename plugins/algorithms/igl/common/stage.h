// SPDX-License-Identifier: Apache-2.0
/* stage.h: training before the one that the monitor sees: steps, a score of the method's own, the best weights kept. */
#ifndef IGL_STAGE_H
#define IGL_STAGE_H

#include <crucible/crucible.h>

typedef struct stage {
    cru_net *net;
    cru_optim *optim;
    double epochs, patience; /* at most so many; so many after the best */
    bool earliest;           /* of equal scores; else the latest */
    void (*step)(cru_learner *l, void *user, cru_optim *optim);
    double (*score)(cru_learner *l, void *user, cru_tape *t); /* in eval mode, higher is better */
    void *user;
} stage;

/* Leaves the net with the weights of the best score; without an epoch as it was. */
void stage_run(cru_learner *learner, const stage *stage);

#endif
