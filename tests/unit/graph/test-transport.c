// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/transport.h>

#include "graph/cases.h"

/* The cheapest assignment of n rows to n columns, by trying all. */
static double cheapest(const double *cost, int64_t n, int64_t row, unsigned used)
{
    if (row == n) return 0;
    double best = INFINITY;
    for (int64_t j = 0; j < n; j++)
        if (!(used >> j & 1)) best = fmin(best, cost[row * n + j] + cheapest(cost, n, row + 1, used | 1u << j));
    return best;
}

static void check_marginals(const cru_transport *p, const double *plan, double tolerance)
{
    for (int64_t i = 0; i < p->m; i++) {
        double sum = 0;
        for (int64_t j = 0; j < p->n; j++) sum += plan[i * p->n + j];
        ck_assert_double_eq_tol(sum, p->supply[i], tolerance);
    }
    for (int64_t j = 0; j < p->n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < p->m; i++) sum += plan[i * p->n + j];
        ck_assert_double_eq_tol(sum, p->demand[j], tolerance);
    }
}

START_TEST(unit_masses_are_an_assignment)
{
    uint64_t seed = 5;
    for (int64_t n = 1; n <= 7; n++) {
        double ones[7] = {1, 1, 1, 1, 1, 1, 1}, cost[49], plan[49], value;
        for (int64_t e = 0; e < n * n; e++) cost[e] = next_number(&seed) % 100;
        cru_transport p = {n, n, ones, ones, cost};
        ck_assert_int_eq(cru_transport_exact(&p, &value, plan, NULL), CRU_OK);
        ck_assert_double_eq_tol(value, cheapest(cost, n, 0, 0), 1e-9);
        check_marginals(&p, plan, 1e-12);
    }
}
END_TEST

/* Whole masses: split every place into unit places and assign those. */
START_TEST(unequal_masses_split_like_units)
{
    double supply[] = {3, 1, 2}, demand[] = {2, 0, 4}, cost[] = {4, 1, 9, 2, 2, 3, 8, 1, 5}, plan[9], value;
    int64_t from[] = {0, 0, 0, 1, 2, 2}, to[] = {0, 0, 2, 2, 2, 2};
    double units[36];
    for (int64_t i = 0; i < 6; i++)
        for (int64_t j = 0; j < 6; j++) units[i * 6 + j] = cost[from[i] * 3 + to[j]];
    cru_transport p = {3, 3, supply, demand, cost};
    ck_assert_int_eq(cru_transport_exact(&p, &value, plan, NULL), CRU_OK);
    ck_assert_double_eq_tol(value, cheapest(units, 6, 0, 0), 1e-9);
    check_marginals(&p, plan, 1e-12);
}
END_TEST

/* On a line the cost of an optimal plan is the area between the two distribution functions. */
START_TEST(mass_on_a_line_costs_the_area_between_distributions)
{
    enum { N = 40 };
    double a[N], b[N], cost[N * N], plan[N * N], value, area = 0, gap = 0, sa = 0, sb = 0;
    uint64_t seed = 8;
    for (int64_t i = 0; i < N; i++) {
        sa += a[i] = next_number(&seed) % 10;
        sb += b[i] = next_number(&seed) % 10;
    }
    for (int64_t i = 0; i < N; i++) {
        a[i] /= sa, b[i] /= sb;
        gap += a[i] - b[i];
        area += fabs(gap);
        for (int64_t j = 0; j < N; j++) cost[i * N + j] = fabs((double)(i - j));
    }
    cru_transport p = {N, N, a, b, cost};
    ck_assert_int_eq(cru_transport_exact(&p, &value, plan, NULL), CRU_OK);
    ck_assert_double_eq_tol(value, area, 1e-9);
    check_marginals(&p, plan, 1e-9);
    ck_assert_int_eq(
        cru_transport_sinkhorn(&p, &(cru_sinkhorn_options){.epsilon = 0.02, .iterations = 20000}, &value, plan, NULL),
        CRU_OK);
    ck_assert_double_eq_tol(value, area, 0.02);
    check_marginals(&p, plan, 1e-4);
}
END_TEST

/* m = n = 1 and the closed form of a 2 x 2 plan with equal masses: p = 1/2 sigmoid of the cost gap. */
START_TEST(sinkhorn_has_the_entropic_plan)
{
    double half[] = {0.5, 0.5}, cost[] = {0, 1, 1, 0}, plan[4], value;
    cru_transport p = {2, 2, half, half, cost};
    ck_assert_int_eq(cru_transport_sinkhorn(&p, &(cru_sinkhorn_options){.epsilon = 0.7}, &value, plan, NULL), CRU_OK);
    double stay = 0.5 / (1 + exp(-1 / 0.7));
    ck_assert_double_eq_tol(plan[0], stay, 1e-9);
    ck_assert_double_eq_tol(value, 2 * (0.5 - stay), 1e-9);
}
END_TEST

START_TEST(bad_problems_are_refused)
{
    double one[] = {1}, two[] = {2}, minus[] = {-1}, value;
    cru_error err = {0};
    ck_assert_int_eq(cru_transport_exact(&(cru_transport){1, 1, one, two, one}, &value, NULL, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "supply 1 against demand 2"));
    ck_assert_int_eq(cru_transport_exact(&(cru_transport){1, 1, minus, one, one}, &value, NULL, NULL), CRU_BAD_INPUT);
    ck_assert_int_eq(cru_transport_exact(&(cru_transport){1, 1, one, one, minus}, &value, NULL, NULL), CRU_BAD_INPUT);
    ck_assert_int_eq(
        cru_transport_sinkhorn(&(cru_transport){1, 1, one, one, one}, &(cru_sinkhorn_options){0}, &value, two, NULL),
        CRU_BAD_INPUT);
    ck_assert_int_eq(cru_transport_exact(&(cru_transport){0}, &value, NULL, NULL), CRU_OK);
    ck_assert_double_eq(value, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("transport");
    TCase *c = tcase_create("transport");
    tcase_set_timeout(c, 200);
    tcase_add_test(c, unit_masses_are_an_assignment);
    tcase_add_test(c, unequal_masses_split_like_units);
    tcase_add_test(c, mass_on_a_line_costs_the_area_between_distributions);
    tcase_add_test(c, sinkhorn_has_the_entropic_plan);
    tcase_add_test(c, bad_problems_are_refused);
    suite_add_tcase(s, c);
    return s;
}
