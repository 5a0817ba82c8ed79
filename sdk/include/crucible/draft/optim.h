// SPDX-License-Identifier: Apache-2.0
/* draft/optim.h: single weights and rows, clipping, and learning-rate schedules. Continues optim.h. */
#ifndef CRUCIBLE_DRAFT_OPTIM_H
#define CRUCIBLE_DRAFT_OPTIM_H

#include <crucible/optim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A single weight that belongs to no net. */
CRU_API void cru_optim_add_weight(cru_optim *optim, cru_tensor *weight, const cru_optim_group *group);

/* A step of some rows of one weight of the optimiser, each named once, that leaves the values and moments of all other
 * rows alone: for tables of which a batch looks up a few rows (cru_embedding). Adam is then PyTorch's SparseAdam. Uses
 * and forgets the gradient of the weight; without one nothing happens. */
CRU_API void cru_optim_step_rows(cru_optim *optim, cru_tensor *weight, cru_ids rows);

CRU_API void cru_optim_clear(cru_optim *optim); /* forgets gradients without a step */
CRU_API void cru_optim_reset(cru_optim *optim); /* moments and step count back to the start */

/* ---- schedules: the learning rate for a step, counted from 0 ---------------------------------------------------- */

CRU_API double cru_lr_step(double lr, int64_t step, int64_t every, double gamma);
CRU_API double cru_lr_multi_step(double lr, int64_t step, const int64_t *at, int64_t count, double gamma);

/* half a cosine from lr to `floor` over `total` steps */
CRU_API double cru_lr_cosine(double lr, int64_t step, int64_t total, double floor);

/* rises linearly to lr over `warmup` steps, then stays */
CRU_API double cru_lr_warmup(double lr, int64_t step, int64_t warmup);

#ifdef __cplusplus
}
#endif
#endif
