// SPDX-License-Identifier: Apache-2.0
/* class-schedule.h: how many training items each class gets.
 *
 *     geometric   n_i = round(min(max(n_0 mu^-i, 1), population_i))      mu = rho^(1 / (C - 1))
 *
 * where i counts the classes from the most populous down; ties: the lower class first. Rounding is half to even.
 *
 *     Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 *     ICLR 2025. */
#ifndef CORRUPTORS_CLASS_SCHEDULE_H
#define CORRUPTORS_CLASS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include <crucible/pool.h>

typedef struct class_population {
    const int64_t *size; /* by class */
    int32_t classes;     /* at least 2 */
} class_population;

/* Classes from the most populous down. */
int32_t *class_ranks(cru_pool pool, class_population population);

/* The largest class's count such that the geometric counts of all classes sum to n. */
double class_largest(double n, double rho, int32_t classes);

/* `first` is n_0, before rounding. Writes one count a class. */
void class_counts_geometric(cru_pool pool, class_population population, double first, double rho, int64_t *counts);

/* The counts of the study for a dataset of so many nodes and classes, at rho = 20 or 100, at most the population.
 * False when it has none. Where it lists fewer counts than classes the rarest ones share the smallest. */
bool class_counts_published(cru_pool pool, class_population population, int64_t nodes, double rho, int64_t *counts);

/* The study's rule for graphs of three or more classes:
 *     m_0 = n / (1 + (C - 2) + 1 / rho), m_last = m_0 / rho, geometric between, scaled to the sum n;
 *     the last is cut, the others are rounded, and the first is round(rho last)
 * for rho > 1, and round(n / C) for each class for rho = 1. */
void class_counts_graphs(cru_pool pool, class_population population, double n, double rho, int64_t *counts);

#endif
