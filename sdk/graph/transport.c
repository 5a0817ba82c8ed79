// SPDX-License-Identifier: Apache-2.0
/* Exact transport by successive shortest paths with potentials. Reduced costs c_ij - a_i + b_j stay non-negative, so
 * each path is found by a dense Dijkstra search from one supply. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/transport.h>

#include "memory/heap.h"

typedef struct solver {
    const cru_transport *p;
    double *supply, *demand; /* what is left */
    double *plan;            /* m x n */
    double *row_price, *col_price;
    double *row_dist, *col_dist;
    int64_t *row_from, *col_from; /* the column, the row before it on the path; -1: the start */
    bool *row_done, *col_done;
    double dust; /* amounts below this are rounding */
} solver;

static cru_status check(const cru_transport *p, double *total, cru_error *err)
{
    double supply = 0, demand = 0;
    for (int64_t i = 0; i < p->m; i++) {
        if (!(p->supply[i] >= 0) || !isfinite(p->supply[i]))
            return cru_fail(err, CRU_BAD_INPUT, "transport: supply %lld is %g", (long long)i, p->supply[i]);
        supply += p->supply[i];
    }
    for (int64_t j = 0; j < p->n; j++) {
        if (!(p->demand[j] >= 0) || !isfinite(p->demand[j]))
            return cru_fail(err, CRU_BAD_INPUT, "transport: demand %lld is %g", (long long)j, p->demand[j]);
        demand += p->demand[j];
    }
    for (int64_t e = 0; e < p->m * p->n; e++)
        if (!(p->cost[e] >= 0) || !isfinite(p->cost[e]))
            return cru_fail(err, CRU_BAD_INPUT, "transport: cost (%lld, %lld) is %g", (long long)(e / p->n),
                            (long long)(e % p->n), p->cost[e]);
    if (fabs(supply - demand) > 1e-6 * fmax(supply, demand))
        return cru_fail(err, CRU_BAD_INPUT, "transport: supply %g against demand %g", supply, demand);
    *total = supply;
    return CRU_OK;
}

/* Relaxes the arcs out of row i to all columns. */
static void relax_row(solver *s, int64_t i)
{
    const double *cost = s->p->cost + i * s->p->n;
    for (int64_t j = 0; j < s->p->n; j++) {
        double d = s->row_dist[i] + fmax(0, cost[j] - s->row_price[i] + s->col_price[j]);
        if (s->col_done[j] || d >= s->col_dist[j]) continue;
        s->col_dist[j] = d;
        s->col_from[j] = i;
    }
}

/* Flow into column j can be taken back at no reduced cost. */
static void relax_col(solver *s, int64_t j)
{
    for (int64_t i = 0; i < s->p->m; i++) {
        if (s->row_dist[i] <= s->col_dist[j] || s->plan[i * s->p->n + j] <= s->dust) continue;
        s->row_dist[i] = s->col_dist[j];
        s->row_from[i] = j;
        s->row_done[i] = true;
        relax_row(s, i);
    }
}

/* The nearest column with demand left, seen from row `start`; -1 when there is none. */
static int64_t shortest_path(solver *s, int64_t start)
{
    const cru_transport *p = s->p;
    for (int64_t i = 0; i < p->m; i++) s->row_dist[i] = INFINITY;
    for (int64_t j = 0; j < p->n; j++) s->col_dist[j] = INFINITY;
    memset(s->row_done, 0, (size_t)p->m);
    memset(s->col_done, 0, (size_t)p->n);
    s->row_dist[start] = 0;
    s->row_from[start] = -1;
    s->row_done[start] = true;
    relax_row(s, start);
    for (;;) {
        int64_t best = -1;
        for (int64_t j = 0; j < p->n; j++)
            if (!s->col_done[j] && s->col_dist[j] < INFINITY && (best < 0 || s->col_dist[j] < s->col_dist[best]))
                best = j;
        if (best < 0) return -1;
        s->col_done[best] = true;
        if (s->demand[best] > s->dust) return best;
        relax_col(s, best);
    }
}

/* Keeps reduced costs non-negative and those on the path zero. */
static void reprice(solver *s, double reach)
{
    for (int64_t i = 0; i < s->p->m; i++)
        if (s->row_done[i] && s->row_dist[i] < reach) s->row_price[i] += reach - s->row_dist[i];
    for (int64_t j = 0; j < s->p->n; j++)
        if (s->col_done[j] && s->col_dist[j] < reach) s->col_price[j] += reach - s->col_dist[j];
}

static void send(solver *s, int64_t end)
{
    double amount = s->demand[end];
    int64_t n = s->p->n, i = s->col_from[end];
    for (; s->row_from[i] >= 0; i = s->col_from[s->row_from[i]]) amount = fmin(amount, s->plan[i * n + s->row_from[i]]);
    amount = fmin(amount, s->supply[i]);
    s->supply[i] -= amount;
    s->demand[end] -= amount;
    for (int64_t j = end;;) {
        i = s->col_from[j];
        s->plan[i * n + j] += amount;
        if (s->row_from[i] < 0) return;
        j = s->row_from[i];
        s->plan[i * n + j] -= amount;
        if (s->plan[i * n + j] < s->dust) s->plan[i * n + j] = 0;
    }
}

static void solve(solver *s)
{
    for (int64_t i = 0; i < s->p->m; i++) {
        while (s->supply[i] > s->dust) {
            int64_t end = shortest_path(s, i);
            if (end < 0) break; /* rounding left a little supply and no demand */
            double reach = s->col_dist[end];
            send(s, end);
            reprice(s, reach);
        }
    }
}

cru_status cru_transport_exact(const cru_transport *p, double *cost, double *plan, cru_error *err)
{
    double total = 0;
    cru_status status = check(p, &total, err);
    if (status) return status;
    int64_t m = p->m, n = p->n;
    double *numbers = heap_alloc(3 * (m + n) + m * n, sizeof *numbers);
    int64_t *from = heap_alloc(m + n, sizeof *from);
    bool *done = heap_alloc(m + n, sizeof *done);
    solver s = {.p = p, .supply = numbers, .demand = numbers + m, .row_price = numbers + m + n, .dust = 1e-13 * total};
    s.col_price = s.row_price + m;
    s.row_dist = s.col_price + n;
    s.col_dist = s.row_dist + m;
    s.plan = s.col_dist + n;
    s.row_from = from;
    s.col_from = from + m;
    s.row_done = done;
    s.col_done = done + m;
    if (m) memcpy(s.supply, p->supply, (size_t)m * sizeof *s.supply);
    if (n) memcpy(s.demand, p->demand, (size_t)n * sizeof *s.demand);
    solve(&s);
    *cost = 0;
    for (int64_t e = 0; e < m * n; e++) *cost += s.plan[e] * p->cost[e];
    if (plan && m && n) memcpy(plan, s.plan, (size_t)(m * n) * sizeof *plan);
    free(done);
    free(from);
    free(numbers);
    return CRU_OK;
}

/* log sum_k exp(x_k - c_k / epsilon) over one line of the cost matrix. */
static double log_sum(const double *x, const double *cost, int64_t stride, int64_t n, double epsilon)
{
    double top = -INFINITY, sum = 0;
    for (int64_t k = 0; k < n; k++) top = fmax(top, x[k] - cost[k * stride] / epsilon);
    if (top == -INFINITY) return top;
    for (int64_t k = 0; k < n; k++) sum += exp(x[k] - cost[k * stride] / epsilon - top);
    return top + log(sum);
}

/* plan_ij = exp(u_i + v_j - cost_ij / epsilon); returns the sum of errors of the row marginals. */
static double write_plan(const cru_transport *p, double epsilon, const double *u, const double *v, double *plan)
{
    double error = 0;
    for (int64_t i = 0; i < p->m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < p->n; j++)
            sum += plan[i * p->n + j] = exp(u[i] + v[j] - p->cost[i * p->n + j] / epsilon);
        error += fabs(sum - p->supply[i]);
    }
    return error;
}

cru_status cru_transport_sinkhorn(const cru_transport *p, const cru_sinkhorn_options *options, double *cost,
                                  double *plan, cru_error *err)
{
    double total = 0, epsilon = options->epsilon, tolerance = options->tolerance > 0 ? options->tolerance : 1e-9;
    cru_status status = check(p, &total, err);
    if (status) return status;
    if (!(epsilon > 0)) return cru_fail(err, CRU_BAD_INPUT, "sinkhorn: epsilon is %g", epsilon);
    int64_t m = p->m, n = p->n;
    *cost = 0;
    if (m && n) memset(plan, 0, (size_t)(m * n) * sizeof *plan);
    if (total == 0) return CRU_OK;
    double *u = heap_alloc(m + n, sizeof *u), *v = u + m;
    int32_t rounds = options->iterations > 0 ? options->iterations : 1000;
    for (int32_t round = 0; round < rounds; round++) {
        for (int64_t i = 0; i < m; i++) u[i] = log(p->supply[i]) - log_sum(v, p->cost + i * n, 1, n, epsilon);
        for (int64_t j = 0; j < n; j++) v[j] = log(p->demand[j]) - log_sum(u, p->cost + j, n, m, epsilon);
        if (write_plan(p, epsilon, u, v, plan) <= tolerance * total) break;
    }
    for (int64_t e = 0; e < m * n; e++) *cost += plan[e] * p->cost[e];
    free(u);
    return CRU_OK;
}
