// SPDX-License-Identifier: Apache-2.0
/* folds.h: of two lists of training nodes a tenth of each rests, run by run. */
#ifndef IGL_FOLDS_H
#define IGL_FOLDS_H

#include "subset.h"

enum { FOLDS = 10 };

/* All but the f-th of FOLDS runs of the list; all of it when nothing would be left. In the context. */
cru_ids folds_without(cru_ctx *ctx, cru_ids list, int64_t f);

/* The f-th runs of both lists. */
subset folds_resting(const cru_learner *learner, cru_ids one, cru_ids other, int64_t f);

#endif
