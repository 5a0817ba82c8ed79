// SPDX-License-Identifier: Apache-2.0
/* draft/embed.h: principal components. Continues embed.h. */
#ifndef CRUCIBLE_DRAFT_EMBED_H
#define CRUCIBLE_DRAFT_EMBED_H

#include <crucible/embed.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Scores of the centred points on their k leading principal axes, out: x->rows x k, variance descending. Axes point so
 * that their largest entry is positive. Axes beyond the rank of x give zeros. */
CRU_API cru_status cru_pca(const cru_dense *x, int64_t k, cru_rng *rng, float *out, cru_error *err);

#ifdef __cplusplus
}
#endif
#endif
