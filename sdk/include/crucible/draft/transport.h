// SPDX-License-Identifier: Apache-2.0
/* draft/transport.h: moving mass at least cost. */
#ifndef CRUCIBLE_DRAFT_TRANSPORT_H
#define CRUCIBLE_DRAFT_TRANSPORT_H

#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Move supply[i] >= 0 (m of them) to demand[j] >= 0 (n of them) at cost[i * n + j] >= 0 a unit. The totals must agree
 * to 1e-6 of their size. */
typedef struct cru_transport {
    int64_t m, n;
    const double *supply, *demand, *cost;
} cru_transport;

/* Exact: returns the least cost; plan (m x n) is written when not NULL. Successive shortest paths, O((m + n)^3): for
 * problems of up to a few hundred points. CRU_BAD_INPUT when totals disagree or a number is negative or not finite. */
CRU_API cru_status cru_transport_exact(const cru_transport *problem, double *cost, double *plan, cru_error *err);

/* Entropic: the plan diag(u) exp(-cost / epsilon) diag(v), computed in the log domain, until the marginals hold to
 * `tolerance` (sum of absolute errors, 0 means 1e-9) or `iterations` (0 means 1000) are done. Writes the plan, returns
 * its transport cost. */
typedef struct cru_sinkhorn_options {
    double epsilon, tolerance;
    int32_t iterations;
} cru_sinkhorn_options;
CRU_API cru_status cru_transport_sinkhorn(const cru_transport *problem, const cru_sinkhorn_options *options,
                                          double *cost, double *plan, cru_error *err);

#ifdef __cplusplus
}
#endif
#endif
