// SPDX-License-Identifier: Apache-2.0
#include "class-schedule.h"

#include <math.h>

#include <crucible/imbalance.h>

int32_t *class_ranks(cru_pool pool, class_population population)
{
    int32_t *ranks = cru_pool_alloc(pool, population.classes, sizeof *ranks);
    for (int32_t c = 0; c < population.classes; c++) ranks[c] = c;
    cru_largest_first(ranks, population.classes, population.size);
    return ranks;
}

static double ratio(double rho, int32_t classes)
{
    return pow(rho, 1.0 / (classes - 1));
}

double class_largest(double n, double rho, int32_t classes)
{
    const double mu = ratio(rho, classes);
    return rho > 1 ? n * rho * (mu - 1) / (rho * mu - 1) : n / classes;
}

void class_counts_geometric(cru_pool pool, class_population population, double first, double rho, int64_t *counts)
{
    const int32_t *ranks = class_ranks(pool, population);
    const double mu = ratio(rho, population.classes);
    for (int32_t i = 0; i < population.classes; i++) {
        const double wanted = fmax(first * pow(mu, -i), 1);
        counts[ranks[i]] = (int64_t)nearbyint(fmin(wanted, (double)population.size[ranks[i]]));
    }
}

/* ---- the study's table of counts, ascending ---------------------------------------------------------------------- */

enum { MOST_COUNTS = 39 };

typedef struct published {
    int64_t nodes;
    int32_t classes, rho;
    int32_t listed;
    int16_t counts[MOST_COUNTS];
} published;

static const published table[] = {
    /* cora */ {2708, 7, 20, 7, {5, 9, 15, 24, 40, 80, 100}},
    /* cora */ {2708, 7, 100, 7, {2, 3, 6, 14, 17, 31, 200}},
    /* citeseer */ {3327, 6, 20, 6, {7, 13, 25, 46, 99, 140}},
    /* citeseer */ {3327, 6, 100, 6, {2, 5, 12, 31, 80, 200}},
    /* pubmed */ {19717, 3, 20, 3, {77, 354, 1540}},
    /* pubmed */ {19717, 3, 100, 3, {17, 254, 1700}},
    /* computers */ {13752, 10, 20, 10, {20, 28, 39, 55, 76, 107, 150, 208, 297, 400}},
    /* computers */ {13752, 10, 100, 10, {5, 9, 15, 25, 43, 71, 119, 199, 394, 500}},
    /* photo */ {7650, 8, 20, 8, {13, 21, 32, 49, 75, 116, 194, 260}},
    /* photo */ {7650, 8, 100, 8, {3, 7, 13, 26, 51, 98, 262, 300}},
    /* chameleon */ {2277, 5, 20, 5, {6, 12, 27, 60, 120}},
    /* chameleon */ {2277, 5, 100, 5, {1, 5, 25, 94, 100}},
    /* squirrel */ {5201, 5, 20, 5, {14, 29, 62, 135, 280}},
    /* squirrel */ {5201, 5, 100, 5, {3, 11, 35, 171, 300}},
    /* actor */ {7600, 5, 20, 5, {20, 43, 91, 206, 400}},
    /* actor */ {7600, 5, 100, 5, {5, 16, 52, 187, 500}},
    /* arxiv */ {169343, 40, 20, 39, {47,  51,  56,  60,  65,  70,  76,  83,  89,  97,  105, 113, 123,
                                      133, 144, 156, 168, 182, 197, 213, 231, 250, 271, 293, 317, 343,
                                      371, 401, 434, 470, 509, 550, 596, 645, 697, 755, 817, 919, 940}},
    /* arxiv */ {169343, 40, 100, 39, {13,  15,  17,  19,  22,  25,  28,  32,  36,  41,  46,   52,   59,
                                       66,  75,  85,  96,  108, 122, 138, 156, 176, 199, 225,  254,  286,
                                       323, 365, 412, 465, 525, 593, 669, 756, 853, 963, 1154, 1268, 1300}},
};

bool class_counts_published(cru_pool pool, class_population population, int64_t nodes, double rho, int64_t *counts)
{
    const published *found = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table && !found; i++)
        if (table[i].nodes == nodes && table[i].classes == population.classes && table[i].rho == rho) found = &table[i];
    if (!found) return false;
    const int32_t *ranks = class_ranks(pool, population);
    for (int32_t i = 0; i < population.classes; i++) {
        const int32_t place = found->listed - 1 - i, c = ranks[i];
        const int64_t wanted = found->counts[place > 0 ? place : 0];
        counts[c] = wanted < population.size[c] ? wanted : population.size[c];
    }
    return true;
}

void class_counts_graphs(cru_pool pool, class_population population, double n, double rho, int64_t *counts)
{
    const int32_t classes = population.classes, last = classes - 1;
    const int32_t *ranks = class_ranks(pool, population);
    const double first = n / (1 + (classes - 2) + 1 / rho), mu = ratio(rho, classes);
    double sum = 0;
    for (int32_t i = 0; i < classes; i++) sum += first * pow(mu, -i);
    for (int32_t i = 0; i < classes; i++) counts[ranks[i]] = (int64_t)nearbyint(first * pow(mu, -i) * n / sum);
    if (rho > 1) {
        counts[ranks[last]] = (int64_t)fmax(floor(first / rho * n / sum), 1);
        counts[ranks[0]] = (int64_t)nearbyint((double)counts[ranks[last]] * rho);
    }
    for (int32_t c = 0; c < classes; c++)
        if (counts[c] > population.size[c]) counts[c] = population.size[c];
}
